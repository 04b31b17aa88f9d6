"""Observations of 64 bytes: what they hold, and that all ways to expand them agree."""

from __future__ import annotations

import numpy as np
import pytest

import schafkopf
from schafkopf.observations import (
    expand_packed,
    expand_packed_numpy,
    observation_table,
    packed_table,
)


def two_batches(**options: object) -> tuple[schafkopf.VectorEnv, schafkopf.VectorEnv]:
    """Return the same games twice, shown packed and as rows of version 1."""
    both = [
        schafkopf.VectorEnv(64, seed=3, observation=form, auto_reset="same_step", **options)  # type: ignore[arg-type]
        for form in ("packed", "uint8")
    ]
    for env in both:
        env.reset()
    return both[0], both[1]


def held(rows: np.ndarray) -> np.ndarray:
    """Return rows of version 1 with what a packed row does not hold taken out."""
    table = {row["name"]: row["offset"] for row in observation_table(1)}
    rows = rows[:, : table["rules"]].copy()
    context = table["context"]
    rows[:, [context, context + 2, context + 5]] = 0
    for place in (1, 3, 4):
        rows[:, context + place] = np.minimum(rows[:, context + place], 7)
    rows[:, table["owed"] : table["owed"] + 4] = 0
    return rows


@pytest.mark.parametrize("cards", ["absolute", "canonical"])
def test_packed_rows_expand_to_rows_of_version_1_but_for_the_stated_losses(cards: str) -> None:
    packed, rows = two_batches(cards=cards, rules="tournament_2024")
    for _ in range(200):
        packed.step_random()
        rows.step_random()
        assert packed.observation.shape == (64, 64) and packed.observation.dtype == np.uint8
        np.testing.assert_array_equal(
            expand_packed(packed.observation, "uint8"), held(rows.observation)
        )


def test_numpy_and_torch_expand_to_the_values_of_the_engine() -> None:
    torch = pytest.importorskip("torch")
    packed, _ = two_batches()
    for _ in range(60):
        packed.step_random()
        given = packed.observation
        for dtype in ("uint8", "float32"):
            expected = expand_packed(given, dtype)
            assert expected.dtype == dtype
            np.testing.assert_array_equal(expand_packed_numpy(given, dtype), expected)
            tensor = expand_packed(torch.from_numpy(given), dtype)
            assert str(tensor.dtype) == f"torch.{dtype}"
            np.testing.assert_array_equal(tensor.numpy(), expected)


def test_a_packed_row_is_a_cache_line_and_its_sections_do_not_overlap() -> None:
    end = 0
    for row in packed_table():
        assert row["offset"] == end, row["name"]
        end += row["count"] * row["width"]
    assert 480 < end <= 512


def test_encode_packs_views_as_the_environment_does() -> None:
    env, _ = two_batches(view_lines=True)
    env.step_random(9)
    np.testing.assert_array_equal(schafkopf.encode(env.views(), dtype="packed"), env.observation)


def test_encode_takes_the_types_of_numpy_by_name_class_and_dtype() -> None:
    view = schafkopf.Game(seed=1).view(0)
    for name in ("float32", "uint8"):
        expected = schafkopf.encode(view, dtype=name)
        for dtype in (getattr(np, name), np.dtype(name)):
            rows = schafkopf.encode(view, dtype=dtype)
            assert rows.dtype == name
            np.testing.assert_array_equal(rows, expected)
    for wrong in (np.float64, np.dtype(">f4"), np.generic, 5, None, b"uint8"):
        with pytest.raises(ValueError, match=r"^dtype = .*, allowed: float32, uint8, packed$"):
            schafkopf.encode(view, dtype=wrong)


def test_final_observations_are_packed_too() -> None:
    options = {"learner_seat": 0, "opponent": "random"}
    packed, rows = two_batches(**options)
    ended = 0
    for _ in range(60):
        packed.step_random()
        rows.step_random()
        over = rows.terminated
        ended += int(over.sum())
        np.testing.assert_array_equal(
            expand_packed(packed.final_observation[over], "uint8"),
            held(rows.final_observation[over]),
        )
    assert ended > 50


def test_the_space_of_packed_rows_is_bytes() -> None:
    pytest.importorskip("gymnasium")
    packed, _ = two_batches()
    space = packed.single_observation_space
    assert space.shape == (64,) and space.dtype == np.uint8
    assert packed.observation_space.contains(packed.observation)


def test_a_view_with_more_cards_on_the_table_than_were_played_is_refused() -> None:
    game = schafkopf.Game.with_contract(schafkopf.Contract("SOLO", 0, "H"), seed=1)
    for _ in range(2):
        game.apply(game.legal_actions()[0])
    view = game.view(game.current_player)
    view["order"]["num_plays"] = 1
    with pytest.raises(ValueError, match="num_plays = 1 stands in no view of a game"):
        schafkopf.encode(view, version=4)


def test_wrong_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="observation_version = 3, allowed: 1"):
        schafkopf.VectorEnv(4, observation="packed", observation_version=3)
    with pytest.raises(ValueError, match=r"uint8 \[B, 64\]"):
        expand_packed(np.zeros((2, 63), np.uint8))
    with pytest.raises(ValueError, match=r"uint8 \[B, 64\]"):
        expand_packed(np.zeros((2, 64), np.int64))
    with pytest.raises(ValueError, match="allowed: uint8, float32"):
        expand_packed(np.zeros((2, 64), np.uint8), "float64")
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"uint8 \[B, 64\]"):
        expand_packed(torch.zeros((2, 64)))
    with pytest.raises(ValueError, match="allowed: uint8, float32"):
        expand_packed(torch.zeros((2, 64), dtype=torch.uint8), "half")
    with pytest.raises(ValueError, match="packed for version 1"):
        schafkopf.encode(schafkopf.Game(seed=1).view(0), dtype="packed", version=2)


def test_no_packed_rows_expand_to_no_rows() -> None:
    packed = np.zeros((0, 64), np.uint8)
    width = expand_packed(packed).shape[1]
    assert expand_packed_numpy(packed).shape == (0, width)
    with pytest.raises(ValueError, match='dtype = "f8", allowed'):
        expand_packed_numpy(packed, "f8")
    for wrong in (
        np.zeros((1, 16), np.uint8),
        np.zeros((1, 64), np.float32),
        np.zeros(64, np.uint8),
    ):
        with pytest.raises(ValueError, match=r"allowed: uint8 \[B, 64\]"):
            expand_packed_numpy(wrong)
    torch = pytest.importorskip("torch", exc_type=ImportError)
    assert expand_packed(torch.from_numpy(packed)).shape == (0, width)
