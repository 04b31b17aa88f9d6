"""The command `schafkopf`; its commands stand in `schafkopf/commands/`.

Exit codes: 0 done; 1 the work failed (a full disk, too) or a check found differences; 2 wrong
arguments or files; 75 a segment of `curriculum --minutes` is over; 130 interrupted by Ctrl-C, 143
by SIGTERM, 129 by SIGHUP. A second signal ends the process at once, the same one again only after
a moment.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NoReturn

from schafkopf import commands, files, signals
from schafkopf.nearest import nearest_hint
from schafkopf.say import OUTPUT, harmless, output_refused, say_aside

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130

# What the machine lacks; another try may find it. Everything else was named wrongly.
_LACKING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE)


class Parser(argparse.ArgumentParser):
    """An unknown option, command or value names the nearest one."""

    _given: Sequence[str] = ()

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """As argparse, but what is left over is an error here, where the options are known."""
        self._given = list(sys.argv[1:] if args is None else args)
        options, left = super().parse_known_args(args, namespace)
        if left:
            self.error(self._unknown(left))
        return options, left

    def error(self, message: str) -> NoReturn:
        """As argparse; an option that is missing may be one that was mistyped."""
        known = self._option_string_actions
        words = [word.partition("=")[0] for word in self._given if word.startswith("--")]
        mistyped = [word for word in words if not any(name.startswith(word) for name in known)]
        if mistyped and message.endswith("required"):
            message = f"{self._unknown(mistyped)}; {message}"
        super().error(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse, but an output that takes no more is an error. Raises OSError."""
        if file is None or file is not sys.stdout:
            super()._print_message(message, file)
        elif message:
            file.write(message)
            file.flush()

    def _unknown(self, words: Sequence[str]) -> str:
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        hint = nearest_hint(options[0], self._option_string_actions) if options else ""
        return f"unrecognized arguments: {' '.join(words)}{hint}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            allowed = [str(choice) for choice in action.choices]
            text = f'"{value}", allowed: {", ".join(allowed)}{nearest_hint(str(value), allowed)}'
            raise argparse.ArgumentError(action, text)


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = Parser(
        prog="schafkopf", description="Bavarian Schafkopf for reinforcement learning."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    added = parser.add_subparsers(metavar="COMMAND", dest="command")
    for command in commands.ALL:
        command.add(added)
    return parser


def _words_of_options(given: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that is no name of an option, with the option before it, else ""."""
    for before, word in pairwise(["", *given]):
        option, assigned, value = word.partition("=") if word.startswith("--") else ("", "", word)
        if assigned or not option:
            yield option or (before if before.startswith("--") else ""), value


def _refuse_empty(options: argparse.Namespace, given: Sequence[str]) -> None:
    """Refuse an empty text, most often a variable of the shell that was never set: it would pass
    for an option that was left out. A command names in `takes_empty` (set_defaults) the options in
    which it stands for something, or whose refusal of it says more. Raises ValueError."""
    for option, value in _words_of_options(given):
        if not value and not _is_one_of(option, options, "takes_empty"):
            raise ValueError(f'{option or "an argument"} "", allowed: a text that is not empty')


def _refuse_other_files(options: argparse.Namespace, given: Sequence[str]) -> None:
    """Refuse words that would be other files for the engine than for Python. A command names in
    `takes_any` (set_defaults) the options that are no files. Raises ValueError."""
    for option, value in _words_of_options(given):
        wrong = files.engine_refuses(value)
        if wrong and not _is_one_of(option, options, "takes_any"):
            raise ValueError(f"{option or 'argument'} {value!a}: {wrong}")


def _is_one_of(option: str, options: argparse.Namespace, list_name: str) -> bool:
    """Return whether an option, which may be shortened, is in a list of its command."""
    names = [f"--{name}" for name in getattr(options, list_name, ())]
    return bool(option) and any(name.startswith(option) for name in names)


def _open_closed_streams() -> None:
    """Put a file that is always empty where a standard stream was closed (`2>&-`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _write_to_the_end() -> None:
    """Buffer an output that is not (PYTHONUNBUFFERED, `python -u`): it is written once, and what a
    disk does not take of it would be lost without an error. Lines come out at once all the same."""
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and isinstance(out.buffer, io.RawIOBase):
        sys.stdout = open(  # noqa: SIM115
            out.fileno(), "w", 1, encoding=out.encoding, errors=out.errors, closefd=False
        )


def _write_whatever_the_locale() -> None:
    """Let what an encoding has no letters for be escaped (LC_ALL=C), as in tracebacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="backslashreplace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; errors are one line on standard error."""
    _open_closed_streams()
    if arguments is None:
        _write_to_the_end()
    _write_whatever_the_locale()
    ending: signals.Ending | None = None
    parser = _parser()
    given = sys.argv[1:] if arguments is None else arguments
    for argument in given:
        try:
            argument.encode("utf-8")
        except UnicodeEncodeError:
            _tell(f"{argument!a}: {files.engine_refuses(argument)}")
            return WRONG_INPUT
    try:
        signals.loaded()
        options = parser.parse_args(given)
        if options.command is None and not options.version:
            parser.print_help(sys.stderr)
            return WRONG_INPUT
        if options.version:
            from schafkopf import __version__

            print(__version__, flush=True)
            return DONE
        _refuse_empty(options, given)
        _refuse_other_files(options, given)
        if options.command == "play":  # its table has its own way to leave
            return int(options.run(options))
        with signals.ending_in_order(of_program=arguments is None) as ending:
            options.ending = ending
            code = int(options.run(options))
        if lost := output_refused():  # the work is done, what it found was read by nobody
            raise lost
        if sys.stdout is not None:
            sys.stdout.flush()  # what it does not take is an error here; the interpreter exits 120
        return code
    except KeyboardInterrupt as interrupt:  # the trainer makes it of every signal that it honours
        error = ending.ended if ending is not None and ending.ended is not None else interrupt
        with contextlib.suppress(OSError):  # the terminal may be what is gone
            print(f"schafkopf: {str(error) or 'interrupted'}", file=sys.stderr)
        return getattr(error, "exit_code", INTERRUPTED)
    except BrokenPipeError as error:
        if error.filename is not None:  # a file that was named is cut
            _tell(f"{error}")
            return FAILED
        sys.stdout = None  # the reader of our output is gone: `schafkopf replay ... | head`
        return DONE
    except (ValueError, OSError) as error:
        _tell(_words(_of_output(error)), given)
        return FAILED if getattr(error, "errno", None) in _LACKING else WRONG_INPUT
    except (MemoryError, SystemError) as error:  # C may wrap the one in the other
        causes = error, error.__cause__, error.__context__
        lacks_memory = any(isinstance(one, MemoryError) for one in causes)
        what = "not enough memory" if lacks_memory else "internal error"
        _tell(f"{what}{f': {error}' if str(error) else ''}")
        return FAILED
    except (RuntimeError, ImportError) as error:
        _tell(f"{error}")
        return FAILED
    finally:
        _let_go_of_what_is_not_taken()


def _let_go_of_what_is_not_taken() -> None:
    """Give up an output that takes no more: the interpreter would try again, with a message of its
    own and exit code 120."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        sys.stdout = None


def _of_output(error: ValueError | OSError) -> ValueError | OSError:
    """The same error, named where it is standard output that took no more: it still does not."""
    if isinstance(error, OSError) and error.filename is None and sys.stdout is not None:
        try:
            if error.errno in _LACKING:  # a text longer than its buffer left nothing to try again
                sys.stdout.write("\n")
            sys.stdout.flush()
        except OSError as again:
            if again.errno == error.errno:
                return files.named(error, OUTPUT)
    return error


def _words(error: ValueError | OSError) -> str:
    """What an error says; one of the system has its file in front, as ours do."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    # a relative name is not there because its folder is not
    if error.errno == errno.ENOENT and not os.path.isabs(str(error.filename or "")):
        try:
            files.check_working_folder()
        except FileNotFoundError as gone:
            return str(gone)
    places = [str(place) for place in (error.filename, error.filename2) if place is not None]
    return ": ".join([" -> ".join(places)] * bool(places) + [error.strerror])


def _tell(text: str, given: Sequence[str] = ()) -> None:
    """Print an error; it may have words of a file in it, but no signs that do something.

    Args:
        given: arguments, whose ends of lines are none of the error's.
    """
    for word in given:
        if "\n" in word:
            text = text.replace(word, harmless(word))
    say_aside(f"schafkopf: {text}", lines=True)


if __name__ == "__main__":
    sys.exit(main())
