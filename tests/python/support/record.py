"""A deal in the form of records, in which the cards are played in part."""


def cards(text):
    return text.split()


RECORD = {
    "rules": "official_1989",
    "dealer": 3,
    "hands": [
        cards("EO HO HA H10 H8 EK E7 G9"),
        cards("GU H9 E10 E8 G7 SA S10 S8"),
        cards("SO HU HK H7 EA G10 GK SK"),
        cards("GO EU SU E9 GA G8 S9 S7"),
    ],
    "contract": {"class": "RUF", "called": "EA"},
    "declarer": 0,
    "plays": ["EO", "H9", "HK", "SU"],
}
