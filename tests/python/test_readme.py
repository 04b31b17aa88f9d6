"""The Python lines of README.md run as they stand there."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_readme_has_python_lines():
    assert BLOCKS


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_lines_of_the_readme_run(block):
    pytest.importorskip("schafkopf._core", exc_type=ImportError)
    exec(compile(block, "block of README.md", "exec"), {})
