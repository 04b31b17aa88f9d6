"""What the table in the browser says, in German and English.

The English of questions, answers and maxims is that of the terminal and of the rule agent; here
stands their German, and the words of the page itself.
"""

from __future__ import annotations

from schafkopf import _core
from schafkopf.pictures.replay_data import typeset
from schafkopf.pictures.replay_words import WORDS as CARD_WORDS
from schafkopf.terminal.questions import Choice, Question, cards_to_give
from schafkopf.terminal.scene import Scene

LANGUAGES = tuple(CARD_WORDS)

# Phase -> the question, as in schafkopf.terminal.questions.
_QUESTIONS = {
    "PREDEAL": "Vor dem Geben: Welche Farbe ist Trumpf in deinem Solo?",
    "LEGEN": "Du siehst die Hälfte deiner Karten. Legst du?",
    "SCHIEBER": "Das Paket mit den höchsten Obern liegt vor dir. Nimmst du es auf?",
    "SCHIEBER_PUSH": "Welche Karte schiebst du weiter? Noch {0}.",
    "HZ_OFFER": "Du hast kaum Trumpf. Bietest du eine Hochzeit an?",
    "HZ_ACCEPT": "Nimmst du die Hochzeit an und gibst {0} zurück?",
    "HZ_RETURN": "Welche Karte gibst du zurück? Noch {0}.",
    "HZ_OVERRIDE": "Eine Hochzeit ist ausgemacht. Spielst du stattdessen ein Einzelspiel?",
    "AUCTION_ROUND": "Was sagst du?",
    "AUCTION_RESOLVE": "Mehrere wollen spielen. Was sagst du?",
    "AUCTION_DIRECT": "Was sagst du?",
    "STEIGERN": "Es wird um Augen gesteigert. Was sagst du?",
    "NAME_CLASS": "Das Spiel gehört dir. Was spielst du?",
    "NAME_SUIT": "Welche Farbe ist Trumpf?",
    "CALL_CARD": "Welche Karte rufst du?",
    "ALL_PASS_CHOICE": "Alle haben gepasst, du wählst.",
    "ZUPF_TARGET": "Du tauschst eine Karte. Mit wem?",
    "ZUPF_GIVE": "Welche Karte gibst du her? Du ziehst eine dafür.",
    "JUNGFRAU": "Sagst du an, dass du keinen Stich machst?",
    "CLAIM_SETTLE": "Die Karten sind gespielt. Was forderst du?",
    "PLAY": "Du bist dran. Welche Karte?",
}
# To a partner who cannot double: nobody should see whom the question is put to.
SILENT_QUESTION = (
    "Sagst du {0}? Du kannst nur Nein sagen; auch du wirst gefragt, damit niemand merkt, wer kann.",
    "Do you say {0}? You can only say no; you are asked so that nobody sees who can.",
)
SILENT_ANSWER = ("Nein", "No")
SILENT_REFUSAL = (
    "Hier kannst du nur Nein sagen: du gehörst nicht zu denen, die verdoppeln dürfen",
    "You can only say no here: you are not one of those who may double",
)
# Action -> the answer; those without one are German in English too.
_ANSWERS = {
    "PASS": "Weiter",
    "PLAY": "Ich spiele",
    "YIELD": "Gut",
    "HOLD": "Habe ich selber",
    "LAY": "Legen: alles zählt doppelt",
    "NO_LAY": "Nicht legen",
    "DOUBLE": "Ja",
    "NO_DOUBLE": "Nein",
    "HZ_OFFER_1": "Hochzeit anbieten",
    "HZ_OFFER_2": "Bauernhochzeit anbieten",
    "HZ_NO_OFFER": "Keine Hochzeit",
    "HZ_ACCEPT": "Annehmen",
    "HZ_REFUSE": "Ablehnen",
    "SAY_RAMSCH": "Ramsch",
    "SAY_STOCK": "Stock: alle zahlen ein",
    "JUNGFRAU": "Jungfrau ansagen: kein Stich",
    "NO_JUNGFRAU": "Nichts ansagen",
    "TAKE_UP": "Aufnehmen und Solo spielen",
    "PUSH_ON": "Weiterschieben",
    "CLAIM_REST": "Alle Stiche gehören mir",
    "CONCEDE_REST": "Den Rest abgeben",
    "CLAIM_SCHWARZ": "Schwarz fordern",
    "CLAIM_NO_SCHWARZ": "Nichts fordern",
}
# Ground of a refusal -> why. {cards} are those that the engine names.
GROUNDS = {
    "over": "das Spiel ist zu Ende",
    "no_action": "so eine Ansage gibt es nicht",
    "masked": "das ist an diesem Tisch abgeschaltet",
    "no_answer": "das steht jetzt nicht zur Wahl",
    "not_in_hand": "die Karte ist nicht auf der Hand",
    "follow": "die ausgespielte Farbe, oder Trumpf, muss bedient werden",
    "searched": "die gerufene Karte ist gesucht: {cards} muss fallen",
    "call_suit": "die Ruffarbe darf nur mit {cards} angespielt werden",
    "bound": "die gerufene Karte darf noch nicht abgeworfen werden",
    "house_rule": "eine Hausregel erlaubt nur {cards}",
    "held": "die Karte ist auf der eigenen Hand",
    "trump": "das ist ein Trumpf",
    "no_plain_card": "von dieser Farbe ist keine Karte auf der Hand, die kein Trumpf ist",
    "other_rank": "gerufen werden kann jetzt nur {cards}",
    "trump_back": "Trumpf kommt nicht zurück",
    "offered": "eine angebotene Karte kommt nicht zurück",
}


def question(asked: Question, scene: Scene) -> list[str]:
    """A question in German and English."""
    number = cards_to_give(scene)
    told = f"{number} Karte{'' if number == 1 else 'n'}" if scene.phase == "HZ_ACCEPT" else number
    german = _QUESTIONS.get(scene.phase, scene.phase).format(told)
    english = asked.text
    if scene.phase == "DOUBLE":
        name = english.removeprefix("Do you say ").partition("?")[0]
        factor = _core.price_factor(scene.doublings + 1)
        german = f"Sagst du {name}? Das Spiel zählt dann ×{factor}."
    return typeset([german, english.partition(" Possible: ")[0]])


def answer(choice: Choice) -> str:
    """The German of an answer."""
    name = _core.action_name(choice.action)
    if name == "PLAY" and "auch" in choice.title:
        return "Ich spiele auch"
    if name.startswith("RAISE_"):
        return f"{name.removeprefix('RAISE_')} Augen"
    return _ANSWERS.get(name, choice.title)


def agent_failed(name: str, spec: str) -> list[str]:
    """Which place failed, and what helps."""
    player = f" ({spec})" if spec else ""
    return [
        f"{name}{player} hat nicht geantwortet, das Spiel steht. Nichts ist verloren: den Tisch "
        "beenden und mit schafkopf serve --resume wieder öffnen; wo er läuft, steht der Grund.",
        f"{name}{player} did not answer, the deal stands still. Nothing is lost: end the table and "
        "open it again with schafkopf serve --resume; the reason stands where it runs.",
    ]


def not_kept() -> list[str]:
    """The table cannot be written to the disk at the moment."""
    return [
        "Der Tisch lässt sich gerade nicht sichern. Das Spiel geht weiter, jede Antwort versucht "
        "es wieder; wo er läuft, steht der Grund.",
        "The table cannot be kept at the moment. The game goes on, every answer tries again; the "
        "reason stands where it runs.",
    ]


# The words of the page, beside those of the cards and of what players say.
_PAGE: dict[str, dict[str, str]] = {
    "de": {
        "title": "Schafkopf",
        "language": "English",
        "loading": "Der Tisch wird geholt.",
        "you": "du",
        "deal": "Spiel {0}",
        "deal_of": "Spiel {0} von {1}",
        "turn": "ist dran",
        "your_cards": "Deine Karten",
        "wait": "Die anderen sind an der Reihe.",
        "wait_for": "{0} ist an der Reihe.",
        "wait_word": "Gleich bist du dran; vorher dürfen die anderen noch etwas sagen.",
        "wait_next": "Gleich geht es weiter: warten auf {0}.",
        "other_ready": "{0} will weiterspielen.",
        "others_ready": "{0} wollen weiterspielen.",
        "next_anyway": "Trotzdem geben",
        "sure": "Wirklich? {0}",
        "outside": "{0} gibt und setzt aus.",
        "packet": "Paket in der Mitte",
        "watch": "Du setzt in diesem Spiel aus und schaust zu.",
        "not_allowed": "{0}: {1}.",
        "not_your_turn": "Noch bist du nicht an der Reihe.",
        "hint": "Rat",
        "last_trick": "Letzter Stich",
        "no_trick": "Noch ist kein Stich gemacht.",
        "next": "Nächstes Spiel",
        "partner_you": "Du hast die gerufene Karte und spielst mit; noch weiß es niemand.",
        "pair": "{0} und {1} spielen zusammen.",
        "factor": "{0} ×{1}",
        "laid": "gelegt",
        "virgin": "Jungfrau angesagt",
        "bock": "Bock",
        "given": "Weitergegeben: {0}",
        "received": "Bekommen: {0}",
        "open_hand": "Offene Karten von {0}",
        "hint_title": "Was andere an deiner Stelle täten",
        "hint_hidden": "Wer mit am Tisch sitzt, sieht verdeckte Karten; ein Rat würde sie "
        "verraten.",
        "rule_agent": "Nach den Maximen: {0}. {1}",
        "source": "Quelle",
        "score": "Abrechnung",
        "total": "Summe",
        "stock": "Im Stock: {0}",
        "kitty": "In der Kasse: {0}",
        "dealt_cards": "So waren die Karten verteilt",
        "replay": "Spiele ansehen",
        "records": "Aufzeichnung speichern",
        "end": "Die Sitzung ist zu Ende.",
        "end_of_deals": "Das waren alle Spiele an diesem Tisch.",
        "name": "Dein Name",
        "rename": "Ändern",
        "invite": "Link für einen anderen Platz",
        "invite_text": "Wer diesen Link öffnet, spielt auf dem Platz von {0}:",
        "copy": "Kopieren",
        "copied": "Kopiert",
        "lost": "Die Verbindung ist weg. Es wird weiter versucht; am Tisch geht nichts verloren.",
        "unanswered": "Es kam keine Antwort. Bitte noch einmal, wenn es hier nicht schon steht.",
        "deed_goes": "Was zuletzt gewählt wurde, ist noch unterwegs.",
        "hint_comes": "Der Rat kommt noch; gespielt werden kann schon.",
        "gone": "Diesen Tisch gibt es nicht mehr. Den Link des Kommandos öffnen.",
        "play_here": "Hier spielen",
        "not_drawn": "Die Seite kann nicht zeigen, was am Tisch geschieht. Die Seite neu laden.",
        "trouble": "Am Tisch ist etwas schiefgegangen: {0}",
        "page_keys": "Tasten: ← → Karte wählen, Eingabe spielen, 1–9 Antwort, R Rat, "
        "L letzter Stich, N nächstes Spiel",
        "invitation_local": "Dieser Tisch ist nur von diesem Rechner aus erreichbar. Für andere "
        "Rechner: schafkopf serve --host ADRESSE",
        "more": "Name, Einladung, Tasten",
    },
    "en": {
        "title": "Schafkopf",
        "language": "Deutsch",
        "loading": "Fetching the table.",
        "you": "you",
        "deal": "Deal {0}",
        "deal_of": "Deal {0} of {1}",
        "turn": "to play",
        "your_cards": "Your cards",
        "wait": "It is the others' turn.",
        "wait_for": "It is {0}'s turn.",
        "wait_word": "You are next; before that the others may still say something.",
        "wait_next": "It goes on in a moment: waiting for {0}.",
        "other_ready": "{0} wants to play on.",
        "others_ready": "{0} want to play on.",
        "next_anyway": "Deal anyway",
        "sure": "Really? {0}",
        "outside": "{0} deals and sits out.",
        "packet": "Packet in the middle",
        "watch": "You sit out in this deal and watch.",
        "not_allowed": "{0}: {1}.",
        "not_your_turn": "It is not your turn yet.",
        "hint": "Hint",
        "last_trick": "Last trick",
        "no_trick": "There is no trick yet.",
        "next": "Next deal",
        "partner_you": "You hold the called card: you are the partner. The others do not know yet.",
        "pair": "{0} and {1} play together.",
        "factor": "{0} ×{1}",
        "laid": "laid",
        "virgin": "Jungfrau announced",
        "bock": "Bock",
        "given": "Passed on: {0}",
        "received": "Received: {0}",
        "open_hand": "Open cards of {0}",
        "hint_title": "What others would do in your place",
        "hint_hidden": "The players at this table see hidden cards; a hint would give them away.",
        "rule_agent": "By the maxims: {0}. {1}",
        "source": "Source",
        "score": "Score",
        "total": "Total",
        "stock": "In the Stock: {0}",
        "kitty": "In the kitty: {0}",
        "dealt_cards": "How the cards were dealt",
        "replay": "See the deals again",
        "records": "Save the records",
        "end": "The session is over.",
        "end_of_deals": "Those were all deals at this table.",
        "name": "Your name",
        "rename": "Change",
        "invite": "Link to another seat",
        "invite_text": "Whoever opens this link plays at the seat of {0}:",
        "copy": "Copy",
        "copied": "Copied",
        "lost": "The connection is lost. The page keeps trying; nothing is lost at the table.",
        "unanswered": "There was no answer. Please try again, unless the page shows it already.",
        "deed_goes": "Your last choice is still on its way.",
        "hint_comes": "The hint is still to come; you may play already.",
        "gone": "This table is gone. Open the link that the command printed.",
        "play_here": "Play here",
        "not_drawn": "The page cannot show what happens at the table. Reload the page.",
        "trouble": "Something went wrong at the table: {0}",
        "page_keys": "Keys: ← → choose a card, Enter plays, 1–9 answer, H hint, L last trick, "
        "N next deal",
        "invitation_local": "This table listens on this machine only. For other machines: "
        "schafkopf serve --host ADDRESS",
        "more": "Name, invitation, keys",
    },
}  # fmt: skip
WORDS = {language: {**CARD_WORDS[language], **_PAGE[language]} for language in LANGUAGES}
