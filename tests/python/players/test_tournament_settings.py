"""What a tournament is asked for: files, options, names, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.tournaments import CONFIGS, SMALL, written

import schafkopf
from schafkopf import _core, cli, files, report
from schafkopf.commands.options import AGENTS
from schafkopf.tournaments import named_agents, read_games, run_tournament, toml_value


def test_values_become_toml():
    assert toml_value(["a", {"one": "b", "precision": 0.5}, True]) == (
        '["a", { one = "b", precision = 0.5 }, true]'
    )


WRONG = [
    ("agents=['foo', 'random']", "foo"),
    ("agents=['net:no/such.safetensors', 'random']", r"no/such\.safetensors"),
    ("agents=['rules', 'rules']", "comes twice"),
    ("generator=chaos", "chaos"),
    ("rules=nix.toml", "nix"),
    ("contract_list=no.jsonl", r"contract_list = .*no\.jsonl"),
    ("against=nix", r"against = .nix. is none of the agents, allowed: rules, random"),
    ("pairings=[{one='rules', others='nix'}]", "nix"),
    (
        "pairings=[{one='rules', others='random', prec=1}]",
        r"unknown key .prec., allowed: one, others",
    ),
    ("formats=[]", "formats is empty"),
]


@pytest.mark.parametrize(("setting", "message"), WRONG)
def test_a_wrong_tournament_leaves_nothing_behind(tmp_path, setting, message, capsys):
    out = tmp_path / "runs" / "out"
    with pytest.raises(ValueError, match=message):
        run_tournament(written(tmp_path), settings=[setting], out=out)
    command = ["tournament", str(written(tmp_path)), "--set", setting, "--out", str(out)]
    assert cli.main(command) == 2
    assert "tournament in" not in capsys.readouterr().err
    assert not out.parent.exists()


def test_a_league_day_or_bidding_track_that_cannot_be_played_leaves_nothing(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match="league: 7 players, allowed: multiples of 4"):
        run_tournament(CONFIGS / "league_2024.toml", settings=["players=7"], out=out)
    with pytest.raises(ValueError, match='unknown agent "foo", allowed: '):
        settings = ["track=bidding", "card_player=foo"]
        run_tournament(written(tmp_path), settings=settings, out=out)
    assert not out.exists()


def test_options_change_a_file(tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--blocks", "5", "--track", "full", "--seed", "8", "--threads", "1"]
    options += ["--rules", "official_1989", "--out", str(out)]
    assert cli.main(["tournament", str(written(tmp_path)), *options]) == 0
    result = json.loads((out / "result.json").read_text())
    assert (result["blocks"], result["track"], result["seed"]) == (5, "full", 8)
    assert result["rules"] == "official_1989"
    captured = capsys.readouterr()
    assert "5 blocks" in captured.out and f"tournament in {out}" in captured.err


@pytest.mark.parametrize(
    ("one", "other", "meant"),
    [
        ("rules", "rules:version=3", "rules:version=3"),
        ("ismcts", "ismcts:exploration=0.7,seed=0", "ismcts:iterations=2000"),
        ("net:baseline", "net:path=baseline,greedy=true", "net:baseline"),
    ],
)
def test_one_player_in_two_spellings_is_refused_unless_it_is_named_twice(one, other, meant):
    said = f'"{one}" and "{other}" are the same player, "{meant}"; equal players need names '
    with pytest.raises(ValueError, match=re.escape(said)):
        schafkopf.tournament([one, "random", other], blocks=2)
    assert len(named_agents({"a": one, "b": other})) == 2
    assert len(named_agents([one, "random"])) == 2


def test_wrong_files_and_folders_are_named(tmp_path, capsys):
    def error_of(*arguments):
        assert cli.main(["tournament", *map(str, arguments)]) == 2
        return capsys.readouterr().err

    latin = tmp_path / "latin.toml"
    latin.write_bytes("# für\n".encode("latin-1"))
    assert f"{latin}: no UTF-8" in error_of(latin)
    assert f"{tmp_path} is no folder of a tournament" in error_of("--resume", tmp_path)
    assert '"rules" comes twice' in error_of("--agents", "rules", "rules")
    with pytest.raises(ValueError, match="the text"):
        schafkopf.tournament("rules")
    out = tmp_path / "out"
    run_tournament(written(tmp_path), out=out)
    (out / "games.journal").unlink()
    (out / "games.journal").mkdir()
    with pytest.raises(RuntimeError, match=r"games\.journal: cannot open"):
        run_tournament(resume=out)
    with pytest.raises(OSError, match=r"cannot read the games .*games\.journal"):
        read_games(out / "games.journal")


def test_the_help_names_every_agent():
    kinds = [agent.split(":")[0] for agent in AGENTS.split(", ")]
    assert kinds == [agent["name"] for agent in _core.agent_names()]


def test_the_readme_has_a_line_for_every_agent():
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    chapter = readme.partition("</a>Players\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| `([\w+]+)[`:]", chapter, re.MULTILINE)
    assert lines == [agent["name"] for agent in _core.agent_names()]


def test_mistakes_in_files_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"small\.toml:5: unknown key .block., allowed: agents"):
        run_tournament(written(tmp_path, SMALL + "block = 4"))
    with pytest.raises(ValueError, match=r"unknown key .blokc.*nearest one is .blocks."):
        schafkopf.tournament(["rules", "random"], blokc=1)
    with pytest.raises(ValueError, match="3v1"):
        schafkopf.tournament(["rules", "random"], formats=["3v1"])
    with pytest.raises(FileNotFoundError):
        run_tournament(tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"settings": "blocks=2"}, 'settings: the text "blocks=2" came, allowed: a list of '),
        ({"agents": ["rules"]}, "agents: list came, allowed: a dict of names to players, None"),
    ],
)
def test_settings_and_agents_beside_a_file_that_are_none_are_named(tmp_path, wrong, message):
    with pytest.raises(ValueError, match=message):
        run_tournament(written(tmp_path), **wrong)


def test_precision_ends_a_pairing_and_pairings_can_be_chosen():
    result = schafkopf.tournament(
        {"rules": "rules", "random": "random", "weak": "rules:random=0.5"},
        blocks=5000,
        against="rules",
        precision=4.0,
        first_check=20,
    )
    assert len(result["pairings"]) == 2
    for pairing in result["pairings"]:
        assert pairing["points"]["half_width"] <= 4.0
        assert pairing["points"]["blocks"] < 5000
    played = sorted(pairing["points"]["blocks"] for pairing in result["pairings"])
    assert played[0] < played[1]
    assert f"{played[0]} to {played[1]} blocks of each pairing" in result["text"]
    assert f"{played[0]:,} to {played[1]:,} of each pairing" in report.to_html([result])
    assert result["one_against_three"][0][1] is None


@pytest.mark.parametrize(
    "spec, name",
    [
        ("net:runs/first/model.safetensors", "net:first/model"),
        ("net:./model.safetensors", "net:model"),
        ("net:runs/a/net.safetensors,temperature=0.5", "net:a/net,temperature=0.5"),
        ('net:"runs/a,b/net.safetensors",greedy=false', "net:a,b/net,greedy=false"),
        ("net+endgame:model.safetensors", "net+endgame:model.safetensors"),
        ("engine:./lowest.sh", "engine:./lowest.sh"),
        ("engine:perl examples/highest.pl --fast", "engine:perl examples/highest.pl --fast"),
    ],
)
def test_networks_have_a_short_name_and_programs_are_called_as_they_were_asked_for(spec, name):
    assert list(schafkopf.tournaments.named_agents([spec, "random"])) == [name, "random"]


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.toml")), ids=lambda file: file.stem)
def test_comments_of_a_shipped_file_name_every_value_that_a_key_may_have(file):
    named = {row["key"]: row["allowed"] for row in _core.tournament_fields() if row["names"]}
    text = file.read_text(encoding="utf-8")
    lines = re.findall(r"^# [^\n]*\[([^\]\n]*)\]\n(\w+) = ", text, re.MULTILINE)
    told = {key: allowed for allowed, key in lines if key in named}
    keys = set(re.findall(r"^(\w+) = ", text, re.MULTILINE))
    assert told == {key: named[key] for key in named.keys() & keys}
    assert told or file.stem == "baseline", "none of the keys is looked at"


def test_a_configuration_that_does_not_fit_its_games_is_named(tmp_path, capsys):
    (tmp_path / "a.toml").write_text('agents = ["rules", "random"]\nblocks = 2\nseed = 7\n')
    out = tmp_path / "out"
    assert cli.main(["tournament", str(tmp_path / "a.toml"), "--out", str(out)]) == 0
    config = out / "config.toml"
    text = config.read_text().rpartition(files.SEAL)[0]
    config.write_text(files.sealed(text.replace("seed = 7", "seed = 8")))
    capsys.readouterr()
    assert cli.main(["tournament", "--resume", str(out)]) == 2
    (first, *_) = [line for line in capsys.readouterr().err.splitlines() if "schafkopf: " in line]
    assert f"{config}: it does not fit its games: " in first and "games.journal" in first


def test_more_pairings_than_a_game_can_name_are_refused():
    agents = {f"a{i}": "random" for i in range(255)}
    with pytest.raises(ValueError, match="pairings, allowed: at most 65535"):
        schafkopf.tournament(agents, formats=["1v3", "declarer"], blocks=1, track="card_play")


def test_agents_may_come_from_an_iterator():
    result = schafkopf.tournament(iter(["random", "rules"]), blocks=1)
    assert [agent["name"] for agent in result["agents"]] == ["random", "rules"]


def test_names_that_settings_use_stay_those_of_the_call(tmp_path):
    how = {"formats": ["1v3"], "blocks": 1, "journal": str(tmp_path / "games")}
    schafkopf.tournament(["pimc:1", "random"], **how)
    with pytest.raises(ValueError, match="another tournament"):
        schafkopf.tournament(
            ["pimc:worlds=1", "random"], **how, resume=True, against="pimc:worlds=1"
        )
