"""Why lines of env and agents never run in the tests: reason -> file -> parts of these lines."""

LEFT: dict[str, dict[str, tuple[str, ...]]] = {}
