"""The question that a player has to answer, in words, and the answers that are understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schafkopf import _core
from schafkopf.terminal import words
from schafkopf.terminal.scene import Scene

_YES, _NO = ("yes", "y", "ja", "j"), ("no", "n", "nein")

# Action -> (what the list of answers shows, folded words that mean it).
_ANSWERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "PASS": ("Weiter (pass)", ("weiter", "weg", "passe", "pass", *_NO)),
    "PLAY": ("Ich spiele (play)", ("ichspiele", "spiele", "play", *_YES)),
    "YIELD": ("Gut (give way)", ("gut", "yield", "giveway", *_NO)),
    "HOLD": ("Habe ich selber (keep the game at this price)", ("habe", "hold", "keep", *_YES)),
    "LAY": ("Lay: every price counts twice", ("lay", "lege", "legen", *_YES)),
    "NO_LAY": ("Do not lay", ("dont", "nicht", "weiter", "pass", *_NO)),
    "DOUBLE": ("Yes", ("double", "doppeln", *_YES)),
    "NO_DOUBLE": ("No", ("weiter", "pass", *_NO)),
    "HZ_OFFER_1": ("Offer a Hochzeit", ("offer", "hochzeit", *_YES)),
    "HZ_OFFER_2": ("Offer a Bauernhochzeit", ("offer", "bauernhochzeit", "hochzeit", *_YES)),
    "HZ_NO_OFFER": ("No Hochzeit", ("weiter", "pass", *_NO)),
    "HZ_ACCEPT": ("Accept", ("accept", "annehmen", *_YES)),
    "HZ_REFUSE": ("Refuse", ("refuse", "ablehnen", "weiter", "pass", *_NO)),
    "SAY_RAMSCH": ("Ramsch", ("ramsch",)),
    "SAY_STOCK": ("Stock: everybody pays into the pot", ("stock",)),
    "JUNGFRAU": ("Announce a Jungfrau: no trick", ("jungfrau", "announce", *_YES)),
    "NO_JUNGFRAU": ("No announcement", ("weiter", "pass", *_NO)),
    "TAKE_UP": ("Take the packet up and play a Solo", ("takeup", "aufnehmen", *_YES)),
    "PUSH_ON": ("Push the packet on", ("pushon", "schieben", "weiter", "pass", *_NO)),
    "CLAIM_REST": ("claim", ("claim",)),
    "CONCEDE_REST": ("concede", ("concede",)),
    "CLAIM_SCHWARZ": ("Claim Schwarz", ("schwarz", *_YES)),
    "CLAIM_NO_SCHWARZ": ("Claim nothing", ("nothing", "nichts", *_NO)),
}

_TEXTS = {
    "PREDEAL": "Before the cards are dealt: which suit is trump in your Solo?",
    "LEGEN": "You see half of your cards. Do you lay?",
    "SCHIEBER": "The packet of the highest Ober lies before you.",
    "SCHIEBER_PUSH": "Which card do you push on? {0} to go.",
    "HZ_OFFER": "You hold hardly a trump. Do you offer a Hochzeit?",
    "HZ_ACCEPT": "Do you accept the Hochzeit and give {0} back?",
    "HZ_RETURN": "Which card do you give back? {0} to go.",
    "HZ_OVERRIDE": "A Hochzeit is agreed. Do you play a single game instead?",
    "AUCTION_ROUND": "What do you say?",
    "AUCTION_RESOLVE": "More than one player wants to play. What do you say?",
    "AUCTION_DIRECT": "What do you say?",
    "STEIGERN": "Bidding for points: what do you say?",
    "NAME_CLASS": "The game is yours. What do you play?",
    "NAME_SUIT": "Which suit is trump?",
    "CALL_CARD": "Which card do you call?",
    "ALL_PASS_CHOICE": "All have passed, and you choose.",
    "ZUPF_TARGET": "You exchange a card. With whom?",
    "ZUPF_GIVE": "Which card do you give? You draw one of theirs.",
    "JUNGFRAU": "Do you announce that you will take no trick?",
    "CLAIM_SETTLE": "The cards are played. What do you claim?",
    "PLAY": "Your card?",
}
# What ends a deal -> what it means; it is asked about twice.
CLAIMS = {
    "CLAIM_REST": "you lay your cards down: all tricks from here on are yours",
    "CONCEDE_REST": "you give up all tricks from here on",
}
_SILENT = ("NO_LAY", "NO_DOUBLE", "HZ_NO_OFFER", "HZ_REFUSE", "NO_JUNGFRAU", "CLAIM_NO_SCHWARZ")


@dataclass(frozen=True)
class Choice:
    """A legal action: its title for people, and folded words that mean it."""

    action: int
    title: str
    words: tuple[str, ...]
    card: str | None = None  # the card, where the action is one


@dataclass(frozen=True)
class Question:
    """What is asked. `default` is the answer of an empty line, None = there is none."""

    text: str
    choices: tuple[Choice, ...]
    default: Choice | None
    numbered: bool = False  # cards that are named in the question, with numbers

    @property
    def is_about_cards(self) -> bool:
        return any(choice.card for choice in self.choices)

    def keys(self) -> list[str]:
        """What stands before each choice: its own number (70 points), or else its place."""
        own = [next(filter(str.isdigit, choice.words), "") for choice in self.choices]
        return own if any(own) else [str(place) for place in range(1, len(own) + 1)]


def choice_of(action: int, scene: Scene, names: Sequence[str]) -> Choice:
    """The words for one action of the person whose scene this is."""
    name = _core.action_name(action)
    if name.startswith("CARD "):
        card = name[5:]
        return Choice(action, words.card_title(card), (), card)
    if name.startswith("RAISE_"):
        points = name.removeprefix("RAISE_")
        return Choice(action, f"{points} points", (points,))
    if name.startswith("SUIT_"):
        return Choice(action, words.SUITS[name[-1]], words.suit_words(name[-1]))
    if name.startswith("TARGET_"):
        title = names[((scene.me or 0) + int(name[-1])) % scene.seats]
        return Choice(action, title, (words.fold(title),))
    if name.startswith("CLAIM_LAUFENDE_"):
        number = name.removeprefix("CLAIM_LAUFENDE_")
        return Choice(action, f"{number} Laufende{'r' if number == '1' else ''}", (number,))
    if name.startswith("C_"):
        title = words.game_title(name[2:])
        return Choice(action, title, (words.fold(title), words.fold(name[2:])))
    title, accepted = _ANSWERS[name]
    if name == "PLAY" and any(said.action == "PLAY" for said in scene.said):
        title = "Ich spiele auch (a single game)"
    return Choice(action, title, accepted)


def possible(choices: Sequence[Choice]) -> str:
    """The choices in one line, each with the number that means it."""
    return ", ".join(f"{place} {choice.title}" for place, choice in enumerate(choices, 1))


def cards_to_give(scene: Scene) -> int:
    """How many cards somebody passes on who is asked for one, or for a Hochzeit."""
    if scene.phase == "SCHIEBER_PUSH":
        return len(scene.received) - len(scene.given)
    offers = [said.action for said in scene.said if said.action.startswith("HZ_OFFER_")]
    offered = 2 if offers[-1:] == ["HZ_OFFER_2"] else 1  # of the last offer: others were refused
    return offered - (len(scene.given) if scene.phase == "HZ_RETURN" else 0)


def question_of(scene: Scene, names: Sequence[str], doubling_name: str) -> Question:
    """The question of a scene in which the person is to act.

    Args:
        names: of the players by seat.
        doubling_name: of the next doubling, "Kontra".
    """
    choices = tuple(choice_of(action, scene, names) for action in scene.legal)
    number = cards_to_give(scene)
    told = f"{number} card{'' if number == 1 else 's'}" if scene.phase == "HZ_ACCEPT" else number
    text = _TEXTS.get(scene.phase, scene.phase).format(told)
    if scene.phase == "CALL_CARD":
        text += f" Possible: {possible(choices)}"
    if scene.phase == "DOUBLE":
        factor = _core.price_factor(scene.doublings + 1)
        text = f"Do you say {doubling_name}? The game then counts x{factor}."
    default = next(
        (choice for choice in choices if _core.action_name(choice.action) in _SILENT), None
    )
    cards = [choice for choice in choices if choice.card]
    if len(choices) == 1:
        default = choices[0]
    elif len(cards) == 1 and scene.phase == "PLAY":
        default = cards[0]
    if scene.phase == "DOUBLE":
        spoken = words.fold(doubling_name)
        choices = tuple(
            Choice(choice.action, choice.title, (spoken, *choice.words))
            if _core.action_name(choice.action) == "DOUBLE"
            else choice
            for choice in choices
        )
    return Question(text, choices, default, numbered=scene.phase == "CALL_CARD")


def second_question(choice: Choice) -> Question | None:
    """The question whether somebody really means what ends a deal; None of other choices."""
    meaning = CLAIMS.get(_core.action_name(choice.action))
    if meaning is None:
        return None
    no = Choice(-1, "No, play on", _NO)
    yes = Choice(choice.action, f"Yes, {choice.title}", (*_YES, *choice.words))
    return Question(f"Really {choice.title}? {meaning.capitalize()}.", (no, yes), no)


def forced_action(scene: Scene, question: Question) -> int | None:
    """The action that needs no question: the last card, or the only thing to say."""
    cards = [choice for choice in question.choices if choice.card]
    if scene.phase == "PLAY" and len(scene.hand) == 1 and cards:
        return cards[0].action
    if len(question.choices) == 1 and not cards:
        return question.choices[0].action
    return None


def is_exact(text: str, question: Question) -> bool:
    """Whether an answer is a whole card, number or word of a choice, not a beginning."""
    folded = words.fold(text)
    card = words.exact_card(text)
    cards = {choice.card for choice in question.choices if choice.card}
    keys = question.keys() if question.numbered or not question.is_about_cards else []
    said = {word for choice in question.choices for word in choice.words}
    return card in cards or folded in keys or folded in said


def answers_meant(text: str, question: Question) -> list[Choice]:
    """Choices that an answer can mean: by number, by card, by word, by the beginning of a word."""
    folded = words.fold(text)
    if re.match(r"\s*[-+]\s*\d", text):
        return []  # a sign belongs to no answer
    if not folded:
        return [question.default] if question.default and not text.strip() else []
    others = [choice for choice in question.choices if choice.card is None]
    exact = [choice for choice in others if folded in choice.words]
    if exact:
        return exact
    keys = question.keys()
    if question.is_about_cards and not (question.numbered and folded in keys):
        meant = words.cards_meant(text, [choice.card for choice in question.choices if choice.card])
        return [choice for choice in question.choices if choice.card in meant]
    if folded in keys:
        return [question.choices[keys.index(folded)]]
    return [
        choice
        for choice in others
        if any(word.startswith(folded) for word in (*choice.words, words.fold(choice.title)))
    ]
