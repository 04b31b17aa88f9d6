"""The check of packed fields finds a planted line that unpacks by hand, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("packed_fields", ROOT / "tests" / "packed_fields.py")
packed_fields = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(packed_fields)


def test_nobody_unpacks_by_hand():
    assert packed_fields.check(ROOT) == []


def test_every_file_that_may_name_the_fields_does(monkeypatch):
    files = packed_fields.CPP_FILES
    monkeypatch.setattr(packed_fields, "CPP_FILES", set())
    assert {line.split(":")[0] for line in packed_fields.check(ROOT)} == files


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("agents/maxims/a.cpp", "const int seat = (view.order.plays[i] >> 5) & 3;"),
        ("agents/worlds/a.h", "const std::uint16_t event = view.events.events[i];"),
        ("training/a.cpp", "group = view.cards.contract & 31;"),
        ("env/record/a.cpp", "if ((line.declarer_leader & 7) > kNoSeat) return;"),
        ("env/game/a.cpp", "return (table_.order[i] >> 5) & 3;"),
        ("env/game/a.cpp", "if ((table.events[i] & 0x8000) == 0) continue;"),
        ("python/schafkopf/a.py", 'seat = int(cards["seat_trick"]) & 3'),
        ("python/schafkopf/a.py", 'for event in view["events"]["events"][:n]:'),
    ],
)
def test_a_planted_line_is_named(tmp_path, name, line):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(f"\n{line}\n", encoding="utf-8")
    found = packed_fields.check(tmp_path)
    assert found and all(line.startswith(f"{name}:2: ") for line in found)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("agents/a.cpp", "const SeenPlay play = view.play(i);"),
        ("env/record/a.cpp", "for (const Event& event : history.events) use(event);"),
        ("env/game/a.cpp", "row.contract = table.contract.row;"),
        ("env/game/a.cpp", "table_.order[table_.num_plays++] = packed::play(card, seat);"),
        ("python/schafkopf/a.py", 'events = _core.unpack_events(view["events"])[:n]'),
    ],
)
def test_a_right_line_passes(tmp_path, name, line):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(f"\n{line}\n", encoding="utf-8")
    assert packed_fields.check(tmp_path) == []
