"""`schafkopf rules`: presets, the meaning of every switch, differences, checks, settlements."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from schafkopf import _core, files
from schafkopf.commands.options import Commands, whole_number
from schafkopf.house_rules import rule_set, title, value_text

DECIDING = ("tricks", "points", "trumps", "highest_trump")  # options of a result
_OF_A_GAME = (
    *DECIDING,
    *("declarer", "partner", "laufende", "level", "legen", "bid", "forehand", "announced"),
    *("claimed_laufende", "claimed_schwarz", "infraction", "offender"),
)
# What the engine calls otherwise than the command, as errors begin with it.
_OPTIONS = {
    "stock_deposit": "--deposit",
    "doublings": "--level",
    "trumps_taken": "--trumps",
    "stock": "--stock",
    "bock": "--bock",
    "bid": "--bid",
    "contract": "--contract",
    "infraction": "--infraction",
}
_NAME = re.compile(r"\w+")


# ---- list, show, diff, check --------------------------------------------------------------------


def _list(_: argparse.Namespace) -> int:
    names = _core.preset_names()
    width = max(map(len, names))
    for name in names:
        print(f"{name:{width}}  {_core.preset_title(name)}")
    return 0


def _show(options: argparse.Namespace) -> int:
    rules = rule_set(options.rules)
    if options.toml:
        print(rules.to_toml(), end="")
        return 0
    values = rules.to_dict()
    print(title(options.rules))
    group = ""
    for field in _core.rule_fields():
        group = field["group"] or group
        value = values[field["key"]]
        changed = value != field["default"]
        if options.changed and not changed:
            continue
        if group:
            print(f"\n{group} (* = not the default)")
            group = ""
        default = f"default {value_text(field['default'])}" if changed else "default"
        print(f"{'*' if changed else ' '} {field['key']} = {value_text(value)}  ({default})")
        print(f"      {field['meaning']}")
        print(f"      allowed: {field['allowed']}; source: {field['source']}")
    return 0


def _diff(options: argparse.Namespace) -> int:
    names = (options.first, options.second)
    first, second = (rule_set(name).to_dict() for name in names)
    width = max(map(len, names))
    fields = [field for field in _core.rule_fields() if first[field["key"]] != second[field["key"]]]
    for field in fields:
        print(f"{field['key']}: {field['meaning']} [{field['source']}]")
        for name, values in zip(names, (first, second), strict=True):
            print(f"  {name:{width}}  {value_text(values[field['key']])}")
    print(f"{len(fields)} of {len(first)} switches differ")
    return 0


def _check(options: argparse.Namespace) -> int:
    wrong = missing = 0
    for file in options.files:
        if what := files.missing(file):
            missing += 1
            print(f"schafkopf: {file}: {what}, allowed: a rule file", file=sys.stderr)
            continue
        try:
            values = rule_set(file).to_dict()
        except OSError as error:
            missing += 1
            print(f"schafkopf: {error}", file=sys.stderr)
            continue
        except ValueError as error:
            wrong += 1
            place = "" if file in str(error) else f"{file}: "
            print(f"{place}{error}", file=sys.stderr)
            continue
        changed = sum(values[field["key"]] != field["default"] for field in _core.rule_fields())
        print(f"{file}: in order, {changed} of {len(values)} switches differ from the defaults")
    return 2 if missing else 1 if wrong else 0


# ---- settle -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """What the numbers of a result are checked against; `limits` as the engine gives them."""

    rules: _core.RuleSet
    contract: _core.Contract
    row: dict[str, Any]
    limits: dict[str, Any]

    @property
    def seats(self) -> int:
        return self.rules.seats

    @property
    def tricks(self) -> int:
        """Of a deal."""
        return int(self.limits["tricks"])

    @property
    def points(self) -> int:
        """Of a deal."""
        return int(self.limits["points"])

    @property
    def everyone(self) -> bool:
        return bool(self.row["parties"] == "everyone")


def _one_of(value: int | None, option: str, seats: int) -> int:
    if value is None:
        raise ValueError(f"{option} is missing, allowed: a seat 0..{seats - 1}")
    if not 0 <= value < seats:
        raise ValueError(f"{option} = {value}, allowed: a seat 0..{seats - 1}")
    return value


def _single(values: list[int] | None, option: str, most: int) -> int | None:
    if values is None:
        return None
    if len(values) != 1:
        raise ValueError(f"{option}: {len(values)} numbers, allowed: one, of the declarer party")
    if not 0 <= values[0] <= most:
        raise ValueError(f"{option} = {values[0]}, allowed: 0..{most}")
    return values[0]


def _possible(points: int, tricks: int, table: Table) -> bool:
    """Whether some cards of so many tricks have so many points."""
    least, most = _core.points_in_tricks(tricks, table.rules)
    return least <= points <= most


def _results(options: argparse.Namespace, table: Table) -> list[tuple[int, int]]:
    """Points and tricks of the declarer party: what was given, else everything that can be."""
    points = _single(options.points, "--points", table.points)
    tricks = _single(options.tricks, "--tricks", table.tricks)
    results = [
        (p, t)
        for p in (range(table.points + 1) if points is None else [points])
        for t in (range(table.tricks + 1) if tricks is None else [tricks])
        if _possible(p, t, table)
    ]
    if not results:
        raise ValueError(
            f"{points} points in {tricks} of {table.tricks} tricks cannot be: points come from "
            f"tricks, and all tricks are {table.points} points"
        )
    return results


def _per_seat(values: list[int] | None, option: str, table: Table, total: int) -> list[int]:
    if values is None or len(values) != table.seats:
        given = "missing" if values is None else f"{len(values)} numbers"
        raise ValueError(f"{option}: {given}, allowed: one per seat ({table.seats})")
    if min(values) < 0 or sum(values) != total:
        raise ValueError(f"{option}: the numbers add up to {sum(values)}, allowed: {total} in all")
    return values


def _highest_trumps(cards: list[str] | None, table: Table) -> list[str | None] | None:
    """The highest trumps of the seats; "-" = none."""
    if cards is None:
        return None
    if len(cards) != table.seats:
        raise ValueError(f"--highest-trump: {len(cards)} cards, allowed: one per seat, - = none")
    try:
        return [None if card == "-" else _core.card_name(card) for card in cards]
    except ValueError as error:
        raise ValueError(f"--highest-trump: {error}") from error


def _one_seat_each(table: Table) -> Iterable[list[int]]:
    return ([int(seat == chosen) for seat in range(table.seats)] for chosen in range(table.seats))


Maker = Callable[..., _core.Outcome]


def _ramsch_outcomes(
    options: argparse.Namespace, table: Table, outcome: Maker
) -> list[_core.Outcome]:
    """The one outcome, or several that differ in what was not given."""
    if options.offender is not None and options.points is None and options.tricks is None:
        half = table.points // 2
        others = half // (table.seats - 1)  # each seat as loser: the offence may decide
        return [
            outcome(points=[half if one else others for one in seat], tricks=[1] * 4)
            for seat in _one_seat_each(table)
        ]
    points = _per_seat(options.points, "--points", table, table.points)
    tricks = _per_seat(options.tricks, "--tricks", table, table.tricks)
    for seat, (p, t) in enumerate(zip(points, tricks, strict=True)):
        if not _possible(p, t, table):
            raise ValueError(f"seat {seat}: {p} points in {t} of {table.tricks} tricks cannot be")
    trumps, highest = options.trumps, _highest_trumps(options.highest_trump, table)
    if trumps is not None:
        trumps = _per_seat(trumps, "--trumps", table, sum(trumps))
    best = table.limits["highest_trump"]
    possible = [[best if one else None for one in seat] for seat in _one_seat_each(table)]
    return [
        outcome(points=points, tricks=tricks, trumps_taken=number, highest_trump=trump)
        for number in (_one_seat_each(table) if trumps is None else [trumps])
        for trump in (possible if highest is None else [highest])
    ]


def _party_outcomes(
    options: argparse.Namespace, table: Table, outcome: Maker, party: list[int]
) -> list[_core.Outcome]:
    defender = next(seat for seat in range(table.seats) if seat not in party)

    def split(share: int, whole: int) -> list[int]:
        values = [0] * table.seats
        values[party[0]], values[defender] = share, whole - share
        return values

    if options.trumps is not None or options.highest_trump is not None:
        raise ValueError("--trumps and --highest-trump decide ties of the Ramsch only (R-045)")
    return [
        outcome(points=split(points, table.points), tricks=split(tricks, table.tricks))
        for points, tricks in _results(options, table)
    ]


def _only_one_price(
    outcomes: list[_core.Outcome],
    options: argparse.Namespace,
    table: Table,
    context: _core.DealContext,
) -> _core.Outcome:
    """Any of the outcomes, if all are paid alike; else says which number is missing."""

    def paid(outcome: _core.Outcome) -> tuple[float, ...]:
        result = _core.settle(outcome, table.rules, context)
        return (*result["payoffs"], *result["stock_payoffs"], result["reuegeld"])

    if len({paid(outcome) for outcome in outcomes}) == 1:
        return outcomes[0]
    missing = [name for name in DECIDING if getattr(options, name) is None]
    option = "--" + missing[0].replace("_", "-")
    if table.everyone:
        if missing[0] in ("tricks", "points"):
            raise ValueError("the price depends on the result: --points and --tricks are missing")
        raise ValueError(f"two seats are tied: {option} decides (R-045)")
    raise ValueError(f"the price depends on a number that is missing: {option}")


def _limits(options: argparse.Namespace, table: Table) -> None:
    """What the rule set allows of contracts and doublings."""
    rules, row, limits = table.rules, table.row, table.limits
    for option, key in (("level", "doublings"), ("legen", "legen")):
        value, (most, because) = getattr(options, option), limits[key]
        if not 0 <= value <= most:
            raise ValueError(f"--{option} = {value}, allowed: 0..{most} ({because})")
    if not 0 <= options.bock <= limits["bock"]:
        raise ValueError(f"--bock = {options.bock}, allowed: 0..{limits['bock']}")
    most, because = limits["bid"]
    if options.bid > most and _contract(options, row, options.bid):
        raise ValueError(f"--bid = {options.bid}, allowed: {most} ({because})")
    allowed = rules.contracts
    if row["nameable"] and row["name"] not in allowed:
        raise ValueError(f"{row['name']} is not played, contracts = {value_text(allowed)}")
    if table.contract.tout and not rules.tout_enabled:
        raise ValueError(f"{options.contract} is not played (tout_enabled = false)")


def _special(options: argparse.Namespace, table: Table) -> dict[str, Any]:
    """Claims, announced Jungfrauen and infractions, as arguments of an Outcome."""
    rules = table.rules
    if options.claimed_laufende is not None and not rules.laufende_by_claim:
        raise ValueError("--claimed-laufende needs laufende_by_claim = true (R-165)")
    if options.claimed_schwarz is not None and not rules.schwarz_by_claim:
        raise ValueError("--claimed-schwarz needs schwarz_by_claim = true (R-167)")
    announced = options.announced or []
    if announced and not (table.everyone and rules.ramsch_virgin_announced):
        raise ValueError("--announced needs a Ramsch with ramsch_virgin_announced = true (R-051)")
    if (options.infraction == "NONE") != (options.offender is None):
        raise ValueError("--infraction and --offender belong together (R-127..R-131)")
    if options.offender is not None:
        _one_of(options.offender, "--offender", table.seats)
    return {
        "claimed_laufende": options.claimed_laufende,
        "claimed_schwarz": None
        if options.claimed_schwarz is None
        else options.claimed_schwarz == "yes",
        "announced": [_one_of(seat, "--announced", table.seats) for seat in announced],
        "infraction": options.infraction,
        "offender": options.offender,
    }


def _context(options: argparse.Namespace, rules: _core.RuleSet) -> _core.DealContext:
    if options.stock < 0:
        raise ValueError(f"--stock = {options.stock}, allowed: from 0")
    return _core.DealContext(stock=options.stock * rules.tariff_scale, bock=options.bock)


def _row(name: str) -> dict[str, Any]:
    """The row of the contract table that a name means."""
    rows = {row["name"]: row for row in _core.contract_table()}
    found = rows.get(name.removesuffix("_TOUT"))
    if found is None:
        raise ValueError(
            f"--contract = {name}, allowed: {', '.join(rows)}; a single game for all tricks has "
            f"_TOUT behind its name{_core.nearest_hint(name, list(rows))}"
        )
    return found


def _contract(options: argparse.Namespace, row: dict[str, Any], bid: int) -> _core.Contract:
    """The contract; its price asks neither for the suit nor for the called card: any will do."""
    declarer = options.declarer
    return _core.Contract(
        options.contract,
        declarer=-1 if declarer is None else declarer,
        suit="E" if row["trump_suit"] == "announced" else None,
        called="EA" if row["parties"] == "called_card" else None,
        bid=bid,
    )


def _thrown_in(options: argparse.Namespace, rules: _core.RuleSet) -> int:
    given = [name for name in _OF_A_GAME if getattr(options, name) not in (None, 0, "NONE")]
    if given:
        option = "--" + given[0].replace("_", "-")
        raise ValueError(f"{option} does not belong to a deal that was thrown in")
    outcome = _core.Outcome("RAMSCH", thrown_in=True, stock_deposit=options.deposit)
    for step in _core.settlement_steps(outcome, rules, _context(options, rules)):
        print(step)
    return 0


def _in_options(error: ValueError) -> ValueError:
    """The same error about the option that was given, not about the engine's argument."""
    text = str(error)
    name = _NAME.match(text)
    if name is None or text.startswith("--"):
        return error
    word = name[0]
    same = f"--{word.replace('_', '-')}" if word in _OF_A_GAME else word
    return ValueError(_OPTIONS.get(word, same) + text[len(word) :])


def _settle(options: argparse.Namespace) -> int:
    rules = rule_set(options.rules)
    try:
        return _settle_with(options, rules)
    except ValueError as error:
        raise _in_options(error) from error


def _settle_with(options: argparse.Namespace, rules: _core.RuleSet) -> int:
    if options.contract is None:
        return _thrown_in(options, rules)
    row = _row(options.contract)
    if options.declarer is not None and row["parties"] != "everyone":
        _one_of(options.declarer, "--declarer", rules.seats)
    contract = _contract(options, row, bid=0)
    partner = -1 if options.partner is None else options.partner
    party = _core.declarer_party(contract, partner, rules)
    table = Table(rules, contract, row, _core.result_limits(contract, rules))
    _limits(options, table)
    contract = _contract(options, row, options.bid)
    special = _special(options, table)
    if options.laufende > row["num_trumps"]:
        raise ValueError(
            f"--laufende = {options.laufende}, allowed: 0..{row['num_trumps']}: {contract.name} "
            f"has {row['num_trumps']} trumps"
        )
    paid = _core.payable_run(contract, options.laufende, rules)

    def outcome(**numbers: Any) -> _core.Outcome:
        return _core.Outcome(
            contract,
            declarer_party=party,
            laufende=paid,
            doublings=options.level,
            legen=options.legen,
            forehand=_one_of(options.forehand, "--forehand", table.seats),
            defenders_doubled_last=options.level % 2 == 1,  # the sides double in turn (F.3)
            **special,
            **numbers,
        )

    if table.everyone:
        outcomes = _ramsch_outcomes(options, table, outcome)
    else:
        outcomes = _party_outcomes(options, table, outcome, party)
    context = _context(options, rules)
    chosen = _only_one_price(outcomes, options, table, context)
    if paid != options.laufende and row["laufende"] != "always_eight":
        print(f"a run of {options.laufende}: {paid} Laufende count (minimum, cap; R-163, R-164)")
    for step in _core.settlement_steps(chosen, rules, context):
        print(step)
    return 0


def run(options: argparse.Namespace) -> int:
    """Run one of the subcommands."""
    commands = {"list": _list, "show": _show, "diff": _diff, "check": _check, "settle": _settle}
    return commands[options.action](options)


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "rules",
        help="house rules: presets, meaning of the switches, settlements",
        description="A rule set is the name of a preset or a TOML file as in configs/rules/.",
    )
    parser.set_defaults(run=run)
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    actions.add_parser("list", help="the presets, one line each")
    show = actions.add_parser("show", help="every switch: value, meaning, allowed values, source")
    show.add_argument("rules", metavar="NAME|FILE")
    show.add_argument("--changed", action="store_true", help="only what differs from the defaults")
    show.add_argument("--toml", action="store_true", help="as a complete rule file")
    diff = actions.add_parser("diff", help="switches in which two rule sets differ")
    diff.add_argument("first", metavar="NAME|FILE")
    diff.add_argument("second", metavar="NAME|FILE")
    check = actions.add_parser(
        "check", help="validate rule files; exit code 1 if there is a mistake"
    )
    check.add_argument("files", nargs="+", metavar="FILE")
    _add_settle(actions)


def _add_settle(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "settle",
        help="price of a result, step by step",
        description="Print the settlement of a result: base, Schneider, Schwarz, Laufende, "
        "factors, payoffs. Points and tricks are those of the declarer party; in the Ramsch one "
        "number per seat. What the price does not depend on may be left out.",
    )
    add = parser.add_argument
    add("--rules", default="official_1989", help="preset or TOML file (default: %(default)s)")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--contract", metavar="NAME", help="RUF, SOLO_TOUT, RAMSCH, ...")
    kind.add_argument("--thrown-in", action="store_true", help="all passed, nobody played")
    kind.add_argument("--deposit", action="store_true", help="the same, all pay into the Stock")
    add("--declarer", type=int, metavar="SEAT", help="seat 0..3")
    add("--partner", type=int, metavar="SEAT", help="the declarer's partner, in partner games")
    add("--points", type=int, nargs="+", metavar="N", help="card points")
    add("--tricks", type=int, nargs="+", metavar="N", help="tricks taken")
    add(
        "--laufende",
        type=whole_number(0, 32),
        default=0,
        metavar="N",
        help="highest trumps on one side",
    )
    add("--level", type=int, default=0, metavar="N", help="doublings: 1 = Kontra, 2 = Re, ...")
    add("--legen", type=int, default=0, metavar="N", help="players who laid")
    add("--bock", type=int, default=0, metavar="N", help="factors 2 of a Bock")
    add("--bid", type=int, default=0, metavar="N", help="bid 70..120 (Steigern)")
    add("--forehand", type=int, default=0, metavar="SEAT", help="default: %(default)s")
    add("--trumps", type=int, nargs="+", metavar="N", help="Ramsch ties: trumps in own tricks")
    add("--announced", type=int, nargs="+", metavar="SEAT", help="Ramsch: announced a Jungfrau")
    add("--stock", type=int, default=0, metavar="N", help="units in the Stock")
    add("--claimed-laufende", type=int, metavar="N", help="number that was claimed")
    add("--claimed-schwarz", choices=("yes", "no"), help="whether Schwarz was claimed")
    add("--infraction", default="NONE", metavar="NAME", help="INF_REVOKE_LATE, ...")
    add("--offender", type=int, metavar="SEAT", help="whose infraction it was")
    add("--highest-trump", nargs="+", metavar="CARD", help="Ramsch ties: highest of them, - = none")
