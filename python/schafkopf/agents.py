"""Players by name: making them, which there are, and what the rule agent thinks."""

from schafkopf._core import Agent, agent_names, explain, generator_names, make_agent, maxims

__all__ = ["Agent", "agent_names", "explain", "generator_names", "make_agent", "maxims"]
