"""The learners of python/examples learn: after seconds they are above random players.

SCHAFKOPF_TEST_SCALE=long trains reinforce.py for 90 seconds of CPU time with three seeds.
"""

import numpy as np
import pytest
from support.examples import EXAMPLES, LONG, example, gain

import schafkopf

torch = pytest.importorskip("torch", exc_type=ImportError)


@pytest.fixture
def one_thread():
    """The same sums everywhere, and no waiting for a second processor that is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_reinforce_learns(one_thread):
    net = example("reinforce").train(seed=1, updates=20)

    @torch.no_grad()
    def choose(observation, mask):
        return net(observation)[0].masked_fill(torch.from_numpy(mask) == 0, -np.inf).argmax(1)

    mean, half_width = gain(choose, cards="canonical")
    assert mean - half_width > 0.5, f"{mean:+.2f} +- {half_width:.2f} above random"


def test_its_player_plays_a_tournament():
    net = example("reinforce").Net()
    result = schafkopf.tournament({"net": net, "random": "random"}, blocks=2, formats=["1v3"])
    assert "net" in result["text"]


def points_above_random(net, blocks=16000):
    """Return what a player wins per game over one of three random players, in duplicate deals."""
    players, game = {"net": net, "random": "random"}, {"generator": "heuristic", "threads": 1}
    pairing = [{"one": "net", "others": "random"}]
    result = schafkopf.tournament(players, pairings=pairing, blocks=blocks, seed=5, **game)
    return result["difference"][0][1]["mean"]


@pytest.mark.skipif(not LONG, reason="ten minutes: SCHAFKOPF_TEST_SCALE=long")
def test_reinforce_is_four_points_above_random_after_90_seconds(one_thread):
    """90 seconds of CPU time in one thread: half of what 90 seconds on two idle cores have."""
    train = example("reinforce").train
    means = [points_above_random(train(seed=seed, seconds=90)) for seed in (1, 2, 3)]
    error = np.std(means, ddof=1) / np.sqrt(len(means))
    low = np.mean(means) - 4.303 * error  # of Student's t with two degrees of freedom
    print("points above random:", [round(mean, 2) for mean in means], "low", round(low, 2))
    assert np.mean(means) >= 4 and low > 2, means


def test_ppo_learns(one_thread):
    ppo = example("ppo")
    lines = []
    agent = ppo.train(ppo.Args(num_envs=128, total_timesteps=130_000), lines.append)

    @torch.no_grad()
    def choose(observation, mask):
        rows = torch.from_numpy(observation), torch.from_numpy(mask)
        return agent(*rows)[0].mode.numpy()

    mean, half_width = gain(choose)
    print(f"ppo.py: {mean:+.2f} +- {half_width:.2f} above random")
    assert mean - half_width > 0.5, f"{mean:+.2f} +- {half_width:.2f} above random"
    assert "points per deal" in lines[-1]


def test_ppo_estimates_advantages_as_the_sum_of_its_steps():
    ppo = example("ppo")
    seen = ppo.Rollout(ppo.Args(num_envs=1, num_steps=3))
    seen.values[:, 0] = torch.tensor([1.0, 2.0, 3.0])
    seen.rewards[1], seen.ends[1] = 10.0, 1.0  # a deal ends with the second decision
    found = seen.advantages(torch.tensor([7.0]), gamma=1.0, lam=0.5)
    assert found[:, 0].tolist() == [1 + 0.5 * 8, 8.0, 4.0]


def test_ppo_says_what_its_options_mean_and_refuses_what_cannot_learn(monkeypatch, capsys):
    ppo = example("ppo")

    def parsed(*options):
        monkeypatch.setattr("sys.argv", ["ppo.py", *options])
        return ppo.parsed_args()

    with pytest.raises(SystemExit):
        parsed("--help")
    shown = " ".join(capsys.readouterr().out.split())
    assert "player on the other three seats (default random)" in shown
    assert shown.count("(default ") == len(ppo.fields(ppo.Args))
    assert parsed("--num-envs", "4", "--num-steps", "4", "--num-minibatches", "8").num_envs == 4
    for options, said in {
        ("--num-envs", "0"): "--num-envs = 0, allowed: integer 1..",
        ("--width", "-3"): "--width = -3, allowed: integer 1..",
        ("--total-timesteps", "0"): "--total-timesteps = 0, allowed: integer 1..",
        ("--blocks", "-1"): "--blocks = -1, allowed: integer 0..",
        ("--num-envs", "4", "--num-steps", "4", "--num-minibatches", "9"): (
            "--num-minibatches = 9, allowed: integer 1..8"
        ),
    }.items():
        with pytest.raises(SystemExit):
            parsed(*options)
        assert said in capsys.readouterr().err, options
    args = ppo.Args(total_timesteps=26, num_envs=1, num_steps=13, num_minibatches=4, width=8)
    assert all(weight.isfinite().all() for weight in ppo.train(args, lambda _: None).parameters())


def test_ppo_says_where_no_deal_has_ended_yet():
    ppo, lines = example("ppo"), []
    args = ppo.Args(total_timesteps=2, num_envs=1, num_steps=2, num_minibatches=1, width=8)
    ppo.train(args, lines.append)
    assert len(lines) == 1
    assert ": no deal has ended, losses " in lines[0]


def test_maskable_ppo_learns(one_thread):
    pytest.importorskip("sb3_contrib")
    maskable_ppo = example("maskable_ppo")
    model = maskable_ppo.train(total_timesteps=120_000)

    def choose(observation, mask):
        return model.predict(observation, deterministic=True, action_masks=mask.astype(bool))[0]

    mean, half_width = gain(choose)
    print(f"maskable_ppo.py: {mean:+.2f} +- {half_width:.2f} above random")
    assert mean - half_width > 0.5, f"{mean:+.2f} +- {half_width:.2f} above random"
    players = {"ppo": maskable_ppo.Player(model), "random": "random"}
    result = schafkopf.tournament(players, blocks=20, formats=["1v3"], threads=2)
    assert "ppo" in result["text"]


def test_examples_are_as_short_as_they_say():
    for name, most in {"reinforce": 80, "ppo": 250}.items():
        assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) <= most
