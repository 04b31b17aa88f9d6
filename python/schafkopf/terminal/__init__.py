"""A table in the terminal: what `schafkopf play` shows, asks and writes."""
