"""Faults inside one process, which have tests of their own: the report names them and runs them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

from faults.subjects import ROOT

VECTOR = "tests/python/batch/test_vector_env_armour.py::"
AGENTS = "tests/python/players/test_agents.py::"
ENGINE = "tests/python/players/test_engine.py::"
NONSENSE = "tests/python/players/test_nonsense_players.py::"


@dataclass(frozen=True)
class Elsewhere:
    """A fault with tests elsewhere, by their names in pytest."""

    name: str
    what: str
    tests: tuple[str, ...]

    def run(self) -> str:
        """Run the tests; return what is wrong, "" if nothing is."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *self.tests]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stdout[-500:]


ELSEWHERE = (
    Elsewhere(
        "memory-refused",
        "memory refused when something is made",
        (VECTOR + "test_more_envs_than_fit_into_memory_are_refused_at_once",
         NONSENSE + "test_memory_that_is_refused_is_one_clear_error"),
    ),
    Elsewhere(
        "exceptions",
        "exceptions in workers, in policies of Python and in callbacks",
        (VECTOR + "test_after_an_exception_of_a_player_the_batch_says_that_it_must_be_reset",
         AGENTS + "test_an_exception_of_the_progress_callback_ends_the_tournament"),
    ),
    Elsewhere(
        "fork",
        "a fork after threads were started, and in the middle of a step",
        (VECTOR + "test_a_threaded_batch_goes_on_in_a_forked_child",
         VECTOR + "test_a_threaded_batch_ends_in_a_forked_child",
         VECTOR + "test_an_agent_with_threads_goes_on_in_a_forked_child",
         VECTOR + "test_a_fork_in_the_middle_of_a_step_of_one_thread_goes_on_in_the_child",
         VECTOR + "test_a_fork_in_the_middle_of_a_step_of_several_threads_is_an_error_"
         "in_the_child"),
    ),
    Elsewhere(
        "nonsense",
        "players and engines that answer nonsense",
        (NONSENSE + "test_nonsense_of_a_player_is_named_and_the_batch_goes_on",
         NONSENSE + "test_a_session_with_a_player_that_answers_nonsense_now_and_then",
         ENGINE + "test_an_engine_that_always_fails_ends_the_tournament_with_what_to_do",
         ENGINE + "test_what_went_wrong_is_counted_per_game_and_reported"),
    ),
)  # fmt: skip
