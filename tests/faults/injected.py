"""The faults: what happens to the work of a subject, and what must hold afterwards."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from faults.running import Case, Ended, Lost, Missed, Running, Skipped
from schafkopf import _core

YEARS = 100_000_000  # seconds, three years
ENDING = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}


@dataclass(frozen=True)
class Fault:
    """Something that can happen.

    Attributes:
        what: in a few words.
        put: makes it happen once to a case, sees that nothing is lost, and returns what came of
            it; raises Missed where it did not happen after all. Its random numbers are those of
            the case.
        repeats: whether another time is another moment or place.
    """

    name: str
    what: str
    put: Callable[[Case], str]
    repeats: bool = True


def wait_until_begun(case: Case, running: Running) -> None:
    """Wait for the first file of the subject; signals before that are those of the interpreter."""
    end = time.monotonic() + 60
    while time.monotonic() < end and running.process.poll() is None:
        if any(case.place.glob(case.subject.begun)) and any(case.work.iterdir()):
            return
        time.sleep(0.001)


def a_moment(case: Case) -> float:
    return case.rng.uniform(0.0, 1.0) ** 2 * case.reference.seconds


def killed(case: Case) -> str:
    """SIGKILL comes at a random moment, three times in one run."""
    case.clear()
    codes = []
    for _ in range(3):
        if case.is_over():
            break
        running = case.start()
        time.sleep(case.rng.uniform(0.3, 1.0) * case.reference.seconds)
        running.send(signal.SIGKILL)
        codes.append(running.ended().code)
    case.finish()
    if -signal.SIGKILL not in codes:
        raise Missed("over before the first of three signals")
    return f"killed {codes.count(-signal.SIGKILL)} times; goes on, as undisturbed"


def killed_at_a_change(case: Case) -> str:
    """SIGKILL comes in the middle of a change of files, half of a write done."""
    case.clear()
    at = case.rng.randint(1, case.reference.changes)
    ended = case.run("kill", at)
    if ended.code != -signal.SIGKILL and not case.is_done(ended):
        raise Lost(f"exit code {ended.code}: {ended.said()}")
    case.finish()
    if ended.code != -signal.SIGKILL:
        raise Missed(f"over before change {at} of {case.reference.changes}")
    return f"killed at change {at} of {case.reference.changes}; goes on, as undisturbed"


def ended_by(name: str) -> Callable[[Case], str]:
    def put(case: Case) -> str:
        case.clear()
        running = case.start()
        wait_until_begun(case, running)
        time.sleep(a_moment(case) / 2)
        came = running.send(getattr(signal, name))
        ended = running.ended()
        if ended.code not in (ENDING[name], case.subject.ends_with):
            raise Lost(f"{name}: exit code {ended.code}, not {ENDING[name]}: {ended.said()}")
        if ended.code == ENDING[name] and not ended.said():
            raise Lost(f"{name}: nothing said")
        case.finish()
        if not came or ended.code != ENDING[name]:
            raise Missed(f"came after the end with exit code {ended.code}")
        return f"ended with exit code {ended.code}; goes on, as undisturbed"

    return put


def _refused(case: Case, ended: Ended, what: str) -> None:
    """See that work that is not done ended with one message, which names a file of its own."""
    if case.is_done(ended):
        return
    message = ended.message()
    if str(case.place) not in message:
        raise Lost(f"{what}: the message names no file: {message}")


def disk(kind: str, what: str) -> Callable[[Case], str]:
    def put(case: Case) -> str:
        case.clear()
        at = case.rng.randint(1, case.reference.changes)
        where = f"{what} {at} of {case.reference.changes}"
        ended = case.run(kind, at)
        _refused(case, ended, where)
        case.finish()
        if not case.is_done(ended):
            return f"{where}: one message; goes on, as undisturbed"
        if kind == "eio" and ended.changes >= at:  # some need not be noticed
            return f"{where}, not noticed; goes on, as undisturbed"
        raise Missed(f"{where}, not noticed")

    return put


def short_writes(case: Case) -> str:
    """Every write takes half of its bytes, or is interrupted: nothing to notice."""
    case.clear()
    ended = case.run("short")
    if not case.is_done(ended):
        raise Lost(f"exit code {ended.code}: {ended.said()}")
    case.compare(ended)
    return f"{ended.changes} changes instead of {case.reference.changes}, as undisturbed"


def clock_jumps(case: Case) -> str:
    """The time of day jumps three years ahead and six back, again and again."""
    case.clear()
    ended = case.run("clock", YEARS)
    if not case.is_done(ended):
        raise Lost(f"exit code {ended.code}: {ended.said()}")
    case.compare(ended)
    return "as undisturbed"


class Mounted:
    """A folder that is mounted as long as it is used."""

    def __init__(self, place: Path, *how: str) -> None:
        self.place, self.how = place, how

    def __enter__(self) -> Mounted:
        done = (
            subprocess.run(
                ["mount", *self.how, str(self.place)], capture_output=True, text=True, check=False
            )
            if shutil.which("mount")
            else None
        )
        if done is None or done.returncode:
            raise Skipped("mounting is not allowed here")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", str(self.place)], check=True, capture_output=True)

    def again(self, how: str) -> None:
        """Change its options."""
        command = ["mount", "-o", f"remount,{how}", str(self.place)]
        subprocess.run(command, check=True, capture_output=True)


def small_disk(case: Case) -> str:
    """A real disk, in memory, is full at a random size; then it gets room."""
    case.clear()
    files = [path for path in case.reference.finished.rglob("*") if path.is_file()]
    size = sum(-(-path.stat().st_size // 4096) * 4096 for path in files) + 8192
    room = 4096 * max(1, round(case.rng.uniform(0.05, 0.95) * size / 4096))
    with Mounted(case.place, "-t", "tmpfs", "-o", f"size={room}", "tmpfs") as mounted:
        for name, text in (case.subject.files or {}).items():
            made = case.place / name
            made.mkdir() if name.endswith("/") else made.write_text(text)
        what = f"a disk of {room // 1024} kB of {size // 1024}"
        ended = case.run()
        _refused(case, ended, what)
        mounted.again("size=64m")
        case.finish()
    if case.is_done(ended):
        raise Missed(f"{what}, not noticed")
    return f"{what}: one message; with room it goes on, as undisturbed"


def read_only(case: Case) -> str:
    """The folder becomes read-only in the middle of the work, then it can be written to again."""
    case.put(case.halfway())
    with Mounted(case.place, "--bind", str(case.place)) as mounted:
        mounted.again("bind,ro")
        ended = case.run()
        _refused(case, ended, "read-only")
        mounted.again("bind,rw")
        case.finish()
    if case.is_done(ended):
        raise Missed("read-only, not noticed")
    return "read-only: one message; writable again it goes on, as undisturbed"


def damaged(how: str) -> Callable[[Case], str]:
    def put(case: Case) -> str:
        state = case.halfway() if case.rng.random() < 0.5 else case.reference.finished
        files = sorted(path for path in state.rglob("*") if path.is_file() and path.stat().st_size)
        if not files:
            raise Skipped("it leaves no file")
        name = str(case.rng.choice(files).relative_to(state))
        where = damage(case, state, name, how)
        return after_damage(case, name, f"{name} of a {state.name} run {where}")

    return put


def damage(case: Case, state: Path, name: str, how: str) -> str:
    """Put a state in place with one file damaged; returns where."""
    case.put(state)
    path = case.work / name
    content = bytearray(path.read_bytes())
    place = case.rng.randrange(len(content))
    if how == "cut":
        del content[place:]
    else:
        content[place] ^= 1 << case.rng.randrange(8)
    path.unlink()  # it may be a hard link
    path.write_bytes(content)
    return f"cut at byte {place}" if how == "cut" else f"with a bit of byte {place} flipped"


def after_damage(case: Case, name: str, what: str) -> str:
    """Go on with a damaged file: to the same end, or refused by its name where it has no copy."""
    before = (case.work / name).read_bytes()
    ended = case.run()
    short = Path(name).name
    if not case.is_done(ended):
        message = ended.message()
        if short not in message:
            raise Lost(f"{what}: the message does not name it: {message}")
        if case.subject.has("kept", name):
            raise Lost(f"{what}: it can be made again, and it does not go on: {message}")
        return f"{what}: refused by name"
    told = ", says so" if short in ended.errors else ""
    different = case.differences()
    if not different:
        return f"{what}: goes on{told}, as undisturbed"
    alone = different == {name}
    if told and case.subject.has("said", name) and (alone or case.goes_on_without(name)):
        return f"{what}: goes on{told}, with what is left"
    stays = (case.work / name).is_file() and (case.work / name).read_bytes() == before
    if alone and stays and case.subject.has("sealed", name):
        refused_when_read(case.work / name)
        return f"{what}: goes on; the file stays, and is refused by name where it is read"
    raise Lost(f"{what}: {', '.join(sorted(different))} other than undisturbed: {ended.said()}")


def refused_when_read(path: Path) -> None:
    """See that weights that are damaged are refused by their name."""
    try:
        _core.make_agent(f"net:{path}")
    except ValueError as error:
        if path.name in str(error):
            return
    raise Lost(f"{path.name} is damaged and can be read")


def no_memory(case: Case) -> str:
    """From a random moment of the work on, the process gets no more memory."""
    case.clear()
    running = case.start()
    wait_until_begun(case, running)
    time.sleep(a_moment(case) / 2)
    try:
        pages = int(Path(f"/proc/{running.process.pid}/statm").read_text().split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + case.rng.choice([0, 100_000, 3_000_000])
        resource.prlimit(running.process.pid, resource.RLIMIT_AS, (limit, limit))
    except (OSError, IndexError, ValueError):
        pass  # over already
    ended = running.ended()
    if not case.is_done(ended):
        ended.message()
    case.finish()
    if case.is_done(ended):
        raise Missed("had enough")
    return "refused: one message; goes on, as undisturbed"


def worker_killed(case: Case) -> str:
    """kill -9 comes to a process that the work has started."""
    case.clear()
    running = case.start()
    children: list[int] = []
    while running.process.poll() is None and not children:
        time.sleep(0.01)
        children = running.children()
    has_children = bool(children)
    if children:
        time.sleep(a_moment(case) / 2)
        children = running.children()
    if children:
        os.kill(case.rng.choice(children), signal.SIGKILL)
    ended = running.ended()
    if not has_children and case.is_done(ended):
        raise Skipped("no processes of its own")
    if not case.is_done(ended):
        ended.message()
    case.finish()
    if not children:
        raise Missed("its processes were over before")
    how = "not noticed" if case.is_done(ended) else "one message"
    return f"{how}; goes on, as undisturbed"


def second_process(case: Case) -> str:
    """While one works in the folder, another is started there."""
    case.clear()
    running = case.start()
    wait_until_begun(case, running)
    running.send(signal.SIGSTOP)  # so that it works as long as the other one takes
    try:
        if running.process.poll() is not None:
            running.ended()
            case.finish()
            raise Missed("over before the second came")
        ended = case.run(more_words=case.subject.apart)
    finally:
        running.send(signal.SIGCONT)
    if case.is_done(ended):
        first = running.ended()
        if not case.is_done(first):
            raise Lost(f"the first of two ends with exit code {first.code}: {first.said()}")
        case.compare(first)
        return "both finish, as undisturbed"
    message = ended.message()
    first = running.ended()
    if str(case.place) not in message:
        raise Lost(f"the message names no folder: {message}")
    if not case.is_done(first):
        raise Lost(f"the first is disturbed, exit code {first.code}: {first.said()}")
    case.compare(first)
    return "the second is refused with one message, the first as undisturbed"


FAULTS = (
    Fault("kill", "kill -9 at three random moments of one run", killed),
    Fault("kill-change", "kill -9 in the middle of a change of files", killed_at_a_change),
    *(Fault(name, f"{name} at a random moment", ended_by(name)) for name in ENDING),
    Fault("full", "no room from a change of files on", disk("full", "no room from change")),
    Fault("eio", "an error of the disk at one change of files", disk("eio", "error at change")),
    Fault("small-disk", "a real disk that is full, then larger", small_disk),
    Fault("short", "every write cut in half or interrupted", short_writes, repeats=False),
    Fault("read-only", "the folder becomes read-only", read_only, repeats=False),
    Fault("cut", "a file that it left is cut at a random byte", damaged("cut")),
    Fault("flip", "a bit of a file that it left is flipped", damaged("flip")),
    Fault("memory", "no more memory from a random moment on", no_memory),
    Fault("kill-worker", "kill -9 to a process of its own", worker_killed),
    Fault("second", "a second process in the same folder", second_process, repeats=False),
    Fault("clock", "the time of day jumps by years, ahead and back", clock_jumps, repeats=False),
)
