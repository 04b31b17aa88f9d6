"""Players by name: making them, which there are, and what the rule agent thinks.

agent_names and generator_names (who declares what, for start="card_play") give a dict for each:
name, description, parameters (a text such as "noise=0.2: share of ..." for each) and
sees_hidden_hands. Of rule sets rules.preset_names gives the names alone.

>>> import schafkopf
>>> [row["name"] for row in schafkopf.agents.generator_names()]
['heuristic', 'mixed']
"""

from schafkopf._core import Agent, agent_names, explain, generator_names, make_agent, maxims

__all__ = ["Agent", "agent_names", "explain", "generator_names", "make_agent", "maxims"]
