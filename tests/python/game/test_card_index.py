"""The option `cards` of VectorEnv and the functions that move cards between both indices."""

import numpy as np
import pytest

import schafkopf


def planes(env, name):
    part = schafkopf.observation_sections(env.version)[name]
    return env.observation[:, part]


def make(cards, version=1, **options):
    options = {"rules": "wikipedia_extended", "seed": 9, "view_lines": True, **options}
    env = schafkopf.VectorEnv(64, cards=cards, observation_version=version, **options)
    env.version = version
    return env


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("cards", ["absolute", "canonical"])
def test_the_planes_of_an_observation_agree_with_mask_and_actions(cards, version):
    env = make(cards, version)
    for _ in range(80):
        acting = env.current_player >= 0
        assert (planes(env, "legal_cards")[acting] == env.action_mask[acting, :32]).all()
        play = env.phase == 20
        assert schafkopf.actions.phase_name(20) == "PLAY"
        hand = planes(env, "hand")
        assert (env.action_mask[play, :32] <= hand[play]).all()
        actions = env.random_actions()
        assert (env.action_mask[np.arange(64), actions] == 1).all()
        views = env.views()
        rows = schafkopf.encode(views, "wikipedia_extended", version=version, cards=cards)
        assert (rows == env.observation).all()
        mask = schafkopf.legal_mask(views, cards=cards)
        assert (mask[acting] == env.action_mask[acting]).all()
        env.step(actions)


def test_both_indices_play_the_same_games():
    absolute, canonical = make("absolute"), make("canonical")
    assert (absolute.card_index, canonical.card_index) == ("absolute", "canonical")
    agent = schafkopf.make_agent("rules")
    moved = 0
    for number in range(120):
        views, numbers = absolute.views(), absolute.card_map_numbers()
        assert (views == canonical.views()).all()
        assert (numbers == canonical.card_map_numbers()).all()
        assert (numbers == views["order"]["card_map"]).all()
        for card_map in (numbers, numbers.tolist(), views):
            there = schafkopf.cards.mask_to_canonical(absolute.action_mask, card_map)
            assert (there == canonical.action_mask).all()
            assert (
                schafkopf.cards.mask_from_canonical(there, card_map) == absolute.action_mask
            ).all()
            bits = schafkopf.cards.mask_to_canonical(absolute.legal, card_map)
            assert bits.dtype == np.uint64 and (bits == canonical.legal).all()
            assert (schafkopf.cards.mask_from_canonical(bits, card_map) == absolute.legal).all()
        if number % 2:
            plain, other = absolute.random_actions(), canonical.random_actions()
        else:
            plain, other = absolute.agent_actions(agent), canonical.agent_actions(agent)
        assert (schafkopf.cards.to_canonical(plain, numbers) == other).all()
        assert (schafkopf.cards.from_canonical(other, views) == plain).all()
        moved += int((plain != other).sum())
        absolute.step(plain)
        canonical.step(other)
        assert absolute.snapshot() == canonical.snapshot()
    assert moved > 1000


def test_absolute_is_the_default_and_other_words_are_refused():
    env = schafkopf.VectorEnv(4, seed=1, view_lines=True)
    assert env.card_index == "absolute"
    assert (schafkopf.encode(env.views()) == env.observation).all()
    for wrong in (
        lambda: schafkopf.VectorEnv(1, cards="relative"),
        lambda: schafkopf.encode(env.views(), cards="relative"),
        lambda: schafkopf.legal_mask(env.views(), cards="relative"),
    ):
        with pytest.raises(ValueError, match=r'cards = "relative", allowed.*absolute.*canonical'):
            wrong()


def test_an_illegal_action_is_named_in_both_counts():
    env = make("canonical", start="card_play", generator="mixed", rules="research")
    views = env.views()
    hands = (views["cards"]["hand"][:, None] >> np.arange(32, dtype=np.uint32)) & 1
    cards = np.tile(np.arange(32), (64, 1))
    moved = schafkopf.cards.card_maps()[env.card_map_numbers()]
    row, card = np.argwhere((hands == 0) & (moved != cards))[0]
    actions = env.random_actions()
    actions[row] = moved[row, card]
    text = rf"env {row}, action {moved[row, card]} \(canonical; absolute {card}\): .*"
    with pytest.raises(ValueError, match=text + schafkopf.cards.card_name(int(card))):
        env.step(actions)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64, ">i4"])
def test_arrays_of_actions_keep_their_dtype_and_what_is_no_card(dtype):
    maps = schafkopf.cards.card_maps()
    numbers = np.arange(128) % len(maps)
    actions = np.arange(128).astype(dtype)
    moved = schafkopf.cards.to_canonical(actions, numbers)
    assert moved.dtype == np.dtype(dtype)
    assert (moved[:32] == maps[numbers[:32], np.arange(32)]).all()
    assert (moved[32:] == actions[32:]).all()
    assert (schafkopf.cards.from_canonical(moved, numbers) == actions).all()
    assert (schafkopf.cards.to_canonical(actions, 7)[:32] == maps[7]).all()
    other = np.array([-1, 2**40, -(2**63)])
    assert (schafkopf.cards.to_canonical(other, 7) == other).all()
    assert schafkopf.cards.to_canonical([], 7).tolist() == []
    assert schafkopf.cards.from_canonical(np.array(3), np.array(7)) == (
        schafkopf.cards.from_canonical(3, 7)
    )


def test_rows_of_numbers_move_with_their_dtype():
    rng = np.random.default_rng(2)
    maps = schafkopf.cards.card_maps()
    numbers = rng.integers(0, len(maps), 50)
    for dtype in (np.uint8, bool, np.float32, np.float64, np.int64):
        logits = (rng.random((50, 128)) * 200).astype(dtype)
        before = logits.copy()
        moved = schafkopf.cards.mask_to_canonical(logits, numbers)
        assert moved.dtype == dtype and (logits == before).all()
        rows = np.arange(50)[:, None]
        assert (moved[rows, maps[numbers]] == logits[:, :32]).all()
        assert (moved[:, 32:] == logits[:, 32:]).all()
        assert (schafkopf.cards.mask_from_canonical(moved, numbers) == logits).all()


def test_one_action_moves_by_a_number_or_a_view():
    view = make("absolute", start="card_play", generator="mixed", rules="research").views()[0]
    number = int(view["order"]["card_map"])
    assert schafkopf.cards.to_canonical("EA", view) == schafkopf.cards.to_canonical("EA", number)
    assert schafkopf.cards.to_canonical("PASS", view) == schafkopf.actions.parse_action("PASS")


MAPS = len(schafkopf.cards.card_maps())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: schafkopf.cards.to_canonical(3, MAPS), f"card map {MAPS}, allowed: 0..{MAPS - 1}"),
        (
            lambda: schafkopf.cards.to_canonical([3, 4], [0, -1]),
            f"card map -1 in row 1, allowed: 0..{MAPS - 1}",
        ),
        (lambda: schafkopf.cards.to_canonical([3, 4], [0, 1, 2]), r"int64 \[3\] came.* 2 numbers"),
        (lambda: schafkopf.cards.to_canonical([3.0], 1), r"actions: float64 \[1\] came"),
        (lambda: schafkopf.cards.to_canonical([[3]], 1), r"actions: int64 \[1, 1\] came"),
        (lambda: schafkopf.cards.to_canonical([3], 1.5), r"card_map: float64 \[\] came"),
        (lambda: schafkopf.cards.mask_to_canonical(np.zeros((2, 3)), 1), r"float64 \[2, 3\] came"),
        (lambda: schafkopf.cards.mask_to_canonical(np.zeros((2, 2)), 1), r"uint64 \[N, 2\]"),
        (lambda: schafkopf.cards.mask_from_canonical(np.zeros((2, 128), object), 1), "object"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
