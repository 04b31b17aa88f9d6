"""The maxims of the rule agent in German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GERMAN = {
    "only_answer": "Etwas anderes steht nicht zur Wahl.",
    "name_the_strongest_suit": "Erst jetzt wird die Farbe genannt; in dieser ist die Hand am "
    "stärksten.",
    "lay_a_harmless_hand": "Wo die wenigsten Augen gewinnen, legt eine Hand fast ohne Trumpf.",
    "lay_a_strong_hand": "Die ersten Karten sind weit besser als der Durchschnitt.",
    "do_not_lay": "Die ersten Karten sind nicht stark genug.",
    "take_up_the_packet": "Mit diesen Karten wird die Hand ein gutes Solo.",
    "push_the_packet_on": "Auch mit diesen Karten wird die Hand kein Solo.",
    "give_the_least_card": "Diese Karte fehlt der Hand neben ihren Trümpfen am wenigsten.",
    "play_alone_instead": "Die Hand ist selbst ein Einzelspiel und braucht keinen Partner.",
    "offer_the_hochzeit": "Eine Hand mit so wenig Trumpf sucht einen Partner.",
    "accept_the_hochzeit": "Die Hand gewinnt fast allein, und das muss sie mit so einem Partner.",
    "refuse_the_hochzeit": "Der Partner hat keinen Trumpf mehr, und für beide ist die Hand zu "
    "schwach.",
    "return_the_least_card": "Diese Karte fehlt der Hand am wenigsten.",
    "announce_the_fixed_hand": "Die Hand hat alle höchsten Trümpfe und gewinnt, wie sie liegt.",
    "play_a_single_game": "Ein Einzelspiel dieser Hand gewinnt oft genug, das Ausspiel "
    "mitgerechnet und ohne Furcht vor schlecht verteilten Trümpfen.",
    "leave_the_game_to_the_player": "Es spielt schon jemand, und für ein Einzelspiel darüber "
    "reicht die Hand nicht.",
    "pass_when_blocked": "Es gibt keine Sau zu rufen und kein Einzelspiel auf der Hand.",
    "pass_with_the_rogue": "Ein roter Ober, Herz oder Schellen, als höchster von höchstens fünf "
    "Trümpfen verspricht ohne Sau, freie Farbe oder sechsten Trumpf mehr, als er hält.",
    "play_with_a_partner": "Genug Trümpfe und Sauen für ein Spiel mit gerufenem Partner.",
    "pass_a_weak_hand": "Für jedes Spiel zu schwach.",
    "name_the_fixed_hand": "Die Hand hat alle höchsten Trümpfe und gewinnt, wie sie liegt.",
    "name_a_higher_game": "Ein Spiel, das hoch genug steht, gewinnt mit dieser Hand oft genug.",
    "give_way_to_the_higher_game": "Die Hand hat kein Spiel von diesem Rang.",
    "hold_or_raise": "Die verlangten Augen macht die Hand noch.",
    "give_way": "Für kein Spiel dieser Hand lohnt es sich, weiterzugehen.",
    "name_the_best_game": "Von den möglichen Spielen verspricht dieses am meisten.",
    "call_the_shortest_suit": "Eine kurze Farbe, möglichst ohne Zehn, wird am billigsten gesucht.",
    "play_for_fewest_points": "Die Hand macht kaum Stiche, also können die wenigsten Augen "
    "gewinnen.",
    "no_game_at_all": "Für ein Spiel um die wenigsten Augen macht die Hand zu viele Stiche.",
    "choose_who_wanted_to_play": "Wer spielen wollte, hat die stärksten Karten.",
    "announce_the_jungfrau": "Die Hand ist vor Stichen fast sicher.",
    "no_jungfrau": "Die Hand kann leicht einen Stich machen müssen.",
    "nothing_to_double": "Es gibt nichts zu verdoppeln.",
    "double_a_low_hand": "Wo die wenigsten Augen gewinnen, macht diese Hand kaum einen Stich.",
    "double_a_solo": "Genug sichere Trumpfstiche, fast nichts zu schmieren, und eine freie Farbe "
    "oder ein kleiner Trumpf für die Mitspieler; ein Stich mehr, wenn der Spieler Stärke zeigt.",
    "double_a_wenz": "Zwei der vier Trümpfe, Sauen, vielleicht eine freie Farbe, und der Spieler "
    "kommt nicht heraus.",
    "double_a_partner_game": "Fünf Trümpfe mit einem der höchsten und nichts in der Ruffarbe, oder "
    "sechs Trümpfe, oder drei der höchsten.",
    "answer_with_a_doubling": "Die Hand ist weit stärker, als ihr Spiel es braucht.",
    "do_not_double": "Der Spieler kann das Spiel gut gewinnen.",
    "claim_what_is_due": "Was stimmt, soweit dieser Platz die Karten gesehen hat.",
    "forced": "Eine andere Karte ist nicht erlaubt.",
    "count_the_last_two": "Mit zwei Karten auf der Hand sind beide Stiche ausgezählt.",
    "run_away": "Mit anfangs vier Karten läuft die Ruffarbe nicht durch; also wird sie ohne "
    "die Sau ausgespielt.",
    "draw_with_top_trump": "Trumpf ist die Seele vom Spiel: Der höchste zieht die anderen.",
    "partner_leads_highest_trump": "Ein guter Freund zeigt sich: Der Mitspieler bringt seinen "
    "höchsten Trumpf.",
    "unter_rather_than_too_small": "Im Zweifel lieber ein Unter als ein zu kleiner Trumpf.",
    "low_trump_after_high": "Einmal hoch und einmal nieder: Ohne den höchsten zieht ein kleiner "
    "weiter.",
    "cash_when_trumps_are_out": "Die Gegner haben, gezählt, keinen Trumpf mehr: Jetzt machen "
    "die Farben ihre Stiche.",
    "lead_the_own_call": "Kein anderer kann die Rufsau noch stechen, also kommt ihre Farbe.",
    "cash_plain_winner": "Nichts in der Farbe ist höher, und sie läuft sehr wahrscheinlich durch.",
    "lead_to_friends_void": "Ein Freund ist hier frei und kann stechen; hinter ihm kein Gegner.",
    "lead_bare_card": "Eine blanke Farbkarte geht zuerst, damit die Farbe später gestochen werden "
    "kann.",
    "weigh_the_lead": "Von allen Ausspielen wiegt dieses am besten.",
    "win_points": "Der Stich verspricht mehr Augen, als er wagt.",
    "spare_what_wins_later": "Die stärkeren Karten bleiben für Stiche, die mehr bringen.",
    "defenders_do_not_draw": "Gegenspieler ziehen keinen Trumpf.",
    "never_search_himself": "Wer gerufen hat, spielt die Ruffarbe nicht an.",
    "search_called_card": "Der Gegenspieler sucht: Die Ruffarbe zwingt die Sau heraus und zeigt, "
    "wer mit wem spielt.",
    "lead_a_plain_suit": "Gegenspieler spielen Farben an.",
    "no_points_to_the_enemy": "Ein Ausspiel, das wenige Augen kostet.",
    "not_from_under_the_ace": "Klein unter der eigenen Sau würde den Freund täuschen.",
    "long_way_short_suit": "Langer Weg, kurze Farbe: eine lange, wenn der Spieler gleich danach "
    "kommt, eine kurze, wenn er weiter weg sitzt.",
    "do_not_repeat_the_suit": "In einer Farbe, die wiederkommt, wird der Spieler seine Verlierer "
    "los.",
    "return_the_suit": "Die Farbe, die ein Freund gebracht hat, kommt wieder.",
    "do_not_let_him_discard": "Diese Farbe kann der Spieler weder stechen noch zum Abspatzen "
    "nutzen.",
    "read_first_discards": "Ein Freund hat von dieser Farbe abgeworfen und kann wohl stechen.",
    "lowest_of_equals": "Von gleichen Karten die kleinste.",
    "drive_out_with_an_ober": "Zwei Ober auf der Hand, also treibt einer die höheren Trümpfe "
    "heraus.",
    "drive_out_trumps": "Solange der Spieler lang in Trumpf ist, treibt ein mittlerer die höheren "
    "heraus.",
    "lead_an_ace": "Auf den Wenz gehört eine Sau.",
    "defend_every_trick": "Gegen einen angesagten Tout genügt ein Stich, also wird er gemacht.",
    "smear_the_bare_ten": "Der Stich ist so gut wie unser, und die blanke Zehn fällt sonst der "
    "Sau zu.",
    "smear_sure_trick": "Der Stich ist so gut wie unser, also bekommt er, was an Augen übrig ist.",
    "stay_low_when_beaten": "Die Karte des Gegners ist nicht zu schlagen, also geht die kleinste.",
    "ruff_with_a_small_trump": "Ein kleiner Trumpf genügt, also bleiben Ober und Unter zum "
    "Trumpfziehen.",
    "weigh_the_trick": "Am besten gewogen: die Aussicht auf diesen Stich, seine Augen und spätere "
    "Stiche.",
    "win_what_pays": "Die Aussicht auf den Stich und seine Augen sprechen für diese Karte.",
    "spare_the_strong_card": "Eine stärkere Karte ist in einem späteren Stich mehr wert.",
    "do_not_trust_the_unproven": "Ein Trumpf von einem, der sich nicht als Freund gezeigt hat, "
    "bekommt keine Augen.",
    "middle_hand_does_not_ruff": "Die Mittelhand sticht nicht ein: Dahinter kann jemand höher "
    "stechen.",
    "free_a_suit": "Eine Farbe wird kurz, und ist sie weg, kann die Hand sie stechen.",
    "from_below": "Von gleichen Karten die kleinste.",
    "lead_what_others_take": "Einen Stich mit dieser Karte müssen wohl andere nehmen.",
    "highest_card_below": "Die höchste Karte, die noch unter dem Stich bleibt.",
    "discard_danger": "Die Karte geht, die später am ehesten Augen kostet.",
    "take_with_the_high_card": "Der Stich fällt ohnehin hierher, also geht die stärkste Karte.",
    "hope_for_higher": "Jemand dahinter kann noch drübergehen, also wird so knapp wie möglich "
    "gestochen.",
    "lead_what_catches": "Diese Karte kann der Spieler sehr wahrscheinlich nur nehmen.",
    "stay_below": "Der Spieler muss diesen Stich vielleicht nehmen, also bleiben alle darunter.",
    "overtake_low": "Wer stechen muss, sticht so klein wie möglich, denn der Spieler kommt noch.",
    "throw_the_highest": "Der Spieler ist aus diesem Stich heraus, also geht eine hohe Karte.",
}


def sentence(reason: Mapping[str, Any]) -> list[str]:
    """Why the rule agent decides so, in German and English."""
    return [GERMAN.get(reason["maxim"], reason["sentence"]), reason["sentence"]]
