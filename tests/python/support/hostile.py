"""Files that are wrong, and everything of the package that reads one."""

import warnings
from pathlib import Path

import schafkopf
from schafkopf import files, ladder, plots, records, tournaments, training_run

CORPUS = Path(__file__).parents[2] / "corpus"


def corpus():
    """The files for every reader; the folder fuzz/ holds inputs of one reader each."""
    return sorted(path for path in CORPUS.iterdir() if path.is_file())


def in_folder(path, name, content):
    folder = path.with_name(path.name + "_folder")
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return folder


def counted(path):
    told = []
    with ladder.counted(path, told.append):
        pass
    if told:  # what others refuse
        raise ValueError(*told)


def games_of(path):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*: damaged at byte ", RuntimeWarning)
        return tournaments.read_games(path)


READERS = {
    "records": lambda path: list(records.read_records(path)),
    "replay": lambda path: [records.replay(record) for record in records.read_records(path)],
    "text": lambda path: records.from_text(path.read_bytes().decode("latin-1")),
    "rules": lambda path: schafkopf.RuleSet(str(path.with_suffix(".toml"))),
    "network": lambda path: schafkopf.make_agent(f"net:{path}"),
    "search": lambda path: schafkopf.make_agent(f"net+search:{path}"),
    "games": games_of,
    "metrics": plots.read_metrics,
    "times": counted,
    "configuration": files.read_config,
    "tournament of a run": lambda path: training_run.played_tournaments(
        in_folder(path, "tournament.json", path.read_bytes()), {"updates": 1}
    ),
    "game": lambda path: schafkopf.Game.deserialize(path.read_bytes()),
    "snapshot": lambda path: schafkopf.VectorEnv(2).restore(path.read_bytes()),
}
