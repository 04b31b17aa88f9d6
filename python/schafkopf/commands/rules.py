"""`schafkopf rules`: presets, the meaning of every switch, differences, checks, settlements."""

from __future__ import annotations

import argparse
from typing import Any

from schafkopf import _core, files
from schafkopf.commands.options import Commands, integer, whole_number
from schafkopf.house_rules import rule_set, title, value_text
from schafkopf.say import harmless, say_aside

# ---- list, show, diff, check --------------------------------------------------------------------


def _list(_: argparse.Namespace) -> int:
    names = _core.preset_names()
    width = max(map(len, names))
    for name in names:
        print(f"{name:{width}}  {_core.preset_title(name)}")
    return 0


def _show(options: argparse.Namespace) -> int:
    if options.toml and options.changed:
        raise ValueError("--changed: --toml prints a complete rule file, allowed: one of the two")
    rules = rule_set(options.rules)
    if options.toml:
        print(rules.to_toml(), end="")
        return 0
    values = rules.to_dict()
    print(harmless(title(options.rules)))
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
            print(harmless(f"  {name:{width}}  {value_text(values[field['key']])}"))
    print(f"{len(fields)} of {len(first)} switches differ")
    return 0


def _check(options: argparse.Namespace) -> int:
    wrong = missing = 0
    for file in options.files:
        if what := files.missing(file):
            missing += 1
            say_aside(f"schafkopf: {file}: {what}, allowed: a rule file")
            continue
        path = f"./{file}" if file in _core.preset_names() else file
        try:
            values = rule_set(path).to_dict()
        except OSError as error:
            missing += 1
            say_aside(f"schafkopf: {error}")
            continue
        except ValueError as error:
            wrong += 1
            say_aside(f"{error}")
            continue
        changed = sum(values[field["key"]] != field["default"] for field in _core.rule_fields())
        told = f"{file}: in order, {changed} of {len(values)} switches differ from the defaults"
        print(harmless(told))
    return 2 if missing else 1 if wrong else 0


# ---- settle -------------------------------------------------------------------------------------


def _settle(options: argparse.Namespace) -> int:
    names: dict[str, str] = options.names_of_options
    given = {argument: getattr(options, argument) for argument in names}
    if options.claimed_schwarz is not None:
        given["claimed_schwarz"] = options.claimed_schwarz == "yes"
    try:
        _, _, steps = _core.price_result(rule_set(options.rules), **given)
    except _core.WrongArgument as error:
        raise ValueError(f"{names.get(error.argument, error.argument)}{error.text}") from error
    for step in steps:
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
        epilog="Example: schafkopf rules show tournament_2024 --changed.",
    )
    parser.set_defaults(run=run)
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    actions.add_parser(
        "list",
        help="the presets, one line each",
        description="List the presets: a line for each, its name and what it is.",
    )
    show = actions.add_parser(
        "show",
        help="every switch: value, meaning, allowed values, source",
        description="Print every switch of a rule set: value, default, meaning, allowed values, "
        "source. A star marks what differs from the defaults.",
    )
    show.add_argument(
        "rules", nargs="?", default="research", metavar="NAME|FILE", help="default: %(default)s"
    )
    show.add_argument("--changed", action="store_true", help="only what differs from the defaults")
    show.add_argument("--toml", action="store_true", help="as a complete rule file")
    diff = actions.add_parser(
        "diff",
        help="switches in which two rule sets differ",
        description="Print the switches in which two rule sets differ, with both values.",
    )
    diff.add_argument("first", metavar="NAME|FILE")
    diff.add_argument("second", metavar="NAME|FILE")
    check = actions.add_parser(
        "check",
        help="validate rule files; exit code 1 if there is a mistake",
        description="Check rule files: a mistake is named with file, line, key and what is "
        "allowed. Exit code 1 if there is one, 2 if a file cannot be read.",
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
    parser.add_argument(
        "--rules", default="official_1989", help="preset or TOML file (default: %(default)s)"
    )
    names = {}  # argument of the engine -> option

    def add(option: str, group: argparse._ActionsContainer = parser, **settings: Any) -> None:
        names[group.add_argument(option, **settings).dest] = option

    kind = parser.add_mutually_exclusive_group(required=True)
    add("--contract", kind, metavar="NAME", help="RUF, SOLO_TOUT, RAMSCH, ...")
    kind.add_argument("--thrown-in", action="store_true", help="all passed, nobody played")
    add(
        "--deposit",
        kind,
        action="store_true",
        dest="stock_deposit",
        help="the same, all pay into the Stock",
    )
    add("--declarer", type=integer, metavar="SEAT", help="seat 0..3")
    add("--partner", type=integer, metavar="SEAT", help="the declarer's partner, in partner games")
    add("--points", type=integer, nargs="+", metavar="N", help="card points")
    add("--tricks", type=integer, nargs="+", metavar="N", help="tricks taken")
    add(
        "--laufende",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="highest trumps on one side",
    )
    add(
        "--level",
        type=integer,
        default=0,
        metavar="N",
        dest="doublings",
        help="doublings: 1 = Kontra, 2 = Re, ...",
    )
    add("--legen", type=integer, default=0, metavar="N", help="players who laid")
    add("--bock", type=integer, default=0, metavar="N", help="factors 2 of a Bock")
    add("--bid", type=integer, default=0, metavar="N", help="bid 70..120 (Steigern)")
    add("--forehand", type=integer, default=0, metavar="SEAT", help="default: %(default)s")
    add(
        "--trumps",
        type=integer,
        nargs="+",
        metavar="N",
        dest="trumps_taken",
        help="Ramsch ties: trumps in own tricks",
    )
    add("--announced", type=integer, nargs="+", metavar="SEAT", help="Ramsch: announced a Jungfrau")
    add("--stock", type=integer, default=0, metavar="N", help="units in the Stock")
    add("--claimed-laufende", type=integer, metavar="N", help="number that was claimed")
    add("--claimed-schwarz", choices=("yes", "no"), help="whether Schwarz was claimed")
    add("--infraction", default="NONE", metavar="NAME", help="INF_REVOKE_LATE, ...")
    add("--offender", type=integer, metavar="SEAT", help="whose infraction it was")
    add("--highest-trump", nargs="+", metavar="CARD", help="Ramsch ties: highest of them, - = none")
    parser.set_defaults(names_of_options=names)
