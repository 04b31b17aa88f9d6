"""Networks as torch modules. Importing this imports torch; schafkopf.load_torch does so when asked.

The modules have the layers, and their parameters the names, of agents/network/network.h.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from schafkopf.networks import NORM_EPSILON, Floats, NetworkShape, Weights, refuse_rows


class Trunk(nn.ModuleDict):  # type: ignore[misc]
    """Layers from the inputs of a network to what its heads read."""

    def __init__(self, kind: str, inputs: int, width: int, linears: int) -> None:
        layers = {str(n): nn.Linear(width if n else inputs, width) for n in range(linears)}
        norms = [*(f"norm{n}" for n in range(1, linears)), "norm"] if kind == "residual" else []
        super().__init__({**layers, **{name: nn.LayerNorm(width, NORM_EPSILON) for name in norms}})
        self.residual, self.linears = kind == "residual", linears

    def forward(self, inputs: Tensor) -> Tensor:
        """Return activations [B, width] of inputs [B, I]."""
        hidden: Tensor = self["0"](inputs)
        if not self.residual:
            hidden = hidden.relu()
        for number in range(1, self.linears):
            if self.residual:
                hidden = hidden + self[str(number)](self[f"norm{number}"](hidden).relu())
            else:
                hidden = self[str(number)](hidden).relu()
        return self["norm"](hidden).relu() if self.residual else hidden


class TorchNetwork(nn.Module):  # type: ignore[misc]
    """A policy with values: observations in, logits and values out.

    Args:
        shape: size and inputs.
        value_head: whether values come from a head of the policy's trunk.
        critic: (width, linear layers) of a trunk of its own for the values, None = there is none.

    Attributes:
        shape: the same;  observation_version: layout of the rows that it reads.
        metadata: what save_player writes beside the shape.
    """

    def __init__(
        self,
        shape: NetworkShape,
        value_head: bool = True,
        critic: tuple[int, int] | None = None,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.observation_version = shape.observation_version
        self.metadata: dict[str, str] = {}
        self.trunk = Trunk(shape.trunk, shape.inputs, shape.width, shape.linears)
        self.policy = nn.Linear(shape.width, 128)
        self.value = nn.Linear(shape.width, 1) if value_head else None
        self.critic: nn.ModuleDict | None = None
        if critic is not None:
            width, linears = critic
            trunk = Trunk(shape.trunk, shape.inputs, width, linears)
            self.critic = nn.ModuleDict({"trunk": trunk, "value": nn.Linear(width, 1)})
            self.metadata["critic.oracle"] = "0"

    @classmethod
    def of_weights(cls, weights: Weights) -> TorchNetwork:
        """Return the network of a file."""
        own = weights.tensors.get("critic.value.weight")
        critic = None if own is None else (own.shape[1], weights.critic_layers)
        module = cls(weights.shape, "value.weight" in weights.tensors, critic)
        module.metadata.update(weights.metadata)
        module.load_state_dict(
            {name: torch.from_numpy(tensor) for name, tensor in weights.tensors.items()}
        )
        return module

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate observations.

        Args:
            observation: float32 [B, F], canonical cards, of the network's version (of the dtype of
                the parameters, where the module was moved to another one).

        Returns:
            (logits [B, 128] by canonical action, values [B] in tariff units, NaN where the network
            has none).

        Raises:
            ValueError: wrong shape or dtype; TypeError: no tensor.
        """
        if not isinstance(observation, Tensor):
            raise TypeError(
                f"observation: {type(observation).__name__} came, allowed: a tensor, as "
                "torch.from_numpy makes it of an array without a copy"
            )
        dtype = self.policy.weight.dtype
        wrong_type = not observation.is_floating_point() or (
            observation.dtype != dtype and not torch.is_autocast_enabled()
        )
        if wrong_type or observation.ndim != 2 or not self.shape.reads(observation.shape[1]):
            came = f"{observation.dtype} {list(observation.shape)}"
            refuse_rows(came, self.shape, str(dtype).removeprefix("torch."))
        pieces = [observation[:, at : at + n] for at, n in self.shape.input_pieces]
        inputs = pieces[0] if len(pieces) == 1 else torch.cat(pieces, dim=1)
        hidden = self.trunk(inputs)
        return self.policy(hidden), self._values(inputs, hidden) * self.shape.value_scale

    def _values(self, inputs: Tensor, hidden: Tensor) -> Tensor:
        if self.critic is not None:
            values: Tensor = self.critic["value"](self.critic["trunk"](inputs))
        elif self.value is not None:
            values = self.value(hidden)
        else:
            return hidden.new_full((len(hidden),), float("nan"))
        return values[:, 0]

    def tensors(self) -> dict[str, Floats]:
        """Return the parameters by name, float32 copies in the main memory."""
        return {
            name: tensor.detach().to("cpu", torch.float32, copy=True).contiguous().numpy()
            for name, tensor in self.state_dict().items()
        }
