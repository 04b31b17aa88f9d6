"""Style of the reports: colours for light and dark screens, and what narrow ones do."""

from __future__ import annotations

SERIES = 8  # colours of players in charts: classes s0, s1, ...

# Every colour of a page is one of these variables. Text has a contrast of 4.5 and more to what it
# stands on, marks of charts 3 to the page; `win` and `lose` are the strongest shades of a cell,
# red green blue, because cells mix them with the card by their opacity.
LIGHT_COLOURS = """
  --page: #fbfbfa; --card: #ffffff; --head: #f3f5f8; --line: #d9dee6; --grid: #e3e7ed;
  --ink: #1c2430; --soft: #5b6675; --axis: #7f8a99; --win: 122 172 222; --lose: 244 178 116;
  --s0: #2b6cb0; --s1: #c06c14; --s2: #2f837b; --s3: #b0417f; --s4: #7a5fb5; --s5: #7b7e22;
  --s6: #5c6f82; --s7: #a0522d;
"""
DARK_COLOURS = """
  --page: #14181e; --card: #1b2129; --head: #242c36; --line: #39424f; --grid: #2c343f;
  --ink: #e4e9f0; --soft: #a3aebd; --axis: #7d8896; --win: 32 84 136; --lose: 128 70 18;
  --s0: #6aa9ee; --s1: #f0a35a; --s2: #58bdb2; --s3: #e07bb3; --s4: #a993e6; --s5: #bcc05a;
  --s6: #93a8bd; --s7: #d98a63;
"""

# Tables are wider than a telephone: each scrolls in a box of its own, and the names of its rows
# stay. Charts shrink.
_RULES = """
body { font: 15px/1.55 system-ui, "Segoe UI", sans-serif; margin: 0; color: var(--ink);
  background: var(--page); overflow-wrap: anywhere; }
main { max-width: 66em; margin: 0 auto; padding: 1.5em 1.2em 4em; }
h1 { font-size: 1.7em; margin: .6em 0 .2em; } h2 { font-size: 1.3em; margin: 2em 0 .3em; }
h3 { font-size: 1.05em; margin: 1.8em 0 .2em; }
p { margin: .3em 0 .8em; max-width: 46em; } .soft, small { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: .4em 1.6em; margin: .6em 0 1em; padding: .7em 1em;
  background: var(--card); border: 1px solid var(--line); border-radius: .5em; }
.facts strong { font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: separate; border-spacing: 0; margin: .6em 0 1em; font-size: .94em;
  background: var(--card); border: solid var(--line); border-width: 1px 0 0 1px;
  overflow-wrap: normal; }
th, td { border: solid var(--line); border-width: 0 1px 1px 0; padding: .3em .65em;
  text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.text, thead th { white-space: normal; } td.text { min-width: 24em; }
th { font-weight: 600; background: var(--head); } th:first-child, td.text { text-align: left; }
th:first-child { position: sticky; left: 0; }
td.heat, td.heat small { color: var(--ink); }
.chart { max-width: 30em; margin: .4em 0 .3em; } .chart.square { max-width: 27em; }
.curves { display: grid; gap: .6em 1.6em; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24em), 1fr)); }
.chart svg { width: 100%; height: auto; display: block; }
.chart svg text { font-family: system-ui, "Segoe UI", sans-serif; }
details { margin: 0 0 1em; } summary { color: var(--soft); cursor: pointer; }
a { color: var(--s0); } code { font: .94em ui-monospace, monospace; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5em;
  padding: .7em 1em; margin: .4em 0 .9em; white-space: pre-wrap; }
.links a { display: inline-block; margin-right: 1.2em; padding: .25em 0; }
li { margin: .25em 0; }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 50%; margin: 0 .35em 0 0;
  background: currentColor; }
.legend span { display: inline-block; margin-right: 1.4em; }
@media (max-width: 600px) {
  main { padding: .5em .9em 3em; } h1 { font-size: 1.4em; }
  tr > th:first-child { white-space: normal; min-width: 7.5em; max-width: 10em;
    overflow-wrap: anywhere; }
  td.text { min-width: 15em; }
}
"""

_SERIES_RULES = " ".join(f".s{i} {{ color: var(--s{i}); }}" for i in range(SERIES))


def scheme(light: str, dark: str) -> str:
    """Return rules that set variables for light and for dark screens."""
    return (
        f":root {{ color-scheme: light dark;{light}}}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{{dark}}} }}"
    )


STYLE = f"{scheme(LIGHT_COLOURS, DARK_COLOURS)}{_RULES}{_SERIES_RULES}\n"
