"""Runs of training that end in a second."""

SMALL = {
    "games_per_update": 64, "minibatch": 256, "width": 32, "workers": 1, "eval_minutes": 0,
    "time_limit_minutes": 0,
}  # fmt: skip


def as_options(values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
