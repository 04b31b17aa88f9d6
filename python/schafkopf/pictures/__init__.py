"""Pictures: cards of the German pattern, values as Jupyter shows them, replays as a web page.

`picture` shows views, cards and results; `Game`, `Deal`, `Contract` and `Outcome` show themselves
in a notebook. `replay_html` gives a page that plays recorded games step by step.
"""

from schafkopf.pictures.cards import card_svg, sprite
from schafkopf.pictures.replay import replay_html, write_replay
from schafkopf.pictures.show import Picture, picture

__all__ = ["Picture", "card_svg", "picture", "replay_html", "sprite", "write_replay"]
