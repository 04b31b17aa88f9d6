"""Datasets: millions of games of any players as Parquet, and their way back.

`write_dataset` plays and writes, `import_games` takes recorded games, `Dataset` reads records and
arrays, `schafkopf.adapters.torch` feeds a DataLoader. SCHEMA.md describes files and columns.
Everything here needs pyarrow, the extra `parquet`.
"""

from schafkopf.datasets.imports import import_games
from schafkopf.datasets.read import Dataset
from schafkopf.datasets.write import write_dataset

__all__ = ["Dataset", "import_games", "write_dataset"]
