"""Networks in Python: read as NumPy functions or torch modules, written as players net:FILE.

A network reads observations of its version with canonical cards, as VectorEnv(cards="canonical",
observation_version=network.observation_version) shows them, and gives logits of the actions counted
alike. agents/network/network.h says what its tensors mean.
"""

from __future__ import annotations

import itertools
import os
import pathlib
from collections.abc import Mapping
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schafkopf import _core, files
from schafkopf.extras import load_extra
from schafkopf.keywords import names_keywords

__all__ = [
    "NetworkShape",
    "NumpyNetwork",
    "Weights",
    "load_numpy",
    "load_torch",
    "model_card",
    "new_torch",
    "save_player",
]

if TYPE_CHECKING:
    from schafkopf.torch_network import TorchNetwork

Floats = NDArray[np.float32]
Path = str | os.PathLike[str]

NORM_EPSILON = 1e-5  # as agents/network/network.h
PRECISIONS = ("single", "half")
SHIPPED = "baseline"  # weights that come with the library
_CARD = "BASELINE.md"
OWN_CRITIC = "critic."  # prefix of a trunk of its own for the values
# What of a file's metadata a network keeps when it is written again.
KEPT = ("rules_name", "rules_hash")


class NetworkShape(NamedTuple):
    """Size and inputs of a network.

    Attributes:
        architecture: "mlp:<width>x<layers>" or "residual:<width>x<blocks>".
        trunk: "mlp" or "residual";  width: units of a layer;  layers: of an MLP, or blocks.
        inputs: numbers that it reads of an observation row;  input_sections: their names;
            input_pieces: (offset, length) in the row.
        observation_version: layout of the rows.
        value_scale: tariff units per unit of the value head.
    """

    architecture: str
    trunk: str
    width: int
    layers: int
    inputs: int
    observation_version: int
    input_sections: list[str]
    input_pieces: list[tuple[int, int]]
    value_scale: float

    @property
    def row_length(self) -> int:
        """F, the length of an observation row."""
        return _core.observation_size(self.observation_version)

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """Lengths of rows that it reads: F, and that of rows without their last section, the rules,
        where none of it is read (expand_packed gives such rows of version 1)."""
        rules = _core.observation_sections(self.observation_version)["rules"]
        read = max((at + n for at, n in self.input_pieces), default=0)
        apart = rules.stop == self.row_length and read <= rules.start
        return (self.row_length, rules.start) if apart else (self.row_length,)

    def reads(self, length: int) -> bool:
        """Whether it reads rows of a length. Asked in every call: the usual length first."""
        return length == self.row_length or length in self.row_lengths

    @property
    def linears(self) -> int:
        """Linear layers of the trunk: a residual one has an input layer before its blocks."""
        return self.layers + (self.trunk == "residual")


class Weights(NamedTuple):
    """What of a file a network in Python has: no optimiser, no critic that reads hidden hands."""

    shape: NetworkShape
    tensors: dict[str, Floats]
    metadata: dict[str, str]
    critic_layers: int  # linear layers of a critic with a trunk of its own, 0 = none


def read_weights(file: Path) -> Weights:
    """Read a weights file, or weights that come with the library by their name ("baseline").

    Raises:
        FileNotFoundError: it is not there;  RuntimeError: it cannot be read;  ValueError: it is
            damaged, or no network, or the name of a player, or empty.
    """
    if isinstance(file, str) and file.startswith("net:"):
        raise ValueError(
            f'"{file}" is a player, allowed: its file alone, "{file[4:]}"; schafkopf.make_agent '
            "makes the player"
        )
    path = files.engine_path(file, "file")
    if not path:
        came = "None" if file is None else '""'
        raise ValueError(f'file: {came} came, allowed: a file, or "{SHIPPED}"')
    try:
        tensors, metadata, shape = _core.read_network(path)
    except RuntimeError as error:
        kind = RuntimeError if os.path.exists(file) else FileNotFoundError
        raise kind(f'{error}; allowed: a file, or "{SHIPPED}"') from None
    with_critic = metadata.get("critic.oracle") == "0"
    prefixes = ("trunk.", "policy.", "value.") + ((OWN_CRITIC,) if with_critic else ())
    tensors = {name: tensor for name, tensor in tensors.items() if name.startswith(prefixes)}
    layers = [name for name in tensors if name.startswith("critic.trunk.")]
    numbered = sum(name.split(".")[2].isdigit() and name.endswith(".weight") for name in layers)
    kept = {key: metadata[key] for key in KEPT if key in metadata}
    return Weights(NetworkShape(**shape), tensors, kept, numbered)


def checked_rows(observation: Any, shape: NetworkShape) -> Floats:
    """Return observation rows as an array. Raises ValueError: wrong shape or dtype."""
    rows = np.asarray(observation)
    if rows.dtype != np.float32 or rows.ndim != 2 or not shape.reads(rows.shape[1]):
        refuse_rows(f"{rows.dtype} {list(rows.shape)}", shape)
    return rows


def refuse_rows(came: str, shape: NetworkShape, dtype: str = "float32") -> None:
    """Raise the ValueError for rows that a network with parameters of a dtype does not read."""
    lengths = " or ".join(str(length) for length in shape.row_lengths)
    raise ValueError(
        f"observation: {came} came, allowed: {dtype} [B, {lengths}] of "
        f'VectorEnv(cards="canonical", observation_version={shape.observation_version})'
    )


class NumpyNetwork:
    """A network as a function of NumPy arrays.

    Attributes:
        shape: NetworkShape;  observation_version: layout of the rows that it reads.
    """

    def __init__(self, weights: Weights) -> None:
        self.shape = weights.shape
        self.observation_version = weights.shape.observation_version
        self._weights = weights

    def __repr__(self) -> str:
        architecture, version = self.shape.architecture, self.observation_version
        return f"<{type(self).__name__} {architecture}, rows of version {version}>"

    def __call__(self, observation: Any) -> tuple[Floats, Floats]:
        """Evaluate observations.

        Args:
            observation: float32 [B, F], canonical cards, of the network's version.

        Returns:
            (logits float32 [B, 128] by canonical action; those of illegal actions mean nothing:
            schafkopf.sample masks them, values float32 [B] in tariff units for the seat to act,
            NaN where the network has none).

        Raises:
            ValueError: wrong shape or dtype.
        """
        rows = checked_rows(observation, self.shape)
        inputs = np.concatenate([rows[:, at : at + n] for at, n in self.shape.input_pieces], axis=1)
        hidden = self._trunk("", inputs, self.shape.linears)
        logits = self._linear("policy", hidden)
        values: Floats = np.full(len(rows), np.nan, np.float32)
        if self._weights.critic_layers:
            hidden = self._trunk(OWN_CRITIC, inputs, self._weights.critic_layers)
            values = self._linear("critic.value", hidden)[:, 0]
        elif "value.weight" in self._weights.tensors:
            values = self._linear("value", hidden)[:, 0]
        return logits, values * np.float32(self.shape.value_scale)

    def _linear(self, name: str, inputs: Floats) -> Floats:
        tensors = self._weights.tensors
        return inputs @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def _norm(self, name: str, hidden: Floats) -> Floats:
        tensors = self._weights.tensors
        off = hidden - hidden.mean(axis=1, keepdims=True)
        variance = (off * off).mean(axis=1, keepdims=True)
        scaled = off / np.sqrt(variance + np.float32(NORM_EPSILON))
        shifted: Floats = scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
        return np.maximum(shifted, np.float32(0))

    def _trunk(self, prefix: str, inputs: Floats, linears: int) -> Floats:
        residual = self.shape.trunk == "residual"
        hidden = self._linear(f"{prefix}trunk.0", inputs)
        if not residual:
            hidden = np.maximum(hidden, np.float32(0))
        for number in range(1, linears):
            if residual:
                normed = self._norm(f"{prefix}trunk.norm{number}", hidden)
                hidden = hidden + self._linear(f"{prefix}trunk.{number}", normed)
            else:
                layer = self._linear(f"{prefix}trunk.{number}", hidden)
                hidden = np.maximum(layer, np.float32(0))
        return self._norm(f"{prefix}trunk.norm", hidden) if residual else hidden


_torch = partial(load_extra, "torch", "torch")


def model_card() -> str:
    """Return the text about the shipped network (`net:baseline`) in Markdown: what it learned from,
    for how long and on what, how strong it is by which games, where it is weak."""
    here = pathlib.Path(__file__).resolve()
    beside = here.with_name(_CARD)  # of a wheel; else it lies in the source tree
    card = beside if beside.is_file() else here.parents[2] / "agents" / _CARD
    return card.read_text(encoding="utf-8")


def load_numpy(file: Path) -> NumpyNetwork:
    """Read a network as a function of NumPy arrays.

    Args:
        file: weights of a run or player (model.safetensors ...), or the name of weights that come
            with the library, "baseline".

    Raises:
        FileNotFoundError: it is not there;  RuntimeError: it cannot be read;  ValueError: it is
            damaged, or no network.
    """
    return NumpyNetwork(read_weights(file))


def load_torch(file: Path) -> TorchNetwork:
    """Read a network as a torch.nn.Module, to be asked or trained on.

    Args:
        file: as for load_numpy. A critic that reads hidden hands, of a checkpoint, is left out.

    Returns:
        A schafkopf.torch_network.TorchNetwork: module(observation) gives (logits, values) as
        tensors, equal to those of load_numpy and, up to rounding, of the player: policy() of
        "net:FILE,greedy=false" gives its probabilities ("net:FILE" takes the best action). Its
        parameters have the names of the file's tensors.

    Raises:
        ModuleNotFoundError: torch is not installed.
        FileNotFoundError: it is not there;  RuntimeError: it cannot be read;  ValueError: it is
            damaged, or no network.
    """
    _torch()
    from schafkopf.torch_network import TorchNetwork

    return TorchNetwork.of_weights(read_weights(file))


@names_keywords
def new_torch(
    architecture: str = "residual:256x2",
    *,
    observation_version: int = 1,
    input_sections: list[str] | None = None,
    value_scale: float = 50.0,
) -> TorchNetwork:
    """Make a network with random weights, to be trained in Python and written by save_player.

    Where no loss trains the values, set `module.value = None` before the optimiser is made: the
    player then has none (NaN), instead of random ones that hints and datasets would show.

    Args:
        architecture: "mlp:<width>x<layers>" or "residual:<width>x<blocks>".
        observation_version: layout of the rows that it reads [integer 1..4].
        input_sections: names of schafkopf.observation_sections(observation_version) that it reads;
            None: all but the rule features; at least one.
        value_scale: tariff units per unit of the value head.

    Raises:
        ModuleNotFoundError: torch is not installed.
        ValueError: an architecture, version or section that there is not, or no section; a
            value_scale that is no positive number.
    """
    _torch()
    from schafkopf.torch_network import TorchNetwork

    if isinstance(input_sections, str):
        raise ValueError(
            f'input_sections: the text "{input_sections}" came, allowed: list of names'
        )
    if not isinstance(architecture, str):
        raise ValueError(
            f'architecture = {architecture!r:.60}, allowed: a text such as "residual:256x2"'
        )
    if isinstance(value_scale, bool) or not isinstance(value_scale, Real):
        raise ValueError(f"value_scale = {value_scale!r:.60}, allowed: a positive number")
    sections = _names(input_sections)
    shape, _ = _core.describe_network(architecture, observation_version, sections, value_scale)
    if input_sections is not None and not sections:  # it would read what None says
        names = ", ".join(_core.observation_sections(observation_version))
        raise ValueError(f"input_sections = [], allowed: at least one of {names}; or None")
    return TorchNetwork(NetworkShape(**shape))


def _names(sections: Any) -> list[str]:
    """Return names of sections as a list, [] of None. Raises ValueError: no list of texts."""
    names = [] if sections is None else sections
    names = list(names) if np.iterable(names) else [None]
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"input_sections = {sections!r:.60}, allowed: list of names, None")
    return names


@names_keywords
def save_player(
    module: Any,
    file: Path,
    *,
    precision: str = "single",
    metadata: Mapping[str, str] | None = None,
) -> str:
    """Write a network as a file that the player net:FILE reads, in one step.

    Args:
        module: a network of load_torch or new_torch, or a module of a class derived from theirs.
        file: to be written, whole or not at all; a link to it stays one.
        precision: "single", or "half" at half the size: enough for a player.
        metadata: further entries of the file, texts.

    Returns:
        The name of the player, "net:FILE".

    Raises:
        TypeError: the module is of another kind, or metadata that are no texts.
        ValueError: a weight is not finite, beyond half precision, or on the device meta; metadata
            that say otherwise what the network is, or that UTF-8 cannot write; a path that is
            empty, has a zero byte or leads to a device or pipe. Nothing is written.
        RuntimeError: disk.
    """
    _torch()
    from schafkopf.torch_network import TorchNetwork

    if precision not in PRECISIONS:
        raise ValueError(f'precision = "{precision}", allowed: {", ".join(PRECISIONS)}')
    if not isinstance(module, TorchNetwork):
        raise TypeError(
            f"module: {type(module).__name__} came, allowed: a network of load_torch or new_torch"
        )
    path = files.engine_path(file, "file")
    if not path:
        came = "None" if file is None else '""'
        raise ValueError(f"file: {came} came, allowed: the path of a file")
    name = _core.net_player(path)
    place = os.path.realpath(path)  # a link stays one
    if not files.is_regular(place) and not os.path.isdir(place):  # the engine would replace it
        raise ValueError(f"{path}: no regular file, allowed: the path of a file")
    entries = _text_entries(metadata)
    shape = module.shape
    _, described = _core.describe_network(
        shape.architecture, shape.observation_version, shape.input_sections, shape.value_scale
    )
    for key, text in entries.items():
        if described.get(key, text) != text:
            raise ValueError(
                f'metadata["{key}"] = "{text}", but the network has {described[key]}; allowed: '
                f"other keys than {', '.join(described)}"
            )
    for parameter, tensor in module.state_dict().items():
        if tensor.is_meta:
            raise ValueError(
                f"{place}: tensor '{parameter}' lies on the device meta, which has no numbers, "
                "allowed: another device"
            )
    tensors = module.tensors()
    if precision == "half":
        _check_half(place, tensors)
    _core.write_network(
        place, tensors, {**module.metadata, **described, **entries}, precision == "half"
    )
    return name


def _text_entries(metadata: Any) -> dict[str, str]:
    """Return metadata as a dict. Raises TypeError: no mapping of texts to texts; ValueError: a text
    that no file can hold."""
    try:
        entries: dict[Any, Any] = {} if metadata is None else dict(metadata)
    except (TypeError, ValueError):
        entries = {"": None}
    if not all(isinstance(text, str) for text in itertools.chain(*entries.items())):
        raise TypeError(f"metadata = {metadata!r:.80}, allowed: a mapping of texts to texts")
    for text in itertools.chain(*entries.items()):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"metadata: {text!a:.60}: a text that UTF-8 cannot write, allowed: other texts"
            ) from None
    return entries


def _check_half(path: str, tensors: Mapping[str, Floats]) -> None:
    """Raise ValueError for a finite weight that half precision would make infinite."""
    for name, tensor in tensors.items():
        with np.errstate(over="ignore"):
            beyond = np.isfinite(tensor) & np.isinf(tensor.astype(np.float16))
        if beyond.any():
            element = int(beyond.argmax())
            raise ValueError(
                f"{path}: tensor '{name}': element {element} is {tensor.flat[element]}, allowed: "
                '-65504..65504 in half precision, or precision = "single"'
            )
