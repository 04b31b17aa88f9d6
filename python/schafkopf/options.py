"""Types of keywords: a type checker knows the names and values that the engine knows.

The classes of keywords are written from the table of the engine: python tests/keyword_docs.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from schafkopf._core import Contract, Deal, RuleSet

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
elif sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
else:

    class Unpack:
        """What Python 3.10 lacks: typing.get_type_hints() gives the class of keywords itself."""

        __class_getitem__ = staticmethod(lambda keywords: keywords)


RulesLike: TypeAlias = str | os.PathLike[str] | dict[str, Any] | RuleSet
ContractLike: TypeAlias = str | dict[str, Any] | Contract


class Player(Protocol):
    """Whatever answers views with actions: an Agent, or an object of one's own."""

    def act(self, views: NDArray[np.void], /) -> Any:
        """Return integers [B], a legal action for each of the views [B] of VIEW_DTYPE."""
        ...


class GameOptions(TypedDict, total=False):
    """The keywords of VectorEnv that adapters take too; its docstring says what they mean."""

    rules: RulesLike | list[RulesLike] | tuple[RulesLike, ...]
    rule_index: Sequence[int] | NDArray[np.integer[Any]]
    seed: int | np.integer[Any]
    first_env: int | np.integer[Any]
    num_threads: int | np.integer[Any]
    observation: Literal["none", "uint8", "float32", "packed"]
    observation_version: int | np.integer[Any]
    cards: Literal["absolute", "canonical"]
    view_lines: bool
    full_view: bool
    skip_forced: bool
    claim_actions: bool
    session: bool
    start: Literal["deal", "card_play"]
    generated_share: float
    generator: str | None
    deals: list[Deal] | tuple[Deal, ...]
    contracts: list[ContractLike] | tuple[ContractLike, ...]
    bidding_only: bool
    kernel: Literal["auto", "scalar", "avx2", "avx512"]


class VectorEnvOptions(GameOptions, total=False):
    """All keywords of VectorEnv but num_envs and arrays."""

    auto_reset: Literal["next_step", "same_step", "disabled"] | Enum
    action_mask: bool
    learner_seat: int | np.integer[Any] | Literal["rotate"]
    opponent: str | Player | None
    opponents: list[str | Player] | tuple[str | Player, ...]
