"""The loop that one writes first: masked policy gradient (REINFORCE) on VectorEnv, card play alone.

One network plays all seats against itself: from the observation of the seat to act it draws a legal
card. The last card of a seat is paid what the seat got for the deal, each earlier one `trust` of
what the next one was paid, the rest by what the network expected there (needs torch; --help).
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

import schafkopf

GAME = {"start": "card_play", "generator": "heuristic", "cards": "canonical", "skip_forced": True}
COLUMNS = schafkopf.observation_sections()["rules"].start  # all games have the same rules


class Net(nn.Module):
    """Logits of the 128 actions, and the payoff / 50 that it expects (the baseline)."""

    def __init__(self, width=128):
        super().__init__()
        layers = nn.Linear(COLUMNS, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        self.layers = nn.Sequential(*layers, nn.Linear(width, schafkopf.NUM_ACTIONS + 1))

    def forward(self, observation):
        columns = self.layers(torch.as_tensor(observation[:, :COLUMNS]))
        return columns[:, :-1], columns[:, -1]

    @torch.no_grad()
    def act(self, views):
        """Return the most likely actions: with this method the network is a player."""
        logits = self(schafkopf.encode(views, cards="canonical"))[0].numpy()
        logits[schafkopf.legal_mask(views, cards="canonical") == 0] = -np.inf
        return schafkopf.cards.from_canonical(logits.argmax(axis=1), views["order"]["card_map"])


def train(seed, seconds=90.0, updates=10**9, num_envs=128, steps=64, trust=0.3):
    torch.manual_seed(seed)
    env = schafkopf.VectorEnv(num_envs, seed=seed, auto_reset="same_step", **GAME)
    env.reset()
    net, rows, rng = Net(), np.arange(num_envs), np.random.default_rng(seed)
    optimizer, end = torch.optim.Adam(net.parameters(), lr=2e-3), time.process_time() + seconds
    while (updates := updates - 1) >= 0 and time.process_time() < end:
        seen = []
        for _ in range(steps):
            before = env.observation.copy(), env.action_mask.copy(), env.current_player.copy()
            logits, value = (tensor.detach().numpy() for tensor in net(before[0]))
            env.step(action := schafkopf.sample(logits, env.legal, rng))
            seen.append((*before, action, value, env.rewards.copy(), env.terminated.copy()))
        *decisions, seat, action, value, rewards, ended = map(np.stack, zip(*seen, strict=True))
        paid, payoffs = np.zeros_like(value), np.full((num_envs, 4), np.nan)
        for t in reversed(range(steps)):  # from the end of a deal back to its first card
            payoffs = np.where(ended[t, :, None], rewards[t] / 50, payoffs)
            paid[t] = payoffs[rows, seat[t]]
            payoffs[rows, seat[t]] = trust * paid[t] + (1 - trust) * value[t]
        known = ~np.isnan(paid)  # the deal ended within these steps
        better = (paid - value) / (paid - value)[known].std()
        columns = [torch.as_tensor(a[known]) for a in (*decisions, action, paid, better)]
        for part in torch.randperm(known.sum()).split(2048):
            observation, mask, action, target, advantage = (column[part] for column in columns)
            logits, expected = net(observation)
            policy = torch.distributions.Categorical(logits=logits.masked_fill(mask == 0, -1e9))
            wanted = advantage * policy.log_prob(action) + 0.01 * policy.entropy()
            loss = (0.5 * (target - expected) ** 2 - wanted).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=90, help="of CPU time (default 90)")
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    players = {"net": train(**vars(parser.parse_args())), "random": "random"}
    print(schafkopf.tournament(players, blocks=1000)["text"])  # points per game, 95 % intervals
