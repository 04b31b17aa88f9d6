"""How much a trained best response gains: networks that learn against frozen players."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from schafkopf import _core, training_run
from schafkopf.intervals import interval_text
from schafkopf.keywords import agent_at, check_progress, whole
from schafkopf.tournaments import TournamentResult, tournament

CONTROL = "rules:version=1"
_CRITIC = "_critic"  # behind the name of a run: its first leg, where it starts from weights
DECISIONS = 50_000_000
BLOCKS = 4000
MOST_DECISIONS = 2**53
EVALUATION_SEED = 0x5EED  # of deals that no training sees
# In half of the games the learner plays every seat: with the agent in three of four seats of all
# games, five of six decisions of the budget would not be its own.
RECIPE = (
    "observation=4",
    "critic=oracle",
    "critic_width=64",
    "games_per_update=2048",
    "minibatch=2048",
    "learning_rate=2e-3",
    "final_learning_rate_share=0.02",
    "average_decay=0.99",
    "normalise_by=role",
    "reward_clip=40",
    "value_huber=3",
    "entropy=0.015",
    "final_entropy_share=0.2",
    "solver_weight=0.5",
    "solver_trick=5",
    "solver_early_share=0",
    "card_play_first=0",
    "pool_share=0.5",
    "pool_seats=others",
    "eval_minutes=0",
    "time_limit_minutes=0",
)
# Weights that a run starts from know how to play but not what a position is worth: first a critic
# learns beside the policy as it stands, then both at a tenth of the rate. Else the first steps
# follow a critic that knows nothing and spoil what was given.
CRITIC_SHARE = 0.08  # of the decisions
CRITIC_FIRST = (
    "ppo_weight=0",
    "behaviour_kl=0",
    "magnet_kl=0",
    "entropy=0",
    "solver_weight=0",
    "playout_share=0",
    "announcement_playout_share=0",
    "teacher_share=0",
    "clone_records=",
    "pool_share=1",
)
FROM_WEIGHTS = (
    "learning_rate=2e-4",
    "final_learning_rate_share=0.1",
    "epochs=2",
    "entropy=0.0012",
    "final_entropy_share=1",
    "solver_weight=0",
    "pool_share=1",
)
# What the arguments say of a run: a setting beside them was overridden or, with other rules, made
# the training another game than the one that is measured.
SAID = ("pool", "rules", "seed", "init", "decisions_limit")
# Beside these where bids are learned.
BIDDING_FIRST, BIDDING_FROM_WEIGHTS = ("bidding_entropy=0",), ("bidding_entropy=0.004",)


def interval(
    gains: Sequence[float], half_widths: Sequence[float | None], deals: Sequence[Any]
) -> tuple[float, float | None]:
    """Return mean and half-width of a 95 % interval over seeds and deals; of one seed, those of its
    tournament. None where all seeds, or all deals, are alike.

    The spread between runs (Student's t) does not show the luck of the deals, which are the same
    for all of them: the half-width over deals of the mean of the runs is added in squares.

    Args:
        deals: of each run its points by deal, of the same deals (points_by_deal).

    Raises:
        ValueError: no gain.
    """
    if len(gains) == 1:
        return gains[0], half_widths[0]
    mean, over_seeds = _core.mean_interval(gains)
    _, over_deals = _core.mean_interval(np.mean(deals, axis=0).tolist())
    half_width = math.hypot(over_seeds, over_deals)
    return mean, half_width if math.isfinite(half_width) else None


def points_by_deal(result: TournamentResult, pairing: int) -> Any:
    """Return points per game of the one seat of a pairing 1v3, by deal [blocks].

    Raises:
        ValueError: no games of this pairing.
    """
    games = result.games[result.games["pairing"] == pairing]
    if len(games) == 0:
        raise ValueError(f"pairing = {pairing}, allowed: one that has games")
    held = (games["seats"][:, None] >> np.arange(games["payoffs"].shape[1])) & 1
    _, place = np.unique(games["block"], return_inverse=True)
    points = (games["payoffs"] * held).sum(axis=1) / result["tariff_scale"]
    return np.bincount(place, weights=points) / np.bincount(place)


def best_response(
    agent: str,
    *,
    out: str | Path,
    seeds: int = 3,
    decisions: int = DECISIONS,
    init: str | Path = "",
    track: str = "card_play",
    rules: str = "research",
    blocks: int = BLOCKS,
    control: str = CONTROL,
    settings: Sequence[str] = (),
    seed: int = EVALUATION_SEED,
    progress: Callable[[str, Mapping[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """Train networks against a frozen agent, each in a rotating seat, and measure what they gain.

    From zero the agent holds the other seats in half of the games, and in half the network plays
    all of them.
    Whatever they gain the agent can lose to somebody who plays to its weaknesses: a lower bound of
    what a best response of one seat gains. The same budget against a weaker player, the control,
    shows that the budget is large enough to find weaknesses at all.

    Args:
        agent: registry string of the player in the other seats; no oracle.
        out: folder of the runs, `agent_SEED` and `control_SEED`. What is there already goes on.
        seeds: number of runs against each, 1 to 10.
        decisions: of each run, forced ones and the agent's included, at least 1.
        init: weights that the runs against the agent start from, such as the agent's own; their
            network and inputs must be those of the settings. Weights as they are shipped have no
            critic: in the first 8 % of the decisions one learns alone (folder `agent_SEED_critic`),
            then both learn at a tenth of the rate, always with the agent in the other seats. Empty
            = from zero.
        track: "card_play" (contracts of the generator) or "full" (bidding too).
        rules: preset name or path.
        blocks: deals of the final tournament of each run, each played from every seat.
        control: registry string of the weaker player; "" = no control runs.
        settings: further "key=value" of the trainer, but for what the arguments say: pool, rules,
            seed, init, decisions_limit.
        seed: of the deals of the final tournaments, which no training sees.
        progress: called with the name of the run and its state after each update.

    Returns:
        {"agent": gain, "control": gain or None}; a gain has `mean` and `half_width` in tariff
        units per game (95 %, over seeds and deals; of a single seed over its deals), and `runs`,
        each with mean, half_width (over its deals), decisions, seconds of training and model. Every
        run is a lower bound of what can be gained: `largest` is the best one, with its seed. It was
        chosen on the deals that it is measured on, and looks a little better for that.

    Raises:
        ValueError: an option out of range, an agent that cannot be made, another process at work
            in the folder, a run there that was begun with another agent, rules, track, number of
            decisions, start, setting or recipe, weights to start from whose critic would share the
            policy's layers.  RuntimeError: no torch.  OSError: `out` cannot be made, or takes no
            files.
    """
    check_progress(progress, "a name and a dict")
    seeds = whole("seeds", seeds, 1, 10)
    decisions = whole("decisions", decisions, 1, MOST_DECISIONS)  # 0 would be no limit
    if track not in training_run.TRACKS:
        raise ValueError(f'track = "{track}", allowed: {", ".join(training_run.TRACKS)}')
    for name, player in (("agent", agent), ("control", control)):
        if player and agent_at(name, player).sees_hidden_hands:
            raise ValueError(f'{name} = "{player}" sees hidden hands, allowed: one that does not')
    for setting in settings:
        if setting.partition("=")[0].strip() in SAID:
            raise ValueError(
                f'setting "{setting}", allowed: other keys than {", ".join(SAID)}, which agent, '
                "rules, seeds, init and decisions say"
            )
    games = {
        "pairings": [{"one": "response", "others": "agent"}],
        "blocks": blocks,
        "track": track,
        "rules": rules,
        "seed": seed,
    }
    # what is wrong with them is said before anything is trained
    _core.tournament_toml("", agents={"response": agent, "agent": agent}, keywords=games)
    folder = Path(out)
    common = [*RECIPE, f"rules={rules}"]
    common.append(f"generated_share={1.0 if track == 'card_play' else 0.5}")
    result: dict[str, Any] = {"agent": None, "control": None}
    with training_run.folder_lock(training_run.load_training(), folder):
        for name, opponent in (("agent", agent), ("control", control)):
            if not opponent:
                continue
            own = [f"pool={opponent}"]
            start = str(init) if name == "agent" else ""
            played = [
                _response(
                    folder / f"{name}_{number}",
                    opponent,
                    _legs(common, settings, [*own, f"seed={number}"], decisions, start),
                    games,
                    progress,
                )
                for number in range(1, seeds + 1)
            ]
            runs = [run for run, _ in played]
            mean, half_width = interval(
                [run["mean"] for run in runs],
                [run["half_width"] for run in runs],
                [deals for _, deals in played],
            )
            result[name] = {
                "opponent": opponent,
                "mean": mean,
                "half_width": half_width,
                "largest": largest_of(runs),
                "runs": runs,
            }
    return result


def largest_of(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return seed, mean and half_width of the run that gains most.

    Raises:
        ValueError: no run.
    """
    seed, run = max(enumerate(runs, start=1), key=lambda numbered: numbered[1]["mean"])
    return {"seed": seed, "mean": run["mean"], "half_width": run["half_width"]}


def _legs(
    common: Sequence[str],
    settings: Sequence[str],
    own: Sequence[str],
    decisions: int,
    init: str,
) -> dict[str, list[str]]:
    """Return the trainings of a run in their order, the name of each behind that of the run: its
    settings. Each but the first starts from the weights of the one before."""
    if not init:
        return {"": [*common, f"decisions_limit={decisions}", *settings, *own]}
    if training_run.setting("critic", "", [*common, *settings]) == '"shared"':
        raise ValueError(
            'critic = "shared", allowed: "separate", "oracle" with weights to start from: what a '
            "critic learns alone must not change the policy"
        )
    first = math.ceil(CRITIC_SHARE * decisions)
    rest = max(decisions - first, 1)  # 0 would be no limit
    bids = training_run.setting("generated_share", "", [*common, *settings]) != "1.0"
    critic = [*CRITIC_FIRST, *(BIDDING_FIRST if bids else ())]
    both = [*FROM_WEIGHTS, *(BIDDING_FROM_WEIGHTS if bids else ())]
    return {
        _CRITIC: [*common, *settings, *critic, *own, f"init={init}", f"decisions_limit={first}"],
        "": [*common, *both, f"decisions_limit={rest}", *settings, *own],
    }


def _response(
    folder: Path,
    opponent: str,
    legs: Mapping[str, list[str]],
    played: Mapping[str, Any],
    progress: Callable[[str, Mapping[str, Any]], object] | None,
) -> tuple[dict[str, Any], Any]:
    """Return what a run gained, and its points by deal."""
    runs: dict[Path, list[str]] = {}
    for leg, settings in legs.items():
        before = [f"init={path / training_run.MODEL}" for path in list(runs)[-1:]]
        runs[folder.with_name(folder.name + leg)] = [*settings, *before]
    same = training_run.learned_keys()  # of another recipe it would be another figure
    for path, settings in runs.items():  # nothing is trained for a run that is refused
        training_run.check_same(path, "", settings, same)
    model, decisions, seconds = "", 0, 0.0
    for path, settings in runs.items():
        told = partial(progress, path.name) if progress else None
        done = training_run.train_or_resume(path, "", settings, told, same)
        model = done["model_path"]
        decisions += done["decisions"]
        seconds += done["seconds"]
    response = _core.net_player(model)
    games = tournament({"response": response, "agent": opponent}, **played)
    points = games["pairings"][0]["points"]
    run = {
        "mean": points["mean"],
        "half_width": points["half_width"],
        "decisions": decisions,
        "seconds": seconds,
        "model": model,
    }
    return run, points_by_deal(games, 0)


def text_of(result: Mapping[str, Any]) -> str:
    """Return the result as a table for a terminal."""
    lines = ["what a trained best response gains, points per game (95 %)"]
    for name in ("agent", "control"):
        gain = result[name]
        if gain is None:
            continue
        over = (
            f"over {len(gain['runs'])} seeds and their deals"
            if len(gain["runs"]) > 1
            else "over deals"
        )
        lines.append(f"{gain['opponent']:<40} {interval_text(gain, mark='+-')} {over}")
        if len(gain["runs"]) > 1:
            best = gain["largest"]
            lines.append(f"  can be gained: {interval_text(best, mark='+-')}, seed {best['seed']}")
        for number, run in enumerate(gain["runs"], start=1):
            millions = f"{run['decisions'] / 1e6:.1f} M decisions"
            lines.append(f"  seed {number}, {millions}: {interval_text(run, mark='+-')}")
    return "\n".join(lines) + "\n"
