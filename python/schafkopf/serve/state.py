"""What a page is told of a deal: from the view of its seat, and after the end what all see.

Texts are pairs [German, English]; the page shows one of them.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from schafkopf import _core
from schafkopf.pictures.replay_data import price_lines, typeset
from schafkopf.serve import words as own_words
from schafkopf.terminal import words
from schafkopf.terminal.price_lines import counted_points, tricks_of
from schafkopf.terminal.questions import Choice, Question, question_of
from schafkopf.terminal.scene import Played, Scene, public_scene, scene_of_view
from schafkopf.terminal.special_rounds import is_plain_bock, owed_text, round_text
from schafkopf.terminal.story import doubling_name
from schafkopf.terminal.table import Deal

# Phases in which everybody at the table sees whose answer is missing.
_OPEN_TURNS = frozenset(
    ("PREDEAL", "SCHIEBER", "SCHIEBER_PUSH", "AUCTION_ROUND", "AUCTION_RESOLVE", "AUCTION_DIRECT",
     "STEIGERN", "NAME_CLASS", "NAME_SUIT", "CALL_CARD", "ALL_PASS_CHOICE")
)  # fmt: skip

_BEHIND_AN_OFFER = ("PASS", "PLAY", "HZ_ACCEPT")

NO_DOUBLE = _core.parse_action("NO_DOUBLE")


def scene_at(deal: Deal, place: int) -> Scene:
    """What a place sees; who sits out sees what everybody does."""
    if place not in deal.places:
        return public_scene(deal.game)
    return scene_of_view(deal.game.view(deal.places.index(place)))


def question_at(deal: Deal, scene: Scene) -> Question:
    """The question to the seat of a scene, which is to act."""
    names = deal.table.rules.doubling_names
    return question_of(scene, deal.names, doubling_name(names, scene.doublings + 1))


def state_of(deal: Deal, place: int, asked: bool) -> dict[str, Any]:
    """Return what the page of a place shows of a deal, as values for JSON.

    Args:
        asked: whether the person is to choose something.
    """
    game, scene = deal.game, scene_at(deal, place)
    # who is not asked yet sees what all do: others say no first, in earnest or not
    waits = scene.phase == "DOUBLE" and not asked
    outside = [name for at, name in enumerate(deal.table.names) if at not in deal.places]
    told: dict[str, Any] = {
        "deal": deal.number,
        "seats": scene.seats,
        "me": scene.me,
        "places": deal.places,
        "names": deal.names,
        "dealer": None if outside else scene.dealer,
        "forehand": game.forehand,
        "outside": outside[0] if outside else "",
        "phase": "PLAY" if waits else scene.phase,
        "turn": None
        if game.is_terminal
        else _next_card(scene, game)
        if waits
        else _turn(scene, game),
        "hand": deal.table.sorted_hand(scene.hand, scene.game),
        "cards_left": _cards_left(scene, game),
        "points": [_core.card_points(sorted(cards)) for cards in scene.captured],
        "tricks": [len(cards) // scene.seats for cards in scene.captured],
        "said": [[said.seat, said.action, said.marked, said.cards_before] for said in scene.said],
        "trick": _trick(scene, scene.on_table() or scene.last_trick()),
        "last_trick": _trick(scene, scene.last_trick()),
        # two tricks may end between two answers: the last one plays itself
        "earlier_trick": _trick(scene, scene.earlier_trick()),
        "game": _game(scene),
        "circumstances": _circumstances(deal, scene),
        "open_cards": list(scene.open_cards),
        "given": list(scene.given),
        "received": list(scene.received),
        "is_partner": _is_hidden_partner(scene),
        "question": None,
        "choices": [],
        "default_action": None,
        "refusals": {},
        "result": _result(deal) if game.is_terminal else None,
    }
    if asked:
        question = question_at(deal, scene)
        told["question"] = own_words.question(question, scene)
        told["choices"] = [_choice(choice) for choice in question.choices]
        told["default_action"] = question.default.action if question.default else None
        told["refusals"] = _refusals(deal, scene)
    return told


def silent_question(deal: Deal) -> dict[str, Any]:
    """The question to somebody who cannot double, so that nobody sees whom it is put to."""
    scene = public_scene(deal.game)
    word = doubling_name(deal.table.rules.doubling_names, scene.doublings + 1)
    return {
        "question": [text.format(word) for text in own_words.SILENT_QUESTION],
        "choices": [{"action": NO_DOUBLE, "card": None, "text": list(own_words.SILENT_ANSWER)}],
        "default_action": NO_DOUBLE,
    }


def reason(refusal: _core.Refusal) -> list[str]:
    """Why an action is not allowed, in German and English."""
    titles = [words.card_title(card) for card in refusal.cards]
    english = refusal.reason
    for card, title in zip(refusal.cards, titles, strict=True):
        english = english.replace(card, title)
    german = own_words.GROUNDS.get(refusal.ground, english)
    *others, last = titles or [""]
    german = german.format(cards=f"{', '.join(others)} oder {last}" if others else last)
    rule = f" ({refusal.rule})" if refusal.rule else ""
    return [german + rule, english + rule]


# ---- parts ---------------------------------------------------------------------------------------


def _choice(choice: Choice) -> dict[str, Any]:
    english = choice.title
    if not _core.action_name(choice.action).startswith("TARGET_"):  # a person's name
        english = english[:1].upper() + english[1:]
    return {
        "action": choice.action,
        "card": choice.card,
        "text": [own_words.answer(choice), english],
    }


def _refusals(deal: Deal, scene: Scene) -> dict[str, list[str]]:
    """Held card -> why it may not be played or given now."""
    found = {}
    for card in scene.hand:
        refusal = deal.game.refusal(card)
        if refusal is not None:
            found[card] = reason(refusal)
    return found


def _turn(scene: Scene, game: _core.Game) -> int | None:
    """Who speaks or plays the next card, where everybody sees it.

    A Kontra or a Hochzeit that is possible is no turn: it would tell what somebody holds. While
    somebody may offer one, the others see the auction: it has not begun, or all have passed.
    """
    if scene.legal:
        return scene.me
    if scene.phase in _OPEN_TURNS:
        if game.phase != "HZ_OFFER":
            return game.current_player
        spoken = any(event["action"] in _BEHIND_AN_OFFER for event in game.events)
        return None if spoken or scene.me == game.forehand else game.forehand
    return None if scene.phase != "PLAY" or scene.game is None else _next_card(scene, game)


def _next_card(scene: Scene, game: _core.Game) -> int | None:
    table = scene.on_table()
    if table:
        return (table[0].seat + len(table)) % scene.seats
    last = scene.last_trick()
    return scene.winner(last) if last else game.forehand


def _cards_left(scene: Scene, game: _core.Game) -> list[int]:
    """Cards in each hand; in an exchange all have as many as are dealt."""
    seats = range(scene.seats)
    if game.plays:  # where the view forgets old tricks, too
        return [len(game.hand(seat)) for seat in seats]
    if scene.me is not None:
        return [len(scene.hand)] * scene.seats  # half of them while players lay
    return [max(len(game.dealt(seat)) for seat in seats)] * scene.seats


def _trick(scene: Scene, cards: list[Played]) -> dict[str, Any] | None:
    if not cards:
        return None
    return {
        "number": cards[0].number // scene.seats,
        "cards": [[play.seat, play.card] for play in cards],
        "winner": scene.winner(cards),
        "points": _core.card_points([play.card for play in cards]),
    }


def _game(scene: Scene) -> dict[str, Any] | None:
    """The game as far as it is named."""
    game = scene.game
    if game is None:
        return None
    knows = scene.partner_known or game.row["parties"] == "hochzeit"
    return {
        "title": game.title + (" (Renonce)" if game.renonce else ""),
        "declarer": game.declarer,
        "called": game.called,
        "bid": game.bid,
        "partner": scene.partner if knows else None,
        "opposite": game.row["parties"] == "opposite_seats",
        "is_complete": game.is_complete,
    }


def _is_hidden_partner(scene: Scene) -> bool:
    """Whether the person is the partner, and the others do not know."""
    if scene.game is None or scene.me in (None, scene.game.declarer):
        return False
    return scene.owns_called and not scene.partner_known


def _circumstances(deal: Deal, scene: Scene) -> dict[str, Any]:
    names, game = deal.table.rules.doubling_names, deal.game
    # a view forgets what is long ago
    public = [(event["action"], event["seat"]) for event in game.events if not event["secret"]]
    doublings = [doubling_name(names, level) for level in range(1, scene.doublings + 1)]
    return {
        "doublings": doublings,
        "doublings_factor": _core.price_factor(scene.doublings),
        "doubled_by": [seat for action, seat in public if action == "DOUBLE"],
        "laid": scene.laid,
        "laid_by": [seat for action, seat in public if action == "LAY"],
        "virgins": [seat for action, seat in public if action == "JUNGFRAU"],
        "laid_factor": _core.price_factor(scene.laid),
        "bock_factor": _core.price_factor(game.context.bock),
        "is_plain_bock": is_plain_bock(game.context),
        "special_round": typeset(round_text(game.context)),
        "owed": owed_text(game.context, [f"{{{seat}}}" for seat in range(game.seats)]),
    }


def _result(deal: Deal) -> dict[str, Any]:
    game = deal.game
    party = game.declarer_party if game.contract is not None else []
    counts = tricks_of(game)
    price = price_lines(game)
    return {
        "payoffs": game.payoffs(),
        "price": price,
        "verdict": _verdict(price),
        "party": party,
        "points": counted_points(game),
        "tricks_of": [] if counts == list(range(game.seats)) else counts,
        "hands": [_flat(deal, game.dealt(seat)) for seat in range(game.seats)],
        "packet": _flat(deal, _packet(game)),
    }


def _verdict(price: list[list[str]]) -> list[str]:
    """The lines before the amounts, which say who won, as one sentence."""
    said = list(takewhile(lambda line: not line[1].startswith(("base ", "price ")), price))
    if said[0][1].startswith("all passed"):  # what follows are amounts of the Stock
        said = said[:1]
    return ["; ".join(line[language] for line in said) for language in (0, 1)]


def _packet(game: _core.Game) -> list[str]:
    """Cards that were dealt to nobody: what goes round in a Schieberrunde."""
    dealt = {card for seat in range(game.seats) for card in game.dealt(seat)}
    seen = {card for seat in range(game.seats) for card in game.captured(seat)}
    return sorted(seen - dealt)


def _flat(deal: Deal, cards: list[str]) -> list[str]:
    """Cards in the order of the game that was played."""
    announced = public_scene(deal.game).game
    return [card for _, group in deal.table.sorted_hand(cards, announced) for card in group]
