"""What the adapters share: options that they set themselves, masks, pictures."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schafkopf import _core
from schafkopf.extras import load_extra
from schafkopf.house_rules import as_rule_set
from schafkopf.vector_env import VectorEnv

Mask = NDArray[np.int8]
PASS = _core.parse_action("PASS")
# Options of VectorEnv that every adapter sets itself.
OWN = ("num_envs", "auto_reset", "action_mask", "arrays", "opponents")


def keywords_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the keywords that a function names in its signature."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    return tuple(one.name for one in parameters if one.kind in kinds and one.name != "self")


def check_options(
    adapter: str, options: Mapping[str, Any], own: Iterable[str], also: Iterable[str]
) -> None:
    """Raise TypeError for options that an adapter sets itself, and for those that there are not.

    Args:
        adapter: its name in the message.
        options: what was given for VectorEnv.
        own: options of VectorEnv that the adapter sets.
        also: keywords that the adapter has beside those of VectorEnv.
    """
    given = sorted(set(options) & set(own))
    if given:
        raise TypeError(f"{adapter}: {', '.join(given)} cannot be given, the adapter sets it")
    of_batch = [row["key"] for row in _core.vector_env_fields() if row["key"] not in own]
    known = list(dict.fromkeys([*also, *of_batch]))
    for key in options:
        if key not in known:
            try:
                _core.refuse_keyword(adapter, key, known)
            except TypeError as error:  # Python's own words: GymEnv of TorchRL looks for them
                raise TypeError(f"{error}: got an unexpected keyword argument '{key}'") from None


def check_version(version: Any) -> None:
    """Raise ValueError for a layout of observations that there is not, by the option's name."""
    try:
        _core.observation_size(version)
    except ValueError as error:  # "version = 9, allowed: ..."
        raise ValueError(f"observation_{error}") from None


def contracts() -> Iterable[dict[str, Any]]:
    """Give one contract of each class."""
    for row in _core.contract_table():
        contract: dict[str, Any] = {"class": row["name"]}
        if row["parties"] != "everyone":
            contract["declarer"] = 0
        if row["trump_suit"] == "announced":
            contract["suit"] = "H"
        if row["parties"] == "called_card":
            contract["called"] = "EA"
        yield contract


def most_paid(rules: _core.RuleSet) -> float:
    """Return a bound of what a seat can win or lose: three prices with everything that raises them,
    and Reuegeld.

    It counts what no deal has at once (such as all Laufende and Schneider in a Ramsch), so it is
    not tight. What the Stock takes or gives is not in it, nor factors that a session brings.
    """
    tariff = _core.tariff_of(rules)
    amounts = dict(tariff["amounts"])
    for part in ("G", "stock_unit"):
        amounts.pop(part)
    ends = amounts.pop("schneider") + amounts.pop("schwarz")
    # an over-claim is paid back double
    run = amounts.pop("laufende") * (64 if rules.laufende_by_claim else 14)
    virgins = 8 * max(amounts["ramsch"], amounts["march"])
    factors = (tariff["tout_factor"], tariff["sie_factor"], tariff["hochzeit_factor"], 1)
    price = max(virgins, (max(amounts.values()) + ends + run) * max(factors))
    times = 0
    for contract in contracts():
        limits = _core.result_limits(contract, rules)
        times = max(times, limits["doublings"][0] + limits["legen"][0])
    times += _core.DealContext.first(rules).bock
    return float(3 * price * _core.price_factor(times) + rules.reuegeld)


def illegal_reward(given: Any, rules: Any) -> float:
    """Return the reward of an illegal action that ends a deal, in tariff units.

    Args:
        given: by the caller; None: less than a deal costs (most_paid), or a learner would leave
            one that goes badly this way.
        rules: as VectorEnv takes them.

    Raises:
        ValueError: no finite number.
    """
    if given is not None:
        return finite("illegal_reward", given)
    several = rules if isinstance(rules, list | tuple) else [rules]
    return -max([most_paid(as_rule_set(one)) for one in several])


def finite(name: str, value: Any) -> float:
    """Return a number. Raises ValueError: none, or not a finite one."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} = {value!r}, allowed: a finite number")
    return number


def check_open(env: VectorEnv) -> None:
    """Raise RuntimeError where the environment is closed, as its own methods do."""
    if env.closed:
        raise RuntimeError("this VectorEnv is closed: make it anew")


def action_number(action: Any) -> int:
    """Return one action as an integer. Raises ValueError: it is none."""
    try:
        if not isinstance(action, (bool, np.bool_)):
            return operator.index(action)
    except TypeError:
        pass
    raise ValueError(
        f"action: {action!r:.60} came, allowed: one integer 0..{_core.NUM_ACTIONS - 1}"
    )


def checked_render_mode(mode: str | None, metadata: Mapping[str, Any]) -> str | None:
    """Return a render mode. Raises ValueError for one that metadata does not have."""
    if mode is None or mode in metadata["render_modes"]:
        return mode
    allowed = ", ".join(metadata["render_modes"])
    raise ValueError(f'render_mode = "{mode}", allowed: {allowed}, None')


def opponents_of(opponent: Any) -> dict[str, Any]:
    """Return the option of VectorEnv for one player, or for a list of one for each other seat."""
    return {"opponents" if isinstance(opponent, (list, tuple)) else "opponent": opponent}


def seat_rewards(env: VectorEnv, where: Any = ...) -> NDArray[np.float64]:
    """Return what deals that ended paid their seats, 0 elsewhere: [N, 4], or what `where` indexes.

    Payoffs, and what came from the Stock and went into it or as Reuegeld: elsewhere a learner of
    such rules would never see what that cost.
    """
    paid: NDArray[np.float64] = env.rewards[where].astype(np.float64)
    return paid if env.stock_rewards is None else paid + env.stock_rewards[where]


def learner_rewards(env: VectorEnv) -> NDArray[np.float64]:
    """Return what the learner's seat was paid where deals ended, 0 elsewhere: [N]."""
    seats = env.episode_learner_seat
    assert seats is not None
    return seat_rewards(env, (np.arange(len(seats)), np.maximum(seats, 0)))


def session_info(env: VectorEnv, row: int = 0) -> dict[str, bool]:
    """Return {"session_end": whether the session of a row is over} where there are sessions."""
    return {} if env.session_end is None else {"session_end": bool(env.session_end[row])}


def masks_of(bits: NDArray[np.uint8]) -> Mask:
    """Return masks as int8, a copy: Discrete.sample(mask) of Gymnasium takes no other dtype."""
    return bits.astype(np.int8)


def mask_space(num_actions: int = _core.NUM_ACTIONS) -> Any:
    """Return gymnasium.spaces.Box int8 [128], 1 on legal actions."""
    spaces = load_extra("gymnasium.spaces", "gymnasium")
    return spaces.Box(0, 1, (num_actions,), np.int8)


def picture(text: str) -> NDArray[np.uint8]:
    """Return text as a picture uint8 [height, width, 3], of the same size for every game.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    figure = load_extra("matplotlib.figure", "plots").Figure(figsize=(10, 4), dpi=72)
    canvas = load_extra("matplotlib.backends.backend_agg", "plots").FigureCanvasAgg(figure)
    figure.text(0.02, 0.96, text, family="monospace", size=9, va="top")
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()
