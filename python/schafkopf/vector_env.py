"""Thousands of games stepped together, with the names of Gymnasium's vector environments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cache, cached_property, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from schafkopf import _core
from schafkopf.extras import load_extra
from schafkopf.house_rules import short_text
from schafkopf.keywords import (
    agent_at,
    array_of,
    check_reset_options,
    refuse_class,
    takes_keywords,
)
from schafkopf.options import Player, Unpack, VectorEnvOptions

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["TensorEnv", "VectorEnv"]

Array = np.ndarray[Any, Any]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Seats = NDArray[np.int8]
Method = TypeVar("Method", bound=Callable[..., Any])


@cache
def _keywords() -> tuple[str, ...]:
    return (*(row["key"] for row in _core.vector_env_fields()), "arrays")


def _telling_autograd(method: Method) -> Method:
    """Return a method after which torch knows that the memory of shown tensors has changed."""

    @wraps(method)
    def telling(self: VectorEnv, *given: Any, **named: Any) -> Any:
        try:
            return method(self, *given, **named)
        finally:  # what fails half-way has written too
            if self._changed:
                self._changed()

    del telling.__wrapped__  # whose signature and hints Python cannot read: it is compiled
    return cast(Method, telling)


class VectorEnv(_core.BatchEnv):
    """N games in contiguous buffers; four seats share one environment, one of them acts.

    Every array below is a view of the engine's buffer: never a copy, always the current state,
    and valid as long as the array lives, also after the environment is gone. Copy what must
    outlast the next call. Buffers that were not asked for are None. The engine shows them and
    reads nothing of an earlier call: writing to them between calls, not from another thread while
    one runs, changes no game, and the next step writes them anew (the
    seeds, learner_seat and episode_return where a deal begins or ends, rule_index and rule_features
    not again).

    The card index of the option `cards` holds for observation, legal, action_mask, random_actions,
    agent_actions and step; the games of a seed are the same in both. View lines, games and records
    always count absolute cards; to_canonical, mask_to_canonical and their inverses move one to the
    other. The attribute `card_index` says which it is. Random play::

        env = schafkopf.VectorEnv(1024, rules="research", seed=1)
        observation, info = env.reset()
        for step in range(100):
            actions = env.random_actions()  # or schafkopf.sample(logits, env.legal, rng)
            observation, rewards, terminated, truncated, info = env.step(actions)

    For a first learner: start="card_play", generator="heuristic". From the deal, naive self-play
    ends in always passing, and a score against "random" says little, as that bids Touts.

    Args:
        num_envs: N, the number of games [integer 1..2147483647]
        rules: rule set, or several of them (then rule_index says which row has which) [preset name,
            path of a .toml file, dict (without "preset" the defaults of the switches), RuleSet,
            list of these] (default: research)
        rule_index: index into `rules` for each row; empty: all 0 [list of integer 0..65535]
            (default: [])
        seed: of deals and random actions: deal = f(seed, first_env + row, episode), for any number
            of threads [integer 0..18446744073709551615] (default: 0)
        first_env: number of row 0 among all environments of a seed [integer
            0..18446744073709551615] (default: 0)
        num_threads: threads that step; the results do not depend on it [integer 1..1024] (default:
            1)
        auto_reset: when the next deal of a row starts, as in Gymnasium [next_step, same_step,
            disabled] (default: next_step)
        observation: type of the rows: float32 is scaled for a network, uint8 are counts to be
            multiplied by the `scale` of observation_table(), packed are 64 bytes
            (observations.expand_packed) [none, uint8, float32, packed] (default: float32)
        observation_version: layout of the rows: 1, or 2 with the cards, legal actions and
            announcements of the phases before the play (a Hochzeit, a Schieberrunde ...), or 3 with
            the order of play and room for more contracts and switches, or 4 with what can be proven
            from these in card play [integer 1..4] (default: 1)
        cards: how cards are counted in observation, legal, action_mask, random_actions,
            agent_actions and step, in all of them alike; canonical: by the card map of the seat to
            act (trump suit first, then the called suit, then the own holding), as the networks of
            this package count [absolute, canonical] (default: absolute)
        action_mask: show legal actions as bytes [N, 128] [true, false] (default: True)
        view_lines: show what the seat to act may know as bytes: cards, order, events [N, 64] [true,
            false] (default: False)
        full_view: show all hands [N, 64], for critics and cheating baselines [true, false]
            (default: False)
        skip_forced: decisions with one legal action are played at once [true, false] (default:
            False)
        claim_actions: whoever can claim or concede the rest may do so instead of playing on [true,
            false] (default: False)
        session: deals of a row are those of one session: Stock, Bock and special rounds go on
            [true, false] (default: False)
        start: card_play needs `generator`, or `deals` with `contracts` [deal, card_play] (default:
            deal)
        generated_share: share of deals that start at card play with a contract of `generator` where
            start = deal [number 0..1] (default: 0.0)
        generator: who declares what where a deal starts at card play [a name such as heuristic,
            None] (default: None)
        deals: fixed deals: row i, episode e plays number (i + e * N) mod their number [list of
            Deal] (default: [])
        contracts: fixed contracts, one for each of `deals` [list of contracts: Contract, name or
            dict] (default: [])
        learner_seat: `opponent` or `opponents` play the other seats; -1: there are none; rotate:
            another seat with every deal, each as often; learner_seat [N] shows which [integer
            -1..3, rotate] (default: -1)
        opponent: who plays them, or with bidding_only the cards [a name such as rules, an Agent, an
            object with act(views), None] (default: None)
        opponents: instead of opponent: who plays each of the other seats, in the order of play from
            the learner's on [list of players, one for each other seat] (default: [])
        bidding_only: the deal ends for the learner after the auction [true, false] (default: False)
        kernel: who steps the games in card play; the results do not depend on it; auto: the one
            that SCHAFKOPF_KERNEL names, else the fastest that this processor has [auto, scalar,
            avx2, avx512] (default: auto)

        arrays: what the attributes, step, reset, random_actions and agent_actions give; torch:
            tensors over the same memory, without a copy; needs the package torch; checkers of types
            know them of vector_env.TensorEnv(..., arrays="torch"), which is this class [numpy,
            torch] (default: numpy)

    Raises:
        ValueError: an option with a value that is not allowed; TypeError: an unknown option;
            ModuleNotFoundError: arrays="torch" without torch;
            MemoryError: more environments than the memory that is left has room for.

    What the attributes show lies in the memory that the next call writes: copy what must outlast
    it. That is what a network was shown, too, where backward comes after the next step: give it
    `env.observation.clone()`; torch refuses the backward otherwise.

    An exception out of an opponent (KeyboardInterrupt too) ends a step half-way: some games are a
    step ahead of others. Everything that needs the games then raises RuntimeError until reset()
    of all rows or restore(); Ctrl-C is one where a step takes longer than two seconds, as with
    opponents that search. While one thread steps, calls of others raise RuntimeError as well.

    An environment compares by value: the same options but for num_threads, kernel, arrays and the
    seed, the same games, and the same last ends of deals, which reset() leaves (episode_return,
    episode_seed, episode_learner_seat). A copy or a pickle (for other processes of the same
    version) goes on with the same games, rewards and seeds; its counters (num_decisions ...) begin
    anew, and final_observation is not kept.

    Attributes:
        observation: float32 or uint8 [N, F], uint8 [N, 64] of "packed";
            sections: schafkopf.observation_sections(observation_version).
        action_mask: uint8 [N, 128];  legal: uint64 [N, 2], the same as bits.
            Action a is card a for a < 32, counted as `cards` says.
        current_player: int8 [N], -1 on terminal rows;  phase: int8 [N].
            Terminal rows (next_step, disabled) show the view of the learner's seat, else of seat 0,
            and PASS as the one action, which is ignored.
        rewards: float32 [N, 4] in tariff units per absolute seat, once, on the terminal step; what
            the Stock costs and pays stands apart, in stock_rewards, and adapters add it.
        terminated: bool [N];  truncated: bool [N], always False.
        episode_return: float32 [N, 4];  episode_seed, running_seed: uint64 [N]. Who knows the seed
            of a running deal can deal all its hands: it is no input of a player.
        learner_seat: int8 [N], the learner's seat in the running deal where there is one;
            episode_learner_seat: in the deal that ended, whose payoffs rewards shows; -1: none yet.
        final_observation: [N, F], the learner's view of the end of a deal, in rows that terminated.
        cards, order, events, full_view: uint8 [N, 64], `cards.view(CARDS_DTYPE)` has names.
        stock_rewards: float32 [N, 4], from and into the Stock, less the Reuegeld, where a rule set
            has one of them; in the last deal of a session with the shares of what is left in the
            Stock (OPEN-66). A participation bonus is in `Session.totals` alone.
        session_end: bool [N], whether the deal that ended was the last of its session. That may be
            a deal which the batch skipped (bidding_only, skip_forced), so without terminated.
        rule_index: uint16 [N];  rule_features: float32 [K, 192], numbers for each of the rule sets,
            0 to 255 as bytes hold them: the section `rules` of uint8 rows of version 1 and 2.
    """

    # None where they were not asked for: with Any, checkers let programs use what they asked for
    observation: Array | Any
    action_mask: Bytes | Any
    legal: NDArray[np.uint64]
    current_player: Seats
    phase: Seats
    rewards: Floats
    stock_rewards: Floats | Any
    terminated: Bools
    truncated: Bools
    episode_return: Floats
    episode_seed: NDArray[np.uint64]
    running_seed: NDArray[np.uint64]
    learner_seat: Seats | Any
    episode_learner_seat: Seats | Any
    rule_index: NDArray[np.uint16]
    rule_features: Floats
    session_end: Bools | Any
    final_observation: Array | Any
    cards: Bytes | Any
    order: Bytes | Any
    events: Bytes | Any
    full_view: Bytes | Any

    _changed: Callable[[], None] | None = None  # until it is made: the engine says that it is not

    _OPTIONAL = (
        "observation",
        "action_mask",
        "stock_rewards",
        "learner_seat",
        "episode_learner_seat",
        "session_end",
        "final_observation",
        "cards",
        "order",
        "events",
        "full_view",
    )

    @takes_keywords(_keywords)
    def __init__(
        self,
        num_envs: int | np.integer[Any],
        *,
        arrays: Literal["numpy", "torch"] = "numpy",
        **options: Unpack[VectorEnvOptions],
    ) -> None:
        if hasattr(self, "_own"):  # the games would stay, under other options
            raise TypeError(
                "this VectorEnv is made already, allowed: a new one, or reset(seed=...) of this one"
            )
        num_envs = _without_axes(num_envs)
        for key in options:
            given: Any = _without_axes(options[key])  # type: ignore[literal-required]
            options[key] = given  # type: ignore[literal-required]
            for value in given if isinstance(given, (list, tuple)) else [given]:
                _refuse_class_of_option(key, value)
        mode = options.get("auto_reset")
        if isinstance(mode, Enum):
            options["auto_reset"] = _MODES.get(str(mode.value), mode)
        self._agents: dict[str, _core.Agent] = {}
        self._shown_as = _converter(arrays)
        super().__init__(num_envs, **options)
        self._options = _kept(options)
        if arrays != "numpy":
            self._options["arrays"] = arrays
        self.__dict__.update(dict.fromkeys(self._OPTIONAL))
        shown = {name: self._shown_as(array) for name, array in self.buffers().items()}
        self._names = (*shown, *self._OPTIONAL)
        self.__dict__.update(shown)
        names = ("action_mask", "legal", "current_player", "phase", "episode_return")
        self._info = {name: getattr(self, name) for name in names}
        for name in ("final_observation", "session_end", *_LEARNER):
            if getattr(self, name) is not None:
                self._info["final_obs" if name == "final_observation" else name] = getattr(
                    self, name
                )
        self._result = (
            self.observation,
            self.rewards,
            self.terminated,
            self.truncated,
        )
        self._changed = _autograd_teller(shown.values()) if arrays == "torch" else None
        self._own = frozenset((*self.__dict__, "_own"))  # what is not the caller's

    def reset(
        self, *, seed: int | np.integer[Any] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array | Any, dict[str, Array]]:
        """Start new deals, with the option session new sessions.

        With auto_reset="disabled" and session rows whose deal is over go on with the next one of
        their session, unless a seed is given.

        Args:
            seed: a new seed restarts the episodes at 0; None goes on with the next ones.
            options: {"reset_mask": mask} restarts these rows only: bools or uint8 [N], 0 = not, as
                an array or a tensor in the main memory, or bools as a list or a tuple.

        Returns:
            (observation, info): views, as step gives them.

        Raises:
            ValueError: a seed out of range, unknown options, or another mask.
            RuntimeError: the environment is closed.
        """
        check_reset_options(options, ["reset_mask"])
        self.restart(seed, (options or {}).get("reset_mask"))
        return self.observation, dict(self._info)

    def step(
        self, actions: Array | Sequence[int] | Any
    ) -> tuple[Array | Any, Floats, Bools, Bools, dict[str, Array]]:
        """Step every game by one action.

        Args:
            actions: N integers, each legal for that game's current seat: an array of any integer
                dtype (int32 and int64 are read without a copy), a list, a tuple or a tensor in the
                main memory. Cards are counted as the option `cards` says. What stands in rows of
                finished games is ignored; with auto_reset="disabled" they are reset first, or
                stay as they are by -1: for a number of deals that is fixed beforehand.

        A row that stays keeps its observation, legal actions, episode_return and seeds, while
        terminated and rewards tell of this step alone: False and 0 in it. A loop until all deals
        are over looks at current_player, which is -1 in rows that are over::

            while (env.current_player >= 0).any():
                env.step(np.where(env.current_player < 0, -1, env.random_actions()))

        Returns:
            (observation, rewards, terminated, truncated, info): views, valid until the next call;
            rewards are float32 [N, 4], one column per seat. info has action_mask, legal,
            current_player, phase and episode_return, and where there are such final_obs (that is
            final_observation), session_end, learner_seat and episode_learner_seat.

        Raises:
            ValueError: wrong shape or type (floats and bools are no actions), with
                auto_reset="disabled" also a finished game that waits for reset and has no -1.
            IllegalAction: a ValueError with env, seat, action, reason, rule and the legal ones
                as attributes; action is the number that came, -1 or 200 too. In both cases nothing
                was stepped.
        """
        try:  # as _telling_autograd, whose call would be a tenth of the step of one game
            _core.BatchEnv.advance(self, actions)
        finally:
            if self._changed:
                self._changed()
        return *self._result, dict(self._info)

    # What else changes the rows.
    advance = _telling_autograd(_core.BatchEnv.advance)
    step_random = _telling_autograd(_core.BatchEnv.step_random)
    restart = _telling_autograd(_core.BatchEnv.restart)
    set_game = _telling_autograd(_core.BatchEnv.set_game)
    restore = _telling_autograd(_core.BatchEnv.restore)

    def random_actions(self, out: Array | Any | None = None) -> NDArray[np.int32]:
        """Return uniformly random legal actions, int32 [N].

        Drawn from the legal actions by absolute number, then counted as `cards` says: the games of
        a seed are the same either way.

        Args:
            out: an array or tensor int32 [N] for the result.

        Raises:
            ValueError: `out` of another shape or type.
        """
        given = (
            array_of("out", out)
            if out is not None and not isinstance(out, np.ndarray) and (hasattr(out, "numpy"))
            else out
        )
        drawn = super().random_actions(given)
        return self._shown_as(drawn) if out is None else out

    def agent_actions(self, agent: str | Player, rows: Any = None) -> NDArray[np.int32]:
        """Return what an agent does in every row, int32 [N], as step takes it.

        Needs view_lines=True, for an agent that sees hidden hands full_view=True too. Draws depend
        on (seed, env, episode, decision, seat) only, not on the batch.

        Args:
            agent: a name such as "rules", whose player is made once and kept until close(), an
                Agent of make_agent, or an object with act(views).
            rows: mask as that of reset: it is asked in these rows only, and the others are 0;
                None: in all.

        Raises:
            ValueError: no player, lines are missing, or wrong rows.
        """
        actions: NDArray[np.int32] = self._shown_as(super().agent_actions(self._agent(agent), rows))
        return actions

    def _agent(self, player: str | Player) -> _core.Agent:
        """Return the Agent of a player; that of a name is made at the first call."""
        if isinstance(player, _core.Agent):
            return player
        if not isinstance(player, str):
            return agent_at("agent", player)
        if player not in self._agents:
            self._agents[player] = _core.make_agent(player)
        return self._agents[player]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("_names", ()):
            raise AttributeError(
                f"{name}: the environment shows it and fills it anew with every step; "
                f"env.{name}[...] = values writes into the array"
            )
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if name in self.__dict__.get("_names", ()):
            raise AttributeError(
                f"{name}: the environment shows it, allowed: close(), which lets all of them go"
            )
        super().__delattr__(name)

    @cached_property
    def single_observation_space(self) -> Any:
        """gymnasium.spaces.Box [F] of one row: 0 to 1 where a column is yes or no, else 0 to what a
        byte holds, times the scale of its section (observation_table). Packed rows are bytes.

        Raises:
            ModuleNotFoundError: gymnasium is not installed.
            ValueError: the environment was made with observation="none".
        """
        spaces = load_extra("gymnasium.spaces", "gymnasium")
        rows = self.buffers().get("observation")
        if rows is None:
            raise ValueError(
                'an environment with observation="none" has no observation space: make it with '
                'observation="float32", "uint8" or "packed"'
            )
        high = np.full(rows.shape[1], 255, rows.dtype)
        if self._options.get("observation", "float32") != "packed":
            for row in _core.observation_table(self._options.get("observation_version", 1)):
                part = slice(row["offset"], row["offset"] + row["length"])
                if row["scale"] == 1.0:  # bits
                    high[part] = 1
                elif high.dtype == np.float32:
                    high[part] *= np.float32(row["scale"])
        return spaces.Box(np.zeros_like(high), high, dtype=high.dtype.type)

    @cached_property
    def single_action_space(self) -> Any:
        """gymnasium.spaces.Discrete(128). Raises ModuleNotFoundError: gymnasium is missing."""
        return load_extra("gymnasium.spaces", "gymnasium").Discrete(_core.NUM_ACTIONS)

    @cached_property
    def observation_space(self) -> Any:
        """gymnasium.spaces.Box [N, F]. Raises as single_observation_space."""
        batch = load_extra("gymnasium.vector.utils", "gymnasium").batch_space
        return batch(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> Any:
        """gymnasium.spaces.MultiDiscrete [N]. Raises ModuleNotFoundError: gymnasium is missing.

        It knows no masks: what it samples is mostly illegal. random_actions() gives legal ones.
        """
        batch = load_extra("gymnasium.vector.utils", "gymnasium").batch_space
        return batch(self.single_action_space, self.num_envs)

    def render(self, env: int | np.integer[Any] = 0) -> str:
        """Return the game of one row as text for people, with all hands.

        Legal is what the row allows: no claims unless claim_actions asks for them.

        Raises:
            ValueError: there is no such row.
        """
        return _core.display(self.get_game(env), bool(self._options.get("claim_actions", False)))

    def close(self) -> None:
        """Let the games go; a second call does nothing.

        The attributes for buffers are None from then on, arrays that were taken before stay valid.
        Whatever needs the games raises RuntimeError.
        """
        if self.closed:
            return
        super().close()
        self.__dict__.update(dict.fromkeys(self._names))
        self._agents.clear()
        del self._info, self._result

    def __repr__(self) -> str:
        num_envs = self.num_envs  # first: it refuses what is not made yet
        shown = ((key, _shown(key, value)) for key, value in self._options.items())
        parts = (f", {key}={text}" for key, text in shown if text)
        return f"VectorEnv({num_envs}{''.join(parts)}{', closed' if self.closed else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        games = None if self.is_fresh else self.snapshot()
        added = {
            name: value
            for name, value in self.__dict__.items()
            if name not in self._own and not _is_cached(type(self), name)
        }
        # an opponent may know the batch: that is there before what it is made of
        return _unmade, (type(self),), (self.num_envs, self._options, games, added)

    def __setstate__(
        self, state: tuple[int, VectorEnvOptions, bytes | None, dict[str, Any]]
    ) -> None:
        num_envs, options, games, added = state
        VectorEnv.__init__(self, num_envs, **options)  # a class of the caller's has its own
        if games is not None:
            self.restore(games)
        self.__dict__.update(added)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, VectorEnv):
            return NotImplemented
        if self.num_envs != other.num_envs or self.closed or other.closed:
            return False
        return (
            _comparable(self._options) == _comparable(other._options)
            and self.is_fresh == other.is_fresh
            and self.snapshot() == other.snapshot()
        )

    __hash__ = None  # type: ignore[assignment]


_MOST_SHOWN = 160  # characters of an option in repr


def _shown(key: str, value: Any) -> str:
    """Return an option as repr shows it; "" for deals and contracts, which fill pages."""
    if value is None or key in ("deals", "contracts"):
        return ""
    if isinstance(value, (list, tuple)):
        text = f"[{', '.join(_shown_one(one) for one in value[:_MOST_SHOWN])}]" if value else ""
    else:
        text = _shown_one(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def _shown_one(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, _core.RuleSet):
        return short_text(value)
    if isinstance(value, _core.Agent):
        return repr(value.name)
    if isinstance(value, (bool, int, float, str)):
        return repr(value)
    name = str(getattr(value, "name", type(value).__name__))  # of a player of one's own
    return f"<{' '.join(name.split())}>"


# gymnasium.vector.AutoresetMode by its values, without importing it
_MODES: dict[str, Literal["next_step", "same_step", "disabled"]] = {
    "NextStep": "next_step",
    "SameStep": "same_step",
    "Disabled": "disabled",
}
_LEARNER = ("learner_seat", "episode_learner_seat")


def _refuse_class_of_option(key: str, value: Any) -> None:
    """Raise ValueError where a class came as an option; np.float32 is no word of ours."""
    if not isinstance(value, type):
        return
    if key in ("opponent", "opponents") or issubclass(value, _OPTION_TYPES):
        refuse_class(key, value)
    allowed = next(row["allowed"] for row in _core.vector_env_fields() if row["key"] == key)
    name = value.__name__
    hint = f'; as a word "{name}"' if name in allowed.split(", ") else ""
    raise ValueError(f"{key}: the class {name} came, allowed: {allowed}{hint}")


_OPTION_TYPES = (_core.RuleSet, _core.Deal, _core.Contract)


def _without_axes(value: Any) -> Any:
    """Return what an array without axes holds, others as they are."""
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


if TYPE_CHECKING:
    # no overload of VectorEnv: to a wrong keyword a checker would answer by all of them, twice

    class TensorEnv(VectorEnv):
        """VectorEnv(arrays="torch") for checkers of types; in a running program it is VectorEnv."""

        observation: Tensor | Any
        action_mask: Tensor | Any
        legal: Tensor
        current_player: Tensor
        phase: Tensor
        rewards: Tensor
        stock_rewards: Tensor | Any
        terminated: Tensor
        truncated: Tensor
        episode_return: Tensor
        episode_seed: Tensor
        running_seed: Tensor
        learner_seat: Tensor | Any
        episode_learner_seat: Tensor | Any
        rule_index: Tensor
        rule_features: Tensor
        session_end: Tensor | Any
        final_observation: Tensor | Any
        cards: Tensor | Any
        order: Tensor | Any
        events: Tensor | Any
        full_view: Tensor | Any

        def __init__(
            self,
            num_envs: int | np.integer[Any],
            *,
            arrays: Literal["torch"],
            **options: Unpack[VectorEnvOptions],
        ) -> None: ...
        def reset(
            self,
            *,
            seed: int | np.integer[Any] | None = None,
            options: dict[str, Any] | None = None,
        ) -> tuple[Tensor | Any, dict[str, Tensor]]: ...
        def step(
            self, actions: Array | Sequence[int] | Any
        ) -> tuple[Tensor | Any, Tensor, Tensor, Tensor, dict[str, Tensor]]: ...
        def random_actions(self, out: Array | Any | None = None) -> Tensor: ...
        def agent_actions(self, agent: str | Player, rows: Any = None) -> Tensor: ...

else:
    TensorEnv = VectorEnv


def _same(array: Array) -> Any:
    return array


def _converter(arrays: str) -> Callable[[Array], Any]:
    """Return what shows an array as the option `arrays` says, over the same memory."""
    if isinstance(arrays, str) and arrays == "numpy":
        return _same
    if isinstance(arrays, str) and arrays == "torch":
        from_numpy: Callable[[Array], Any] = load_extra("torch", "torch").from_numpy
        return from_numpy
    raise ValueError(f"arrays = {arrays!r:.60}, allowed: numpy, torch")


def _autograd_teller(tensors: Iterable[Any]) -> Callable[[], None]:
    """Return what says to torch that the memory of the tensors has changed.

    The engine writes it without torch: a backward through a network that was shown a tensor before
    would take what stands there now, without a word.
    """
    graph = load_extra("torch.autograd.graph", "torch")
    with_gradients = [tensor for tensor in tensors if tensor.is_floating_point()]
    return lambda: graph.increment_version(with_gradients)


def _kept(options: VectorEnvOptions) -> dict[str, Any]:
    """Return options as a pickle holds them: no file is read again, no list changes afterwards."""
    kept: dict[str, Any] = {}
    for key, value in options.items():
        if key == "rules":
            several = isinstance(value, (list, tuple))
            kept[key] = [compiled_rules(one) for one in value] if several else compiled_rules(value)  # type: ignore[attr-defined]
        elif key == "opponent":
            kept[key] = _loaded(value)
        elif key == "opponents" and isinstance(value, (list, tuple)):
            kept[key] = [_loaded(one) for one in value]
        elif key == "contracts":
            kept[key] = [_contract(one) for one in cast(Any, value)]
        elif key == "rule_index":
            kept[key] = [int(one) for one in cast(Any, value)]
        elif isinstance(value, (list, tuple)):
            kept[key] = list(value)
        else:
            kept[key] = _number(value)
    return kept


def _number(value: Any) -> Any:
    """Return what a number of NumPy or a tensor without axes holds, others as they are."""
    return value.item() if getattr(value, "shape", None) == () else value


def _loaded(player: Any) -> Any:
    """Return a player that files make as an Agent, which knows them again; others as they are."""
    return (
        _core.make_agent(player)
        if isinstance(player, str) and _core.player_files(player)
        else player
    )


def compiled_rules(rules: Any) -> Any:
    """Return rules as a RuleSet, or as the name of a preset, which needs no file."""
    if isinstance(rules, dict):
        return _core.RuleSet(**{"preset": "", **rules})
    if isinstance(rules, (str, os.PathLike)) and rules not in _core.preset_names():
        return _core.RuleSet(rules)
    return rules


def _comparable(options: dict[str, Any]) -> dict[str, Any]:
    """Return what makes two environments alike, with the defaults; seeds are in the games."""
    values = {row["key"]: row["default"] for row in _core.vector_env_fields()} | options
    rules = values["rules"] if isinstance(values["rules"], list) else [values["rules"]]
    values["rules"] = [_core.RuleSet(one) if isinstance(one, str) else one for one in rules]
    if not any(values["rule_index"]):  # as where it is left out
        values["rule_index"] = []
    values["opponents"] = values["opponents"] or []
    for key in ("num_envs", "num_threads", "kernel", "seed", "arrays"):
        values.pop(key, None)
    return values


def _contract(given: Any) -> Any:
    """Return a contract that a batch took, a name or a dict, as a Contract."""
    if isinstance(given, dict):
        keys = {"name" if key == "class" else key: value for key, value in given.items()}
        return _core.Contract(**keys)
    return _core.Contract(given) if isinstance(given, str) else given


def _is_cached(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), cached_property)


def _unmade(kind: type[VectorEnv]) -> VectorEnv:
    """Return an environment that its state is still to make."""
    return kind.__new__(kind)
