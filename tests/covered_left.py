"""Why lines of env and agents never run in the tests: reason -> file -> parts of these lines."""

LEFT: dict[str, dict[str, tuple[str, ...]]] = {
    "Says that this program has a mistake: no input leads there": {
        "env/base/assert.cpp": (
            "void assertion_failed",
            "throw std::logic_error(std::string(file)",
            "assertion failed",
        ),
        "env/game/game_bytes.cpp": ("broken(",),
        "env/view/rule_features.cpp": (
            "throw std::logic_error(",
            "kFurtherSwitches (env/rules/rule_fields.h)",
            "(env/rules/rule_fields.h, env/view/rule_features.cpp)",
            "refuse(",
            "has no place in the rows",
            "numbers, its place",
        ),
    },
    "Only Python calls it, and only tests of Python reach it": {
        "agents/tournament/calibration.cpp": ("",),  # all of it
        "agents/tournament/calibration_fields.h": ("",),
        "env/base/nearest.cpp": ("nearest_hint(",),
        "env/rules/rules_toml.cpp": (
            "preset_title",
            "preset_text(name)",
            "text.substr(0, text.find",
            "text.remove_prefix",
            "return std::string(text);",
        ),
        "env/session/session.cpp": (
            "Session::Session(",
            "const SessionState& state)",
            ": Session(std::move(rules), seed)",
            "state_ = state;",
            "void Session::start_special_round",
            'require_running("no round can start")',
            "schafkopf::start_special_round(",
        ),
    },
}
