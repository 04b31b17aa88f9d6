"""Actions by number and name (RULES D.1), legal ones as masks, and drawing among them.

>>> schafkopf.actions.action_name(schafkopf.actions.parse_action("EA"))
'CARD EA'
"""

from schafkopf._core import (
    ACTION_VERSION,
    NUM_ACTIONS,
    action_name,
    legal_mask,
    parse_action,
    phase_name,
    sample,
)

__all__ = [
    "ACTION_VERSION",
    "NUM_ACTIONS",
    "action_name",
    "legal_mask",
    "parse_action",
    "phase_name",
    "sample",
]
