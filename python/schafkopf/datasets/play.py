"""The games of one shard: a function of the settings and the number of the shard, nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from schafkopf import _core
from schafkopf.datasets.decisions import Decisions
from schafkopf.datasets.schema import GAMES, pack_record, parquet_bytes, results_of
from schafkopf.datasets.schema import games_schema as schema_of_games
from schafkopf.datasets.settings import ROUND, Settings
from schafkopf.extras import load_extra
from schafkopf.programs import FailureWatch
from schafkopf.vector_env import VectorEnv

Array = np.ndarray[Any, Any]


class ShardPlayer:
    """Plays shards of a dataset, one after the other.

    Args:
        settings: of the dataset.
        players: by name, as settings.players has them; texts, Agents or objects with act(views).
        note: told of decisions that were drawn because a program failed; None, and in another
            process: a RuntimeWarning.
    """

    def __init__(
        self,
        settings: Settings,
        players: Mapping[str, Any],
        note: Callable[[str], object] | None = None,
    ) -> None:
        self.settings = settings
        self.rules = settings.rule_set()
        self.names = [player["name"] for player in settings.players]
        self.agents = [_core.make_agent(players[name]) for name in self.names]
        self.solver = _core.Solver()
        places = {
            f'players["{name}"]': agent for name, agent in zip(self.names, self.agents, strict=True)
        }
        self._failures = FailureWatch(places, note)

        self._players = dict(players)

    def __reduce__(self) -> tuple[Any, ...]:
        return ShardPlayer, (self.settings, self._players)

    def __call__(self, shard: int) -> dict[str, bytes]:
        """Return the files of a shard, kind -> bytes."""
        files = _Shard(self, shard).files()
        self._failures.say()
        return files


class _Shard:
    """The games of a shard while they are played."""

    def __init__(self, owner: ShardPlayer, shard: int) -> None:
        self.owner, self.settings = owner, owner.settings
        self.place = self.settings.place(shard)
        first = self.settings.first_game(shard)
        self.end = first + self.settings.games_in(shard)
        tables = -(-self.settings.games_in(shard) // ROUND)
        self.env = VectorEnv(
            tables,
            rules=owner.rules,
            seed=self.settings.seed,
            first_env=first // ROUND,
            observation="none",
            action_mask=False,
            view_lines=True,
            full_view=any(agent.sees_hidden_hands for agent in owner.agents),
            start="card_play" if self.settings.start == "card_play" else "deal",
            generator=self.settings.generator or None,
        )
        self.env.reset()
        self.numbers = first + ROUND * np.arange(tables)  # of the game that a table plays
        self.last = np.minimum(self.numbers + ROUND, self.end)
        self.rows: dict[int, dict[str, Any]] = {}
        self.decisions = Decisions(owner) if self.settings.store else None

    def files(self) -> dict[str, bytes]:
        while (active := self.numbers < self.last).any():
            self._step(active)
        files = self.decisions.files(self.rows, self.place) if self.decisions else {}
        pa = load_extra("pyarrow", "parquet")
        rows = [self.rows[number] for number in sorted(self.rows)]
        table = pa.Table.from_pylist(rows, schema=schema_of_games())
        files[GAMES] = parquet_bytes(table, self.place)
        return files

    def _step(self, active: Array) -> None:
        env = self.env
        acting = active & (env.current_player >= 0)
        actions = env.random_actions()  # of tables that have played all their games
        players = self.players_of(self.numbers, env.current_player)
        for number, agent in enumerate(self.owner.agents):
            asked = acting & (players == number)
            if asked.any():
                actions[asked] = env.agent_actions(agent, rows=asked)[asked]
                if self.decisions:
                    self.decisions.add(env, agent, asked, self.numbers, actions)
        env.step(actions)
        ended = np.flatnonzero(active & env.terminated)
        for table in ended:
            self._keep(int(table))
        self.numbers[ended] += 1

    def _keep(self, table: int) -> None:
        """Keep the row of a game that has ended."""
        game = self.env.get_game(table)
        number = int(self.numbers[table])
        record = json.loads(_core.record_json(game)) | {"seed": int(self.env.episode_seed[table])}
        seats = np.arange(game.seats)
        players = self.players_of(np.full(game.seats, number), seats)
        self.rows[number] = {
            "game": number,
            **{
                f"player_{seat}": self.owner.names[player]
                for seat, player in zip(seats.tolist(), players, strict=True)
            },
            **pack_record(record),
            **results_of(game),
        }

    def players_of(self, games: Array, seats: Array) -> Array:
        """Return who sits where: an index into the players for each game and seat."""
        rounds = games // ROUND // self.owner.rules.seats
        return (rounds + seats) % len(self.owner.agents)
