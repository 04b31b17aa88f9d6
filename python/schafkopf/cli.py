"""The command `schafkopf`: play, train, tournament, ladder, exploit, replay, rules, bench.

Exit codes: 0 done; 1 the work failed or a check found differences; 2 wrong arguments or files;
130 interrupted by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP. A second signal ends the process at once.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from schafkopf import signals

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
AGENTS = "random, rules, pimc:WORLDS, ismcts, oracle, net:FILE, net+search:FILE"


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

    def _unknown(self, words: Sequence[str]) -> str:
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        hint = _hint(options[0], self._option_string_actions) if options else ""
        return f"unrecognized arguments: {' '.join(words)}{hint}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            allowed = [str(choice) for choice in action.choices]
            text = f'"{value}", allowed: {", ".join(allowed)}{_hint(str(value), allowed)}'
            raise argparse.ArgumentError(action, text)


def _hint(word: str, words: Iterable[str]) -> str:
    from schafkopf import _core

    return _core.nearest_hint(word, list(words))


def _number(minimum: int):  # type: ignore[no-untyped-def]
    def parse(text: str) -> int:
        value = int(text)
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{value}, allowed from {minimum}")
        if value >= 2**63:
            raise argparse.ArgumentTypeError(f"{value}, allowed from {minimum} to {2**63 - 1}")
        return value

    parse.__name__ = "whole number"
    return parse


def _add_settings(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="settings",
        help=f"change one key of the {what}; may be repeated",
    )


def _add_folders(parser: argparse.ArgumentParser, what: str, name: str) -> None:
    parser.add_argument("--out", metavar="DIR", help=f"new folder (default: runs/{name})")
    parser.add_argument("--resume", metavar="DIR", help=f"go on with the {what} in this folder")


def _add_train(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "train",
        help="train an agent by self-play, then a duplicate tournament of the result",
        description="Train an agent by self-play from zero, then play a duplicate tournament of "
        "{trained, its checkpoint at 10 %, rules, random}. The folder of the run gets checkpoints, "
        "metrics.jsonl, learning_curve.png, tournament.html, tournament.json and games.txt.",
    )
    parser.add_argument(
        "config", nargs="?", help="TOML file (default: configs/train/default.toml, 8 minutes)"
    )
    _add_settings(parser, "configuration")
    _add_folders(parser, "run", "TIME")
    parser.add_argument("--seed", type=_number(0), help="seed of the run (same as --set seed=N)")
    parser.add_argument(
        "--no-tournament", action="store_true", help="stop after training and its learning curve"
    )
    parser.add_argument(
        "--blocks",
        type=_number(2),
        help="deal blocks of each pairing and track of the tournament (default: 16000)",
    )
    parser.set_defaults(module="train")


def _add_tournament(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "tournament",
        help="which agent is stronger, by how much",
        description="Duplicate tournament: every deal is played in every seating, intervals are "
        "over deals. Either of a TOML file (configs/tournament/default.toml lists every key), "
        "which writes games, result and report into a folder and can be resumed, or of --agents.",
        epilog=f"Agents: {AGENTS}.",
    )
    parser.add_argument("config", nargs="?", metavar="FILE.toml", help="tournament file")
    _add_settings(parser, "file")
    _add_folders(parser, "tournament", "FILE_TIME")
    parser.add_argument("--agents", nargs="+", metavar="AGENT", help="without a file: who plays")
    parser.add_argument("--blocks", type=_number(2), help="deals (default: 500, or the file's)")
    parser.add_argument(
        "--track",
        choices=("card_play", "full", "bidding"),
        help="default: card_play, or the file's",
    )
    parser.add_argument("--rules", help="preset or TOML file (default: research, or the file's)")
    parser.add_argument("--seed", type=_number(0), help="default: 1, or the file's")
    parser.add_argument("--threads", type=_number(0), help="0 = all cores (default, or the file's)")
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON")
    parser.add_argument("--html", metavar="FILE", help="write the result as a web page")
    parser.set_defaults(module="tournament")


def _add_ladder(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "ladder",
        help="the strength ladder: every agent against the rule agent, and the order they stand in",
        description="Play configs/tournament/ladder.toml and write its results page, ladder.md, "
        "beside games, result and report. Exit code 1 if the order of the agents does not hold.",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="a first look in 20 seconds of CPU, with wide intervals",
    )
    _add_settings(parser, "file")
    _add_folders(parser, "ladder", "ladder_TIME")
    parser.add_argument("--page", metavar="FILE", help="write the results page there too")
    parser.set_defaults(module="ladder")


def _add_play(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "play",
        help="sit at the table yourself, in the terminal",
        description="Play a session against agents. Cards are named in German, in full, by code or "
        "by a clear beginning (Eichel-Ober, ei o, EO); at the table ? explains the rest: hints of "
        "the agents, the last trick, the score, the rules. Whenever you leave (quit, Ctrl-C, "
        "Ctrl-D), the deals so far are written, the running one too: see them again with "
        "`schafkopf replay --text FILE`.",
        epilog="Example: schafkopf play --rules tournament_2024 --agents rules rules random "
        "--seat 2 --seed 1 --deals 8 --out evening.jsonl. `schafkopf rules list` names the rules; "
        "agents are named as in tournaments.",
    )
    add = parser.add_argument
    add("--rules", default="research", help="preset or TOML file (default: %(default)s)")
    add(
        "--agents",
        nargs="+",
        default=["rules"],
        metavar="AGENT",
        help="the other players clockwise from your left, or one for all of them (default: rules)",
    )
    add("--seat", type=_number(0), default=0, help="your place, from 0 (default: %(default)s)")
    add("--seed", type=_number(0), help="number of the session: same cards, same agents' draws")
    add("--deals", type=_number(1), metavar="N", help="at most so many (default: the session)")
    add(
        "--out", metavar="FILE", help="new file of the game records (default: runs/play-TIME.jsonl)"
    )
    add("--fast", action="store_true", help="no pauses after what the others do")
    parser.set_defaults(module="play")


def _add_exploit(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "exploit",
        help="how far an agent can be exploited: NashConv on endgames, local best response",
        description="Exact NashConv on a fixed list of endgames, dealt uniformly and without "
        "history: what best responses of the four seats gain against the agent, beside uniform "
        "play and a CFR+ profile. Then what one seat gains from trick 5 on in real deals against "
        "three copies of the agent: local best response with exact posteriors.",
    )
    parser.add_argument("agent", metavar="AGENT", help=f"{AGENTS}; no oracle, which sees all cards")
    parser.add_argument(
        "--tricks",
        type=int,
        choices=(2, 3),
        default=2,
        help="3: some minutes per endgame, take --endgames 1 --updates 30 (default: %(default)s)",
    )
    parser.add_argument(
        "--endgames", type=_number(1), default=10, help="of each kind (default: %(default)s)"
    )
    parser.add_argument("--rules", default="research", help="preset or TOML file")
    parser.add_argument(
        "--seed", type=_number(0), default=1, help="of endgames and deals (default: %(default)s)"
    )
    parser.add_argument(
        "--updates", type=_number(1), default=200, help="of CFR+ (default: %(default)s)"
    )
    parser.add_argument(
        "--states",
        type=_number(0),
        default=1000,
        help="deals of the local best response, 0 = leave it out (default: %(default)s)",
    )
    parser.add_argument(
        "--worlds",
        type=_number(1),
        default=100,
        help="hands drawn from the posterior for each of its choices (default: %(default)s)",
    )
    parser.add_argument("--threads", type=_number(0), default=0, help="0 = all cores (default)")
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON")
    parser.set_defaults(module="exploit")


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "replay",
        help="replay recorded games",
        description="Replay game records and print one result per line. A file holds JSON lines, "
        "or games in readable text one after the other, as games.txt of a training does; "
        "env/RECORD.md describes both.",
    )
    parser.add_argument("file", help="file of game records, - = standard input")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with the object `expect` of each game and print the differences only; "
        "exit code 1 if there are any",
    )
    parser.add_argument("--text", action="store_true", help="print readable games, not JSON")
    parser.set_defaults(module="replay")


def _add_rules(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "rules",
        help="house rules: presets, meaning of the switches, settlements",
        description="A rule set is the name of a preset or a TOML file as in configs/rules/.",
    )
    parser.set_defaults(module="rules")
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    actions.add_parser("list", help="the presets, one line each")
    show = actions.add_parser("show", help="every switch: value, meaning, allowed values, source")
    show.add_argument("rules", metavar="NAME|FILE")
    show.add_argument("--changed", action="store_true", help="only what differs from the defaults")
    show.add_argument("--toml", action="store_true", help="as a complete rule file")
    diff = actions.add_parser("diff", help="switches in which two rule sets differ")
    diff.add_argument("first", metavar="NAME|FILE")
    diff.add_argument("second", metavar="NAME|FILE")
    check = actions.add_parser(
        "check", help="validate rule files; exit code 1 if there is a mistake"
    )
    check.add_argument("files", nargs="+", metavar="FILE")
    _add_settle(actions)


def _add_settle(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "settle",
        help="price of a result, step by step",
        description="Print the settlement of a result: base, Schneider, Schwarz, Laufende, "
        "factors, payoffs. Points and tricks are those of the declarer party; in the Ramsch one "
        "number per seat. What the price does not depend on may be left out.",
    )
    add = parser.add_argument
    add("--rules", default="official_1989", help="preset or TOML file (default: %(default)s)")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--contract", metavar="NAME", help="RUF, SOLO_TOUT, RAMSCH, ...")
    kind.add_argument("--thrown-in", action="store_true", help="all passed, nobody played")
    kind.add_argument("--deposit", action="store_true", help="the same, all pay into the Stock")
    add("--declarer", type=int, metavar="SEAT", help="seat 0..3")
    add("--partner", type=int, metavar="SEAT", help="the declarer's partner, in partner games")
    add("--points", type=int, nargs="+", metavar="N", help="card points")
    add("--tricks", type=int, nargs="+", metavar="N", help="tricks taken")
    add("--laufende", type=_number(0), default=0, metavar="N", help="highest trumps on one side")
    add("--level", type=int, default=0, metavar="N", help="doublings: 1 = Kontra, 2 = Re, ...")
    add("--legen", type=int, default=0, metavar="N", help="players who laid")
    add("--bock", type=int, default=0, metavar="N", help="factors 2 of a Bock")
    add("--bid", type=int, default=0, metavar="N", help="bid 70..120 (Steigern)")
    add("--forehand", type=int, default=0, metavar="SEAT", help="default: %(default)s")
    add("--trumps", type=int, nargs="+", metavar="N", help="Ramsch ties: trumps in own tricks")
    add("--announced", type=int, nargs="+", metavar="SEAT", help="Ramsch: announced a Jungfrau")
    add("--stock", type=int, default=0, metavar="N", help="units in the Stock")
    add("--claimed-laufende", type=int, metavar="N", help="number that was claimed")
    add("--claimed-schwarz", choices=("yes", "no"), help="whether Schwarz was claimed")
    add("--infraction", default="NONE", metavar="NAME", help="INF_REVOKE_LATE, ...")
    add("--offender", type=int, metavar="SEAT", help="whose infraction it was")
    add("--highest-trump", nargs="+", metavar="CARD", help="Ramsch ties: highest of them, - = none")


def _add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "bench",
        help="measure speed, beside other projects where they are installed",
        description="Run the C++ benchmark, the exact solver and 20 seconds of training, then the "
        "environment driven from Python. Peers are measured in the same run where they are "
        "installed (python/requirements-bench.txt).",
    )
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="per measurement (default: %(default)s)"
    )
    parser.add_argument("--python-only", action="store_true", help="skip the C++ programs")
    parser.add_argument(
        "benchmark_options", nargs=argparse.REMAINDER, help="after --: options of Google Benchmark"
    )
    parser.set_defaults(module="bench")


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = Parser(
        prog="schafkopf", description="Bavarian Schafkopf for reinforcement learning."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND")
    _add_play(commands)
    _add_train(commands)
    _add_tournament(commands)
    _add_ladder(commands)
    _add_exploit(commands)
    _add_replay(commands)
    _add_rules(commands)
    _add_bench(commands)
    return parser


def _run(options: argparse.Namespace) -> int:
    from schafkopf import exploitation, ladder, tournaments, train
    from schafkopf.commands import bench, play, replay, rules

    commands = {
        "play": play.run,
        "train": train.run,
        "tournament": tournaments.run,
        "ladder": ladder.run,
        "exploit": exploitation.run,
        "replay": replay.run,
        "rules": rules.run,
        "bench": bench.run,
    }
    return commands[options.module](options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; errors are one line on standard error."""
    parser = _parser()
    given = sys.argv[1:] if arguments is None else arguments
    for argument in given:
        try:
            argument.encode("utf-8")
        except UnicodeEncodeError:
            print(f"schafkopf: {argument!a}: no UTF-8 text", file=sys.stderr)
            return WRONG_INPUT
    options = parser.parse_args(given)
    if options.version:
        from schafkopf import __version__

        print(__version__)
        return DONE
    if not hasattr(options, "module"):
        parser.print_help(sys.stderr)
        return WRONG_INPUT
    try:
        if options.module == "play":  # its table has its own way to leave
            return _run(options)
        with signals.ending_in_order() as options.ending:
            return _run(options)
    except KeyboardInterrupt as error:
        with contextlib.suppress(OSError):  # the terminal may be what is gone
            print(f"schafkopf: {str(error) or 'interrupted'}", file=sys.stderr)
        return getattr(error, "exit_code", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output is gone: `schafkopf replay ... | head`
        sys.stdout = None  # type: ignore[assignment]
        return DONE
    except (ValueError, OSError) as error:
        print(f"schafkopf: {error}", file=sys.stderr)
        return WRONG_INPUT
    except (RuntimeError, ImportError) as error:
        print(f"schafkopf: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
