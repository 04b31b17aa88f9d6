"""The check of messages finds one in another form, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("one_wording", ROOT / "tests" / "one_wording.py")
one_wording = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(one_wording)


def test_every_message_has_the_one_wording():
    assert one_wording.check(ROOT) == []


def found(tmp_path, name, text):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return one_wording.check(tmp_path)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("env/game/a.cpp", 'refuse("seat = 4, allowed 0..3");'),
        ("env/game/a.cpp", 'refuse(name + ", allowed " + seats);'),
        ("agents/basic/a.cpp", 'fmt::format("share {}, "\n            "allowed 0..1", share)'),
        ("training/a.h", 'throw Error("width must be positive");'),
        ("bindings/a.cpp", '"views: {} came, needed is an array"'),
        ("bindings/a.cpp", '"needs a name, allowed are " + names'),
        ("bindings/a.cpp", '"no option {}; options: a, b"'),
        ("python/schafkopf/a.py", 'f"{value}, allowed from {least}"'),
        ("python/schafkopf/a.py", 'f"{path}: longer than the {most} bytes allowed"'),
    ],
)
def test_a_message_in_another_form_is_named(tmp_path, name, line):
    lines = found(tmp_path, name, f"\n{line}\n")
    assert len(lines) == 1 and lines[0].startswith(f"{name}:2: ")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("env/game/a.cpp", 'refuse("seat = 4, allowed: 0..3");'),
        ("env/game/a.cpp", 'int a = 0;  // at most one, allowed by the "rules"'),
        ("env/game/a.cpp", 'visit(Field{.key = "knock_allowed"}, r.knock_allowed);'),
        ("bindings/a.cpp", 'module.doc() = R"(Raises: a value that is not allowed; must be)";'),
        ("python/schafkopf/a.py", 'def f():\n    """A seat must be named."""'),
        ("python/schafkopf/a.py", 'row["allowed"]'),
    ],
)
def test_a_right_line_passes(tmp_path, name, line):
    assert found(tmp_path, name, f"\n{line}\n") == []
