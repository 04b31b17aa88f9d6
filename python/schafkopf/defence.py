"""How well players defend: the same contracts of one declarer against two teams of defenders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from schafkopf import _core, bidding, files
from schafkopf.keywords import names_keywords, whole
from schafkopf.tournaments import tournament
from schafkopf.vector_env import VectorEnv

GENERATOR = "heuristic:noise=0"
_TEAMS = ("player", "opponent")  # in the order of their pairings
_AT_ONCE = 1024  # deals looked at together
_MOST_DEALS = 2_000  # for one that has the contract; a Wenz or a Solo comes once in 20 to 60


@names_keywords
def write_deals(
    path: str | Path, contract: str, count: int, *, seed: int = 1, rules: str = "research"
) -> None:
    """Write deals on which a contract is declared, as a `contract_list` of tournaments.

    Args:
        path: gets one record a line; written in one step.
        contract: class of the contracts, such as "SOLO"; Touts are left out.
        count: how many deals; the first of them are the same for any larger number.
        seed: of the deals. Each contract is what the rule agents bid, or of the mix where all of
            them pass (a fifth of the Soli).
        rules: preset or path.

    Raises:
        ValueError: no path, no deals, a contract that is unknown, has no declarer, is not played
            alone, or hardly ever comes.
    """
    path, count = files.given_path(path, "path"), whole("count", count, 1, 2**31 - 1)
    keys = _core.contract_keys()  # all classes, then their Touts
    names = keys[: len(keys) // 2]
    if contract not in names:
        raise ValueError(f"contract = {contract!r}, allowed: {', '.join(names)}")
    env = VectorEnv(_AT_ONCE, rules=rules, start="card_play", generator=GENERATOR, seed=seed)
    lines: list[str] = []
    looked_at = 0
    while len(lines) < count:
        env.reset()  # deals the first ones again, then the next
        if looked_at > _MOST_DEALS * (len(lines) + 1):
            raise ValueError(
                f"contract = {contract!r}: {len(lines)} of {looked_at:,} deals have it under the "
                f"rules {rules}; allowed: one that is declared more often"
            )
        for row in range(_AT_ONCE):
            game = env.get_game(row)
            found = game.contract
            if found is None or found.tout or found.declarer < 0:
                continue
            if found.name == contract:
                if len(game.declarer_party) > 1:
                    raise ValueError(
                        f"contract = {contract!r}: one of the others is the declarer's partner; "
                        "allowed: one that is played alone"
                    )
                lines.append(_core.record_json(game))
        looked_at += _AT_ONCE
    files.write_text(path, "\n".join(lines[:count]) + "\n")


def defence(
    player: str,
    opponent: str,
    *,
    declarer: str,
    deals: str | Path,
    blocks: int,
    journal: str | Path | None = None,
    progress: Callable[[int, int], object] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Compare three of one player with three of another as defenders of the same games.

    Args:
        player, opponent: the defenders, registry strings.
        declarer: who declares against both, a registry string.
        deals: a contract list (write_deals), at least `blocks` of them.
        blocks: how many deals, each played once by either team.
        journal: file that gets every finished deal; one that exists is gone on with.
        settings: as of schafkopf.tournament: rules, seed, threads ..., but for precision.

    Returns:
        mean, half_width, low, high of what the declarer gets less a game from three of the player
        than from three of the opponent, in tariff units, 95 % over deals; conceded: what the
        declarer gets from each, as {mean, half_width ...}; won: by the declarer, as shares; blocks.

    Raises:
        ValueError: as schafkopf.tournament; a setting that the comparison makes itself.
    """
    if precision := settings.get("precision"):
        raise ValueError(f"precision = {precision!r}, allowed: 0, as both teams play every deal")
    deals, journal = files.given_path(deals, "deals"), files.path_text(journal, "journal")
    seats = {"declarer": declarer, "player": player, "opponent": opponent}
    own: dict[str, Any] = {
        "pairings": [
            {"one": "declarer", "others": name, "both_directions": False} for name in _TEAMS
        ],
        "formats": ["declarer"],
        "track": "card_play",
        "contract_list": str(deals),
        "calibration": False,
        "resume": Path(journal).is_file() if journal else False,
    }
    if taken := sorted({"agents", *own} & settings.keys()):
        raise ValueError(f"{', '.join(taken)}: cannot be given, a comparison of defenders sets it")
    result = tournament(seats, blocks=blocks, journal=journal, progress=progress, **own, **settings)
    games = result.games
    paid = games["payoffs"][np.arange(len(games)), games["declarer"]] / result["tariff_scale"]
    teams = {name: games["pairing"] == number for number, name in enumerate(_TEAMS)}
    played = games["block"][teams["player"]]
    found = bidding.difference(paid[teams["opponent"]] - paid[teams["player"]], played)
    assert found is not None  # there is a block at least
    return {
        **found,
        "conceded": {name: bidding.estimate(paid[rows], played) for name, rows in teams.items()},
        "won": {name: float(games["won"][rows].mean()) for name, rows in teams.items()},
        "blocks": len(played),
    }
