"""Colours of our web pages."""

import re

from schafkopf.report_style import STYLE


def schemes():
    """Return the variables of the light and of the dark scheme."""
    dark = re.search(r"prefers-color-scheme: dark\) \{ :root \{(.*?)\}", STYLE, re.DOTALL)
    light = re.search(r":root \{(.*?)\}", STYLE, re.DOTALL)
    assert light and dark
    return [dict(re.findall(r"--(\w+): ([^;]+);", found[1])) for found in (light, dark)]


def rgb(colour):
    if colour.startswith("#"):
        return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return [int(part) for part in colour.split()]


def luminance(colour):
    parts = [value / 255 for value in rgb(colour)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted(luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)
