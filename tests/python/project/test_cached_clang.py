"""What Clang compiled in one clone serves in another: checksums beside its precompiled headers."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LAUNCHER = ROOT / "cmake/cached_clang.sh"
# in the place of ccache: notes what it is asked to run, and runs it
CACHE = '#!/bin/sh\necho "$@" >> asked\nexec "$@"\n'
# in the place of Clang: what it makes, and what it preprocesses, is the header that it includes
CLANG = """#!/bin/sh
out= header= text=no
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    -E) text=yes ;;
    *.hxx) header=$1 ;;
    -fails) exit 3 ;;
    -fails-to-preprocess) fails=yes ;;
  esac
  shift
done
[ "$text$fails" != yesyes ] || exit 1
{ cat "$header"; [ $text = yes ] || pwd; } > "$out"
"""


class Tree:
    """A folder of a build with a header that is to be precompiled."""

    def __init__(self, folder: Path, header: str) -> None:
        self.build = folder / "build of mine"
        (self.build / "CMakeFiles").mkdir(parents=True)
        self.header = self.build / "CMakeFiles/cmake_pch.hxx"
        self.header.write_text(header)
        for name, text in {"cache": CACHE, "clang": CLANG}.items():
            (self.build / name).write_text(text)
            (self.build / name).chmod(0o755)

    def run(self, made: str, *more: str) -> int:
        command = [LAUNCHER, "./cache", "./clang", "-Xclang", "-include", "-Xclang", self.header]
        command += ["-MD", "-MT", made, "-MF", f"{made}.d", "-o", made, *more]
        return subprocess.run(command, cwd=self.build, timeout=60, check=False).returncode

    def asked(self) -> str:
        asked = self.build / "asked"
        return asked.read_text() if asked.exists() else ""

    def checksum(self) -> str | None:
        file = self.build / "CMakeFiles/cmake_pch.hxx.pch.sum"
        return file.read_text() if file.exists() else None


PCH = "CMakeFiles/cmake_pch.hxx.pch"


def test_equal_headers_of_two_trees_have_equal_checksums_and_others_another(tmp_path):
    one, two, other = (
        Tree(tmp_path / name, text) for name, text in (("1", "int a;"), ("2", "int a;"), ("3", "b"))
    )
    for tree in (one, two, other):
        assert tree.run(PCH, "-Xclang", "-emit-pch") == 0
        assert sorted(path.name for path in (tree.build / "CMakeFiles").iterdir()) == [
            "cmake_pch.hxx",
            "cmake_pch.hxx.pch",
            "cmake_pch.hxx.pch.sum",
        ]
    assert (one.build / PCH).read_bytes() != (two.build / PCH).read_bytes()
    assert one.checksum() == two.checksum() != other.checksum()
    assert not one.asked(), "a precompiled header came from the cache"


def test_a_header_that_changes_gets_another_checksum(tmp_path):
    tree = Tree(tmp_path, "int a;")
    assert tree.run(PCH) == 0
    before = tree.checksum()
    tree.header.write_text("int b;")
    assert tree.run(PCH) == 0
    assert tree.checksum() != before


def test_no_old_checksum_stays_where_a_header_cannot_be_made_or_preprocessed(tmp_path):
    tree = Tree(tmp_path, "int a;")
    assert tree.run(PCH) == 0
    assert tree.run(PCH, "-fails-to-preprocess") == 0
    assert tree.checksum() is None
    assert tree.run(PCH) == 0
    assert tree.run(PCH, "-fails") == 3
    assert tree.checksum() is None


# An empty one would be the same for all headers.
def test_no_empty_checksum_stays_where_it_cannot_be_made(tmp_path, monkeypatch):
    tree = Tree(tmp_path, "int a;")
    (tmp_path / "sha256sum").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "sha256sum").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert tree.run(PCH) == 0
    assert sorted(path.name for path in (tree.build / "CMakeFiles").iterdir()) == [
        "cmake_pch.hxx",
        "cmake_pch.hxx.pch",
    ]


def test_files_are_compiled_by_the_cache_with_the_header_named_from_the_build(tmp_path):
    tree = Tree(tmp_path, "int a;")
    assert tree.run("a b.o") == 0
    asked = "./clang -Xclang -include -Xclang CMakeFiles/cmake_pch.hxx"
    asked += " -MD -MT a b.o -MF a b.o.d -o a b.o"
    assert tree.asked().split("\n") == [asked, ""]
    assert tree.run("b.o", "-fails") == 3


@pytest.mark.skipif(not shutil.which("clang++-19"), reason="needs clang 19")
def test_clang_takes_the_header_and_what_it_says_is_what_is_summed_up(tmp_path):
    sums = []
    for name, text in (("1", "#define A 1"), ("2", "#define A 1"), ("3", "#define A 2")):
        folder = tmp_path / name / "CMakeFiles"
        folder.mkdir(parents=True)
        (folder / "cmake_pch.hxx").write_text(f"#pragma GCC system_header\n{text}\n")
        (folder / "cmake_pch.hxx.cxx").write_text("")
        (folder / "a.cpp").write_text("int a = A;\n")
        clang = [LAUNCHER, "env", "clang++-19"]
        header = ["-Xclang", "-include", "-Xclang", folder / "cmake_pch.hxx"]
        made = ["-x", "c++-header", "-o", PCH, "-c", folder / "cmake_pch.hxx.cxx"]
        used = ["-Xclang", "-include-pch", "-Xclang", folder / "cmake_pch.hxx.pch"]
        for command in (
            [*clang, "-Xclang", "-emit-pch", *header, *made],
            [*clang, *used, *header, "-o", "a.o", "-c", folder / "a.cpp"],
        ):
            subprocess.run(command, cwd=folder.parent, check=True, timeout=60)
        sums.append((folder.parent / f"{PCH}.sum").read_text())
    assert sums[0] == sums[1] != sums[2]
