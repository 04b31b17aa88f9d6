"""One file per command of `schafkopf`. The library imports none of them."""
