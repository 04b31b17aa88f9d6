"""What this project depends on, with licences: the page python/docs/dependencies.md and an SBOM.

Usage: python tests/dependencies.py             writes the page anew
       python tests/dependencies.py --sbom FILE  writes a software bill of materials (./run sbom)

The versions are those of cmake/SchafkopfDependencies.cmake and python/requirements*.txt. A licence
is what the page says already, where a person may have put it right; of a package that is new there,
what the installed one says.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "python" / "docs" / "dependencies.md"
CMAKE = ROOT / "cmake" / "SchafkopfDependencies.cmake"

# Name in cmake/ -> licence (SPDX), what it is for.
LIBRARIES = {
    "fmt": ("MIT", "texts; in the wheel"),
    "Eigen3": ("MPL-2.0", "products of networks; in the wheel"),
    "tomlplusplus": ("MIT", "TOML; in the wheel"),
    "nlohmann_json": ("MIT", "JSON; in the wheel"),
    "CLI11": ("BSD-3-Clause", "options of schafkopf_train"),
    "GTest": ("BSD-3-Clause", "tests"),
    "benchmark": ("Apache-2.0", "benchmarks"),
}
# The same -> package of Debian.
PACKAGES = {
    "fmt": "libfmt-dev",
    "Eigen3": "libeigen3-dev",
    "tomlplusplus": "libtomlplusplus-dev",
    "nlohmann_json": "nlohmann-json3-dev",
    "CLI11": "libcli11-dev",
    "GTest": "libgtest-dev",
    "benchmark": "libbenchmark-dev",
}
# File of pins -> what installs it.
FILES = {
    "requirements.txt": "`./run`",
    "requirements-adapters.txt": "`./run test`",
    "requirements-docs.txt": "`./run docs`, `./run test`",
    "requirements-rllib.txt": "`./run test --full`",
    "requirements-bench.txt": "`./run bench`, `./run adapters`",
    "requirements-peers.txt": "`./run bench --page`",
    "requirements-notebook.txt": "`./run notebook`",
    "requirements-tidy.txt": "`./run tidy`, `./run test --full`",
    "requirements-coverage.txt": "`./run coverage`",
    "requirements-wheel.txt": "`./run wheel`",
    "requirements-device.txt": "`./run device`, `./run test --full`",
}
LONGEST_LICENCE = 60  # characters; some packages give the whole text


@dataclass(frozen=True)
class Pin:
    """A package of a file of pins."""

    name: str
    version: str
    file: str


def pins() -> list[Pin]:
    """Return every pinned Python package, each version once, where it is pinned first."""
    found: dict[tuple[str, str], Pin] = {}
    for file in FILES:
        for line in (ROOT / "python" / file).read_text(encoding="utf-8").splitlines():
            pin = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", line)
            if pin:
                found.setdefault((normal(pin[1]), pin[2]), Pin(pin[1], pin[2], file))
    return sorted(found.values(), key=lambda pin: (normal(pin.name), pin.version))


def normal(name: str) -> str:
    """Return the name of a package as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def libraries() -> list[tuple[str, str, str]]:
    """Return name, version and source of the C++ libraries."""
    text = CMAKE.read_text(encoding="utf-8")
    declared = re.findall(r"FetchContent_Declare\((\w+) GIT_REPOSITORY (\S+) GIT_TAG (\S+)", text)
    return [(name, tag, source.removesuffix(".git")) for name, source, tag in declared]


def licence_said(package: metadata.PackageMetadata) -> str:
    """Return the licence that a package states in a word or two, "" if it does not."""
    fields = package.get_all("License-Expression") or []
    if not fields:
        names = [row for row in package.get_all("Classifier") or [] if row.startswith("License ::")]
        fields = [" / ".join(dict.fromkeys(row.split(" :: ")[-1] for row in names))]
    if not fields[0]:
        fields = [line for line in package.get_all("License") or [] if len(line) < LONGEST_LICENCE]
    return " ".join(fields[0].split()) if fields else ""


def licence_installed(name: str) -> str:
    """Return what an installed package says, "" if there is none."""
    try:
        return licence_said(metadata.metadata(name))
    except metadata.PackageNotFoundError:
        return ""


def licences_of_page() -> dict[str, str]:
    """Return package -> licence as the page has them."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \| [^|]+ \|$", PAGE.read_text(), re.M)
    return {normal(name): licence for name, licence in rows}


def page() -> str:
    """Return the page. Raises ValueError for a dependency of which no licence is known."""
    known = licences_of_page() if PAGE.is_file() else {}
    lines = [
        "# What it depends on",
        "",
        "Versions are pinned: what CI tested is what is installed. `python tests/dependencies.py`",
        "writes this page, `./run sbom` a bill of materials (CycloneDX) of what is installed here.",
        "The wheel has the texts of the licences of what is compiled into it.",
        "",
        "## C++",
        "",
        "The system's package where there is one, else these, compiled from source.",
        "",
        "| library | version | licence | for |",
        "|---|---|---|---|",
    ]
    for name, version, _ in libraries():
        lines.append(f"| {name} | {version} | {' | '.join(LIBRARIES[name])} |")
    lines += [
        "",
        "## Python",
        "",
        "| package | version | licence | installed by |",
        "|---|---|---|---|",
    ]
    for pin in pins():
        licence = known.get(normal(pin.name)) or licence_installed(pin.name)
        if not licence:
            raise ValueError(f"{pin.name}: write its licence into {PAGE.relative_to(ROOT)}")
        lines.append(f"| {pin.name} | {pin.version} | {licence} | {FILES[pin.file]} |")
    return "\n".join(lines) + "\n"


# ---- bill of materials ---------------------------------------------------------------------------


def python_components() -> Iterator[dict[str, Any]]:
    """Yield every package that is installed where this runs."""
    seen = set()
    for one in metadata.distributions():
        name, licence = one.metadata["Name"], licence_said(one.metadata)
        if name is None or normal(name) in seen:
            continue
        seen.add(normal(name))
        yield component(
            normal(name), one.version, licence, f"pkg:pypi/{normal(name)}@{one.version}"
        )


def system_version(package: str) -> str:
    """Return the version of an installed package of Debian, "" if there is none."""
    if shutil.which("dpkg-query") is None:
        return ""
    asked = ["dpkg-query", "-W", "-f", "${Version}", package]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


def library_components() -> Iterator[dict[str, Any]]:
    """Yield the C++ libraries: the system's where it has them, as CMake takes them."""
    for name, version, source in libraries():
        if own := system_version(PACKAGES[name]):
            purl = f"pkg:deb/debian/{PACKAGES[name]}@{own}"
            yield component(name, own, LIBRARIES[name][0], purl, source)
            continue
        place = source.removeprefix("https://")
        kind = "github" if place.startswith("github.com/") else "generic"
        path = place.removeprefix("github.com/").lower() if kind == "github" else name.lower()
        yield component(name, version, LIBRARIES[name][0], f"pkg:{kind}/{path}@{version}", source)


def component(name: str, version: str, licence: str, purl: str, source: str = "") -> dict[str, Any]:
    """Return a component of CycloneDX."""
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
    }
    if licence:
        made["licenses"] = [{"license": {"name": licence}}]
    if source:
        made["externalReferences"] = [{"type": "vcs", "url": source}]
    return made


def bill() -> dict[str, Any]:
    """Return the bill of materials of this project as it is installed here."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"project\(schafkopf VERSION ([0-9.]+)", text)
    assert version is not None
    own = component("schafkopf", version[1], "Apache-2.0", f"pkg:pypi/schafkopf@{version[1]}")
    parts = [*library_components(), *python_components()]
    parts.sort(key=lambda part: str(part["purl"]))
    content = json.dumps(parts, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {"component": {**own, "type": "application"}},
        "components": parts,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sbom", metavar="FILE", help="write a bill of materials instead")
    options = parser.parse_args()
    if not options.sbom:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    file = Path(options.sbom)
    made = bill()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        parser.error(f"--sbom {file}: {error.strerror}")
    print(f"wrote {file}: {len(made['components'])} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
