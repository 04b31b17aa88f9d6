"""Observations: views as rows of numbers for a network, and what stands where in a row."""

from schafkopf._core import (
    OBSERVATION_VERSION,
    encode,
    observation_sections,
    observation_size,
    observation_table,
    rule_feature_sections,
)

__all__ = [
    "OBSERVATION_VERSION",
    "encode",
    "observation_sections",
    "observation_size",
    "observation_table",
    "rule_feature_sections",
]
