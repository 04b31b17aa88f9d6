"""The loop that one writes first: masked policy gradient (REINFORCE) on VectorEnv, card play alone.

    python python/examples/reinforce.py --seconds 90 --seed 1

One network plays all four seats against itself: it sees the observation of the seat to act, draws
a legal card, and every card of a deal is paid what its seat got at the end. Needs torch.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import schafkopf


class Net(nn.Module):
    """Logits of the 128 actions, and the payoff that it expects (the baseline)."""

    def __init__(self, width=128):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(schafkopf.observation_size(), width), nn.ReLU(), nn.Linear(width, width)
        )
        self.logits, self.value = nn.Linear(width, schafkopf.NUM_ACTIONS), nn.Linear(width, 1)

    def forward(self, observation, mask):
        hidden = torch.relu(self.body(torch.as_tensor(observation)))
        logits = self.logits(hidden).masked_fill(torch.as_tensor(mask) == 0, -1e9)
        return Categorical(logits=logits), self.value(hidden)[..., 0]

    @torch.no_grad()
    def act(self, views):
        """Return the most likely actions: with this method the network is a player."""
        return self(schafkopf.encode(views), schafkopf.legal_mask(views))[0].mode.numpy()


def train(seed, seconds=90.0, updates=10**9, num_envs=128, steps=32):
    torch.manual_seed(seed)
    env = schafkopf.VectorEnv(
        num_envs, start="card_play", generator="heuristic", auto_reset="same_step", seed=seed
    )
    env.reset()
    net, rows, end = Net(), np.arange(num_envs), time.monotonic() + seconds
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    while updates > 0 and time.monotonic() < end:
        updates -= 1
        seen = []
        for _ in range(steps):
            before = env.observation.copy(), env.action_mask.copy(), env.current_player.copy()
            with torch.no_grad():
                action = net(*before[:2])[0].sample().numpy()
            env.step(action)
            seen.append((*before, action, env.rewards.copy(), env.terminated.copy()))
        observation, mask, seat, action, rewards, ended = map(np.stack, zip(*seen, strict=True))
        paid, known = np.zeros((steps, num_envs), np.float32), np.zeros((steps, num_envs), bool)
        payoffs, over = np.zeros((num_envs, 4)), np.zeros(num_envs, bool)
        for t in reversed(range(steps)):  # from the end of a deal back to its first card
            payoffs, over = np.where(ended[t, :, None], rewards[t], payoffs), over | ended[t]
            paid[t], known[t] = payoffs[rows, seat[t]] / 50, over
        policy, value = net(observation[known], mask[known])
        advantage = torch.as_tensor(paid[known]) - value
        chosen = policy.log_prob(torch.as_tensor(action[known]))
        loss = 0.5 * (advantage**2).mean() - (chosen * advantage.detach()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=90, help="of training (default 90)")
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    chosen = parser.parse_args()
    players = {"net": train(chosen.seed, chosen.seconds), "random": "random"}
    print(schafkopf.tournament(players, blocks=1000)["text"])  # points per game, 95 % intervals
