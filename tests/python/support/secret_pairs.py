"""Two deals that a seat cannot tell apart, and what each adapter shows it of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import schafkopf

KONTRA = {"preset": "official_1989_full", "legen": "free"}
THREE = {"preset": "research", "players": 3, "deck": "short24"}
CLAIMS = [schafkopf.actions.parse_action(name) for name in ("CLAIM_REST", "CONCEDE_REST")]
RULES = ["research", "official_1989", KONTRA, THREE]


def exchanged(hands, seat, known, rng):
    """Exchange cards of the other seats that `seat` has not seen; None where there are none."""
    hands = [list(hand) for hand in hands]
    others = [other for other in range(len(hands)) if other != seat]
    for _ in range(rng.integers(1, 3)):
        one, two = rng.choice(others, 2, replace=False)
        here = [i for i, card in enumerate(hands[one]) if card not in known]
        there = [i for i, card in enumerate(hands[two]) if card not in known]
        if not here or not there:
            return None
        i, j = rng.choice(here), rng.choice(there)
        hands[one][i], hands[two][j] = hands[two][j], hands[one][i]
    return hands


class Pair:
    """Two deals and the actions of both, up to a decision of `seat` that sees the same in both."""

    def __init__(self, rules, deals, actions, seat):
        self.rules, self.deals, self.actions, self.seat = rules, deals, actions, seat


def random_game(rules, rng):
    """Return a deal and its actions (seat, action), most of them no announcement or a call."""
    deal = schafkopf.Deal.random(int(rng.integers(2**62)), rules, dealer=0)
    game = schafkopf.Game(rules, deal, dealer=0)
    actions = []
    while not game.is_terminal:
        legal = np.setdiff1d(np.flatnonzero(game.legal_mask()), CLAIMS)
        action = int(rng.choice(legal))
        if game.phase == "AUCTION_ROUND" and rng.random() < 0.5:
            action = int(legal[0])
        actions.append((game.current_player, action))
        game.apply(action)
    return deal, actions


def replayed(rules, deal, actions, seat):
    """Return the views of `seat` before and after every action; None where one is not legal."""
    game = schafkopf.Game(rules, deal, dealer=0)
    views = [game.view(seat).tobytes()]
    for player, action in actions:
        if game.current_player != player or not game.legal_mask()[action]:
            return None
        game.apply(action)
        views.append(game.view(seat).tobytes())
    return views if game.current_player == seat else None


def pair_of(rules, rng, cards):
    """Return a Pair, or None where the hidden cards of a random decision cannot be others.

    cards: the decision comes after the first card, else before it.
    """
    deal, actions = random_game(rules, rng)
    first = next((i for i, (_, action) in enumerate(actions) if action < 32), len(actions))
    low, high = (first + 1, len(actions)) if cards else (0, min(first + 1, len(actions)))
    if low >= high:
        return None
    at = int(rng.integers(low, high))
    seat, played = actions[at][0], {schafkopf.cards.card_name(a) for _, a in actions[:at] if a < 32}
    actions = actions[:at]
    views = replayed(rules, deal, actions, seat)
    for _ in range(8):
        hands = exchanged(deal.hands, seat, played, rng)
        if views is None or hands is None:
            return None
        other = schafkopf.Deal(hands, rules, dealer=0)
        if other != deal and views == replayed(rules, other, actions, seat):
            return Pair(rules, [deal, other], actions, seat)
    return None


def flat(shown):
    """Everything that was shown, as bytes and texts: dicts, lists, arrays, tensors."""
    if isinstance(shown, dict) or hasattr(shown, "items"):
        return [(key, flat(value)) for key, value in sorted(shown.items())]
    if isinstance(shown, list | tuple):
        return [flat(value) for value in shown]
    if isinstance(shown, str | bytes) or shown is None:
        return shown
    return np.asarray(shown).tobytes()


AS_GAME = {"claim_actions": True}  # the views of a batch are then those of Game


class Script:
    """The other seats of a pair: what is written for a view, the first legal action elsewhere."""

    def __init__(self, pair, deal):
        self.answers = {}
        game = schafkopf.Game(pair.rules, deal, dealer=0)
        for seat, action in pair.actions:
            self.answers[game.view(seat).tobytes()] = action
            game.apply(action)

    def act(self, views):
        """Return an action per view."""
        first = schafkopf.legal_mask(views).argmax(axis=1)
        return np.array(
            [
                self.answers.get(view.tobytes(), legal)
                for view, legal in zip(views, first, strict=True)
            ],
            np.int32,
        )


def own(pair):
    """Return the actions of the seat itself."""
    return [action for seat, action in pair.actions if seat == pair.seat]


def of_batch(pair, deal):
    shown = []
    for cards in ("absolute", "canonical"):
        env = schafkopf.VectorEnv(1, rules=pair.rules, deals=[deal], cards=cards)
        env.reset()
        for _, action in pair.actions:
            number = action if cards == "absolute" else canonical(env, action)
            env.step([number])
        shown += [env.observation.copy(), env.action_mask.copy(), env.legal.copy()]
        shown += [env.current_player.copy(), env.rewards.copy()]
    return shown


def canonical(env, action):
    """Return the number of an action as the seat to act counts it."""
    return schafkopf.cards.to_canonical(action, env.card_map_numbers())


def of_pettingzoo(pair, deal):
    from schafkopf.adapters import pettingzoo as adapter

    env = adapter.env(rules=pair.rules, deals=[deal])
    env.reset()
    agent = f"player_{pair.seat}"
    shown = [env.observe(agent)]
    for _, action in pair.actions:
        env.step(action)
        shown += [env.observe(agent), env.infos[agent], env.rewards[agent]]
    return shown


def of_gymnasium(with_mask, pair, deal):
    from schafkopf.adapters.gymnasium import SchafkopfEnv

    env = SchafkopfEnv(
        rules=pair.rules,
        deals=[deal],
        opponent=Script(pair, deal),
        learner_seat=pair.seat,
        **AS_GAME,
        mask_in_observation=with_mask,
    )
    return [env.reset(), *(env.step(action) for action in own(pair)), env.action_masks()]


def of_gymnasium_batch(pair, deal):
    from schafkopf.adapters.gymnasium import SchafkopfVectorEnv

    options = {"rules": pair.rules, "deals": [deal], "learner_seat": pair.seat, **AS_GAME}
    env = SchafkopfVectorEnv(1, opponent=Script(pair, deal), **options)
    shown = [env.reset()]
    for action in own(pair):
        shown.append(flat(env.step(np.array([action]))))  # the next step writes to its arrays
    return shown


def of_stable_baselines(pair, deal):
    from schafkopf.adapters.sb3 import SchafkopfVecEnv

    options = {"rules": pair.rules, "deals": [deal], "learner_seat": pair.seat, **AS_GAME}
    env = SchafkopfVecEnv(1, opponent=Script(pair, deal), **options)
    shown = [env.reset()]
    for action in own(pair):
        shown += [env.step(np.array([action])), env.action_masks()]
    return shown


def of_torchrl(pair, deal):
    import torch

    from schafkopf.adapters.torchrl import SchafkopfEnv

    options = {"rules": pair.rules, "deals": [deal], "learner_seat": pair.seat, **AS_GAME}
    env = SchafkopfEnv(1, opponent=Script(pair, deal), **options)
    state = env.reset()
    shown = [state.to_dict()]
    for action in own(pair):
        state["action"] = torch.tensor([action])
        state = env.step(state)["next"].clone()
        shown.append(state.to_dict())
    return shown


def of_openspiel(pair, deal):
    import pyspiel

    from schafkopf.adapters import openspiel

    assert openspiel  # its import registers the game
    game = pyspiel.load_game("schafkopf", {"rules": "research"})
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    state.table = schafkopf.Game(pair.rules, deal, dealer=0)
    shown = []
    for _, action in [*pair.actions, (pair.seat, None)]:
        seat = pair.seat
        shown += [state.information_state_string(seat), state.information_state_tensor(seat)]
        shown += [state.observation_string(seat), state.observation_tensor(seat)]
        if action is not None:
            state.apply_action(action)
    return [*shown, state.legal_actions()]


def of_rllib(pair, deal):
    from schafkopf.adapters.rllib import SchafkopfEnv

    env = SchafkopfEnv({"rules": pair.rules, "deals": [deal]})
    agent = f"player_{pair.seat}"
    shown = [env.reset()[0].get(agent)]
    for seat, action in pair.actions:
        seen, rewards, *_, infos = env.step({f"player_{seat}": action})
        shown += [seen.get(agent), rewards.get(agent), infos.get(agent)]
    return [*shown, env._seen(agent)]


@dataclass(frozen=True)
class Adapter:
    """What an adapter shows.

    Attributes:
        show: returns it for a pair and one of its deals;  packages: that it needs.
        rules: under which it is asked, None = all of RULES.
    """

    show: Callable[[Pair, Any], Any]
    packages: tuple[str, ...] = ()
    rules: str | None = None


ADAPTERS = {
    "batch": Adapter(of_batch),
    "pettingzoo": Adapter(of_pettingzoo, ("pettingzoo",)),
    "gymnasium": Adapter(partial(of_gymnasium, False), ("gymnasium",)),
    "gymnasium with masks": Adapter(partial(of_gymnasium, True), ("gymnasium",)),
    "batches of gymnasium": Adapter(of_gymnasium_batch, ("gymnasium",)),
    "stable_baselines": Adapter(of_stable_baselines, ("stable_baselines3",)),
    "torchrl": Adapter(of_torchrl, ("torch", "torchrl")),
    "openspiel": Adapter(of_openspiel, ("pyspiel",), "research"),
    "rllib": Adapter(of_rllib, ("ray.rllib",)),
}


def random_pairs(count: int, seed: int | list[int]) -> Iterator[Pair]:
    """Give so many pairs, half of them in card play."""
    rng, found = np.random.default_rng(seed), 0
    while found < count:
        pair = pair_of(RULES[found // 2 % len(RULES)], rng, cards=found % 2 == 1)
        if pair:
            found += 1
            yield pair


def check(adapter: Adapter, pair: Pair) -> bool:
    """See that an adapter shows the same of both deals, and something; whether it was asked."""
    if adapter.rules not in (None, pair.rules):
        return False
    one, other = (flat(adapter.show(pair, deal)) for deal in pair.deals)
    assert one, "nothing was shown"
    assert one == other, (pair.rules, pair.seat, pair.actions, [d.hands for d in pair.deals])
    return True
