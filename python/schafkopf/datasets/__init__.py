"""Datasets: millions of games of any players as Parquet, and their way back.

`write_dataset` plays and writes, `import_games` takes recorded games, `Dataset` reads records and
arrays, `torch_dataset` feeds a torch DataLoader. SCHEMA.md describes files and columns. Everything
here needs pyarrow: pip install 'schafkopf[parquet]'.
"""

from schafkopf.datasets.read import Dataset
from schafkopf.datasets.write import write_dataset

__all__ = ["Dataset", "write_dataset"]
