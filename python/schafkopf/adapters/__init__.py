"""The environments under the names of other projects, one module each.

`gymnasium` has one seat against players of the registry, as an Env and as a VectorEnv; `pettingzoo`
all seats in turn; `openspiel` registers a deal and an endgame with pyspiel; `torchrl` N tables as a
batched EnvBase; `sb3` N tables as a VecEnv with masks; `rllib` all seats as a MultiAgentEnv; `pgx`
deals as states of JAX; `torch` datasets for its loaders; `minari` datasets as its episodes;
`conformance` checks vector environments of anybody. Each module needs its package, an extra of the
same name: pip install '.[pettingzoo]' in the source tree, pip install pettingzoo in the .venv of
./run. They rename what VectorEnv and Game do and add no rule.
"""
