"""The adapter to Pgx: its own suite, states beside games, values, jit, vmap, scan, grad."""

import copy
import errno
import os
import pickle
import typing
from functools import partial
from typing import Literal
from xml.etree import ElementTree

import numpy as np
import pytest

if "SCHAFKOPF_TESTS_WITH_JAX" not in os.environ:  # which warns of every fork once it is loaded
    pytest.skip("test_adapters_pgx_apart.py runs it", allow_module_level=True)
jax = pytest.importorskip("jax")
library = pytest.importorskip("pgx")

import jax.numpy as jnp  # noqa: E402
from pgx._src import api_test as suite  # noqa: E402
from pgx.experimental import auto_reset  # noqa: E402

import schafkopf  # noqa: E402
from schafkopf.adapters import pgx  # noqa: E402
from schafkopf.adapters.pgx import SchafkopfEnv  # noqa: E402

CLAIMS = [schafkopf.actions.parse_action(name) for name in ("CLAIM_REST", "CONCEDE_REST")]


def test_hints_are_types_for_programs_that_ask_for_them():
    for function in (
        SchafkopfEnv.__init__,
        SchafkopfEnv.init,
        SchafkopfEnv.step,
        pgx.Start.__init__,
    ):
        assert isinstance(typing.get_type_hints(function), dict)


def keys(seed, number):
    return jax.random.split(jax.random.PRNGKey(seed), number)


def drawn(key, state):
    return jax.random.categorical(key, jnp.log(state.legal_action_mask), axis=-1)


def row(state, i):
    return jax.tree_util.tree_map(lambda values: values[i], state)


def test_the_environment_passes_api_test_of_pgx(monkeypatch):
    monkeypatch.setattr(suite, "EnvId", Literal["schafkopf"])  # it knows those of Pgx alone
    one = jax.jit(lambda key, mask: jax.random.categorical(key, jnp.log(mask), axis=-1))
    monkeypatch.setattr(suite, "act_randomly", one)  # its own takes batches alone
    suite.api_test(SchafkopfEnv(), 2, use_key=False)


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("research", {}),
        ("wikipedia_extended", {"observation": "uint8", "observation_version": 4}),
        ("tournament_2024", {"observation": "packed", "generator": "heuristic"}),
        ({"players": 3, "deck": "short24"}, {"observation_version": 2}),
        ({"preset": "official_1989", "all_pass": "stock"}, {"observation_version": 3}),
    ],
)
def test_states_show_what_games_show(rules, options):
    env = SchafkopfEnv(rules, **options)
    form = {"dtype": options.get("observation", "float32")}
    form["version"] = options.get("observation_version", 1)
    step = jax.jit(jax.vmap(env.step))
    state = jax.jit(jax.vmap(env.init))(keys(3, 16))
    decisions = 0
    for number in range(200):
        for i, game in enumerate(state.games()):
            seen = row(state, i)
            assert bool(seen.terminated) == game.is_terminal
            seat = int(seen.current_player)
            if not game.is_terminal:
                assert seat == game.current_player and not seen.rewards.any()
                mask = game.legal_mask().astype(bool)
                mask[CLAIMS] = False
                assert (np.asarray(seen.legal_action_mask) == mask).all()
                decisions += 1
            else:
                assert seen.legal_action_mask.all()
            view = game.view(seat)
            view["cards"]["flags"] &= 0b11111100  # may_claim, may_concede
            expected = schafkopf.encode(view, env.rules, **form)[0]
            assert (np.asarray(seen.observation) == expected).all()
        if state.terminated.all():
            break
        before, action = state, drawn(jax.random.PRNGKey(number), state)
        state = step(state, action)
        for i, game in enumerate(state.games()):
            paid = np.zeros(4)
            if game.is_terminal and not before.terminated[i]:
                paid = paid_in(game)
                assert int(state.current_player[i]) == int(before.current_player[i])
            assert np.asarray(state.rewards[i]) == pytest.approx(paid)
    assert state.terminated.all() and decisions > 100


def test_rows_and_masks_offer_the_same_actions():
    env = SchafkopfEnv(observation="uint8", observation_version=3, generator="heuristic")
    sections = schafkopf.observation_sections(3)
    step = jax.jit(jax.vmap(env.step))
    state = jax.jit(jax.vmap(env.init))(keys(5, 16))
    for number in range(12):
        shown = np.asarray(state.observation)
        offered = [shown[:, sections[name]] for name in ("legal_cards", "legal_actions")]
        assert (np.concatenate(offered, axis=1) == np.asarray(state.legal_action_mask)).all()
        state = step(state, drawn(jax.random.PRNGKey(number), state))


def paid_in(game):
    """What the seats of a finished game get, from the Stock and for the Reuegeld too."""
    settled = schafkopf.settlement.game_settlement(game)
    paid = np.zeros(4)
    paid[: game.seats] = np.add(settled["payoffs"], settled["stock_payoffs"])
    if game.contract is not None and game.contract.declarer >= 0:
        paid[game.contract.declarer] -= settled["reuegeld"]
    return paid


def test_deals_follow_each_other_under_scan():
    env = SchafkopfEnv(observation="packed")
    step = jax.vmap(auto_reset(env.step, env.init))

    def once(carry, _):
        state, key = carry
        key, draw, chance = jax.random.split(key, 3)
        state = step(state, drawn(draw, state), jax.random.split(chance, 32))
        return (state, key), (state.rewards, state.terminated)

    state = jax.vmap(env.init)(keys(1, 32))
    run = jax.jit(lambda carry: jax.lax.scan(once, carry, None, length=120))
    (state, _), (rewards, terminated) = run((state, jax.random.PRNGKey(2)))
    assert int(terminated.sum()) > 60  # after the first ends others came
    paid = np.asarray(rewards).any(axis=2)
    assert (paid <= np.asarray(terminated)).all() and paid.any()
    assert np.asarray(rewards).sum(axis=2) == pytest.approx(0)
    assert not state.truncated.any()


def test_a_seed_gives_the_same_deals_and_another_one_others():
    env = SchafkopfEnv()
    init = jax.jit(jax.vmap(env.init))
    first, again, other = init(keys(7, 8)), init(keys(7, 8)), init(keys(8, 8))
    assert (first.observation == again.observation).all()
    hands = [[game.hand(0) for game in state.games()] for state in (first, again, other)]
    assert hands[0] == hands[1] != hands[2]
    assert len({game.dealer for game in init(keys(1, 64)).games()}) == 4


def test_states_are_the_same_where_jax_hands_over_copies(monkeypatch):
    def played():
        env = SchafkopfEnv(observation="uint8")
        step = jax.jit(jax.vmap(env.step))
        state = jax.jit(jax.vmap(env.init))(keys(4, 8))
        for number in range(12):
            state = step(state, drawn(jax.random.PRNGKey(number), state))
        return jax.tree_util.tree_leaves(state)

    assert pgx.buffer_callback is not None
    expected = played()
    monkeypatch.setattr(pgx, "buffer_callback", None)  # as with an older JAX, or beside a GPU
    for one, other in zip(played(), expected, strict=True):
        assert (one == other).all()


def test_copies_of_a_state_go_on_apart():
    env = SchafkopfEnv(generator="heuristic")
    step = jax.jit(jax.vmap(env.step))
    state = env.init(jax.random.PRNGKey(5))
    cards = np.flatnonzero(state.legal_action_mask)
    many = jax.tree_util.tree_map(lambda values: jnp.stack([values] * len(cards)), state)
    after = step(many, jnp.asarray(cards))
    played = [schafkopf.actions.action_name(card) for card in cards]
    assert [str(game.plays[0][1]) for game in after.games()] == [n.split()[-1] for n in played]
    assert not state.games()[0].plays  # the one that they come from is as it was
    chosen = row(after, jnp.array([1, 1, 0]))  # as the children of a tree are gathered
    assert [str(g.plays[0][1]) for g in chosen.games()] == [
        played[i].split()[-1] for i in (1, 1, 0)
    ]


@pytest.mark.parametrize(("given", "fine"), [(-6.0, -6.0), (None, -3120.0)])
def test_an_illegal_action_ends_the_deal_for_who_took_it(given, fine):
    env = SchafkopfEnv(illegal_reward=given)
    state = env.init(jax.random.PRNGKey(1))
    wrong = int(np.flatnonzero(~np.asarray(state.legal_action_mask))[0])
    seat = int(state.current_player)
    over = env.step(state, wrong)
    assert bool(over.terminated) and float(over.rewards[seat]) == fine
    assert float(over.rewards.sum()) == pytest.approx(0, abs=1e-3)
    assert over.legal_action_mask.all() and not over.games()[0].is_terminal
    later = env.step(over, 0)
    assert not later.rewards.any() and bool(later.terminated)
    assert int(later._step_count) == int(over._step_count) == 1
    assert (later.observation == over.observation).all()


# JAX counts a negative index from the end: it was taken for the legal action there.
@pytest.mark.parametrize("off", [-128, 128, 256])
def test_a_number_that_no_action_has_is_illegal_where_a_legal_one_is_so_far_off(off):
    env = SchafkopfEnv()
    state = env.init(jax.random.PRNGKey(1))
    number = int(np.flatnonzero(state.legal_action_mask)[0]) + off
    for over in (env.step(state, number), jax.jit(env.step)(state, number)):
        assert bool(over.terminated) and float(over.rewards[state.current_player]) == -3120.0
        assert not over.games()[0].is_terminal


def test_another_seat_sees_its_own_hand():
    env = SchafkopfEnv(observation="uint8")
    state = env.init(jax.random.PRNGKey(2))
    (game,) = state.games()
    hand = schafkopf.observation_sections()["hand"]
    for seat in range(4):
        with pytest.warns(DeprecationWarning, match="player_id"):
            seen = env.observe(state, seat)
        expected = schafkopf.encode(game.view(seat), dtype="uint8")[0]
        assert (np.asarray(seen) == expected).all() and int(seen[hand].sum()) == 8
    assert (env.observe(state) == state.observation).all()


def test_gradients_pass_by_the_engine():
    env = SchafkopfEnv()
    state = jax.vmap(env.init)(keys(1, 4))
    step = jax.vmap(env.step)

    def loss(weights):
        after, total = state, 0.0
        for number in range(3):
            logits = after.observation @ weights
            action = drawn(jax.random.PRNGKey(number), after)
            chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)
            after, total = step(after, action), total - chosen.mean()
        return total

    weights = jnp.zeros((env.observation_shape[0], env.num_actions))
    slope = jax.jit(jax.grad(loss))(weights)
    assert slope.shape == weights.shape and float(jnp.abs(slope).sum()) > 0


def test_states_pickle_copy_and_are_of_their_rules():
    env = SchafkopfEnv("wikipedia_extended")
    state = env.step(env.init(jax.random.PRNGKey(1)), env.init(jax.random.PRNGKey(1))
                     .legal_action_mask.argmax())  # fmt: skip
    for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert (again.observation == state.observation).all()
        assert again.games() == state.games()
    other = SchafkopfEnv("research").init(jax.random.PRNGKey(1))
    structure = jax.tree_util.tree_structure
    assert structure(state) != structure(other)
    assert structure(state) == structure(SchafkopfEnv("wikipedia_extended").init(keys(1, 1)[0]))


def test_a_state_has_a_picture_of_the_table(tmp_path):
    env = SchafkopfEnv()
    state = jax.vmap(env.init)(keys(1, 6))
    ElementTree.fromstring(state.to_svg(scale=0.5))
    shown = state._repr_html_()
    assert shown.count("sk-shown") >= 4 and "and 2 more" in shown
    row(state, 0).save_svg(tmp_path / "table.svg")
    assert (tmp_path / "table.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match=r"filename = .*, allowed: a name that ends with \.svg"):
        state.save_svg(tmp_path / "table.png")


# The cards were elements of no kind that a browser knows, and of a batch it showed two games.
def test_a_picture_as_svg_has_its_cards_and_room_for_all_games_that_it_shows():
    state = jax.vmap(SchafkopfEnv().init)(keys(1, 6))
    for shown, count in ((row(state, 0), 1), (state, 4)):
        root = ElementTree.fromstring(shown.to_svg(scale=0.5))
        kinds = [element.tag for element in root.iter() if element.tag.endswith("}svg")]
        assert len(kinds) > 32 and set(kinds) == {"{http://www.w3.org/2000/svg}svg"}
        frame = root.find("{http://www.w3.org/2000/svg}foreignObject")
        assert frame.get("height") == f"{900 * count}"
        assert root.get("viewBox") == f"0 0 720 {900 * count}"
        assert (root.get("width"), root.get("height")) == ("360", f"{450 * count}")


def test_a_picture_as_svg_is_light_or_dark_where_it_is_asked_to(tmp_path):
    state = SchafkopfEnv().init(jax.random.PRNGKey(1))
    themes = [state.to_svg(color_theme=theme) for theme in (None, "light", "dark")]
    body = "{http://www.w3.org/2000/svg}foreignObject/{http://www.w3.org/1999/xhtml}div"
    asked = [ElementTree.fromstring(one).find(body).get("data-jp-theme-light") for one in themes]
    assert asked == [None, "true", "false"]
    state.save_svg(tmp_path / "dark.svg", color_theme="dark", scale=2)
    assert (tmp_path / "dark.svg").read_text() == state.to_svg(color_theme="dark", scale=2)


@pytest.fixture
def visualization():
    """Sets what Pgx draws all games with, as set_visualization_config; afterwards as before."""
    yield library.set_visualization_config
    library.set_visualization_config()


def test_a_picture_is_as_large_and_dark_as_pgx_is_told_to_draw_all_games(visualization):
    state, board = SchafkopfEnv().init(jax.random.PRNGKey(1)), library.make("tic_tac_toe")
    board = board.init(jax.random.PRNGKey(1))

    def width(one, **given):
        return float(ElementTree.fromstring(one.to_svg(**given)).get("width"))

    own, html, narrow = state.to_svg(), state._repr_html_(), width(board)
    visualization(scale=2.0, color_theme="dark")
    assert width(state) == 1440 and width(board) == 2 * narrow
    assert width(state, scale=0.5) == 360 and width(board, scale=0.5) == narrow / 2
    assert state.to_svg() == state.to_svg(color_theme="dark", scale=2)
    assert state.to_svg(color_theme="light") == state.to_svg(color_theme="light", scale=2)
    in_a_notebook = state._repr_html_()
    assert in_a_notebook.startswith('<div data-jp-theme-light="false" style="zoom: 2"><')
    visualization()
    assert (state.to_svg(), state._repr_html_()) == (own, html)


def test_a_wrong_scale_of_all_games_is_named(visualization):
    state = SchafkopfEnv().init(jax.random.PRNGKey(1))
    visualization(scale=0)
    for draw in (state.to_svg, state._repr_html_):
        with pytest.raises(ValueError, match=r"^scale = 0, allowed: a number above 0"):
            draw()
    assert 'width="720"' in state.to_svg(scale=1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"color_theme": "drak"}, "^color_theme = 'drak', allowed: light, dark, None"),
        ({"color_theme": ["dark"]}, r"^color_theme = \['dark'\], allowed: light, dark, None"),
        ({"scale": 0}, "^scale = 0, allowed: a number above 0, None"),
        ({"scale": -1.5}, "^scale = -1.5, allowed: "),
        ({"scale": float("nan")}, "^scale = nan, allowed: "),
        ({"scale": float("inf")}, "^scale = inf, allowed: "),
        ({"scale": "large"}, "^scale = 'large', allowed: "),
    ],
)
def test_wrong_options_of_a_picture_are_named_and_write_nothing(tmp_path, options, words):
    state = SchafkopfEnv().init(jax.random.PRNGKey(1))
    for draw in (state.to_svg, lambda **given: state.save_svg(tmp_path / "a.svg", **given)):
        with pytest.raises(ValueError, match=words):
            draw(**options)
    assert list(tmp_path.iterdir()) == []


def test_a_picture_on_a_full_disk_leaves_the_old_one_and_the_error_names_it(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    state, path = SchafkopfEnv().init(jax.random.PRNGKey(1)), tmp_path / "table.svg"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"table\.svg"):
        state.save_svg(path)
    assert path.read_text() == "old" and [file.name for file in tmp_path.iterdir()] == ["table.svg"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rules": "resaerch"}, 'rule set "resaerch"'),
        ({"rules": None}, "^rules: NoneType came, allowed: a preset name, a path, a dict or a"),
        ({"rules": ["research"]}, "^rules: list came, allowed: a preset name, a path, a dict"),
        ({"observation": "float64"}, "observation = 'float64', allowed: float32, uint8, packed"),
        ({"observation_version": 5}, "^observation_version = 5, allowed: "),
        ({"observation": "packed", "observation_version": 2}, "allowed: uint8, float32"),
        ({"generator": "heurstic"}, "heurstic"),
        ({"illegal_reward": float("nan")}, "illegal_reward = nan, allowed: a finite number"),
    ],
)
def test_wrong_options_are_named(given, words):
    with pytest.raises(ValueError, match=words):
        SchafkopfEnv(**given)


@pytest.mark.parametrize(
    ("rules", "generator", "words"),
    [
        ("wikipedia_extended", None, "rules wikipedia_extended, generator None"),
        ("research", "heuristic", "rules research, generator heuristic"),
    ],
)
def test_a_state_of_another_environment_is_refused(rules, generator, words):
    state = SchafkopfEnv().init(keys(1, 1)[0])
    other = SchafkopfEnv(rules, generator=generator)
    expected = f"state: of rules research, generator None came, allowed: of {words}"
    for call in (other.step, jax.jit(other.step)):
        with pytest.raises(ValueError, match=expected):
            call(state, 32)
    with pytest.raises(ValueError, match=expected):
        other.observe(state)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (True, r"bool \[\]"),
        (1.0, r"float32 \[\]"),
        (jnp.zeros(4, jnp.int32), r"int32 \[4\]"),
        (None, "None"),
        ("PASS", "'PASS'"),
    ],
)
def test_an_action_that_is_no_integer_is_named(action, words):
    env = SchafkopfEnv()
    state = env.init(keys(1, 1)[0])
    with pytest.raises(ValueError, match=f"action: {words} came, allowed: one integer 0..127"):
        env.step(state, action)


def test_a_batch_of_states_needs_vmap():
    env = SchafkopfEnv()
    state = jax.vmap(env.init)(keys(1, 4))
    with pytest.raises(
        ValueError, match=r"state: a batch \[4\] came, allowed: one deal, with jax.vm"
    ):
        env.step(state, jnp.zeros(4, jnp.int32))


def test_a_state_of_numpy_arrays_goes_on():
    env = SchafkopfEnv(observation="uint8")
    state = env.init(keys(1, 1)[0])
    action = int(state.legal_action_mask.argmax())
    kept = jax.device_get(state)  # as np.savez keeps its leaves
    after, expected = env.step(kept, action), env.step(state, action)
    assert after.games() == expected.games() and not after.terminated
    assert (after.observation == expected.observation).all()


def test_an_environment_pickles_and_copies():
    env = SchafkopfEnv("wikipedia_extended", generator="heuristic", observation="uint8",
                       observation_version=3, illegal_reward=-6.0)  # fmt: skip
    state = env.init(keys(2, 1)[0])
    action = int(state.legal_action_mask.argmax())
    for again in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env), copy.copy(env)):
        after, expected = again.step(state, action), env.step(state, action)
        assert (after.observation == expected.observation).all()
        assert after.games() == expected.games()
        wrong = int((~state.legal_action_mask).argmax())
        assert (again.step(state, wrong).rewards == env.step(state, wrong).rewards).all()


def test_a_seat_that_there_is_not_is_named():
    env = SchafkopfEnv({"players": 3, "deck": "short24"}, observation="uint8")
    state = env.init(keys(1, 1)[0])
    for seat in (3, -1, 1.5, True):
        with (
            pytest.warns(DeprecationWarning, match="player_id"),
            pytest.raises(ValueError, match=f"player_id = {seat}, allowed: integer 0..2"),
        ):
            env.observe(state, seat)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_packed_rows_expand_in_compiled_functions(dtype):
    env = SchafkopfEnv(observation="packed", generator="heuristic")
    state = jax.jit(jax.vmap(env.init))(keys(3, 33))
    for number in range(10):
        state = jax.jit(jax.vmap(env.step))(state, drawn(jax.random.PRNGKey(number), state))
    expand = partial(schafkopf.observations.expand_packed, dtype=dtype)
    expected = expand(np.asarray(state.observation))
    for found in (expand(state.observation), jax.jit(expand)(state.observation)):
        assert isinstance(found, jax.Array) and found.dtype == dtype
        assert (np.asarray(found) == expected).all()
    with pytest.raises(ValueError, match=r"rows: uint8 \[64\], allowed: uint8 \[B, 64\]"):
        expand(state.observation[0])
