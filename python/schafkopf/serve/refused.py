"""What the table refuses: each ground with the sentence that says what to do."""

from __future__ import annotations

from collections.abc import Mapping

# Ground -> (status of HTTP, German, English). {0} is filled in.
SENTENCES: Mapping[str, tuple[int, str, str]] = {
    "host": (
        421,
        "Unter diesem Namen ist der Tisch nicht erreichbar. Den Link des Kommandos öffnen.",
        "The table does not listen under this name. Open the link that the command printed.",
    ),
    "origin": (
        403,
        "Diese Nachricht kommt von einer fremden Seite. Gespielt wird auf der des Tisches.",
        "This message comes from a foreign page. Play on the table's own page.",
    ),
    "token": (
        404,
        "Diesen Link gibt es an diesem Tisch nicht. Den Link des Kommandos öffnen.",
        "There is no such link at this table. Open the link that the command printed.",
    ),
    "size": (413, "Die Nachricht ist zu lang.", "The message is too long."),
    "slow": (
        408,
        "Die Nachricht ist nicht ganz angekommen. Bitte noch einmal.",
        "The message has not come as a whole. Please try again.",
    ),
    "busy": (
        429,
        "Zu viele Fenster fragen zugleich nach diesem Platz. Die anderen schließen.",
        "Too many windows ask for this seat at once. Close the others.",
    ),
    "message": (
        400,
        "Die Nachricht ist nicht zu verstehen: {0}. Die Seite neu laden.",
        "The message cannot be understood: {0}. Reload the page.",
    ),
    "version": (
        409,
        "Die Seite ist von einer anderen Version des Tisches. Die Seite neu laden.",
        "The page is of another version of the table. Reload it.",
    ),
    "taken": (
        409,
        "Dieser Platz ist in einem anderen Fenster offen. „Hier spielen“ holt ihn hierher.",
        "This seat is open in another window. \"Play here\" brings it back.",
    ),
    "stale": (
        409,
        "Der Tisch ist schon weiter; hier steht jetzt der neue Stand.",
        "The table has moved on; the page shows it now.",
    ),
    "not_asked": (
        409,
        "Jetzt sind andere an der Reihe. Bitte warten.",
        "It is the turn of somebody else. Please wait.",
    ),
    "illegal": (422, "Das geht jetzt nicht: {0}.", "That is not allowed now: {1}."),
    "name": (
        422,
        "Ein Name hat 1 bis 20 Zeichen, alle sichtbar, und niemand am Tisch heißt schon so.",
        "A name has 1 to 20 characters, all visible, and nobody at the table has it already.",
    ),
    "no_deal": (
        404,
        "Noch ist kein Spiel zu Ende; danach gibt es hier etwas zu sehen.",
        "No deal is over yet; there is something to see here after the first.",
    ),
    "no_hint": (
        409,
        "Einen Rat gibt es nur, wenn man selbst an der Reihe ist.",
        "There is a hint only when it is your turn.",
    ),
    "no_opinion": (
        500,
        "Ein Spieler am Tisch hat auf die Bitte um Rat nicht geantwortet.",
        "A player at the table did not answer when it was asked for a hint.",
    ),
    "closed": (
        503,
        "Der Tisch ist geschlossen. Wird er wieder geöffnet, geht es hier von selbst weiter.",
        "The table is closed. When it is opened again, this page goes on by itself.",
    ),
    "over": (
        503,
        "Der Tisch ist geschlossen; alle Spiele sind gespielt.",
        "The table is closed; all its deals are played.",
    ),
    "failed": (
        500,
        "Am Tisch ist etwas schiefgegangen: {0}. Die Seite neu laden.",
        "Something went wrong at the table: {0}. Reload the page.",
    ),
}  # fmt: skip


class Refused(Exception):
    """A person's wish that is not done.

    Args:
        ground: a key of SENTENCES.
        parts: what stands in the sentences for {0}, {1}.

    Attributes:
        status: of the answer of HTTP.
        text: the sentence in German and in English.
    """

    def __init__(self, ground: str, *parts: str) -> None:
        self.status, *sentences = SENTENCES[ground]
        self.ground = ground
        self.text = [sentence.format(*parts) for sentence in sentences]
        super().__init__(self.text[1])
