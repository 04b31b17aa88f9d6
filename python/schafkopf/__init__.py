"""Bavarian Schafkopf for reinforcement learning.

`Game` is one deal, `VectorEnv` thousands of them, `make_agent` a player, `tournament` says who is
stronger::

    env = schafkopf.VectorEnv(1024, rules="research", seed=1)
    observation, info = env.reset()
    observation, rewards, terminated, truncated, info = env.step(env.random_actions())

    print(schafkopf.tournament({"me": MyPlayer(), "rules": "rules"}, blocks=100)["text"])

MyPlayer has act(views), which answers what seats may know with one legal action each. What is used
most is here, the rest in modules by subject:

    actions       action numbers and names, masks of legal actions, drawing among them
    agents        players by name, the maxims of the rule agent
    bidding       whether bids hold what they promise
    cards         card numbers and names, legal and callable cards, canonical cards
    exploitation  best responses, NashConv, endgames
    games         deals, contracts, games, sessions, leagues
    networks      networks as NumPy functions, torch modules, players
    observations  rows for networks and their layout
    records       games as dicts and text, replay
    rules         rule sets, presets, switches
    search        solver, hidden hands, inference
    settlement    prices of results
    tournaments   duplicate deals, ratings, league days
    training      the trainer
    vector_env    the batch of games
    views         what a seat may know, as bytes

`datasets`, `adapters`, `display`, `pictures`, `plots`, `house_rules`, `ladder`, `gates`,
`curriculum`, `best_response`, `defence` and `report` are loaded when they are first
named. Nothing here loads torch before it is asked for it: `train` does, and `load_torch`.
"""

import importlib
import warnings
from typing import TYPE_CHECKING, Any

from schafkopf import signals as _signals

try:
    _signals.refuse_subinterpreter()
    _signals.end_while_loading()  # before what takes its time
    import schafkopf._core  # noqa: F401
except _signals.InSubinterpreter:
    raise
except ImportError as _error:
    if isinstance(_error.__cause__, KeyboardInterrupt):  # while it was loaded
        raise _error.__cause__ from None
    if isinstance(_error.__cause__, ModuleNotFoundError) and _error.__cause__.name == "numpy":
        raise ModuleNotFoundError(
            "numpy is not installed: pip install numpy", name="numpy"
        ) from _error
    if isinstance(_error.__cause__, ImportError):  # the module needs no other package
        raise ImportError(
            f"schafkopf needs numpy, which cannot be imported: {_error.__cause__}"
        ) from _error
    raise ImportError(
        f"schafkopf._core is not built for this Python ({_error}): run ./run build in the source "
        "tree, or pip install ."
    ) from _error

from schafkopf import actions as actions
from schafkopf import agents as agents
from schafkopf import bidding as bidding
from schafkopf import cards as cards
from schafkopf import exploitation as exploitation
from schafkopf import games as games
from schafkopf import networks as networks
from schafkopf import observations as observations
from schafkopf import records as records
from schafkopf import rules as rules
from schafkopf import search as search
from schafkopf import settlement as settlement
from schafkopf import tournaments as tournaments
from schafkopf import training as training
from schafkopf import vector_env as vector_env
from schafkopf import views as views
from schafkopf._core import __version__
from schafkopf._former_names import FORMER
from schafkopf.actions import NUM_ACTIONS, legal_mask, sample
from schafkopf.agents import Agent, agent_names, make_agent
from schafkopf.exploitation import exploit
from schafkopf.games import Contract, Deal, Game, IllegalAction, Session
from schafkopf.lazy_pictures import picture, replay_html
from schafkopf.nearest import nearest_hint as _nearest_hint
from schafkopf.networks import load_numpy, load_torch, new_torch, save_player
from schafkopf.observations import encode, observation_sections
from schafkopf.records import read_records, replay
from schafkopf.rules import RuleSet, preset_names
from schafkopf.search import Solver, WorldSampler
from schafkopf.settlement import settle
from schafkopf.tournaments import tournament
from schafkopf.training import train
from schafkopf.vector_env import VectorEnv

__all__ = [
    "NUM_ACTIONS",
    "Agent",
    "Contract",
    "Deal",
    "Game",
    "IllegalAction",
    "RuleSet",
    "Session",
    "Solver",
    "VectorEnv",
    "WorldSampler",
    "__version__",
    "agent_names",
    "encode",
    "exploit",
    "legal_mask",
    "load_numpy",
    "load_torch",
    "make_agent",
    "new_torch",
    "observation_sections",
    "picture",
    "preset_names",
    "read_records",
    "replay",
    "replay_html",
    "sample",
    "save_player",
    "settle",
    "tournament",
    "train",
]

_BY_SUBJECT = (actions, agents, bidding, cards, exploitation, games, networks, observations,
               records, rules, search, settlement, tournaments, training, vector_env,
               views)  # fmt: skip
_LOADED_WHEN_NAMED = ("adapters", "best_response", "curriculum", "datasets", "defence", "display",
                      "gates", "house_rules", "ladder", "pictures", "plots", "report")  # fmt: skip
_BESIDE = {
    "Dataset": "datasets",
    "default_stages": "curriculum",
    "describe_view": "display",
    "game_text": "display",
    "import_games": "datasets",
    "play_out": "display",
    "save_learning_curve": "plots",
    "write_dataset": "datasets",
    "write_deals": "defence",
    "write_html": "report",
    "write_replay": "pictures",
}  # names of what is not loaded yet

if TYPE_CHECKING:  # a checker of types knows the new places alone
    from schafkopf import best_response as best_response
    from schafkopf import curriculum as curriculum
    from schafkopf import datasets as datasets
    from schafkopf import defence as defence
    from schafkopf import display as display
    from schafkopf import gates as gates
    from schafkopf import house_rules as house_rules
    from schafkopf import ladder as ladder
    from schafkopf import pictures as pictures
    from schafkopf import plots as plots
    from schafkopf import report as report
else:

    def __getattr__(name: str) -> Any:
        """Load a module when it is named; say where a name that stood here has gone."""
        if name in _LOADED_WHEN_NAMED:
            return importlib.import_module(f"schafkopf.{name}")
        if name in FORMER:
            module, new_name = FORMER[name]
            warnings.warn(
                f"schafkopf.{name} is schafkopf.{module}.{new_name} now; the old name goes with "
                "version 0.2",
                DeprecationWarning,
                stacklevel=2,
            )
            return getattr(globals()[module], new_name)
        places = [f"{module.__name__}.{name}" for module in _BY_SUBJECT if name in module.__all__]
        if name in _BESIDE:
            places.append(f"schafkopf.{_BESIDE[name]}.{name}")
        known = [*__dir__(), *_BESIDE, *(one for module in _BY_SUBJECT for one in module.__all__)]
        hint = f"; there is {' and '.join(places)}" if places else _nearest_hint(name, known)
        raise AttributeError(f"module 'schafkopf' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    modules = (module.__name__.rpartition(".")[2] for module in _BY_SUBJECT)
    return sorted([*__all__, *modules, *_LOADED_WHEN_NAMED])
