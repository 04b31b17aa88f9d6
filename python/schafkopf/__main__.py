"""`python -m schafkopf`, and the program `schafkopf`: the command line."""

import sys


def program() -> int:
    """Run the command line; Ctrl-C while it is being loaded ends it in order, too."""
    try:
        from schafkopf.cli import main
    except KeyboardInterrupt:
        print("schafkopf: interrupted", file=sys.stderr)
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(program())
