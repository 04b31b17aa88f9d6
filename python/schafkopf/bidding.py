"""Whether an agent's bids hold what they promise."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from schafkopf import _core
from schafkopf.house_rules import as_rule_set
from schafkopf.intervals import interval_text
from schafkopf.keywords import check_progress, names_keywords, player_name
from schafkopf.programs import FailureWatch
from schafkopf.tournaments import short_name

__all__ = ["calibrated", "calibration"]

EXTINCT = 0.1  # of the opponent's declarers: below this share a contract counts as given up
ROUNDING = 1e-9  # of the values: an interval that is narrower comes of rounding, not of games
FEW = 30  # games below which an interval does not say that a contract pays
SMALL = 0.01  # share of the declared games below which a contract need not be judged


@names_keywords
def calibration(
    agent: Any,
    opponent: Any = "rules:version=1",
    *,
    rules: Any = "research",
    blocks: int = 3000,
    worlds: int = 8,
    table: str = "own",
    beliefs: str = "uniform",
    seed: int = 1,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, Any]:
    """Compare what an agent expects of the contracts that it declares with what it gets.

    Every deal is played from every seat with the opponent in the others, three times: as the agent
    bids, with the opponent's words in its place, and with as many passes as the rules allow; the
    agent plays all cards of its seat. What a declarer expects is what its value head says at its
    last decision before the first card; without one, the mean over sampled hidden hands in which
    the game is played on from there.

    Args:
        agent: registry string, Agent or object with act(views); not one that sees hidden hands.
        opponent: the same for the other seats.
        rules: preset name, path, dict (without "preset" the defaults of the switches) or
            RuleSet.
        blocks: deals, each played from every seat [integer 1..16777216] (default: 3000)
        worlds: hidden hands that a declarer's game is played on in; 0 = none, which leaves what the
            agent itself says it expects [integer 0..1048576] (default: 8)
        table: who holds the other seats there: copies of the agent, or the opponents [own,
            opponents] (default: own)
        beliefs: how these hands are weighed by what their seats have said: not at all, as if the
            agent, the rule agent, or either of them had said it [uniform, own, rules, both]
            (default: uniform)
        seed: of deals and draws [integer 0..18446744073709551615] (default: 1)
        threads: 0 = one per core; the result does not depend on it [integer 0..1024] (default: 0)
        progress: called with (blocks done, blocks); what it raises ends the games.

    Returns:
        agent, opponent (their names), by ("value" or "worlds"), deals, games (deals times seats),
        thrown_in and thrown_in_with_opponents_words (shares of the games), over_words (points per
        game that the agent's words bring over the opponent's).

        contracts: by name, of the games that the agent declares: games, known (of which it is
        known what is expected), share (of all games), won, points; expected_won, expected_points
        and their differences to what was found (optimism_won, optimism_points: above 0 = too
        optimistic); over_passing and over_words, what the bids bring in the same deals over the
        other two ways. Each a dict {mean, half_width, low, high}, 95 % over deals (Student's t;
        None of one deal or of deals that are all alike), None without games; won and expected_won
        are 0..1.

        opponents_contracts: by name, of the games that the opponent's words declare for the agent's
        seat: games, own (games that the agent declares), won, points, over_passing, over_own, pays
        (over_passing lies above 0 with its interval, where it has one; None for less than 30
        games), extinct (it pays, and the agent declares it less than a tenth as often). extinct:
        names of these.
        `text`: tables for a terminal.

    Decisions that were drawn because a program (`engine:`) failed are said in a RuntimeWarning.

    Raises:
        ValueError: an unknown agent (names the known ones), one that sees hidden hands, or an
            option out of range.
    """
    check_progress(progress)
    keywords = {
        "blocks": blocks,
        "worlds": worlds,
        "table": table,
        "beliefs": beliefs,
        "seed": seed,
        "threads": threads,
    }
    players = {
        name: _core.make_agent(player) if isinstance(player, str) else player
        for name, player in (("agent", agent), ("opponent", opponent))
    }
    failures = FailureWatch(
        {name: player for name, player in players.items() if isinstance(player, _core.Agent)}
    )
    rows = _core.calibration_rows(**players, rules=rules, keywords=keywords, progress=progress)
    failures.say()
    compiled = as_rule_set(rules)
    result = {
        "agent": _name_of("agent", agent),
        "opponent": _name_of("opponent", opponent),
        "rules": compiled.name,
        **{key: value for key, value in keywords.items() if key != "threads"},
        **summary(rows, compiled.tariff_scale),
    }
    result["text"] = text_of(result)
    return result


def _name_of(place: str, player: Any) -> str:
    """Return the name of a player as tournaments show it."""
    return short_name(player if isinstance(player, str) else player_name(place, player))


def estimate(values: Any, blocks: Any) -> dict[str, float | None] | None:
    """Return the mean of some games with its 95 % interval over deals (Student's t).

    None without games; half_width, low and high are None of one deal and of deals that were all
    alike, which say nothing of the spread.

    Args:
        values: of the games, an array or a list;  blocks: the deal of each.

    Raises:
        ValueError: not one block for each value.
    """
    values = np.asarray(values, dtype=float)
    if len(blocks) != len(values):
        raise ValueError(
            f"blocks: {len(blocks)} came, allowed: one for each of {len(values)} values"
        )
    if len(values) == 0:
        return None
    mean = float(np.mean(values))
    _, place = np.unique(blocks, return_inverse=True)
    errors = np.bincount(place, weights=values - mean)
    # of the sums over deals; the mean is that of all their games
    half = _core.mean_interval(errors.tolist())[1] * len(errors) / len(values)
    if not np.isfinite(half) or half <= ROUNDING * np.abs(values).max():
        return {"mean": mean, "half_width": None, "low": None, "high": None}
    return {"mean": mean, "half_width": half, "low": mean - half, "high": mean + half}


def difference(values: Any, blocks: Any) -> dict[str, float | None] | None:
    """Return the mean of differences of the same games, with its interval, as estimate() does.

    Deals in which there is none say nothing of how much the others differ: as in a tournament the
    interval is that of so few deals as tell something (METHODS section 7).
    """
    found = estimate(values, blocks)
    if found is None or found["half_width"] is None or found["mean"] is None:
        return found
    _, place = np.unique(blocks, return_inverse=True)
    sums = np.bincount(place, weights=np.asarray(values, dtype=float))
    telling = max(np.count_nonzero(sums), 2)
    half = found["half_width"] * _student(telling) / _student(len(sums))
    return {**found, "half_width": half, "low": found["mean"] - half, "high": found["mean"] + half}


def _student(count: int) -> float:
    """Return how many standard errors the interval of so many values reaches."""
    values = np.arange(1.0, count + 1.0)
    error = values.std(ddof=1) / count**0.5
    return float(_core.mean_interval(values.tolist())[1] / error)


def summary(rows: Any, tariff_scale: int) -> dict[str, Any]:
    """Return the figures of _core.calibration_rows, as calibration() does."""
    points = {key: rows[key] / tariff_scale for key in ("payoff", "other_payoff", "passed_payoff")}
    by_value = bool(np.isfinite(rows["value"]).any())
    own = rows["declarer"] == rows["seat"]
    others = rows["other_declarer"] == rows["seat"]

    def of(values: Any, where: Any) -> dict[str, float | None] | None:
        return estimate(values[where], rows["block"][where])

    def more(these: str, those: str, where: Any) -> dict[str, float | None] | None:
        return difference((points[these] - points[those])[where], rows["block"][where])

    contracts, opponents = {}, {}
    for number, name in enumerate(_core.contract_keys()):
        declared = own & (rows["contract"] == number)
        said = others & (rows["other_contract"] == number)
        won, other_won = rows["won"].astype(float), rows["other_won"].astype(float)
        if declared.any():
            expected_won, expected = expectations(rows, points["payoff"], declared, by_value)
            known = declared & np.isfinite(expected_won)
            share = expected_won.copy()  # with what each game does to the prices that it is read by
            if by_value:
                share[known] += price_errors(expected_won, points["payoff"], rows["won"], known)
            contracts[name] = {
                "games": int(declared.sum()),
                "known": int(known.sum()),
                "share": float(declared.mean()),
                "won": of(won, declared),
                "points": of(points["payoff"], declared),
                "expected_won": of(share, known),
                "expected_points": of(expected, known),
                "optimism_won": of(share - won, known),
                "optimism_points": of(expected - points["payoff"], known),
                "over_passing": more("payoff", "passed_payoff", declared),
                "over_words": more("payoff", "other_payoff", declared),
            }
        if said.any():
            over_passing = more("other_payoff", "passed_payoff", said)
            assert over_passing
            least = over_passing["mean" if over_passing["low"] is None else "low"]
            pays = None if said.sum() < FEW else bool((least or 0.0) > 0)
            opponents[name] = {
                "games": int(said.sum()),
                "own": int(declared.sum()),
                "won": of(other_won, said),
                "points": of(points["other_payoff"], said),
                "over_passing": over_passing,
                "over_own": more("other_payoff", "payoff", said),
                "pays": pays,
                "extinct": bool(pays and declared.sum() < EXTINCT * said.sum()),
            }
    everywhere = np.ones(len(rows), dtype=bool)
    return {
        "by": "value" if by_value else "worlds",
        "deals": len(np.unique(rows["block"])),
        "games": len(rows),
        "thrown_in": float((rows["contract"] < 0).mean()),
        "thrown_in_with_opponents_words": float((rows["other_contract"] < 0).mean()),
        "over_words": more("payoff", "other_payoff", everywhere),
        "contracts": contracts,
        "opponents_contracts": opponents,
        "extinct": [name for name, row in opponents.items() if row["extinct"]],
    }


def expectations(rows: Any, points: Any, declared: Any, by_value: bool) -> tuple[Any, Any]:
    """Return the expected share of games won and payoff of each row; NaN where there are none.

    A value gives a payoff: the share is then the one on the line between the mean payoffs of lost
    and of won games of these rows.
    """
    if not by_value:
        return rows["expected_won"].astype(float), rows["expected_payoff"].astype(float)
    value = rows["value"].astype(float)
    known = declared & np.isfinite(value)
    won, lost = (points[known & (rows["won"] == flag)] for flag in (1, 0))
    if len(won) == 0 or len(lost) == 0 or won.mean() <= lost.mean():
        return np.full(len(rows), np.nan), value
    return np.clip((value - lost.mean()) / (won.mean() - lost.mean()), 0.0, 1.0), value


def price_errors(shares: Any, points: Any, won: Any, known: Any) -> Any:
    """Return what each of the known games adds to the error of the mean share by value: that of the
    mean payoffs of lost and won games, between which the shares are read; their sum is 0.

    Args:
        shares: of expectations();  points: payoffs;  won: 1 or 0;  known: which rows count.
    """
    shares, points, won = shares[known], points[known], won[known] == 1
    errors = np.zeros(len(shares))
    if len(shares) == 0:
        return errors
    gap = points[won].mean() - points[~won].mean()
    inside = (shares > 0.0) & (shares < 1.0)  # at the ends of the line prices change nothing
    for games, part in ((won, shares), (~won, 1.0 - shares)):
        slope = -part[inside].sum() / gap  # of the sum of the shares over this mean payoff
        errors[games] = slope * (points[games] - points[games].mean()) / games.sum()
    return errors


def calibrated(result: dict[str, Any], limit: float) -> bool | None:
    """Return whether every contract is won as often as expected, within `limit` (0..1).

    None: too few games to say so, or deals that were all alike. A contract that has less than a
    hundredth of the declared games fails where its whole interval lies outside, and is not waited
    for.

    Raises:
        ValueError: a limit that is no number 0..1.
    """
    number = isinstance(limit, Real) and not isinstance(limit, bool)
    if not number or not 0.0 <= limit <= 1.0:
        raise ValueError(f"limit = {limit!r}, allowed: number 0..1")
    declared = sum(row["games"] for row in result["contracts"].values())
    answers = []
    for row in result["contracts"].values():
        answer = _within(row, limit)
        if answer is not None or row["games"] >= SMALL * declared:
            answers.append(answer)
    if False in answers:
        return False
    return True if answers and None not in answers else None


def _within(row: dict[str, Any], limit: float) -> bool | None:
    found, expected = row["optimism_won"], row["expected_won"]
    if found is None or expected is None or found["half_width"] is None:
        return None
    # Few games that were all won, or all lost, have hardly a spread of their own: a calibrated
    # player's would have that of its expectation.
    share, games = min(max(float(expected["mean"]), 0.0), 1.0), int(row.get("known", row["games"]))
    least = 1.96 * (share * (1.0 - share) / games) ** 0.5 + 0.5 / games
    off, half = abs(float(found["mean"] or 0.0)), max(float(found["half_width"]), least)
    if half <= limit:
        return off <= limit
    return False if off - half > limit else None


def _figure(found: dict[str, float | None] | None, scale: float = 1.0, digits: int = 1) -> str:
    return interval_text(found, digits, scale=scale, mark="+-")


def _share(found: dict[str, float | None] | None) -> str:
    return interval_text(found, 1, sign="", scale=100.0, mark="+-")


def own_rows(result: dict[str, Any]) -> list[list[str]]:
    """Return the table of the contracts that the agent declares, its head first; texts."""
    rows = [
        [
            "contract",
            "games",
            "% of games",
            "expected won %",
            "won %",
            "too optimistic by, %",
            "expected points",
            "points",
            "over passing",
            "over the opponent's words",
        ]
    ]
    for name, row in result["contracts"].items():
        rows.append(
            [
                name,
                str(row["games"]),
                f"{100 * row['share']:.2f}",
                _share(row["expected_won"]),
                _share(row["won"]),
                _figure(row["optimism_won"], 100.0),
                _figure(row["expected_points"]),
                _figure(row["points"]),
                _figure(row["over_passing"]),
                _figure(row["over_words"]),
            ]
        )
    return rows


def opponents_rows(result: dict[str, Any]) -> list[list[str]]:
    """Return the table of what the opponent's words declare for the agent, its head first."""
    rows = [
        [
            "contract",
            "games",
            "the agent's own",
            "won %",
            "points",
            "over passing",
            "over the agent's words",
            "pays",
            "extinct",
        ]
    ]
    words = {True: "yes", False: "no", None: "-"}
    for name, row in result["opponents_contracts"].items():
        rows.append(
            [
                name,
                str(row["games"]),
                str(row["own"]),
                _share(row["won"]),
                _figure(row["points"]),
                _figure(row["over_passing"]),
                _figure(row["over_own"]),
                words[row["pays"]],
                words[row["extinct"]],
            ]
        )
    return rows


def _aligned(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def text_of(result: dict[str, Any]) -> str:
    """Return the tables of a calibration for a terminal."""
    expected = (
        "the agent's own value"
        if result["by"] == "value"
        else f"{result['worlds']} worlds, {result['beliefs']} beliefs, {result['table']} table"
    )
    return (
        f"{result['agent']} among {result['opponent']}, rules {result['rules']}, seed "
        f"{result['seed']}, {result['deals']} deals from every seat; expected: {expected}\n"
        f"thrown in {100 * result['thrown_in']:.1f} %, with the opponent's words "
        f"{100 * result['thrown_in_with_opponents_words']:.1f} %; its words over the opponent's "
        f"{_figure(result['over_words'], digits=2)} points per game\n\n"
        f"declared by the agent\n{_aligned(own_rows(result))}\n\n"
        f"declared with the opponent's words, the agent's cards\n"
        f"{_aligned(opponents_rows(result))}\n\n"
        f"extinct: {', '.join(result['extinct']) or 'none'}\n"
    )
