"""Running a subject: begun, disturbed, continued, and compared with the undisturbed run."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from faults import shim
from faults.subjects import ROOT, Content, Subject

MOST_SECONDS, LINGERING_S = 180.0, 20.0
SPEAKERS = ("schafkopf: ", "schafkopf_train: ")
NO_ORDER = (
    "Traceback (most recent call last)",
    "terminate called",
    "Segmentation fault",
    "Aborted",
)


class Lost(Exception):
    """Something was lost or corrupt, or was not said as it should be."""


class Skipped(Exception):
    """The fault cannot be made here."""


class Missed(Exception):
    """Nothing was lost, and nothing happened either: the work was over before, or had enough."""


@dataclass
class Ended:
    """A process that has ended, with all that it said."""

    code: int
    out: str
    errors: str
    seconds: float
    changes: int = 0

    def message(self) -> str:
        """Return the one line by which a command says why it did not do its work.

        Raises:
            Lost: there is none, or more than one.
        """
        lines = [line for line in self.errors.splitlines() if line.startswith(SPEAKERS)]
        if len(lines) != 1:
            raise Lost(
                f"{len(lines)} messages instead of one, exit code {self.code}: {self.said()}"
            )
        return lines[0]

    def said(self) -> str:
        """Return the end of what it said."""
        return (self.out + self.errors).strip()[-500:]


class Running:
    """A process of a subject in its folder."""

    def __init__(self, command: Sequence[str], place: Path, more: Mapping[str, str]) -> None:
        number = len(list(place.parent.glob("said-*.out")))
        self._files = [place.parent / f"said-{number}.{kind}" for kind in ("out", "err")]
        environment = os.environ | {
            "PYTHONPATH": str(ROOT / "python"),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "Agg",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            **more,
        }
        self.began = time.monotonic()
        with self._files[0].open("wb") as out, self._files[1].open("wb") as errors:
            self.process = subprocess.Popen(
                command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=errors, start_new_session=True,
            )  # fmt: skip
        self._driver: threading.Thread | None = None

    def drive(self, subject: Subject) -> None:
        """Play with the process, where it does not work by itself."""
        if subject.drive is not None:
            what = (self.process, self._files[0])
            self._driver = threading.Thread(target=subject.drive, args=what, daemon=True)
            self._driver.start()

    def send(self, number: int) -> bool:
        """Send a signal, if it still runs; returns whether it did."""
        if self.process.poll() is not None:
            return False
        self.process.send_signal(number)
        return True

    def ended(self) -> Ended:
        """Wait for the end.

        Raises:
            Lost: it does not end, or not in order.
        """
        try:
            code = self.process.wait(MOST_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Lost(f"it did not end within {MOST_SECONDS:.0f} s") from None
        seconds = time.monotonic() - self.began
        if self._driver is not None:
            self._driver.join(MOST_SECONDS)
        self._ends_all()
        out, errors = (file.read_text(errors="replace") for file in self._files)
        ended = Ended(code, out, errors, seconds)
        for words in NO_ORDER:
            if words in ended.out + ended.errors:
                raise Lost(f"{words}, exit code {code}: {ended.said()}")
        if code < 0 and code != -signal.SIGKILL:
            raise Lost(f"ended by {signal.Signals(-code).name}: {ended.said()}")
        return ended

    def children(self) -> list[int]:
        """Return the processes that it has started."""
        try:
            found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        except OSError:
            return []
        return [int(number) for number in found.split()]

    def _ends_all(self) -> None:
        """See that no process of its own outlives it."""
        end = time.monotonic() + LINGERING_S
        while time.monotonic() < end:
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.01)
        os.killpg(self.process.pid, signal.SIGKILL)
        raise Lost(f"processes of its own are there {LINGERING_S:.0f} s after its end")


@dataclass
class Reference:
    """What the undisturbed run gave.

    Attributes:
        seconds: that it took;  changes: of files that it made.
        finished: folder with what it leaves.
    """

    content: Content
    seconds: float
    changes: int
    finished: Path


class Case:
    """A subject in a folder of its own, in which it is begun and disturbed again and again."""

    def __init__(self, subject: Subject, folder: Path, library: Path | None) -> None:
        self.subject, self.folder, self.library = subject, folder, library
        self.place = folder / "place"
        self.work = self.place / "work"
        self.rng = random.Random()
        folder.mkdir(parents=True)
        self.reference = self._reference()

    def clear(self) -> None:
        """Empty the folder and write what the subject needs."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        shim.forget(self.work)
        for name, text in (self.subject.files or {}).items():
            if name.endswith("/"):
                (self.place / name).mkdir()
            else:
                (self.place / name).write_text(text)

    def put(self, state: Path) -> None:
        """Put what an earlier run left in place."""
        self.clear()
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(state, self.work)

    def start(self, kind: str = "", at: int = 0, more_words: Sequence[str] = ()) -> Running:
        """Begin, or go on if it was begun; under the shim where a fault of it is asked for."""
        begun = any(self.place.glob(self.subject.begun))
        template = self.subject.go_on if begun else self.subject.begin
        names = {"{work}": str(self.work), "{place}": str(self.place)}
        command = [*template, *more_words]
        for name, path in names.items():
            command = [word.replace(name, path) for word in command]
        more: dict[str, str] = {}
        if kind:
            more = shim.environment(self._shim(), self.work, kind.removeprefix("count"), at)
        running = Running(command, self.place, more)
        running.drive(self.subject)
        return running

    def run(self, kind: str = "", at: int = 0, more_words: Sequence[str] = ()) -> Ended:
        """Begin or go on, and wait for the end."""
        ended = self.start(kind, at, more_words).ended()
        ended.changes = shim.counted(self.work)
        return ended

    def is_done(self, ended: Ended) -> bool:
        """Return whether it has done its work."""
        return ended.code == self.subject.ends_with

    def is_over(self) -> bool:
        """Return whether it was finished, so that there is nothing to go on with."""
        over, begun = self.subject.over, self.subject.begun
        return bool(over and any(self.place.glob(over)) and not any(self.place.glob(begun)))

    def finish(self) -> Ended:
        """Go on to the end and compare.

        Raises:
            Lost: it does not go on, or comes to something else than the undisturbed run.
        """
        if self.is_over():
            ended = Ended(self.subject.ends_with, "", "", 0.0)
            self.compare(ended)
            return ended
        ended = self.run()
        if not self.is_done(ended):
            raise Lost(f"it does not go on, exit code {ended.code}: {ended.said()}")
        self.compare(ended)
        return ended

    def compare(self, ended: Ended) -> None:
        """Raise Lost where the content differs from that of the undisturbed run."""
        content, expected = self.subject.content(self.work), self.reference.content
        if missing := sorted(expected.keys() - content.keys()):
            raise Lost(f"{', '.join(missing)} missing: {ended.said()}")
        if more := sorted(content.keys() - expected.keys()):
            raise Lost(f"{', '.join(more)} left behind: {ended.said()}")
        if other := [name for name in expected if content[name] != expected[name]]:
            raise Lost(f"{', '.join(other)} other than undisturbed: {ended.said()}")

    def differences(self) -> set[str]:
        """Return the names of files that are other than undisturbed, missing or too many."""
        content, expected = self.subject.content(self.work), self.reference.content
        names = content.keys() | expected.keys()
        return {name for name in names if content.get(name) != expected.get(name)}

    def goes_on_without(self, name: str) -> bool:
        """Return whether it may come to another end without this file, and has all others."""
        missing = self.reference.content.keys() - self.subject.content(self.work).keys()
        return self.subject.has("missed", name) and missing <= {name}

    def _shim(self) -> Path:
        if self.library is None:
            raise Skipped("no C compiler for the shim")
        return self.library

    def _reference(self) -> Reference:
        self.clear()
        ended = self.run("count" if self.library else "")
        if not self.is_done(ended):
            raise Lost(f"undisturbed it ends with exit code {ended.code}: {ended.said()}")
        content = self.subject.content(self.work)
        shutil.copytree(self.work, self.folder / "finished")
        return Reference(content, ended.seconds, ended.changes, self.folder / "finished")

    def halfway(self) -> Path:
        """Return a folder with what a run leaves that is killed in the middle of its changes."""
        state = self.folder / "halfway"
        if not state.exists():
            self.clear()
            self.run("kill", max(1, self.reference.changes // 2))
            if self.work.is_dir():
                shutil.copytree(self.work, state)
            else:
                state.mkdir()
        return state
