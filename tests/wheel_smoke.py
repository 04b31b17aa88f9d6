"""What a wheel must do where it is installed: run by tests/wheels.py, far from the source tree.

Usage: python -I wheel_smoke.py VERSION. Prints one JSON line of what was seen; needs NumPy only.
"""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

# Beside the import of NumPy, which it needs, in time of the processor: a slow or busy machine
# changes both alike.
IMPORT_LIMIT = 0.8
IMPORT = """
import sys, time
start = time.process_time()
import numpy
between = time.process_time()
import schafkopf
end = time.process_time()
assert "torch" not in sys.modules and "gymnasium" not in sys.modules
print((end - between) / (between - start))
"""


def python(*arguments: str, typed: str = "") -> str:
    """Run this interpreter on its own and return what it printed."""
    command = [sys.executable, "-I", *arguments]
    done = subprocess.run(command, input=typed, capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def played_points() -> list[int]:
    """Play a deal with the shipped network and return the payoffs."""
    import schafkopf

    player = schafkopf.make_agent("net:baseline")
    game = schafkopf.Game(seed=1)
    while not game.is_terminal:
        game.apply(int(player.act(game.view(game.current_player))[0]))
    return [int(points) for points in game.payoffs()]


def stepped_deals() -> int:
    """Take 50 random steps of 256 games and return how many deals ended."""
    import numpy as np

    import schafkopf

    env, rng = schafkopf.VectorEnv(256, seed=1), np.random.default_rng(1)
    env.reset()
    for _ in range(50):
        mask = env.action_mask
        assert mask is not None
        env.step(np.argmax(rng.random(mask.shape) * mask, axis=1))
    return int(env.num_deals)


def page_size() -> int:
    """Leave a deal played by hand, show it as a page and return how many characters that has.

    Its words, style and script are files of the package that no import reads.
    """
    table = ["--agents", "rules", "--seed", "1", "--fast", "--out", "evening.jsonl"]
    python("-m", "schafkopf", "play", *table, typed="quit\n")
    player = ["--player", "net:baseline", "--solver"]
    python("-m", "schafkopf", "replay", "evening.jsonl", "--html", "evening.html", *player)
    replay = Path("evening.html").read_text(encoding="utf-8")
    assert "<script" in replay and "<style" in replay
    return len(replay)


def refused_without(extra: str, *command: str) -> None:
    """See that a command whose packages are missing says which extra has them."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "schafkopf", *command], capture_output=True, text=True
    )
    assert done.returncode and f"schafkopf[{extra}]" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr


def main() -> None:
    version = sys.argv[1]
    import schafkopf

    assert schafkopf.__version__ == importlib.metadata.version("schafkopf") == version
    folder = Path(schafkopf.__file__).parent
    assert "site-packages" in folder.parts, folder
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()
    licences = [str(p) for p in importlib.metadata.files("schafkopf") or [] if "licenses" in str(p)]
    assert any(name.endswith("LICENSE") for name in licences), licences
    share = min(float(python("-c", IMPORT)) for _ in range(5))
    assert share < IMPORT_LIMIT, f"import schafkopf takes {share:.2f} of NumPy's time"
    payoffs, deals = played_points(), stepped_deals()
    assert sum(payoffs) == 0 and deals > 0
    command = Path(sys.executable).with_name("schafkopf")
    said = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    assert "tournament" in said
    table = python("-m", "schafkopf", "tournament", "--agents", "rules", "random", "--blocks", "4")
    assert "rules" in table
    shown = page_size()
    refused_without("serve", "serve", "--port", "0")
    refused_without(
        "parquet", "dataset", "write", "--players", "rules", "--games", "4", "--out", "x"
    )
    assert schafkopf.networks.model_card().startswith("# The shipped baseline")
    seen = {"import_of_numpy": round(share, 3), "payoffs": payoffs, "deals": deals}
    print(json.dumps(seen | {"licences": len(licences), "page_characters": shown}))


if __name__ == "__main__":
    main()
