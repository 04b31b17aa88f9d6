"""Rule sets by name, and their switches as text."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schafkopf import _core


def rule_set(name: str) -> _core.RuleSet:
    """Rule set of a preset name or of the path of a TOML file.

    Raises:
        ValueError: no such preset, or a mistake in the file with its line.
        OSError: the file cannot be read.
    """
    if not name:
        presets = ", ".join(_core.preset_names())
        raise ValueError(f'rule set "", allowed: {presets}, or the path of a .toml file')
    path = Path(name)
    if name not in _core.preset_names() and path.is_file() and path.name == name:
        name = f"./{name}"  # a file of this folder needs no ending
    return _core.RuleSet(name)


def with_path_as_text(rules: Any) -> Any:
    """Rules, or a list of them, with a pathlib.Path as the text that the engine takes.

    A path is that of a file: "./research" where it would read as the name of a preset.
    """
    if isinstance(rules, (list, tuple)):
        return [with_path_as_text(one) for one in rules]
    if not isinstance(rules, os.PathLike) or not isinstance(text := os.fspath(rules), str):
        return rules
    return os.path.join(os.curdir, text) if os.path.basename(text) == text else text


def as_rule_set(rules: Any) -> _core.RuleSet:
    """Rule set of what a caller names: a RuleSet, a preset name or path, or a dict, which begins
    with the defaults of the switches where it has no "preset".

    Raises:
        ValueError: as rule_set, a wrong switch, or something else.
    """
    rules = with_path_as_text(rules)
    if isinstance(rules, Mapping):
        return _core.RuleSet(**{"preset": "", **rules})
    if isinstance(rules, str):
        return _core.RuleSet(rules)
    if not isinstance(rules, _core.RuleSet):
        raise ValueError(
            f"rules: {type(rules).__name__} came, allowed: a preset name, a path, a dict or a "
            "RuleSet"
        )
    return rules


def short_text(rules: _core.RuleSet) -> str:
    """Rule set as the call that makes it, from the preset that is nearest: it differs least."""
    switches = rules.to_dict()
    base, changed = "", dict(switches)
    for name in (*_core.preset_names(), ""):
        preset = _core.RuleSet(name).to_dict()
        other = {key: value for key, value in switches.items() if value != preset[key]}
        if len(other) < len(changed):
            base, changed = name, other
    parts = [json.dumps(base)]
    for key, value in changed.items():
        text = json.dumps(value, ensure_ascii=False)
        parts.append(f"{key}={value if isinstance(value, bool) else text}")
    return f"RuleSet({', '.join(parts)})"


def value_text(value: Any) -> str:
    """Value of a switch as it stands in a TOML file."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    # TOML has no DEL in a text, which JSON has
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def title(name: str) -> str:
    """The first line about a rule set: what it is, if it is a preset."""
    return f"{name}: {_core.preset_title(name)}" if name in _core.preset_names() else name
