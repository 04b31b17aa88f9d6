"""Pages about the table: welcome, help, the rules in force."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from schafkopf import _core, files, house_rules
from schafkopf.terminal import words
from schafkopf.terminal.questions import CLAIMS
from schafkopf.terminal.scene import contract_row
from schafkopf.terminal.screen import Screen
from schafkopf.tournaments import short_name

if TYPE_CHECKING:
    from schafkopf.terminal.table import Table

# Word -> what it does, in the order of the help page.
COMMANDS = {
    "help": "this page; also ?",
    "hand": "your cards; those in brackets may not be played now",
    "table": "the game that is played and the cards on the table",
    "last": "the last trick",
    "score": "what every deal brought, and the sums",
    "hint": "what the agents would do in your place",
    "rules": "the rules of this table",
    "quit": "leave; the deals so far are written, and --resume goes on (also Ctrl-C, Ctrl-D)",
}
_SHORT = {"?": "help", "q": "quit", "exit": "quit"}


def command_of(answer: str) -> str | None:
    """The command whose whole word an answer is, None if it is none."""
    word = answer.strip().casefold().lstrip("/")
    return word if word in COMMANDS else _SHORT.get(word)


def commands_meant(answer: str) -> list[str]:
    """The commands that an answer can mean: the one that it is, else those that begin so."""
    word = answer.strip().casefold().lstrip("/")
    command = command_of(answer)
    if command is not None:
        return [command]
    return [command for command in COMMANDS if word and command.startswith(word)]


def welcome(screen: Screen, table: Table) -> None:
    """Who sits where, under which rules; the seed brings the same cards again."""
    title = house_rules.title(table.rules_name)
    screen.wrapped(f"{screen.strong('Schafkopf')}: ", title.split(" "))
    players = len(table.names)
    others = [(table.me + step) % players for step in range(1, players)]
    seats = [f"{table.names[place]} = {short_name(table.specs[place] or '')}" for place in others]
    screen.wrapped(f"Seat {table.me}, ", [*seats, f"seed {table.seed}"], ", ")
    screen.line("Cards: Eichel-Ober, eichel o or EO. Numbers or words for the rest. ? = help")


def help_page(screen: Screen) -> None:
    screen.line("Cards are named in full, by code or by any clear beginning:")
    screen.line("  Eichel-Ober, eichel ober, ei o, EO;  Gras-Zehn, G10, gz;  Laub, Daus ...")
    screen.line("  Even one letter plays a card, where it fits only one that you may play: e,")
    screen.line("  your only Eichel. A number alone is no card.")
    for suit, name in words.SUITS.items():
        ranks = [screen.card(suit + rank, short=True) for rank in words.RANKS]
        screen.wrapped(f"  {name:9} ", ranks, "  ")
    screen.wrapped("  ", [f"{code} {name}" for code, name in words.RANKS.items()], ", ")
    screen.line("Other answers: the number, the word or its beginning; yes, no, ja, nein.")
    screen.line("Where the rules allow it, on your turn in card play:")
    for action, meaning in CLAIMS.items():
        name = action.removesuffix("_REST").lower()
        screen.wrapped(f"  {name:9}", f"{meaning}; asked twice".split(" "))
    screen.line("Commands, or their beginnings where they mean no answer:")
    for name, meaning in COMMANDS.items():
        screen.wrapped(f"  {name:9}", meaning.split(" "))


def _after_all_pass(values: Mapping[str, Any]) -> set[str]:
    """What can come when all have passed."""
    if values["all_pass"] == "last_chooses":
        return set(values["last_chooses_options"])
    return {values["all_pass"]}


def _rounds(values: Mapping[str, Any]) -> set[str]:
    """The special rounds that can come."""
    return {values["special_round"], *values["special_round_triggers"].values()}


def _named_games(values: Mapping[str, Any]) -> list[str]:
    """Games of these rules that somebody names, with those that special rounds have anyway."""
    rounds = _rounds(values)
    brought = ["SOLO"] if rounds & {"schieber", "teufel", "strixner"} else []
    brought += ["RUF", "SOLO", "WENZ"] if "allgaeuer" in rounds else []
    return list(dict.fromkeys([*values["contracts"], *brought]))


def _unnamed_games(values: Mapping[str, Any]) -> list[str]:
    """Games of these rules that nobody names, and those that only special rounds bring."""
    passed, rounds = _after_all_pass(values), _rounds(values)
    comes = {
        "hochzeit": values["hochzeit"] != "off",
        "called_card": "muss_spiel" in passed,
        "opposite_seats": "kreuzbock" in passed or rounds & {"kreuzbock", "kreuzrunde"},
        "everyone": "ramsch" in passed or rounds & {"ramsch", "solo_wenz_ramsch"},
        "alone": values["sie_enabled"],
    }  # by the parties of a game that is not nameable
    unnamed = (row for row in _core.contract_table() if not row["nameable"])
    return [row["name"] for row in unnamed if comes[row["parties"]]]


def prices(rules: _core.RuleSet) -> list[str]:
    """What games and extras cost under these rules, factors included, and the unit."""
    values, tariff = rules.to_dict(), _core.tariff_of(rules)
    amounts = tariff["amounts"]
    names = [*_named_games(values), *_unnamed_games(values)]
    rows = {name: contract_row(name) for name in names}
    told = {}
    for name, row in rows.items():
        always = 8 * amounts["laufende"] if row["laufende"] == "always_eight" else 0  # C.19
        factor = tariff.get(f"{row['factor']}_factor", 1)
        told[words.game_title(name)] = (amounts[row["price"]] + always) * factor
    if "RAMSCH" in names and values["ramsch_march"] != "off":
        told["Durchmarsch"] = amounts["march"]
    told |= {title: amounts[title.casefold()] for title in ("Schneider", "Schwarz", "Laufende")}
    if "stock" in _after_all_pass(values):
        told["Stock"] = amounts["stock_unit"]
    lines = [f"{title} {amount:.15g}" for title, amount in told.items()]
    if values["tout_enabled"] and any(row["has_tout"] for row in rows.values()):
        lines.append(f"Tout x{tariff['tout_factor']}")
    return [*lines, f"in {tariff['unit']}"]


def rules_page(screen: Screen, table: Table) -> None:
    """What can be played here, and the switches that differ from the official rules."""
    values = table.rules.to_dict()
    screen.wrapped("", house_rules.title(table.rules_name).split(" "))
    games = [words.game_title(name) for name in values["contracts"]]
    screen.wrapped("Games:  ", games, ", ")
    screen.wrapped("Prices: ", prices(table.rules), ", ")
    changed = [
        field
        for field in _core.rule_fields()
        if values[field["key"]] != field["default"] and field["key"] != "contracts"
    ]
    if changed:
        screen.line("What differs from the defaults:")
    for field in changed:
        value = house_rules.value_text(values[field["key"]])
        text = f"{field['key']} = {value}: {field['meaning']}"
        screen.wrapped("  ", text.split(" "))
    name = table.rules_name
    if name in _core.preset_names() or files.is_there(name):  # a kept table may have others
        show = f"schafkopf rules show {shlex.quote(files.as_argument(name))}"
        screen.command("Every switch:", show)
