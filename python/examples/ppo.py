"""PPO in one file, in the manner of CleanRL: one seat of N tables, the others play by name.

    python python/examples/ppo.py --opponent random --total-timesteps 2000000
    python python/examples/ppo.py --help

The learner sits on seat 0 and plays the cards of contracts that the rule agent bid. At the end it
plays a duplicate tournament against the opponent. Needs torch.
"""

from __future__ import annotations

import argparse
import inspect
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import schafkopf


@dataclass
class Args:
    seed: int = 1
    """of the deals, the network and the actions"""
    opponent: str = "random"
    """player on the other three seats"""
    rules: str = "research"
    """preset of house rules, or a .toml file"""
    start: str = "card_play"
    """deal: the learner bids too; card_play: the rule agent bid for everybody"""
    total_timesteps: int = 2_000_000
    """decisions of the learner"""
    learning_rate: float = 1e-3
    """of Adam, at the beginning; it falls to 0"""
    num_envs: int = 256
    """tables that are played at once"""
    num_steps: int = 16
    """decisions of a table between two updates"""
    gamma: float = 1.0
    """discount per decision"""
    gae_lambda: float = 0.95
    """lambda of the generalised advantage estimate"""
    num_minibatches: int = 4
    """parts that a batch is learned in"""
    update_epochs: int = 4
    """times that a batch is learned"""
    clip_coef: float = 0.2
    """bound of the change of a probability"""
    ent_coef: float = 0.01
    """weight of the entropy"""
    vf_coef: float = 0.5
    """weight of the loss of the value"""
    max_grad_norm: float = 0.5
    """bound of the gradient"""
    reward_scale: float = 0.02
    """rewards are payoffs in tariff units times this"""
    width: int = 128
    """units of both hidden layers"""
    blocks: int = 1000
    """deals of the tournament at the end, 0: none"""


def layer_init(layer: nn.Linear, std: float = 2**0.5) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, 0.0)
    return layer


class Agent(nn.Module):
    """Actor and critic on the same two layers; `act` makes it a player of schafkopf.tournament."""

    def __init__(self, width: int, rules: str = "research") -> None:
        super().__init__()
        self.rules = rules
        self.trunk = nn.Sequential(
            layer_init(nn.Linear(schafkopf.observations.observation_size(), width)),
            nn.Tanh(),
            layer_init(nn.Linear(width, width)),
            nn.Tanh(),
        )
        self.actor = layer_init(nn.Linear(width, schafkopf.NUM_ACTIONS), 0.01)
        self.critic = layer_init(nn.Linear(width, 1), 1.0)

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor
    ) -> tuple[Categorical, torch.Tensor]:
        """Return probabilities of the legal actions (`mask` is 1 on these), and values [...]."""
        hidden = self.trunk(observation)
        logits = self.actor(hidden).masked_fill(mask == 0, -1e9)
        return Categorical(logits=logits), self.critic(hidden)[..., 0]

    @torch.no_grad()
    def act(self, views: Any) -> np.ndarray:
        """Return the most likely actions int64 [B] for views [B]."""
        observation = torch.from_numpy(schafkopf.encode(views, self.rules))
        mask = torch.from_numpy(schafkopf.legal_mask(views))
        return self(observation, mask)[0].mode.numpy()


class Rollout:
    """What `num_steps` decisions of each table saw and did, as tensors [num_steps, N, ...]."""

    def __init__(self, args: Args) -> None:
        size = (args.num_steps, args.num_envs)
        self.observations = torch.zeros(*size, schafkopf.observations.observation_size())
        self.masks = torch.zeros(*size, schafkopf.NUM_ACTIONS, dtype=torch.uint8)
        self.actions = torch.zeros(size, dtype=torch.int64)
        self.logprobs, self.values, self.rewards, self.ends = (torch.zeros(size) for _ in range(4))

    @torch.no_grad()
    def collect(self, env: schafkopf.VectorEnv, agent: Agent, scale: float) -> list[float]:
        """Play; return the payoffs in tariff units of the deals that ended."""
        payoffs: list[float] = []
        for step in range(len(self.actions)):
            # Copies: the arrays of the environment show the next state after its step.
            self.observations[step] = torch.from_numpy(env.observation)
            self.masks[step] = torch.from_numpy(env.action_mask)
            policy, self.values[step] = agent(self.observations[step], self.masks[step])
            self.actions[step] = policy.sample()
            self.logprobs[step] = policy.log_prob(self.actions[step])
            _, rewards, terminated, _, _ = env.step(self.actions[step])
            self.rewards[step] = torch.from_numpy(rewards[:, 0]) * scale
            self.ends[step] = torch.from_numpy(terminated)
            payoffs += rewards[terminated, 0].tolist()
        return payoffs

    def advantages(self, last_value: torch.Tensor, gamma: float, lam: float) -> torch.Tensor:
        """Return the generalised advantage estimates [num_steps, N]."""
        out = torch.zeros_like(self.rewards)
        following, after = torch.zeros_like(last_value), last_value
        for step in reversed(range(len(out))):
            goes_on = 1.0 - self.ends[step]
            delta = self.rewards[step] + gamma * goes_on * after - self.values[step]
            out[step] = following = delta + gamma * lam * goes_on * following
            after = self.values[step]
        return out


def update(agent: Agent, optimizer: torch.optim.Adam, seen: Rollout, args: Args, advantages: Any):
    """Learn from a rollout; return (loss of the policy, loss of the value, entropy) of the end."""
    observations, masks = seen.observations.flatten(0, 1), seen.masks.flatten(0, 1)
    actions, old_logprobs = seen.actions.flatten(), seen.logprobs.flatten()
    returns, advantages = (advantages + seen.values).flatten(), advantages.flatten()
    losses = (0.0, 0.0, 0.0)
    for _ in range(args.update_epochs):
        for rows in torch.randperm(len(actions)).tensor_split(args.num_minibatches):
            policy, values = agent(observations[rows], masks[rows])
            ratio = (policy.log_prob(actions[rows]) - old_logprobs[rows]).exp()
            gain = advantages[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
            value_loss = 0.5 * ((values - returns[rows]) ** 2).mean()
            entropy = policy.entropy().mean()
            loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()
            losses = (policy_loss.item(), value_loss.item(), entropy.item())
    return losses


def train(args: Args, report: Callable[[str], object] = print) -> Agent:
    """Return the agent after `total_timesteps`; `report` gets a line every few updates."""
    torch.manual_seed(args.seed)
    env = schafkopf.VectorEnv(
        args.num_envs,
        rules=args.rules,
        seed=args.seed,
        start=args.start,
        generator="heuristic" if args.start == "card_play" else None,
        opponent=args.opponent,
        learner_seat=0,
        auto_reset="same_step",
    )
    env.reset()
    agent, seen = Agent(args.width, args.rules), Rollout(args)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    per_update = args.num_envs * args.num_steps
    updates = max(1, args.total_timesteps // per_update)
    began, payoffs = time.monotonic(), []
    for number in range(updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - number / updates)
        payoffs += seen.collect(env, agent, args.reward_scale)
        with torch.no_grad():
            rows = torch.from_numpy(env.observation), torch.from_numpy(env.action_mask)
            _, last_value = agent(*rows)
        advantages = seen.advantages(last_value, args.gamma, args.gae_lambda)
        policy_loss, value_loss, entropy = update(agent, optimizer, seen, args, advantages)
        if (number + 1) % 20 == 0 or number + 1 == updates:
            steps = (number + 1) * per_update
            gain = f"{np.mean(payoffs):+.2f} points per deal" if payoffs else "no deal has ended"
            report(
                f"{steps:>10,} decisions, {steps / (time.monotonic() - began):,.0f}/s: "
                f"{gain}, losses {policy_loss:+.3f} {value_loss:.3f}, entropy {entropy:.2f}"
            )
            payoffs = []
    return agent


def parsed_args() -> Args:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    said = re.findall(r'^    (\w+): .*\n    """(.*)"""$', inspect.getsource(Args), re.MULTILINE)
    for field, (_, meaning) in zip(fields(Args), said, strict=True):
        flag, default = "--" + field.name.replace("_", "-"), field.default
        words = f"{meaning} (default {default})"
        parser.add_argument(flag, type=type(default), default=default, help=words)
    args = Args(**vars(parser.parse_args()))
    counts = "total_timesteps num_envs num_steps num_minibatches update_epochs width blocks"
    most = {"num_minibatches": max(1, args.num_envs * args.num_steps // 2)}  # of two or more each
    for name in counts.split():
        value, least = getattr(args, name), int(name != "blocks")
        if not least <= value <= most.get(name, value):
            flag = name.replace("_", "-")
            parser.error(f"--{flag} = {value}, allowed: integer {least}..{most.get(name, '')}")
    return args


def main() -> None:
    args = parsed_args()
    agent = train(args)
    if args.blocks:
        track = "full" if args.start == "deal" else "card_play"
        players = {"ppo": agent, args.opponent: args.opponent}
        options: dict[str, Any] = {"blocks": args.blocks, "track": track, "rules": args.rules}
        print(schafkopf.tournament(players, **options)["text"])


if __name__ == "__main__":
    main()
