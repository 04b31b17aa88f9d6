"""What is stored of each decision: the view, legal actions, probabilities, solver values."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from schafkopf import _core
from schafkopf.datasets.schema import DECISIONS, Place, decisions_schema, parquet_bytes
from schafkopf.extras import load_extra

if TYPE_CHECKING:
    from schafkopf.datasets.play import ShardPlayer
    from schafkopf.vector_env import VectorEnv

Array = np.ndarray[Any, Any]


class Decisions:
    """Decisions in the order in which they are made, written in the order of the games."""

    def __init__(self, owner: ShardPlayer) -> None:
        self.owner = owner
        self.store = owner.settings.store
        self.columns: dict[str, list[Array]] = defaultdict(list)

    def add(
        self, env: VectorEnv, agent: _core.Agent, rows: Array, games: Array, actions: Array
    ) -> None:
        """Keep the decisions of some rows, before they are stepped.

        Args:
            rows: bool [N]; games: int64 [N], number of the game in each; actions: int32 [N].
        """
        # as bytes: NumPy leaves the holes of a view undefined where it copies rows
        lines = env.views().view(np.uint8).reshape(env.num_envs, -1)[rows]
        views = lines.view(_core.VIEW_DTYPE).reshape(-1)
        legal = _core.legal_mask(views).astype(bool)
        kept = {"game": games[rows], "seat": env.current_player[rows], "action": actions[rows]}
        if "views" in self.store:
            kept["view"] = lines
        if {"masks", "probabilities", "solver"} & set(self.store):
            kept["legal"] = env.legal[rows].view(np.uint8).reshape(len(views), -1)
            kept["choices"] = legal.sum(axis=1)
        if "probabilities" in self.store:
            full = None
            if agent.sees_hidden_hands and env.full_view is not None:
                full = env.full_view[rows].view(_core.FULL_VIEW_DTYPE).reshape(-1)
            policy, kept["value"] = agent.policy(views, self.owner.rules, full)
            kept["probabilities"] = policy[legal]
        if "solver" in self.store:
            games_of_rows = [env.get_game(int(row)) for row in np.flatnonzero(rows)]
            points = [
                self._points(game, mask) for game, mask in zip(games_of_rows, legal, strict=True)
            ]
            kept["solved"] = np.array([len(one) for one in points])
            kept["solver"] = np.array([cell for one in points for cell in one], np.uint8)
        for name, cells in kept.items():
            self.columns[name].append(np.array(cells))

    def _points(self, game: _core.Game, mask: Array) -> list[int]:
        """Points of the declarer party after each legal card; empty where they mean nothing."""
        if game.phase != "PLAY" or not game.declarer_party:
            return []
        points = self.owner.solver.card_points(game)
        return [points[_core.card_name(card)] for card in np.flatnonzero(mask)]

    def files(self, rows: dict[int, dict[str, Any]], place: Place) -> dict[str, bytes]:
        """Return the file of the decisions; `rows`: of the games, by number."""
        pa = load_extra("pyarrow", "parquet")
        columns = {name: np.concatenate(parts) for name, parts in self.columns.items()}
        order = np.argsort(columns["game"], kind="stable")  # a game's own are in their order
        games = columns["game"][order]
        starts = np.flatnonzero(np.diff(games, prepend=-1))
        lengths = np.diff(starts, append=len(games))
        payoffs = np.array([rows[int(game)]["payoffs"] for game in games[starts]], np.float32)
        seats = columns["seat"][order]
        table: dict[str, Any] = {
            "game": games,
            "decision": np.arange(len(games)) - np.repeat(starts, lengths),
            "seat": seats,
            "action": columns["action"][order],
            "payoff": np.repeat(payoffs, lengths, axis=0)[np.arange(len(seats)), seats],
        }
        for name in ("view", "legal"):
            if name in columns:
                table[name] = _fixed(pa, columns[name][order])
        for name, counts in (("probabilities", "choices"), ("solver", "solved")):
            if name in columns:
                table[name] = _ragged(pa, columns[name], columns[counts], order)
        if "value" in columns:
            value = columns["value"][order]
            table["value"] = pa.array(value, mask=np.isnan(value))
        schema = decisions_schema(self.store)
        arrays = [pa.array(table[field.name]).cast(field.type) for field in schema]
        return {DECISIONS: parquet_bytes(pa.Table.from_arrays(arrays, schema=schema), place)}


def _fixed(pa: Any, cells: Array) -> Any:
    """Return bytes [M, width] as fixed-size binaries."""
    kind = pa.binary(cells.shape[1])
    return pa.FixedSizeBinaryArray.from_buffers(
        kind, len(cells), [None, pa.py_buffer(np.ascontiguousarray(cells))]
    )


def _ragged(pa: Any, cells: Array, counts: Array, order: Array) -> Any:
    """Return lists of `counts` cells each, in another order; an empty one is null."""
    starts = np.cumsum(counts) - counts
    sizes = counts[order]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
    gathered = cells[np.repeat(starts[order], sizes) + within]
    empty = np.concatenate([sizes == 0, [False]])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32(), mask=empty), pa.array(gathered))
