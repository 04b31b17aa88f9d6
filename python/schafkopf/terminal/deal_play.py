"""The course of one deal: agents act, the person is asked and answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from schafkopf import _core
from schafkopf.terminal import guide, words
from schafkopf.terminal.console import Console
from schafkopf.terminal.hints import hint
from schafkopf.terminal.questions import (
    Choice,
    Question,
    answers_meant,
    forced_action,
    is_exact,
    possible,
    question_of,
    second_question,
)
from schafkopf.terminal.scene import Scene
from schafkopf.terminal.screen import Screen, visible_width
from schafkopf.terminal.story import Narrator
from schafkopf.terminal.table import AgentFailed, Deal

# Ground of a refusal -> why a card cannot be called, to the person who named it.
_NOT_CALLED = {
    "held": "you hold it yourself",
    "trump": "it is a trump",
    "no_plain_card": "you hold no plain card of {suit}",
    "other_rank": "only a {ranks} is called now",
}
_MANY = 8  # choices that are listed in one column, or in one line


class DealPlay:
    """The course of one deal: agents act, the person is asked.

    Args:
        do_general: does a command that needs no deal; False if it is another one.
        keep: called after each action.
    """

    def __init__(
        self,
        deal: Deal,
        screen: Screen,
        console: Console,
        do_general: Callable[[str], bool],
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        self._deal = deal
        self._screen = screen
        self._console = console
        self._do_general = do_general
        self._keep = keep
        rules = deal.table.rules
        self._narrator = Narrator(screen, deal.names, rules.doubling_names)
        self._shown: tuple[str, ...] | None = None  # the hand that was shown last

    def play(self, again: Sequence[int] = ()) -> None:
        """Play to the end.

        Args:
            again: actions that were done before, which are told without pauses.
        """
        deal, game = self._deal, self._deal.game
        if deal.me is None:
            self._screen.line("You sit out in this deal and watch.")
        scene = deal.scene()
        with self._screen.hurried():
            for action in again:
                scene = self._do_action(scene, action)
        while not game.is_terminal:
            asked = game.current_player == deal.me
            scene = self._do_action(scene, self._decide(scene) if asked else deal.action_of_agent())
            self._keep()

    def _do_action(self, scene: Scene, action: int) -> Scene:
        """Do and tell it; returns what is seen afterwards."""
        self._deal.apply(action)
        after = self._deal.scene()
        self._narrator.tell(scene, after)
        return after

    # ---- the person's decisions ------------------------------------------------------------------

    def _decide(self, scene: Scene) -> int:
        next_doubling = self._narrator.doubling_name(scene.doublings + 1)
        question = question_of(scene, self._deal.names, next_doubling)
        forced = forced_action(scene, question)
        if forced is not None:
            return forced
        self._show_question(scene, question)
        completions = [choice.title for choice in question.choices] + list(guide.COMMANDS)
        while True:
            answer = self._console.ask(completions)
            commands = guide.commands_meant(answer)
            meant = (
                [] if commands == [guide.command_of(answer)] else answers_meant(answer, question)
            )
            if meant and is_exact(answer, question):
                commands = []  # the answer is a choice by its whole name
            if len(meant) + len(commands) > 1:
                listed = [choice.title for choice in meant[:_MANY]] + commands
                self._screen.wrapped("More than one fits: ", listed, ", ")
            elif meant and self._is_meant(meant[0], scene, question):
                return meant[0].action
            elif meant or not answer.strip():
                self._ask_line(question)
            elif commands and not self._is_card_in_hand(answer, scene, question):
                self._do(commands[0], scene, question)
                self._ask_line(question)
            else:
                self._explain(answer, scene, question)

    def _is_meant(self, choice: Choice, scene: Scene, first: Question) -> bool:
        """Whether the person means it: what ends the deal is asked about once more.

        Args:
            first: the question that the choice answers.
        """
        question = second_question(choice)
        while question is not None:
            self._ask_line(question)
            answer = self._console.ask([one.title for one in question.choices])
            command = guide.command_of(answer)
            meant = [] if command else answers_meant(answer, question)
            if len(meant) == 1:
                return meant[0] is question.choices[1]
            if command:
                self._do(command, scene, first)  # players know nothing of the second question
            else:
                self._explain(answer, scene, question)
        return True

    @staticmethod
    def _is_card_in_hand(answer: str, scene: Scene, question: Question) -> bool:
        """Whether the answer is the code of a held card ("ha"): then the question is why not."""
        return question.is_about_cards and words.exact_card(answer) in scene.hand

    def _show_question(self, scene: Scene, question: Question) -> None:
        if scene.phase == "PLAY":
            self._narrator.begin_trick(scene.num_plays // scene.seats)
        if question.is_about_cards or scene.hand != self._shown:
            self._show_hand(scene)
        self._ask_line(question)

    def _ask_line(self, question: Question) -> None:
        screen = self._screen
        if question.is_about_cards:
            others = [choice.title for choice in question.choices if choice.card is None]
            extras = [f"Enter = {question.default.title}"] if question.default else []
            extras += [f"also {', '.join(others)}"] if others else []
            text = question.text + (f" ({'; '.join(extras)})" if extras else "")
            screen.wrapped("", text.split(" "))
            return
        screen.line(question.text)
        lines = []
        for key, choice in zip(question.keys(), question.choices, strict=True):
            enter = "   (Enter)" if choice == question.default else ""
            lines.append(f"  {key:>3}  {choice.title}{enter}")
        column = screen.width // 2
        fits = max(map(visible_width, lines)) < column
        half = (len(lines) + 1) // 2 if len(lines) > _MANY and fits else len(lines)
        for left, right in zip_longest(lines[:half], lines[half:], fillvalue=""):
            screen.line(left.ljust(column) + right if right else left)

    def _show_hand(self, scene: Scene) -> None:
        screen = self._screen
        self._shown = scene.hand
        screen.line()
        screen.line(screen.strong("Your cards") if scene.hand else "You have no cards yet.")
        acts = bool(scene.legal) and scene.phase == "PLAY"
        legal = {_core.card_name(action) for action in scene.legal if action < 32}
        for group, cards in self._deal.table.sorted_hand(scene.hand, scene.game):
            label = words.SUITS.get(group, group.capitalize())
            titles = [screen.card(card, not acts or card in legal) for card in cards]
            screen.wrapped(f"  {label:10}", titles, "  ")

    def _do(self, command: str, scene: Scene, question: Question) -> None:
        if self._do_general(command):
            return
        if command == "hand":
            self._show_hand(scene)
        elif command == "last":
            self._show_last(scene)
        elif command == "table":
            self._show_table(scene)
        elif command == "hint":
            table = self._deal.table
            view = self._deal.game.view(self._deal.me or 0)
            try:
                hint(self._screen, question, view, table.honest_agents(), table.rules)
            except AgentFailed as error:  # no reason to stop playing
                self._screen.line(f"{error}.")

    def _show_last(self, scene: Scene) -> None:
        trick = scene.last_trick()
        if not trick:
            self._screen.line("There is no trick yet.")
            return
        self._screen.line(f"Trick {trick[0].number // scene.seats + 1}")
        for play in trick:
            self._screen.done_by(self._deal.names[play.seat], self._screen.card(play.card))
        self._screen.line(f"  -> {self._narrator.trick_result(scene, trick)}.")

    def _show_table(self, scene: Scene) -> None:
        line = self._narrator.game_line(scene)
        self._screen.wrapped("Game: ", line.split(" "))
        for play in scene.on_table():
            self._screen.done_by(self._deal.names[play.seat], self._screen.card(play.card))

    def _explain(self, answer: str, scene: Scene, question: Question) -> None:
        """Say why an answer is no legal action."""
        screen = self._screen
        if not question.is_about_cards:
            allowed = ", ".join(choice.title for choice in question.choices[:_MANY])
            screen.wrapped("", f"Not understood. Possible: {allowed}; ? = help".split(" "))
            return
        exact = words.exact_card(answer)
        if scene.phase == "CALL_CARD" and exact is not None:
            screen.wrapped("", self._why_not_called(exact, question).split(" "))
            return
        held = words.cards_meant(answer, scene.hand)
        if exact is not None and exact not in scene.hand:
            screen.line(f"{words.card_title(exact)} is not in your hand.")
        elif held:
            reason = self._reason(held[0])
            screen.wrapped("", f"{screen.card(held[0])}: {reason}.".split(" "))
        else:
            cards = f" Possible: {possible(question.choices)};" if question.numbered else ""
            screen.line(f"Not understood. A card is Eichel-Ober, ei o or EO;{cards} ? = help")

    def _why_not_called(self, card: str, question: Question) -> str:
        """Why the player may not call a card, and which he may."""
        refusal = self._refusal(card)
        ranks = sorted({words.RANKS[name[1:]] for name in refusal.cards})
        why = _NOT_CALLED[refusal.ground].format(
            suit=words.SUITS[card[0]], ranks=" or ".join(ranks)
        )
        title = words.card_title(card)
        answers = possible(question.choices)
        return f"{title} cannot be called: {why} (rule {refusal.rule}). Possible: {answers}"

    def _reason(self, card: str) -> str:
        """Why a card that the player holds may not be played."""
        refusal = self._refusal(card)
        reason = refusal.reason
        for name in refusal.cards:
            reason = reason.replace(name, words.card_title(name))
        return f"{reason} (rule {refusal.rule})"

    def _refusal(self, card: str) -> _core.Refusal:
        refusal = self._deal.game.refusal(card)
        assert refusal is not None  # a legal card is an answer
        return refusal
