"""The commands of `schafkopf`, one file each with its options. The library imports none of them.

Each has add(commands), which adds it to the parser, and run(options), which returns the exit code.
"""

from schafkopf.commands import (
    bench,
    curriculum,
    dataset,
    engine,
    exploit,
    gates,
    ladder,
    play,
    replay,
    rules,
    serve,
    tournament,
    train,
)

ALL = (
    play,
    serve,
    train,
    tournament,
    ladder,
    gates,
    curriculum,
    exploit,
    dataset,
    replay,
    rules,
    engine,
    bench,
)  # as `--help` lists them
