"""Whether what stands in the files of a dataset follows from its games, which are replayed.

A checksum shows that a file has changed since it was written; one that was written anew with its
checksum shows nothing. The rules do: hands and moves of a record give its result and, with the
actions in the decisions, what each seat saw.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from schafkopf import _core
from schafkopf.datasets.schema import (
    DECISIONS,
    GAMES,
    Record,
    pack_record,
    results_of,
    unpack_record,
)
from schafkopf.datasets.settings import MANIFEST, shard_file
from schafkopf.house_rules import as_rule_set
from schafkopf.vector_env import VectorEnv

if TYPE_CHECKING:
    from schafkopf.datasets.read import Dataset

Array = np.ndarray[Any, Any]
ROWS = 1024  # games that are replayed at once
_RESULTS = (
    "finished",
    "contract",
    "declarer",
    "declarer_party",
    "declarer_points",
    "won",
    "payoffs",
)
_ADVICE = "allowed: what follows from the games; move the file away and resume the dataset"


def check_games(dataset: Dataset, shard: int) -> None:
    """Replay the games of a shard and compare everything that follows from them.

    Compared are the results of every game and, of games that were played, rules with manifest,
    cards with seed, and each decision: seat, action, payoff, view and legal actions. Probabilities,
    values and solver values are not: they are those of the players and of the solver.

    Raises:
        ValueError: names file, game and what differs;  as Dataset.table.
    """
    settings = dataset.settings
    path = shard_file(dataset.folder, GAMES, shard)
    rows = dataset.table(GAMES, shard).to_pylist()
    rules = settings.rule_set() if settings.players else None
    decisions = _Decisions(dataset, shard) if settings.players and settings.store else None
    for begin in range(0, len(rows), ROWS):
        some = rows[begin : begin + ROWS]
        games = [_checked(path, row) for row in some]
        if rules is None:
            continue
        _check_rules(rules, path, some, [record for record, _ in games])
        pairs = zip(some, games, strict=True)
        starts = [_dealt(rules, path, row["game"], *game) for row, game in pairs]
        if decisions:
            _Replay(rules, decisions, some).run(starts)


def _differs(path: Any, game: int, what: str) -> ValueError:
    return ValueError(f"{path}: game {game}: {what}, {_ADVICE}")


def _checked(path: Any, row: Record) -> tuple[Record, _core.DealContext]:
    """Return the record of a row whose results are those of its replay, and what it inherited."""
    number = row["game"]
    try:
        record = unpack_record(row)
        game = _core.replay_game(json.dumps(record))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise _differs(path, number, f"it cannot be replayed ({error})") from error
    there = results_of(game)
    if there["payoffs"] is not None:
        there["payoffs"] = np.array(there["payoffs"], np.float32).tolist()  # as files have them
    for name in _RESULTS:
        if row[name] != there[name]:
            raise _differs(path, number, f"{name} = {row[name]}, by its replay {there[name]}")
    return record, game.context


def _check_rules(
    rules: _core.RuleSet, path: Any, rows: list[Record], records: list[Record]
) -> None:
    """Refuse games under other rules than those of the manifest."""
    found: dict[str, tuple[int, Any]] = {}  # each text once: to compile it takes its time
    for row, record in zip(rows, records, strict=True):
        found.setdefault(row["rules"], (row["game"], record["rules"]))
    for number, there in found.values():
        if as_rule_set(there) != rules:
            raise _differs(path, number, f"rules are not those of {MANIFEST}")


def _dealt(
    rules: _core.RuleSet, path: Any, number: int, record: Record, inherited: _core.DealContext
) -> _core.Game:
    """Return a game that was played at its first question.

    One whose contract was given is of no special round, whatever the first deal is by the rules.
    """
    try:
        seed, dealer = record["seed"], record["dealer"]
        given = "contract" in record
        deal = _core.Deal.random(seed, rules, dealer, inherited if given else None)
        if deal.hands != record["hands"]:
            raise _differs(path, number, f"hands: seed {seed} deals other cards")
        if not given:
            return _core.Game(rules, deal, dealer)
        contract = record["contract"] | {"declarer": record.get("declarer", -1)}
        return _core.Game.with_contract(
            contract,
            rules,
            deal,
            dealer,
            partner=record.get("partner", -1),
            laid=record.get("legen", []),
            exchange=record.get("exchange", []),
            context=inherited,
        )
    except (LookupError, TypeError) as error:
        raise _differs(path, number, f"its first question is not known ({error!r})") from error


class _Decisions:
    """Decisions of a shard as columns, in the order of their games."""

    def __init__(self, dataset: Dataset, shard: int) -> None:
        self.path = shard_file(dataset.folder, DECISIONS, shard)
        names = ["game", "decision", "seat", "action", "payoff"]
        names += [name for name in ("view", "legal") if name in dataset.columns(DECISIONS)]
        self.columns = dataset.arrays(DECISIONS, names, [shard])
        self.games = self.columns["game"]
        if "view" in self.columns:  # as bytes: NumPy leaves out the holes of a view
            self.columns["view"] = _lines(self.columns["view"])
        if (np.diff(self.games) < 0).any():
            raise ValueError(f"{self.path}: its games are not in their order, {_ADVICE}")


def _lines(views: Array) -> Array:
    return np.ascontiguousarray(views).view(np.uint8).reshape(len(views), -1)


class _Replay:
    """Games of a shard while their decisions are made once more."""

    def __init__(self, rules: _core.RuleSet, decisions: _Decisions, rows: list[Record]) -> None:
        self.rows, self.path, self.columns = rows, decisions.path, decisions.columns
        numbers = [row["game"] for row in rows]
        self.begins = np.searchsorted(decisions.games, numbers)
        self.lengths = np.searchsorted(decisions.games, numbers, side="right") - self.begins
        self.env = VectorEnv(
            len(rows),
            rules=rules,
            observation="none",
            action_mask=False,
            view_lines=True,
        )

    def run(self, starts: list[_core.Game]) -> None:
        """Play from these games on. Raises ValueError: names the game and what differs."""
        env = self.env
        env.reset()
        for number, game in enumerate(starts):
            env.set_game(number, game)
        playing = np.ones(len(starts), bool)
        step = 0
        while playing.any():
            self._say_first(playing & (self.lengths <= step), "decisions are missing")
            actions = env.random_actions()  # of games that are over
            actions[playing] = self._compared(step, np.flatnonzero(playing))
            env.step(actions)
            step += 1
            ended = playing & env.terminated.astype(bool)
            self._say_first(ended & (self.lengths > step), "there are decisions after its end")
            for number in np.flatnonzero(ended):
                self._compare_end(int(number))
            playing &= ~ended

    def _compared(self, step: int, at: Array) -> Array:
        """Return the actions of a step of these games, after a look at what stands beside them."""
        env, cells = self.env, self.begins[at] + step
        actions, legal = self.columns["action"][cells], env.legal[at]
        bits = np.unpackbits(legal.view(np.uint8), axis=1, bitorder="little")
        wrong = {
            "decision": self.columns["decision"][cells] != step,
            "seat": self.columns["seat"][cells] != env.current_player[at],
        }
        if "legal" in self.columns:
            wrong["legal"] = (self.columns["legal"][cells] != legal).any(axis=1)
        if "view" in self.columns:
            wrong["view"] = (self.columns["view"][cells] != _lines(env.views())[at]).any(axis=1)
        wrong["action"] = bits[np.arange(len(at)), actions % _core.NUM_ACTIONS] == 0
        wrong["action"] |= actions >= _core.NUM_ACTIONS
        for name, differs in wrong.items():
            if differs.any():
                game = self.rows[int(at[np.argmax(differs)])]["game"]
                raise _differs(self.path, game, f"decision {step}: {name} does not follow")
        return actions

    def _compare_end(self, number: int) -> None:
        """Compare a game that is over with its row."""
        row = self.rows[number]
        record = pack_record(json.loads(_core.record_json(self.env.get_game(number))))
        for name in ("legen", "auction", "doublings", "plays"):
            if record[name] != row[name]:
                raise _differs(self.path, row["game"], f"{name} are not those of its record")
        own = slice(self.begins[number], self.begins[number] + self.lengths[number])
        payoffs = np.array(row["payoffs"], np.float32)
        if (self.columns["payoff"][own] != payoffs[self.columns["seat"][own]]).any():
            raise _differs(self.path, row["game"], "payoff is not that of its record")

    def _say_first(self, wrong: Array, what: str) -> None:
        if wrong.any():
            raise _differs(self.path, self.rows[int(np.argmax(wrong))]["game"], what)
