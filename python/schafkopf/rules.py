"""House rules: rule sets, presets and the switches that they are made of (RULES J).

>>> import schafkopf
>>> schafkopf.rules.RuleSet("research", all_pass="ramsch").all_pass
'ramsch'
"""

from schafkopf._core import (
    CONTRACT_CLASSES,
    SPECIAL_ROUNDS,
    RuleSet,
    contract_table,
    preset_names,
    preset_title,
    rule_fields,
    tariff_table,
)

__all__ = [
    "CONTRACT_CLASSES",
    "SPECIAL_ROUNDS",
    "RuleSet",
    "contract_table",
    "preset_names",
    "preset_title",
    "rule_fields",
    "tariff_table",
]
