"""Pages and parts of pages that are written from the tables of the engine.

These are configs/rules/README.md, the chapters on switches and presets of env/RULES.md and the
sections of observations in agents/METHODS.md; of the last two only what stands between two markers.
`python tests/rule_pages.py` writes them, `python tests/rule_pages.py --check` fails if one is out
of date. Both need the module _core (./run build).
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]
import rule_rows  # noqa: E402

from schafkopf import _core, files  # noqa: E402
from schafkopf.house_rules import value_text  # noqa: E402

PAGE = ROOT / "configs" / "rules" / "README.md"
RULES = ROOT / "env" / "RULES.md"
METHODS = ROOT / "agents" / "METHODS.md"
BLOCK = r"(?<=<!-- generated: {name} -->\n).*?(?=<!-- end: {name} -->)"
INTRODUCTION = """\
# House rules

Written by `python tests/rule_pages.py` from the tables of the engine (`env/rules/rule_fields.h`,
`env/cards/contract.cpp`, `env/cards/tariff.cpp`); not edited by hand.

A rule set is a preset of this folder, or a TOML file that names a preset and what differs from it:

```toml
preset = "official_1989"
all_pass = "ramsch"        # when nobody plays
laufende_min_wenz = 3
```

`schafkopf rules check my_table.toml` names file, line and the allowed values of a mistake;
`schafkopf rules show`, `diff` and `settle` explain a rule set in words. Sources are the five
documents behind the rules by number and paragraph (000: official rules of 1989, A = Anhang; 001:
basics of a Schafkopf school; 002: a course; 003: encyclopedia; 004: a tournament of 2024); OPEN-nn
is a point that they leave open and the project has decided; letters with numbers (G.2) are
chapters of [env/RULES.md](../../env/RULES.md), which says what each rule is. The tests that prove
its rows are in [tests/RULE_ROWS.md](../../tests/RULE_ROWS.md), and how to add a switch or a
contract is in [env/ADD_A_HOUSE_RULE.md](../../env/ADD_A_HOUSE_RULE.md) and
[env/ADD_A_CONTRACT.md](../../env/ADD_A_CONTRACT.md).
"""
PARTIES = {
    "called_card": "declarer and the holder of the called card",
    "hochzeit": "the two of the Hochzeit",
    "opposite_seats": "opposite seats",
    "alone": "declarer alone",
    "everyone": "everyone alone",
}
GOALS = {
    "majority": "61 points",
    "no_trick": "no trick",
    "fewest_points": "not the most points",
    "fixed_hand": "won at once",
}
LAUFENDE = {
    "none": "none",
    "ober": "`laufende_min_ober`",
    "wenz": "`laufende_min_wenz`",
    "always_eight": "8",
}
TRUMP_SUITS = {"none": "", "announced": "named suit", "partner_trump_suit": "Herz"}
AMOUNTS = ("ruf", "hochzeit", "solo", "schneider", "schwarz", "laufende", "bettel", "ramsch")


def cell(text: str) -> str:
    """Text in a table: bars would end the cell."""
    return text.replace(" | ", ", ").replace("|", "\\|")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table, with an empty line after it."""
    lines = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(map(cell, line))} |" for line in lines] + [""]


def code(value: Any) -> str:
    """Value of a switch; texts without their quotation marks."""
    return f"`{value if isinstance(value, str) else value_text(value)}`"


def preset_titles() -> list[str]:
    heads = ["preset", "what it is"]
    return table(heads, ((f"`{n}`", _core.preset_title(n)) for n in _core.preset_names()))


def preset_differences() -> list[str]:
    names = _core.preset_names()
    values = {name: _core.RuleSet(name).to_dict() for name in names}
    lines = ["Switches that some preset sets; an empty cell is the default.", ""]
    rows = []
    for field in _core.rule_fields():
        key, default = field["key"], field["default"]
        cells = [code(values[n][key]) if values[n][key] != default else "" for n in names]
        if any(cells):
            rows.append([f"`{key}`", code(default), *cells])
    return lines + table(["switch", "default", *names], rows)


def switch_tables(rows_of: dict[str, str] | None = None) -> list[str]:
    """Tables of the switches by group. rows_of: rows of the rules by switch, as a last column."""
    fields = _core.rule_fields()
    lines = [f"{len(fields)} switches in the order of the files.", ""]
    rows: list[list[str]] = []
    heads = ["switch", "meaning", "values", "default", "source"]
    heads += ["rows"] if rows_of is not None else []
    for field in fields:
        if field["group"]:
            lines += table(heads, rows) if rows else []
            lines += [f"### {field['group']}", ""]
            rows = []
        key, default = field["key"], code(field["default"])
        row = [f"`{key}`", field["meaning"], field["allowed"], default, field["source"]]
        rows.append(row if rows_of is None else [*row, rows_of.get(key, "")])
    return lines + table(heads, rows)


def contract_lines() -> list[str]:
    """Chapter on contracts for players."""
    lines = [
        "## Contracts",
        "",
        "`_TOUT` forms have the same trumps and need all tricks. Rank: who plays when several want "
        "to; 0 and ranks of classes that nobody names come from other rules.",
        "",
    ]
    rows = []
    for row in _core.contract_table():
        ranks = " ".join(row["trump_ranks"])
        trumps = ", ".join(part for part in (ranks, TRUMP_SUITS[row["trump_suit"]]) if part)
        tout = f" / {row['tout_rank']}" if row["has_tout"] else ""
        rows.append(
            [
                f"`{row['name']}`" + (", `_TOUT`" if row["has_tout"] else ""),
                trumps or "none",
                PARTIES[row["parties"]],
                GOALS[row["goal"]],
                f"{row['rank']}{tout}",
                f"`{row['price']}`",
                row["source"],
            ]
        )
    heads = ["contract", "trumps", "party", "wins with", "rank", "price", "source"]
    return lines + table(heads, rows)


def action_of(name: str) -> list[str]:
    """Id of the action that names a contract, if there is one."""
    try:
        return [str(_core.parse_action(f"C_{name}"))]
    except ValueError:
        return []


def contract_rows() -> list[str]:
    """The contract table with the columns that the rules speak of."""
    rows = []
    for row in _core.contract_table():
        name = row["name"]
        ranks = [str(rank) for rank in (row["rank"], row["tout_rank"]) if rank]
        trumps = [*row["trump_ranks"], TRUMP_SUITS[row["trump_suit"]]]
        rows.append(
            [
                name,
                " ".join(part for part in trumps if part) or "none",
                str(row["num_trumps"]),
                PARTIES[row["parties"]],
                GOALS[row["goal"]],
                f"`{row['price']}`",
                LAUFENDE[row["laufende"]],
                "yes" if row["doubling"] else "no",
                " / ".join(ranks),
                " / ".join(
                    action_of(name) + (action_of(f"{name}_TOUT") if row["has_tout"] else [])
                ),
                row["source"],
            ]
        )
    heads = ["contract", "trumps", "number", "party", "wins with", "price", "Laufende", "doubled"]
    return table([*heads, "rank", "actions", "source"], rows)


def tariff_lines() -> list[str]:
    lines = [
        "## Tariffs",
        "",
        "Amounts per payer; every single game with points costs `solo`. The whole price is "
        "`(base + Schneider + Schwarz + Laufende) x doublings x factor`; the last three columns "
        "are the factors of a Tout, a Sie and a Hochzeit, all other games have 1.",
        "",
    ]
    rows = []
    for tariff in _core.tariff_table():
        amounts = [f"{tariff['amounts'][key]:g}" for key in (*AMOUNTS, "march", "stock_unit")]
        factors = [f"x{tariff[key]}" for key in ("tout_factor", "sie_factor", "hochzeit_factor")]
        rows.append([f"`{tariff['name']}`", tariff["unit"], *amounts, *factors])
    heads = ["tariff", "unit", *AMOUNTS, "march", "stock", "Tout", "Sie", "Hochzeit"]
    return lines + table(heads, rows)


def page() -> str:
    """The page of the presets as Markdown."""
    lines = [
        INTRODUCTION,
        *["## Presets", "", *preset_titles()],
        *["## Where the presets differ", "", *preset_differences()],
        *["## Switches", "", *switch_tables()],
        *contract_lines(),
        *tariff_lines(),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def rows_by_switch(text: str) -> dict[str, str]:
    """Rows that name a switch, as links."""
    found: dict[str, list[str]] = {}
    for row in rule_rows.rows_in(text):
        for key in re.findall(r"`(\w+)`", row["switches"]):
            found.setdefault(key, []).append(f"[{row['id']}](#{row['id']})")
    return {key: ", ".join(rows) for key, rows in found.items()}


def with_blocks(text: str, blocks: dict[str, list[str]]) -> str:
    """The text with each block between its markers written anew."""
    for name, lines in blocks.items():
        body = "\n".join(["", *lines]).rstrip("\n") + "\n\n"
        pattern = re.compile(BLOCK.format(name=name), re.DOTALL)
        parts = pattern.split(text)
        if len(parts) != 2:
            raise ValueError(f"{len(parts) - 1} blocks between markers '{name}', expected 1")
        text = body.join(parts)
    return text


def observation_lines() -> list[str]:
    """Sections of the observation layouts; what several layouts share stands there once."""
    layouts: dict[tuple[str, str, str], list[str]] = {}
    sizes = []
    for version in itertools.count(1):
        try:
            sections = _core.observation_table(version)
        except ValueError:
            break
        sizes.append(f"v{version} has {_core.observation_size(version)} features")
        for section in sections:
            key = (f"`{section['name']}`", str(section["length"]), section["meaning"])
            layouts.setdefault(key, []).append(f"v{version}")
    rows = [
        [name, length, ", ".join(versions), meaning]
        for (name, length, meaning), versions in layouts.items()
    ]
    return [f"{', '.join(sizes)}.", "", *table(["section", "length", "in", "meaning"], rows)]


def rules_page(text: str) -> str:
    """env/RULES.md with its generated chapters."""
    blocks = {
        "contracts": contract_rows(),
        "switches": switch_tables(rows_by_switch(text)),
        "presets": [*preset_titles(), *preset_differences()],
    }
    return with_blocks(text, blocks)


def methods_page(text: str) -> str:
    """agents/METHODS.md with its generated part."""
    return with_blocks(text, {"observation": observation_lines()})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name what is old")
    options = parser.parse_args()
    texts = {
        PAGE: page(),
        RULES: rules_page(RULES.read_text(encoding="utf-8")),
        METHODS: methods_page(METHODS.read_text(encoding="utf-8")),
    }
    if not options.check:
        try:
            for path, text in texts.items():
                files.write_text(path, text)
        except OSError as error:
            sys.exit(f"rule_pages.py: {error.filename}: {error.strerror}")
        return 0
    old = [p for p, text in texts.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in old:
        name = path.relative_to(ROOT)
        print(f"{name} is out of date: run python tests/rule_pages.py", file=sys.stderr)
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
