"""Pgx: deals as states of JAX, for jit, vmap and scan, and for searches such as those of mctx.

    from schafkopf.adapters.pgx import SchafkopfEnv
    env = SchafkopfEnv(rules="research")
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    state = init(jax.random.split(jax.random.PRNGKey(0), 1024))
    state = step(state, actions)

A state is a value: the seed of its deal and the actions since, beside what Pgx shows of every game.
Copies of it go on apart, as a tree search needs. The rules are those of the engine: a compiled
function calls it on the processor (`buffer_callback` where JAX has no other device, else
`jax.pure_callback`), where a deal is played again up to the action; on a GPU or TPU the rows travel
there and back. Players are seats, actions those of the engine (0..127, absolute cards), rewards
what seats are paid in tariff units, Stock and Reuegeld included, on the last step of a deal. Claims
of the rest are not offered.

A state holds all that there is, hidden hands included, as those of Pgx do; its `observation` shows
what the seat to act may know.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from schafkopf import _core, files
from schafkopf.adapters import common
from schafkopf.extras import load_extra
from schafkopf.house_rules import as_rule_set
from schafkopf.keywords import whole
from schafkopf.options import RulesLike
from schafkopf.pictures.show import picture

load_extra("pgx", "pgx")

import jax  # noqa: E402
import jax.extend  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from pgx import core  # noqa: E402

try:
    from jax.experimental.buffer_callback import buffer_callback
except ImportError:  # an older JAX
    buffer_callback = None

__all__ = ["SchafkopfEnv", "State"]

ID = "schafkopf"
_SEATS, _ACTIONS = 4, _core.NUM_ACTIONS
_OBSERVATIONS = ("float32", "uint8", "packed")
_MOST_SHOWN = 4  # games of a batch that a notebook shows
_OF_WHO_IS_TO_ACT = -1
_SVG = "http://www.w3.org/2000/svg"
# as the theme of Jupyter says it, which the style of a picture goes by
_THEMES = {
    None: "",
    "light": ' data-jp-theme-light="true"',
    "dark": ' data-jp-theme-light="false"',
}


@dataclasses.dataclass(frozen=True)
class Start:
    """What all deals of an environment have in common."""

    rules: _core.RuleSet
    generator: str | None  # who declares what where deals start at card play

    def __str__(self) -> str:
        return f"rules {self.rules.name}, generator {self.generator}"


@core.dataclass
class State(core.State):  # type: ignore[misc]
    """One deal, or a batch [B, ...] of them.

    Shown by Pgx: current_player int32, the seat to act, or who acted last when the deal is over;
    observation [F], what that seat sees; rewards float32 [4]; terminated and truncated bool, the
    latter never; legal_action_mask bool [128], all of them when the deal is over.
    """

    current_player: Any
    observation: Any
    rewards: Any
    terminated: Any
    truncated: Any
    legal_action_mask: Any
    _step_count: Any
    _seed: Any  # uint32 [2], low half first
    _actions: Any  # uint8 [K]
    _num_actions: Any  # int32
    _start: Start = dataclasses.field(metadata={"pytree_node": False})

    @property
    def env_id(self) -> str:
        """The word "schafkopf"."""
        return ID

    def games(self) -> list[_core.Game]:
        """Return the Game of each deal, outside of compiled functions."""
        return list(_games_of(self))

    def _repr_html_(self) -> str:
        theme, factor = _asked(None, None)
        if not theme and factor == 1.0:
            return self._drawn()
        return f'<div{theme} style="zoom: {factor:g}">{self._drawn()}</div>'

    def _drawn(self) -> str:
        games = self.games()
        shown = "".join(str(picture(game)) for game in games[:_MOST_SHOWN])
        more = len(games) - _MOST_SHOWN
        return shown + (f"<p>and {more} more</p>" if more > 0 else "")

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """Return the table as SVG, HTML inside, which browsers show; a batch: its first games.

        Args:
            color_theme: "light" or "dark"; None: dark where pgx.set_visualization_config says so,
                else as light or dark as the page around it.
            scale: of width and height, above 0; None: that of pgx.set_visualization_config, 1
                where it was not called.

        Raises:
            ValueError: another color_theme or scale.
        """
        theme, factor = _asked(color_theme, scale)
        height = 900 * min(np.size(self._num_actions), _MOST_SHOWN)
        size = f'width="{720 * factor:g}" height="{height * factor:g}" viewBox="0 0 720 {height}"'
        # the cards: in HTML, which notebooks show, they need no name space
        drawn = re.sub("<svg(?![^>]* xmlns=)", f'<svg xmlns="{_SVG}"', self._drawn())
        return (
            f'<svg xmlns="{_SVG}" {size}><foreignObject width="720" height="{height}">'
            f'<div xmlns="http://www.w3.org/1999/xhtml"{theme}>'
            f"{drawn}</div></foreignObject></svg>"
        )

    def save_svg(
        self, filename: Any, *, color_theme: str | None = None, scale: float | None = None
    ) -> None:
        """Write to_svg(...) into a file, whose name must end with .svg."""
        if not str(filename).endswith(".svg"):
            raise ValueError(f"filename = {str(filename)!r}, allowed: a name that ends with .svg")
        files.write_text(filename, self.to_svg(color_theme=color_theme, scale=scale))


def _asked(color_theme: Any, scale: Any) -> tuple[str, float]:
    """Return the theme as HTML has it, and the factor; what is None is that of Pgx for all games.

    Raises:
        ValueError: another color_theme or scale.
    """
    from pgx._src.visualizer import global_config  # as core.State, when it draws

    # its "light" is also what nobody asked for
    if color_theme is None and global_config.color_theme != "light":
        color_theme = global_config.color_theme
    if not isinstance(color_theme, str | None) or color_theme not in _THEMES:
        raise ValueError(f"color_theme = {color_theme!r:.60}, allowed: light, dark, None")
    return _THEMES[color_theme], _factor(global_config.scale if scale is None else scale)


def _factor(scale: Any) -> float:
    """Return the factor of a picture. Raises ValueError: it is no number above 0."""
    try:
        factor = 1.0 if scale is None else float(scale)
    except (TypeError, ValueError, OverflowError):
        factor = math.nan
    if not 0 < factor < math.inf:
        raise ValueError(f"scale = {scale!r:.60}, allowed: a number above 0, None")
    return factor


def _games_of(state: State) -> Iterator[_core.Game]:
    replayed = _core.ReplayedGames(state._start.rules, state._start.generator)
    seeds = _joined(np.asarray(state._seed).reshape(-1, 2))
    actions = np.asarray(state._actions).reshape(-1, state._actions.shape[-1])
    counts = np.asarray(state._num_actions).reshape(-1)
    for seed, done, count in zip(seeds, actions, counts, strict=True):
        yield replayed.game(int(seed), done[:count].tolist())


def _number(action: Any) -> Any:
    """Return an action as an array of JAX. Raises ValueError: it is not one integer."""
    try:
        number = jnp.asarray(action)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or number.shape or not jnp.issubdtype(number.dtype, jnp.integer):
        came = f"{action!r:.60}" if number is None else f"{number.dtype} {list(number.shape)}"
        raise ValueError(
            f"action: {came} came, allowed: one integer 0..{_ACTIONS - 1}, with jax.vmap batches"
        )
    return number


def _on_processor_alone() -> bool:
    """Return whether JAX has no other devices, and hands over buffers where they lie."""
    return buffer_callback is not None and set(jax.extend.backend.backends()) == {"cpu"}


def _joined(words: Any) -> Any:
    """Return uint64 [B] of their halves uint32 [B, 2]: JAX has none unless it is told."""
    return words[:, 0].astype(np.uint64) | (words[:, 1].astype(np.uint64) << np.uint64(32))


class SchafkopfEnv(core.Env):  # type: ignore[misc]
    """All four seats of a table, deal by deal, as an environment of Pgx.

    Args:
        rules: a preset, path, dict or RuleSet, as in VectorEnv.
        generator: who declares what where deals start at card play, such as "heuristic"; None: they
            start with the auction.
        observation: "float32" [F], scaled for a network; "uint8" [F], the unscaled counts;
            "packed" uint8 [64].
        observation_version: layout of the rows, 1 to 4.
        illegal_reward: of a seat that takes an illegal action, which ends the deal; the others
            share what it loses. None: less than any deal of the rules costs.

    Raises:
        ValueError: unknown rules, generator, observation or version, an illegal_reward that is
            none.
        ModuleNotFoundError: pgx is not installed.
    """

    def __init__(
        self,
        rules: RulesLike = "research",
        *,
        generator: str | None = None,
        observation: str = "float32",
        observation_version: int = 1,
        illegal_reward: float | None = None,
    ) -> None:
        super().__init__()
        if observation not in _OBSERVATIONS:
            allowed = ", ".join(_OBSERVATIONS)
            raise ValueError(f"observation = {observation!r}, allowed: {allowed}")
        common.check_version(observation_version)
        self.rules = as_rule_set(rules)
        self._start = Start(self.rules, generator)
        self._games = self._played()
        self._form: dict[str, Any] = {"dtype": observation, "version": observation_version}
        empty = np.zeros(0, _core.VIEW_DTYPE)
        rows = _core.encode(empty, self.rules, **self._form)  # ValueError: not packed
        self._row = jax.ShapeDtypeStruct(rows.shape[1:], rows.dtype)
        self._penalty = common.illegal_reward(illegal_reward, self.rules)

    def _played(self) -> _core.ReplayedGames:
        # the same rules without claims, so that neither masks nor views offer them
        rules = self.rules.replace(claims_enabled=False)
        return _core.ReplayedGames(rules, self._start.generator)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_games"}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._games = self._played()

    @property
    def id(self) -> str:
        """The word "schafkopf"."""
        return ID

    @property
    def version(self) -> str:
        """Version of the package."""
        return str(_core.__version__)

    @property
    def num_players(self) -> int:
        """4, the seats: at a table of three nobody acts at one of them."""
        return _SEATS

    @property
    def num_actions(self) -> int:
        """128, numbers that actions can have, legal or not."""
        return int(_ACTIONS)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """(F,), the length of a row; (64,) of packed ones."""
        return tuple(self._row.shape)

    @property
    def _illegal_action_penalty(self) -> float:
        return self._penalty

    def init(self, key: Any) -> State:
        """Return a new deal; the key of JAX decides the cards and who deals."""
        seed = jax.random.bits(key, (2,), jnp.uint32)
        actions = jnp.zeros(self._games.longest, jnp.uint8)
        count = jnp.int32(0)
        shown = self._shown(seed, actions, count, jnp.int32(_OF_WHO_IS_TO_ACT))
        return State(
            **shown,
            truncated=jnp.bool_(False),
            _step_count=jnp.int32(0),
            _seed=seed,
            _actions=actions,
            _num_actions=count,
            _start=self._start,
        )

    def step(self, state: State, action: Any, key: Any = None) -> State:
        """Return the state after an action; a deal that is over stays, without rewards.

        An illegal action ends the deal, with illegal_reward for who took it.

        Args:
            state: of init or step.
            action: integer 0..127.
            key: is not used, nothing in a deal is drawn.

        Raises:
            ValueError: a state of other rules or of another generator, or a batch of them; no
                integer. Batches go through jax.vmap(env.step).
        """
        del key
        self._check(state)
        state = jax.tree_util.tree_map(jnp.asarray, state)
        action = _number(action)
        live = ~(state.terminated | state.truncated)
        legal = (action >= 0) & state.legal_action_mask[action]  # above: as 127, none
        goes = live & legal
        longer = state._actions.at[state._num_actions].set(action.astype(jnp.uint8))
        actions = jnp.where(goes, longer, state._actions)
        count = state._num_actions + goes.astype(jnp.int32)
        shown = self._shown(state._seed, actions, count, jnp.int32(_OF_WHO_IS_TO_ACT))
        wrong = live & ~legal
        fine = jnp.full(_SEATS, -self._penalty / (_SEATS - 1), jnp.float32)
        fine = fine.at[state.current_player].set(self._penalty)
        terminated = shown["terminated"] | state.terminated | wrong
        shown |= {
            "rewards": jnp.where(wrong, fine, jnp.where(live, shown["rewards"], 0.0)),
            "terminated": terminated,
            "legal_action_mask": shown["legal_action_mask"] | terminated,
        }
        return state.replace(  # type: ignore[no-any-return]
            **shown,
            _step_count=state._step_count + live.astype(jnp.int32),
            _actions=actions,
            _num_actions=count,
        )

    def _check(self, state: State) -> None:
        """Raise ValueError for a batch, and for a state whose deal other rules would play."""
        if state._start != self._start:
            raise ValueError(f"state: of {state._start} came, allowed: of {self._start}")
        if batch := list(np.shape(state._num_actions)):
            raise ValueError(
                f"state: a batch {batch} came, allowed: one deal, with jax.vmap batches"
            )

    def _observe(self, state: State, player_id: Any) -> Any:
        self._check(state)
        if not isinstance(player_id, jax.core.Tracer):
            known = player_id.item() if hasattr(player_id, "item") else player_id
            whole("player_id", known, 0, self.rules.seats - 1)
        seat = jnp.asarray(player_id, jnp.int32)
        return self._shown(state._seed, state._actions, state._num_actions, seat)["observation"]

    def _init(self, key: Any) -> State:
        return self.init(key)

    def _step(self, state: State, action: Any, key: Any) -> State:
        return self.step(state, action, key)

    def _shown(self, seed: Any, actions: Any, count: Any, seat: Any) -> dict[str, Any]:
        """Return what the engine shows of a game, under the names of Pgx."""
        shapes = {
            "current_player": jax.ShapeDtypeStruct((), jnp.int32),
            "observation": self._row,
            "rewards": jax.ShapeDtypeStruct((_SEATS,), jnp.float32),
            "terminated": jax.ShapeDtypeStruct((), jnp.bool_),
            "legal_action_mask": jax.ShapeDtypeStruct((_ACTIONS,), jnp.bool_),
        }
        if _on_processor_alone():
            call = buffer_callback(self._fill, shapes, vmap_method="broadcast_all")
            return dict(call(seed, actions, count, seat))
        shown = jax.pure_callback(
            self._replay, shapes, seed, actions, count, seat, vmap_method="broadcast_all"
        )
        return dict(shown)

    def _fill(self, _: Any, buffers: dict[str, Any], *given: Any) -> None:
        """Write what _replay returns into buffers of JAX.

        pure_callback has its arguments copied by the threads that run compiled functions: where
        all of them wait in a callback, as the only one of a single processor does, it hangs.
        """
        for name, values in self._replay(*(np.asarray(one) for one in given)).items():
            np.copyto(np.asarray(buffers[name]), values)

    def _replay(self, seed: Any, actions: Any, count: Any, seat: Any) -> dict[str, Any]:
        """Play games of any leading dimensions again, as NumPy arrays."""
        batch = np.shape(count)
        rows = self._games.show(
            _joined(np.asarray(seed, np.uint32).reshape(-1, 2)),
            np.asarray(actions, np.uint8).reshape(-1, self._games.longest),
            np.asarray(count, np.int32).reshape(-1),
            np.asarray(seat, np.int32).reshape(-1),
        )
        bits = rows["legal"].view(np.uint8)
        over = rows["terminated"].astype(np.bool_)
        legal = np.unpackbits(bits, axis=1, bitorder="little").astype(np.bool_) | over[:, None]
        observation = _core.encode(rows["views"], self.rules, **self._form)
        return {
            "current_player": rows["current_player"].astype(np.int32).reshape(batch),
            "observation": observation.reshape(batch + observation.shape[1:]),
            "rewards": rows["rewards"].reshape(*batch, _SEATS),
            "terminated": over.reshape(batch),
            "legal_action_mask": legal.reshape(*batch, _ACTIONS),
        }
