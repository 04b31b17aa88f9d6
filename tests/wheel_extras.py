"""Try what each extra of the package installs, in environments with nothing but a wheel and extras.

Usage: python tests/wheel_extras.py WHEEL [EXTRA...]  (default: every extra of pyproject.toml)

pip resolves and installs `schafkopf[EXTRA]` in a fresh environment; then PARTS does with it what
the extra is for. `./run wheel` does not call it, since it downloads a lot. SCHAFKOPF_TORCH names a
folder with torch and what it needs, for machines that shall not download that again for each extra.
Prints a JSON line for each extra; exit code 1 where one fails.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from wheels import ALONE, ROOT, call

GAMES = """
from schafkopf import datasets
games = datasets.write_dataset("games", players="rules", games=16, store=["views"])
"""
# extra -> what must work where it is installed; the working folder is empty and goes away
PARTS = {
    "plots": """
import schafkopf
result = schafkopf.tournament(["rules", "random"], blocks=4)
page = schafkopf.report.to_html([result])
assert "<svg" in page
""",
    "parquet": GAMES + "assert games.arrays(columns=['payoffs'])['payoffs'].shape == (16, 4)",
    "serve": """
import http.client, re, subprocess, sys
command = [sys.executable, "-m", "schafkopf", "serve", "--port", "0", "--fast", "--seed", "1"]
table = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
said = ""
while not re.search(r"http://[^/]+:\\d+/", said):
    line = table.stdout.readline()
    assert line, said
    said += line
host, path = re.search(r"http://([^/\\s]+)(\\S*)", said).groups()
connection = http.client.HTTPConnection(host, timeout=20)
connection.request("GET", path.split("#")[0] or "/")
answer = connection.getresponse()
page = answer.read().decode()
assert answer.status == 200 and "<script" in page and "<style" in page, (answer.status, page[:300])
table.terminate()
table.wait(20)
""",
    "ray": """
import ray
from schafkopf import datasets
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
games = datasets.write_dataset("games", players="rules", games=16, ray=True)
assert games.arrays(columns=["payoffs"])["payoffs"].shape == (16, 4)
""",
    "gymnasium": """
import gymnasium, schafkopf.adapters.gymnasium
env = gymnasium.make("Schafkopf-v0", opponent="rules", learner_seat=0)
observation, info = env.reset(seed=1)
env.step(env.action_space.sample(info["action_mask"]))
""",
    "torch": """
import torch, schafkopf
module = schafkopf.load_torch("baseline")
env = schafkopf.VectorEnv(4, cards="canonical", arrays="torch",
                          observation_version=module.observation_version)
env.reset()
logits, values = module(env.observation)
assert logits.shape == (4, 128)
""",
    "tensorboard": """
from schafkopf.training import tensorboard_writer
writer = tensorboard_writer()("events")
writer.add_scalar("eval/mean", 1.0, 1)
writer.close()
from pathlib import Path
assert list(Path("events").iterdir())
""",
    "pettingzoo": """
from schafkopf.adapters import pettingzoo as tables
env = tables.env(render_mode="ansi")
env.reset(seed=1)
observation = env.last()[0]
env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
""",
    "torchrl": """
from schafkopf.adapters.torchrl import SchafkopfEnv
rollout = SchafkopfEnv(4, opponent="rules").rollout(3, break_when_any_done=False)
assert rollout["action_mask"].shape == (4, 3, 128)
""",
    "rllib": """
from schafkopf.adapters.rllib import SchafkopfEnv
env = SchafkopfEnv({})
((agent, shown),) = env.reset(seed=1)[0].items()
env.step({agent: int(shown["action_mask"].argmax())})
from ray.rllib.algorithms.ppo import PPOConfig
PPOConfig().environment(SchafkopfEnv)
""",
    "sb3": """
from sb3_contrib import MaskablePPO
from schafkopf.adapters.sb3 import SchafkopfVecEnv
MaskablePPO("MlpPolicy", SchafkopfVecEnv(4, opponent="random"), n_steps=8, batch_size=8).learn(32)
""",
    "openspiel": """
import pyspiel, schafkopf.adapters.openspiel
state = pyspiel.load_game("schafkopf(rules=research,rng_seed=1)").new_initial_state()
state.apply_action(0)
assert state.legal_actions()
""",
    "pgx": """
import jax
from schafkopf.adapters.pgx import SchafkopfEnv
env = SchafkopfEnv()
state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), 4))
state = jax.jit(jax.vmap(env.step))(state, state.legal_action_mask.argmax(1))
assert state.observation.shape == (4, 736)
""",
    "minari": GAMES + """
import os
os.environ["MINARI_DATASETS_PATH"] = os.path.abspath("minari")
import minari
from schafkopf.adapters.minari import export_minari
export_minari(games, "schafkopf/rules-v0", author="Zenzi", licence="CC0-1.0")
assert len(minari.load_dataset("schafkopf/rules-v0")) == 64
""",
}  # fmt: skip


def extras() -> list[str]:
    """Return the extras of pyproject.toml in its order."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.split("[project.optional-dependencies]", 1)[1].split("\n[", 1)[0]
    return re.findall(r"^(\w+) = ", section, re.MULTILINE)


def ran(*command: str | Path, cwd: str) -> tuple[bool, str]:
    """Run a command; return whether it worked, and what it printed."""
    environment = os.environ | ALONE
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def tried(wheel: Path, extra: str) -> dict[str, object]:
    """Install a wheel with one extra where nothing else is, and do what the extra is for."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "clean"
        call(sys.executable, "-m", "venv", "--without-pip", folder, env=ALONE)
        python = folder / "bin" / "python"
        if "SCHAFKOPF_TORCH" in os.environ:
            code = "import sysconfig; print(sysconfig.get_path('purelib'))"
            site = Path(call(python, "-c", code, env=ALONE).strip())
            (site / "torch.pth").write_text(os.environ["SCHAFKOPF_TORCH"] + "\n")
        pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile")
        wanted = f"schafkopf[{extra}] @ {wheel.resolve().as_uri()}"
        installed, said = ran(*pip, "--disable-pip-version-check", wanted, cwd=name)
        if installed:
            worked, said = ran(python, "-W", "ignore", "-c", PARTS[extra], cwd=name)
        seconds = round(time.monotonic() - start)
    seen: dict[str, object] = {"extra": extra, "installed": installed, "s": seconds}
    seen["works"] = installed and worked
    if not seen["works"]:
        seen["said"] = said[-1500:]
    return seen


def main(arguments: Sequence[str]) -> int:
    if not arguments or not Path(arguments[0]).is_file():
        sys.exit(f"wheel_extras: {arguments[:1]}, allowed: the file of a wheel, then extras")
    wrong = [extra for extra in arguments[1:] if extra not in PARTS]
    if wrong:
        sys.exit(f"wheel_extras: {', '.join(wrong)}, allowed: {', '.join(PARTS)}")
    failed = False
    for extra in arguments[1:] or extras():
        seen = tried(Path(arguments[0]), extra)
        print(json.dumps(seen), flush=True)
        failed = failed or not seen["works"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
