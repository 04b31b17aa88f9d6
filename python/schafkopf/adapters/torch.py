"""Datasets of games for torch's DataLoader.

The import of this module needs torch; schafkopf itself never does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from schafkopf import _core
from schafkopf.datasets import Dataset
from schafkopf.datasets.read import allowed_columns, column_names
from schafkopf.extras import load_extra
from schafkopf.keywords import flag, names_keywords, whole

load_extra("torch", "torch")

import torch  # noqa: E402

# What torch has no dtype or no use for: names, and the bytes of records.
NO_TENSORS = (
    "rules",
    "entered",
    "contract",
    "more",
    "legen",
    "auction",
    "doublings",
    *(f"player_{seat}" for seat in range(4)),
)


class IterableGames(torch.utils.data.IterableDataset[dict[str, torch.Tensor]]):  # type: ignore[misc]
    """Batches of the decisions or games of a dataset: dicts of tensors, one row each.

    For DataLoader(games, batch_size=None, num_workers=...): shards are shared among its workers,
    and among the processes of a distributed training by rank. The order follows from seed, epoch,
    rank and the number of workers.

    Args:
        folder: of a dataset, or the Dataset.
        kind: "decisions" or "games".
        columns: None = all but names and bytes of records. Columns are those of Dataset.arrays
            with these differences: view is uint8 [B, 192], legal is bool [B, 128], seed is int64
            with the same bits, 0 where a game has none. "observation" is made of the views, for
            decisions with views.
        batch_size: rows of a batch B; the last one of a shard is smaller.
        shuffle: shards in random order, and the rows of each.
        seed, rank, world_size: whole numbers; this process takes every world_size-th shard.
        observation_version: of "observation", float32 [B, F], as in VectorEnv.
        cards: how cards are counted in observation, action, legal, probabilities and solver, in all
            of them alike: "absolute", or "canonical" as the networks of this package read and
            answer, for decisions with views. The columns of views and games are always absolute.

    Raises:
        ValueError: what Dataset raises, no shard, an unknown column, a rank that is none, or more
            processes than shards, of which some would get no rows.
    """

    @names_keywords
    def __init__(
        self,
        folder: str | Path | Dataset,
        kind: str = "decisions",
        columns: Sequence[str] | None = None,
        *,
        batch_size: int = 1024,
        shuffle: bool = False,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
        observation_version: int = 1,
        cards: Literal["absolute", "canonical"] = "absolute",
    ) -> None:
        super().__init__()
        self.dataset = folder if isinstance(folder, Dataset) else Dataset(folder)
        self.kind = kind
        allowed = [name for name in self.dataset.columns(kind) if name not in NO_TENSORS]
        self.columns = allowed.copy() if columns is None else column_names(columns)
        if not self.columns:
            raise ValueError(
                "columns: none, allowed: one at least, None for all but names and bytes"
            )
        if "view" in allowed:
            allowed.append("observation")
        for name in self.columns:
            if name not in allowed:
                stored = "view" if name == "observation" else name
                raise ValueError(f'columns: "{name}", {allowed_columns(str(stored), allowed)}')
        if cards not in ("absolute", "canonical"):
            raise ValueError(f'cards = "{cards}", allowed: absolute, canonical')
        if cards == "canonical" and "view" not in allowed:
            raise ValueError(
                'cards = "canonical" needs decisions with views, as a dataset has them that was '
                'written with store = ["views"]'
            )
        self.cards = cards
        self.batch_size = whole("batch_size", batch_size, 1, 2**31 - 1)
        self.shuffle = flag("shuffle", shuffle)
        self.seed = whole("seed", seed, 0, 2**63)
        self.world_size = whole("world_size", world_size, 1, 2**20)
        self.rank = whole("rank", rank, 0, world_size - 1)
        if not (shards := len(self.dataset.shards())):
            raise ValueError(
                f"{self.dataset.folder}: no shard is finished, allowed: resume it first"
            )
        if self.world_size > shards:
            raise ValueError(
                f"world_size = {self.world_size}, allowed: at most {shards}, the shards of "
                f"{self.dataset.folder}; the other processes would get no rows"
            )
        try:
            _core.observation_size(observation_version)
        except ValueError as error:  # calls it "version"
            raise ValueError(f"observation_{error}") from None
        self.observation_version = int(observation_version)
        # shared: workers that outlive an epoch (persistent_workers) must see the next one
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._epoch.share_memory_()  # a copy has an epoch of its own, for workers of its own

    @property
    def epoch(self) -> int:
        """Number of the epoch, which chooses the order."""
        return int(self._epoch)

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of an epoch, also in workers of a loader that are at work already."""
        self._epoch.fill_(whole("epoch", epoch, 0, 2**31 - 1))

    def _shards(self) -> list[int]:
        shards = self.dataset.shards()
        if self.shuffle:
            order = np.random.default_rng((self.seed, self.epoch)).permutation(len(shards))
            shards = [shards[i] for i in order]
        return shards[self.rank :: self.world_size]

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = torch.utils.data.get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for shard in self._shards()[first::step]:
            arrays = self._arrays(shard)
            rows = len(next(iter(arrays.values())))
            order: Any = np.arange(rows)
            if self.shuffle:
                order = np.random.default_rng((self.seed, self.epoch, shard)).permutation(rows)
            for batch in range(math.ceil(rows / self.batch_size)):
                chosen = order[batch * self.batch_size : (batch + 1) * self.batch_size]
                yield {name: torch.from_numpy(cells[chosen]) for name, cells in arrays.items()}

    def _arrays(self, shard: int) -> dict[str, Any]:
        read = ["view" if name == "observation" else name for name in self.columns]
        if self.cards == "canonical":
            read.append("view")
        found = self.dataset.arrays(self.kind, list(dict.fromkeys(read)), [shard])
        if self.cards == "canonical":
            views = found["view"]
            if "action" in found:
                found["action"] = _core.to_canonical(found["action"], views)
            for name in {"legal", "probabilities", "solver"} & set(found):
                found[name] = _core.mask_to_canonical(found[name], views)
        arrays: dict[str, Any] = {}
        for name in self.columns:
            if name == "observation":
                rules, version = self.dataset.settings.rule_set(), self.observation_version
                arrays[name] = _core.encode(found["view"], rules, version=version, cards=self.cards)
            elif name == "view":
                arrays[name] = found[name].view(np.uint8).reshape(len(found[name]), -1)
            elif name == "legal":
                bits = found[name].view(np.uint8)
                arrays[name] = np.unpackbits(bits, axis=1, bitorder="little").astype(bool)
            elif name == "seed" and found[name].dtype == object:
                known = [0 if one is None else one for one in found[name]]
                arrays[name] = np.array(known, np.uint64).view(np.int64)
            elif found[name].dtype == np.uint64:
                arrays[name] = found[name].view(np.int64)
            else:
                arrays[name] = found[name]
        return arrays
