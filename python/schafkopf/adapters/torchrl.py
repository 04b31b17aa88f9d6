"""TorchRL: N tables as a batched EnvBase, one seat against players of the registry or all in turn.

    from schafkopf.adapters.torchrl import SchafkopfEnv
    env = SchafkopfEnv(64, opponent="rules")
    env.rollout(20, break_when_any_done=False)

The action spec is masked after every reset and step, so rand_action, spec.project, and rollouts and
collectors without a policy draw legal actions alone, under transforms too; policies read
"action_mask" of the observation. SerialEnv and ParallelEnv have an action spec of their own, which
the transform ActionMask masks, around them and not inside:

    from schafkopf.adapters.torchrl import ActionMask
    env = TransformedEnv(ParallelEnv(2, lambda: SchafkopfEnv(64)), ActionMask())
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from schafkopf import _core
from schafkopf.adapters import common
from schafkopf.extras import load_extra
from schafkopf.options import GameOptions, Player, Unpack
from schafkopf.vector_env import VectorEnv as Batch

load_extra("torchrl", "torchrl")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from tensordict import TensorDict, TensorDictBase  # noqa: E402
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded  # noqa: E402
from torchrl.envs import ActionMask as TorchrlActionMask  # noqa: E402
from torchrl.envs import EnvBase  # noqa: E402


class LegalActions(Categorical):  # type: ignore[misc]
    """Actions of which each row allows some: those of its mask, which copies of the spec share.

    TorchRL draws from copies: a collector without a policy from one that it makes in the beginning,
    a TransformedEnv from one of its own. All of them draw what is legal now, as a new mask is
    written where the old one lies. A spec of another shape has a mask of its own, all ones.
    """

    def __init__(
        self,
        n: int,
        shape: torch.Size | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype = torch.int64,
        mask: torch.Tensor | None = None,
    ) -> None:
        if mask is None:
            mask = torch.ones(*(shape or ()), n, dtype=torch.bool, device=device)
        super().__init__(n, shape, device, dtype, mask)

    def update_mask(self, mask: torch.Tensor | None) -> None:
        """Allow what a mask allows, here and in all copies; None allows everything."""
        held = getattr(self, "mask", None)
        if held is None:
            super().update_mask(mask)
        elif mask is None:
            held.fill_(True)
        elif mask.dtype != torch.bool:
            raise ValueError("Only boolean masks are accepted.")
        else:
            held.copy_(mask)

    def clone(self) -> LegalActions:
        """Return a copy whose mask is the same memory."""
        return LegalActions(self.n, self.shape, self.device, self.dtype, self.mask)

    def __eq__(self, other: object) -> bool:
        """Return whether the other has the same actions; what is legal now is no part of it."""
        return isinstance(other, LegalActions) and (
            (self.n, self.shape, self.device, self.dtype)
            == (other.n, other.shape, other.device, other.dtype)
        )


class ActionMask(TorchrlActionMask):  # type: ignore[misc]
    """TorchRL's transform that masks random actions, right where only some environments are reset.

    TorchRL's own takes what SerialEnv and ParallelEnv show then: of environments that were not
    reset, the mask of an older state.
    """

    def _reset(
        self, tensordict: TensorDictBase, tensordict_reset: TensorDictBase
    ) -> TensorDictBase:
        chosen = tensordict.get("_reset", None)
        if chosen is None:
            return self._call(tensordict_reset)
        spec = self.action_spec
        mask = tensordict_reset.get(self.in_keys[1]).to(spec.device)
        spec.update_mask(torch.where(chosen.to(spec.device), mask, spec.mask))
        return tensordict_reset


class SchafkopfEnv(EnvBase):  # type: ignore[misc]
    """N tables, deal by deal. batch_size is [N]; a table that is done waits for reset, and may be
    left out of a step by "_step", as rollout does with break_when_all_done=True.

    A tensordict has "observation" float32 or uint8 [N, F], of packed rows uint8 [N, 64],
    "action_mask" bool [N, 128] of the legal actions, "action" int64 [N], "reward" float32, and
    "done" and "terminated" bool [N, 1]. Rewards are what seats are paid in tariff units, Stock and
    Reuegeld included, on the last step of a deal: [N, 1] of the learner; without an opponent [N, 4]
    of all seats, and then "current_player" int64 [N] is the seat that "observation" is of, -1 where
    a deal is over. With the option session "session_end" bool [N, 1] tells whether a deal was
    the last of its session.

    Random actions are legal, as the action spec is masked in every state; copies that collectors
    and transforms make of it have the same mask. SerialEnv and ParallelEnv have a spec of their
    own: TransformedEnv(ParallelEnv(...), ActionMask()) masks it, with ActionMask of this module.

    Args:
        num_envs: N.
        opponent: who plays the other seats: a name such as "rules", an Agent, an object with
            act(views), or a list with one of these for each other seat, as VectorEnv's opponents;
            None: all seats are asked in turn.
        learner_seat: seat of the one who is asked, 0..3, or "rotate": another with every deal; is
            not used without an opponent.
        device: of the tensors; the games are played in the main memory.
        **options: those of VectorEnv without num_envs, auto_reset, action_mask, arrays and
            opponents. Without `seed` the first reset draws one from the generator of torch
            (torch.manual_seed); set_seed gives one.

    Raises:
        ValueError, TypeError: as VectorEnv. IllegalAction out of step: nothing was stepped.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponent: str | Player | Sequence[str | Player] | None = "rules",
        learner_seat: int | Literal["rotate"] = 0,
        device: torch.device | str | None = "cpu",
        **options: Unpack[GameOptions],
    ) -> None:
        common.check_options(
            "schafkopf.adapters.torchrl.SchafkopfEnv",
            options,
            common.OWN,
            common.keywords_of(SchafkopfEnv.__init__),
        )
        if options.get("observation") == "none":
            raise ValueError('observation = "none", allowed: float32, uint8, packed')
        self._games = Batch(
            num_envs,
            auto_reset="disabled",
            learner_seat=-1 if opponent is None else learner_seat,
            **common.opponents_of(opponent),
            **options,
        )
        self._all_seats = opponent is None
        self._next_seed: int | None = None
        self._draws_seed = "seed" not in options
        super().__init__(device=device, batch_size=[num_envs])
        self._make_specs(num_envs)

    def _make_specs(self, num_envs: int) -> None:
        shown = self._games.observation
        assert shown is not None
        size: dict[str, Any] = {"shape": (num_envs,), "device": self.device}
        flag: dict[str, Any] = {"shape": (num_envs, 1), "device": self.device, "dtype": torch.bool}
        self.observation_spec = Composite(
            observation=Unbounded(
                shape=shown.shape, dtype=torch.from_numpy(shown).dtype, device=self.device
            ),
            action_mask=Binary(
                shape=(num_envs, _core.NUM_ACTIONS), dtype=torch.bool, device=self.device
            ),
            **size,
        )
        if self._all_seats:
            self.observation_spec["current_player"] = Bounded(-1, 3, dtype=torch.int64, **size)
        if self._games.session_end is not None:
            self.observation_spec["session_end"] = Binary(**flag)
        self.action_spec = LegalActions(_core.NUM_ACTIONS, **size)
        seats = 4 if self._all_seats else 1
        self.reward_spec = Unbounded(
            shape=(num_envs, seats), device=self.device, dtype=torch.float32
        )
        self.done_spec = Composite(
            done=Categorical(2, **flag), terminated=Categorical(2, **flag), **size
        )

    def _tensor(self, array: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Return a copy: the arrays of the games show the next state after the next step."""
        return torch.tensor(array, dtype=dtype, device=self.device)

    def _shown(self) -> TensorDict:
        """Return what is seen now, and mask the action spec."""
        mask = self._tensor(self._games.action_mask, torch.bool)
        ended = self._tensor(self._games.current_player, torch.int64)[:, None] < 0
        seen = {
            "observation": self._tensor(self._games.observation),
            "action_mask": mask,
            "done": ended,
            "terminated": ended.clone(),
        }
        if self._games.session_end is not None:
            seen["session_end"] = self._tensor(self._games.session_end)[:, None]
        if self._all_seats:
            seen["current_player"] = self._tensor(self._games.current_player, torch.int64)
        self.action_spec.update_mask(mask)
        return TensorDict(seen, batch_size=self.batch_size, device=self.device)

    def _reset(self, tensordict: TensorDictBase | None, **_: Any) -> TensorDict:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is not None and not chosen.all():
            rows = chosen.reshape(-1).cpu().numpy()
            if rows.any():
                self._games.reset(options={"reset_mask": rows})
            return self._shown()
        if self._next_seed is None and self._draws_seed:
            self._next_seed = int(torch.randint(2**62, ()))
        self._games.reset(seed=self._next_seed)
        self._next_seed, self._draws_seed = None, False
        return self._shown()

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        actions = tensordict["action"].cpu().numpy()
        chosen = tensordict.get("_step", None)
        if chosen is not None:
            actions = self._with_rows_that_stay(actions, chosen.reshape(-1).cpu().numpy())
        self._games.step(actions)
        seen = self._shown()
        games = self._games
        paid = (
            common.seat_rewards(games)
            if self._all_seats
            else common.learner_rewards(games)[:, None]
        )
        seen["reward"] = self._tensor(paid, torch.float32)
        return seen

    def _with_rows_that_stay(self, actions: Any, chosen: Any) -> Any:
        """Return actions in which tables that are done and left out stay as they are.

        Raises:
            ValueError: another table is left out.
        """
        assert self._games.current_player is not None
        refused = ~chosen & (self._games.current_player >= 0)
        if refused.any():
            raise ValueError(
                f"_step: table {refused.argmax()} is left out and its deal goes on, allowed: to "
                "leave out tables that are done, as the others are stepped together"
            )
        return np.where(chosen, actions, -1)

    def _set_seed(self, seed: int | None) -> None:
        """Let the next reset of all tables start with the first deals of a seed."""
        self._next_seed = seed

    def render(self, env: int = 0) -> str:
        """Return the game of one table as text for people, with all hands.

        Raises:
            ValueError: a table that there is not;  RuntimeError: the environment is closed.
        """
        return self._games.render(env)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Let the games go; a second call does nothing."""
        super().close(raise_if_closed=raise_if_closed)
        self._games.close()
