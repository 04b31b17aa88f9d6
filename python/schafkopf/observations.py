"""Observations: views as rows of numbers for a network, and what stands where in a row."""

from schafkopf._core import (
    OBSERVATION_VERSION,
    encode,
    observation_sections,
    observation_size,
    observation_table,
    rule_feature_sections,
)
from schafkopf.packed import PACKED_LOSSES, expand_packed, expand_packed_numpy, packed_table

__all__ = [
    "OBSERVATION_VERSION",
    "PACKED_LOSSES",
    "encode",
    "expand_packed",
    "expand_packed_numpy",
    "observation_sections",
    "observation_size",
    "observation_table",
    "packed_table",
    "rule_feature_sections",
]
