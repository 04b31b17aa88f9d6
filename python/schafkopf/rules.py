"""House rules: rule sets, presets and the switches that they are made of (RULES J).

>>> import schafkopf
>>> schafkopf.rules.RuleSet("research", all_pass="ramsch").all_pass
'ramsch'
"""

from schafkopf._core import (
    CONTRACT_CLASSES,
    SPECIAL_ROUNDS,
    RuleSet,
    preset_names,
    preset_title,
    rule_fields,
)

__all__ = [
    "CONTRACT_CLASSES",
    "SPECIAL_ROUNDS",
    "RuleSet",
    "preset_names",
    "preset_title",
    "rule_fields",
]
