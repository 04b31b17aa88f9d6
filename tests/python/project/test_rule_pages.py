"""Pages about the rules: generated ones are up to date, excerpts stand in the files they name."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.prices import tariff_fields

import schafkopf
from schafkopf import _core as core

ROOT = Path(__file__).resolve().parents[3]
HOUSE_RULE = ROOT / "env" / "ADD_A_HOUSE_RULE.md"
CONTRACT = ROOT / "env" / "ADD_A_CONTRACT.md"
PLAYER = ROOT / "agents" / "ADD_A_PLAYER.md"
WALKS = [HOUSE_RULE, CONTRACT, PLAYER]
RULES = ROOT / "env" / "RULES.md"
PAGES = [
    *WALKS,
    ROOT / "CONTRIBUTING.md",
    ROOT / "configs" / "rules" / "README.md",
    ROOT / "README.md",
    RULES,
    ROOT / "env" / "DESIGN.md",
    ROOT / "env" / "PERFORMANCE.md",
    ROOT / "agents" / "METHODS.md",
]


def excerpts(text: str) -> list[tuple[str, str]]:
    """File and text of each block of code; the file is the last path named before the block."""
    found = []
    for block in re.finditer(r"^```(?:cpp|toml)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        paths = re.findall(r"`([\w/]+\.(?:h|cpp|toml))`", text[: block.start()])
        found.append((paths[-1], block.group(1)))
    return found


@pytest.mark.parametrize(
    ("path", "code"),
    [excerpt for page in WALKS for excerpt in excerpts(page.read_text(encoding="utf-8"))],
    ids=lambda value: value[:40],
)
def test_excerpt_stands_in_the_file_that_the_page_names(path: str, code: str) -> None:
    assert code in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "files"),
    [
        (
            HOUSE_RULE,
            [
                "env/rules/rules.h",
                "env/rules/rule_fields.h",
                "env/cards/play.h",
                "tests/cpp/rules/house_rule_test.cpp",
            ],
        ),
        (
            CONTRACT,
            [
                "env/cards/contract_class.h",
                "env/cards/contract.cpp",
                "tests/cpp/rules/contract_rows_test.cpp",
            ],
        ),
        (
            PLAYER,
            [
                "agents/basic/random_agent.h",
                "agents/registry.cpp",
                "tests/cpp/agents/agents_test.cpp",
            ],
        ),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_the_walk_goes_from_the_first_file_to_the_test(page: Path, files: list[str]) -> None:
    paths = [path for path, _ in excerpts(page.read_text(encoding="utf-8"))]
    assert [path for path in files if path not in paths] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_the_page_lead_to_files(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)#:]+)\)", prose)
    for link in links:
        assert (page.parent / link).exists(), link
    paths = r"`((?:env|agents|training|bindings|tests|configs)/[\w/]+\.\w+)`"
    for path in re.findall(paths, page.read_text("utf-8")):
        assert (ROOT / path).exists(), path


def test_error_message_of_the_page_is_the_one_that_comes(tmp_path: Path) -> None:
    file = tmp_path / "my_table.toml"
    file.write_text('preset = "official_1989"\ncalled_discard_window = 9\n', encoding="utf-8")
    with pytest.raises(ValueError, match="allowed") as error:
        core.RuleSet(str(file))
    message = str(error.value).removeprefix(f"{tmp_path}/")
    assert f"```text\n{message}\n```" in HOUSE_RULE.read_text(encoding="utf-8")


def test_rules_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from schafkopf import cli

    page = (ROOT / "configs" / "rules" / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0]
    (tmp_path / "my_table.toml").write_text(table, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^schafkopf (rules .*)$", readme, re.MULTILINE)
    assert len(lines) > 4
    for line in lines:
        assert cli.main(shlex.split(line, comments=True)) == 0, line


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def chapter(name: str) -> str:
    """Text of a chapter of the rules, up to the next one."""
    text = RULES.read_text(encoding="utf-8").partition(f'## <a id="{name}"></a>')[2]
    return re.split(r"^#{1,2} <a", text, maxsplit=1, flags=re.MULTILINE)[0]


def test_actions_and_phases_of_the_rules_are_those_of_the_engine() -> None:
    text, named = chapter("D.1"), {}
    for line in re.findall(r"^\| \d.*$", text, re.MULTILINE):
        row = cells(line)
        for ids, names in (row[:2], row[2:]):
            if not ids:  # a line of one pair
                continue
            first, _, last = ids.replace(", ", "..").partition("..")
            numbers = range(int(first), int(last.split("..")[-1] or first) + 1)
            named[numbers[0]] = (numbers, names)
    assert len(named) > 20
    listed = {number for numbers, _ in named.values() for number in numbers}
    actions = {i: core.action_name(i) for i in range(core.NUM_ACTIONS)}
    known = {i for i, name in actions.items() if not name.startswith("RESERVED")}
    assert known - listed == set(), "actions that chapter D.1 does not list"
    for numbers, names in named.values():
        words = re.findall(r"\b[A-Z][A-Z_]*(?:_?\+?\d+)?(?![a-z])\b", names.partition(" (")[0])
        if names.startswith("CARD"):
            continue
        if " to " in names:
            assert core.action_name(numbers[0]) == words[0]
            assert core.action_name(numbers[-1]) == words[-1]
        else:
            assert [core.action_name(i) for i in numbers] == words
    phases = re.findall(r"\b(\d+)\s+([A-Z_]+)", text.partition("Phases by number:")[2])
    assert [(int(number), name) for number, name in phases] == [
        (i, core.phase_name(i)) for i in range(23)
    ]


def test_the_rules_say_in_words_what_every_contract_and_every_switch_is() -> None:
    text = RULES.read_text(encoding="utf-8")
    headings = " ".join(re.findall(r'^## <a id="C\.\d+"></a>(.*)$', text, re.MULTILINE))
    named = set(re.findall(r"[A-Z_]{2,}", headings))
    assert set(schafkopf.rules.CONTRACT_CLASSES) - named == set(), (
        "contracts without a heading in chapter C"
    )
    by_hand = re.sub(r"<!-- generated: (\w+) -->.*?<!-- end: \1 -->", "", text, flags=re.DOTALL)
    keys = {field["key"] for field in schafkopf.rules.rule_fields()}
    unsaid = {key for key in keys if not re.search(rf"`{key}\b", by_hand)}
    assert unsaid == set(), "switches that only the generated tables name"


def test_lists_of_contracts_that_are_written_by_hand_have_every_contract() -> None:
    rows = core.contract_table()
    names = set(re.findall(r"[A-Z_]{3,}", chapter("A.2")))
    assert {row["name"] for row in rows} - names == set(), "contracts without a line in A.2"
    for name, listed in {
        "C.18": {row["name"] for row in rows if row["has_tout"]},
        "G.4": {row["name"] for row in rows if row["laufende"] in ("ober", "wenz")},
    }.items():
        families = {contract.removeprefix("FARB") for contract in listed}
        assert families - set(re.findall(r"[A-Z_]{3,}", chapter(name).upper())) == set(), name


def test_trumps_of_every_contract_that_can_be_named_are_tested_in_game_notation() -> None:
    path = ROOT / "tests" / "cpp" / "rules" / "contract_rows_test.cpp"
    names = set(re.findall(r'"([A-Z_]{3,})"', path.read_text(encoding="utf-8")))
    assert {row["name"] for row in core.contract_table() if row["nameable"]} <= names


def test_the_rules_say_in_words_what_every_price_is() -> None:
    text = chapter("G.2")
    unsaid = {field for field in tariff_fields() if f"`{field}`" not in text}
    assert unsaid == set(), "fields of a tariff that chapter G.2 does not name"


def test_ranks_of_the_rules_are_those_of_the_engine() -> None:
    found = {}
    for line in re.findall(r"^\| \d+ \|.*$", chapter("D.3"), re.MULTILINE):
        rank, names = cells(line)[:2]
        found.update(dict.fromkeys(names.split(", "), int(rank)))
    engine = {}
    for row in core.contract_table():
        engine[row["name"]] = row["rank"]
        if row["has_tout"]:
            engine[f"{row['name']}_TOUT"] = row["tout_rank"]
    assert len(found) > 20
    assert {name: rank for name, rank in engine.items() if rank} == found


def test_amounts_of_the_rules_are_those_of_the_engine() -> None:
    lines = [cells(line) for line in re.findall(r"^\| .*$", chapter("G.2"), re.MULTILINE)]
    heads, rows = lines[0], lines[2:]
    tariffs = {tariff["name"]: tariff for tariff in core.tariff_table()}
    assert [row[0].strip("`") for row in rows] == list(tariffs)
    factors = {"Tout": "tout_factor", "Sie": "sie_factor", "Hochzeit": "hochzeit_factor"}
    words, compared = {"tariff", "source", "unit"}, set()
    for row in rows:
        amounts = dict(zip(heads, row, strict=True))
        tariff = tariffs[amounts["tariff"].strip("`")]
        assert amounts["unit"] == tariff["unit"]
        for head in heads:
            if head in words:
                continue
            number = amounts[head].strip("*x")
            assert number, f"{row[0]} has no amount of {head}, which records and engine have"
            key = {"stock": "stock_unit"}.get(head, head)
            engine = tariff[factors[head]] if head in factors else tariff["amounts"][key]
            assert int(number) == engine, (row[0], head)
            compared.add(head)
    assert compared == set(heads) - words


def test_generated_part_needs_its_two_markers() -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    import rule_pages

    text = "before\n<!-- generated: list -->\nold\n<!-- end: list -->\nafter\n"
    new = rule_pages.with_blocks(text, {"list": ["a", "b"]})
    assert new == text.replace("old\n", "\na\nb\n\n")
    assert rule_pages.with_blocks(new, {"list": ["a", "b"]}) == new
    with pytest.raises(ValueError, match="0 blocks between markers 'list'"):
        rule_pages.with_blocks(text.replace("end: list", "end: lists"), {"list": ["a"]})


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "tests/rule_pages.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


# Runs a program that writes, over a copy of what it writes, where no file can be larger than 60 kB.
FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import rule_pages
rule_pages.PAGE, rule_pages.RULES, rule_pages.METHODS = map(Path, sys.argv[1:])
del sys.argv[1:]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
sys.exit(rule_pages.main())
"""


# The end of the page was gone, with what had been written there by hand.
def test_a_full_disk_leaves_the_pages_that_are_written_by_hand_too(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    import rule_pages

    copies = []
    for path in (rule_pages.PAGE, rule_pages.RULES, rule_pages.METHODS):
        copies.append(tmp_path / f"{path.parent.name}_{path.name}")
        text = path.read_text(encoding="utf-8")
        copies[-1].write_text(text, encoding="utf-8")
    texts = [copy.read_text(encoding="utf-8") for copy in copies]
    copies[1].write_text(texts[1].replace("| `RUF`", "| `RUFF`"), encoding="utf-8")
    before = copies[1].read_text(encoding="utf-8")
    command = [sys.executable, "-c", FULL_DISK, *copies]
    done = subprocess.run(command, cwd=ROOT / "tests", capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert f"{copies[1]}: " in done.stderr
    assert copies[1].read_text(encoding="utf-8") == before
