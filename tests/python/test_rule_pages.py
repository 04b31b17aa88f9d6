"""Pages about the rules: generated ones are up to date, excerpts stand in the files they name."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOUSE_RULE = ROOT / "env" / "ADD_A_HOUSE_RULE.md"
PAGES = [HOUSE_RULE, ROOT / "configs" / "rules" / "README.md", ROOT / "README.md"]


def excerpts(text: str) -> list[tuple[str, str]]:
    """File and text of each block of code; the file is the last path named before the block."""
    found = []
    for block in re.finditer(r"^```(?:cpp|toml)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        paths = re.findall(r"`([\w/]+\.(?:h|cpp|toml))`", text[: block.start()])
        found.append((paths[-1], block.group(1)))
    return found


@pytest.mark.parametrize(
    ("path", "code"), excerpts(HOUSE_RULE.read_text(encoding="utf-8")), ids=lambda value: value[:40]
)
def test_excerpt_stands_in_the_file_that_the_page_names(path: str, code: str) -> None:
    assert code in (ROOT / path).read_text(encoding="utf-8")


def test_the_walk_goes_from_the_member_to_the_test() -> None:
    paths = [path for path, _ in excerpts(HOUSE_RULE.read_text(encoding="utf-8"))]
    for path in ("env/rules.h", "env/rule_fields.h", "env/play.h", "tests/cpp/house_rule_test.cpp"):
        assert path in paths


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_the_page_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    for link in links:
        assert (page.parent / link).exists(), link
    for path in re.findall(r"`((?:env|tests|configs)/[\w/]+\.\w+)`", page.read_text("utf-8")):
        assert (ROOT / path).exists(), path


def test_error_message_of_the_page_is_the_one_that_comes(tmp_path: Path) -> None:
    core = pytest.importorskip("schafkopf._core", exc_type=ImportError)
    file = tmp_path / "my_table.toml"
    file.write_text('preset = "official_1989"\ncalled_discard_window = 9\n', encoding="utf-8")
    with pytest.raises(ValueError, match="allowed") as error:
        core.RuleSet(str(file))
    message = str(error.value).removeprefix(f"{tmp_path}/")
    assert f"```text\n{message}\n```" in HOUSE_RULE.read_text(encoding="utf-8")


def test_rules_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("schafkopf._core", exc_type=ImportError)
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


def test_generated_page_is_up_to_date() -> None:
    pytest.importorskip("schafkopf._core", exc_type=ImportError)
    done = subprocess.run(
        [sys.executable, "tests/rule_pages.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
