"""A processor of another kind plays the same games bit for bit: AArch64, emulated by qemu.

Compiles env/ and agents/ for it, without CMake, which would find the libraries of this one, and a
sub-room at a time, so that a name of an anonymous namespace that it has twice is an error. Plays
random games with all buffers (instructions_driver.cpp) and games of rule agents
(other_processor_driver.cpp) there and with the libraries of build/release, and compares what they
print. Exits with 1 where something differs.

usage: python tests/bench/other_processor.py
"""

from __future__ import annotations

import concurrent.futures
import os
import shutil
import sys
from pathlib import Path

from instructions import ROOT, run

FOLDER, RELEASE = ROOT / "build/other_processor", ROOT / "build/release"
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
PACKAGES = "g++-aarch64-linux-gnu qemu-user"
HEADERS = ("fmt", "toml++", "nlohmann", "eigen3")  # of /usr/include, the same for every processor
FLAGS = [
    *("-std=c++20", "-O1", f"-I{ROOT}", "-isystem", f"{FOLDER}/include"),
    *("-isystem", f"{FOLDER}/include/eigen3", "-DFMT_HEADER_ONLY=1", "-DTOML_HEADER_ONLY=0"),
    *("-Dtoml=schafkopf_toml", "-DEigen=schafkopf_eigen"),
]
SHIPPED = ROOT / "agents/network/shipped/baseline.safetensors"
OWN_FLAGS = {  # as CMakeLists.txt has them
    "agents_maxims": ["-ffp-contract=off"],
    "shipped": [f'-DSCHAFKOPF_SHIPPED_BASELINE="{SHIPPED}"'],
}
ALONE = ("toml_library", "shipped")  # files that are compiled by themselves
DRIVERS = {"instructions_driver": ["trace", "250"], "other_processor_driver": ["400"]}


def write(path: Path, text: str) -> Path:
    """Write a file unless it says that already."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


def sources() -> list[Path]:
    """What is compiled: a file for every sub-room that includes its files, and those apart."""
    rooms: dict[str, list[Path]] = {}
    for file in sorted([*ROOT.glob("env/**/*.cpp"), *ROOT.glob("agents/**/*.cpp")]):
        if file.stem.endswith(("avx2", "avx512")):
            continue  # kernels of this processor alone
        room = "_".join(file.parent.relative_to(ROOT).parts)
        rooms.setdefault(file.stem if file.stem in ALONE else room, []).append(file)
    presets = FOLDER / "presets.cpp"
    run(
        [
            *("cmake", f"-DOUTPUT={presets}", f"-DRULES_DIR={ROOT}/configs/rules"),
            *("-P", str(ROOT / "cmake/embed_presets.cmake")),
        ]
    )
    return [
        presets,
        *(ROOT / f"tests/bench/{name}.cpp" for name in DRIVERS),
        *(
            write(FOLDER / f"{room}.cpp", "".join(f'#include "{file}"\n' for file in files))
            for room, files in rooms.items()
        ),
    ]


def build() -> dict[str, Path]:
    """The drivers for the other processor."""
    ccache = [shutil.which("ccache") or ""] if shutil.which("ccache") else []

    def compile_one(source: Path) -> Path:
        target = FOLDER / f"{source.stem}.o"
        flags = [*FLAGS, *OWN_FLAGS.get(source.stem, [])]
        run([*ccache, COMPILER, *flags, "-c", str(source), "-o", str(target)])
        return target

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        objects = list(pool.map(compile_one, sources()))
    library = [str(file) for file in objects if file.stem not in DRIVERS]
    built = {}
    for driver in DRIVERS:
        built[driver] = FOLDER / driver
        run([COMPILER, "-static", "-pthread", str(FOLDER / f"{driver}.o"), *library,
             "-o", str(built[driver])])  # fmt: skip
    return built


def build_here() -> dict[str, Path]:
    """The drivers with the libraries that are built."""
    libraries = [str(RELEASE / f"libschafkopf_{room}.a") for room in ("agents", "env")]
    for library in libraries:
        if not Path(library).exists():
            sys.exit(f"other_processor.py: {library} is missing: ./run build makes it")
    built = {}
    for driver in DRIVERS:
        built[driver] = FOLDER / f"{driver}_here"
        source = ROOT / f"tests/bench/{driver}.cpp"
        run(["c++", "-std=c++20", "-O1", f"-I{ROOT}", str(source), *libraries, "-lfmt", "-pthread",
             "-o", str(built[driver])])  # fmt: skip
    return built


def main() -> int:
    """Command line."""
    if len(sys.argv) > 1:
        print(__doc__)
        return 0 if sys.argv[1] in ("-h", "--help") else 2
    if not shutil.which(COMPILER) or not shutil.which(EMULATOR):
        sys.exit(f"other_processor.py: not installed; Debian, Ubuntu: apt-get install {PACKAGES}")
    include = FOLDER / "include"
    include.mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        if not Path("/usr/include", name).exists():
            sys.exit(
                f"other_processor.py: /usr/include/{name} is missing; README names its package"
            )
        if not (include / name).exists():
            (include / name).symlink_to(Path("/usr/include", name))
    here, there = build_here(), build()
    differs = False
    for driver, arguments in DRIVERS.items():
        environment = dict(os.environ, SCHAFKOPF_KERNEL="scalar")
        own = run([str(here[driver]), *arguments], env=environment).strip()
        other = run([EMULATOR, str(there[driver]), *arguments], env=environment).strip()
        print(f"{driver} {' '.join(arguments)}: this processor {own}, AArch64 {other}")
        differs = differs or own != other
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
