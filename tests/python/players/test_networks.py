"""Networks in Python give what the player net:FILE gives, and are written as such players."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

import schafkopf  # noqa: E402
from schafkopf import networks  # noqa: E402

MAPS = schafkopf.cards.card_maps()
# float32 sums of up to 736 terms of size 1 in another order
CLOSE = {"rtol": 1e-4, "atol": 2e-5}
KINDS = [
    ("mlp:24x2", 1, "single"),
    ("mlp:24x1", 3, "half"),
    ("residual:24x2", 1, "half"),
    ("residual:24x1", 2, "single"),
    ("residual:24x3", 3, "single"),
]


def moments(version, count=64):
    """Return an environment with games at all phases, in rows that somebody is to act in."""
    env = schafkopf.VectorEnv(
        count,
        seed=4,
        cards="canonical",
        view_lines=True,
        observation_version=version,
        generated_share=0.5,
        generator="heuristic",
        auto_reset="same_step",
    )
    for row in range(30):  # rows stand at different moments of a deal
        mask = np.arange(count) % 30 >= row
        env.step(env.random_actions())
        if not mask.all():
            env.reset(options={"reset_mask": ~mask & (np.arange(count) % 7 == row % 7)})
    return env


def masked_softmax(logits, mask):
    legal = np.where(mask == 1, logits, -np.inf)
    weights = np.exp(legal - legal.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def by_absolute_card(rows, maps):
    """Move columns of cards from canonical to absolute numbers."""
    moved = rows.copy()
    moved[:, :32] = np.take_along_axis(rows[:, :32], MAPS[maps].astype(np.intp), axis=1)
    return moved


def expect_plays_as(file, network, env):
    """Compare with the C++ player, in probabilities and values."""
    player = schafkopf.make_agent(f"net:{file},greedy=false")
    probabilities, values = player.policy(env.views())
    logits, own_values = network(env.observation)
    own = by_absolute_card(masked_softmax(logits, env.action_mask), env.card_map_numbers())
    np.testing.assert_allclose(own, probabilities, **CLOSE)
    np.testing.assert_allclose(own_values, values, rtol=1e-4, atol=1e-3)  # in tariff units
    assert probabilities.max(axis=1).mean() < 0.999  # rows with a choice


def as_numpy(module):
    def network(observation):
        with torch.no_grad():
            logits, values = module(torch.from_numpy(observation))
        return logits.numpy(), values.numpy()

    return network


@pytest.fixture(autouse=True)
def one_thread():
    """Networks this small wait for threads longer than they compute."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def seeded():
    torch.manual_seed(3)


def random_network(architecture, version, **options):
    module = schafkopf.new_torch(architecture, observation_version=version, **options)
    with torch.no_grad():
        for name, tensor in module.named_parameters():
            if "norm" in name or name.endswith("bias"):
                tensor += 0.3 * torch.randn_like(tensor)
    return module


@pytest.mark.parametrize(("architecture", "version", "precision"), KINDS)
def test_networks_in_python_give_what_the_player_gives(
    architecture, version, precision, tmp_path, seeded
):
    module = random_network(architecture, version)
    file = tmp_path / "mine.safetensors"
    assert schafkopf.save_player(module, file, precision=precision) == f"net:{file}"
    env = moments(version)
    assert len(set(env.phase.tolist())) > 3
    expect_plays_as(file, schafkopf.load_numpy(file), env)
    expect_plays_as(file, as_numpy(schafkopf.load_torch(file)), env)
    if precision == "single":
        expect_plays_as(file, as_numpy(module), env)


def test_the_shipped_network_is_the_same_in_all_three_forms():
    env = moments(schafkopf.load_numpy("baseline").observation_version)
    expect_plays_as("baseline", schafkopf.load_numpy("baseline"), env)
    expect_plays_as("baseline", as_numpy(schafkopf.load_torch("baseline")), env)


@pytest.mark.parametrize("trunk", ["mlp", "residual"])
def test_a_critic_of_its_own_gives_the_values(trunk, tmp_path, seeded):
    shape = random_network(f"{trunk}:16x2", 1).shape
    from schafkopf.torch_network import TorchNetwork

    module = TorchNetwork(shape, value_head=False, critic=(24, 3))
    file = tmp_path / "critic.safetensors"
    schafkopf.save_player(module, file)
    env = moments(1)
    expect_plays_as(file, schafkopf.load_numpy(file), env)
    expect_plays_as(file, as_numpy(schafkopf.load_torch(file)), env)
    alone = TorchNetwork(shape, value_head=False)
    schafkopf.save_player(alone, file)
    assert np.isnan(schafkopf.load_numpy(file)(env.observation)[1]).all()
    assert schafkopf.load_torch(file)(torch.from_numpy(env.observation))[1].isnan().all()


def test_a_new_network_whose_value_head_is_taken_away_is_a_player_without_values(tmp_path):
    module = schafkopf.new_torch("mlp:8x1")
    game = schafkopf.Game(seed=1)
    view = game.view(game.current_player)
    file = tmp_path / "policy.safetensors"
    with_values = schafkopf.make_agent(schafkopf.save_player(module, file))
    chances, values = with_values.policy(view)
    assert np.isfinite(values).all()  # random ones
    module.value = None
    assert copy.deepcopy(module)(torch.zeros(1, 736))[1].isnan().all()
    without = schafkopf.make_agent(schafkopf.save_player(module, file))
    assert np.isnan(without.policy(view)[1]).all()
    np.testing.assert_array_equal(without.policy(view)[0], chances)
    assert schafkopf.load_torch(file).value is None


def test_chosen_sections_and_their_order_are_kept(tmp_path, seeded):
    sections = list(schafkopf.observation_sections(1))
    chosen = [sections[3], sections[0], sections[1]]
    module = random_network("mlp:8x1", 1, input_sections=chosen, value_scale=10.0)
    file = tmp_path / "few.safetensors"
    schafkopf.save_player(module, file)
    again = schafkopf.load_torch(file)
    assert again.shape == module.shape and again.shape.input_sections == chosen
    expect_plays_as(file, as_numpy(again), moments(1))


def test_what_is_written_is_what_was_read(tmp_path, seeded):
    first, second = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    schafkopf.save_player(random_network("residual:8x1", 2), first)
    schafkopf.save_player(schafkopf.load_torch(first), second)
    assert first.read_bytes() == second.read_bytes()
    module = schafkopf.load_torch("baseline")
    assert module.metadata["rules_name"] and module.metadata["rules_hash"]
    schafkopf.save_player(module, first, precision="half", metadata={"note": "mine"})
    assert networks._core.read_network(str(first))[1]["note"] == "mine"
    observation = moments(module.observation_version).observation
    for one, other in zip(
        schafkopf.load_numpy(first)(observation),
        schafkopf.load_numpy("baseline")(observation),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_a_module_trained_in_python_plays_what_it_learned(tmp_path, seeded):
    """Learns the lowest legal action by its number, and plays it as a player of C++."""
    env = moments(1, 512)
    module = schafkopf.new_torch("mlp:64x1")
    observation = torch.from_numpy(env.observation.copy())
    mask = torch.from_numpy(env.action_mask.copy())
    wanted = mask.float().argmax(dim=1)
    optimiser = torch.optim.Adam(module.parameters(), lr=1e-2)
    for _ in range(60):
        logits, _ = module(observation)
        loss = torch.nn.functional.cross_entropy(logits.masked_fill(mask == 0, -1e9), wanted)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    name = schafkopf.save_player(module, tmp_path / "learned.safetensors", precision="half")
    played = env.agent_actions(schafkopf.make_agent(name))
    assert (played == wanted.numpy()).mean() > 0.9


def test_modules_copy_and_pickle(seeded):
    module = random_network("residual:8x1", 1)
    rows = torch.from_numpy(moments(1, 8).observation)
    for again in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(again(rows)[0], module(rows)[0])


def test_rows_of_another_dtype_than_the_parameters_are_told_which_is_read(seeded):
    module = random_network("mlp:8x1", 1)
    rows = torch.zeros(2, module.shape.row_length)
    module.to(torch.float64)
    assert module(rows.double())[0].dtype == torch.float64
    with pytest.raises(
        ValueError, match=r"torch\.float32 \[2, 736\] came, allowed: float64 \[B, 736"
    ):
        module(rows)
    with pytest.raises(
        ValueError, match=r"torch\.float64 \[2, 736\] came, allowed: float32 \[B, 736"
    ):
        module.float()(rows.double())


def test_rows_without_rules_are_read_where_no_rules_are(seeded, tmp_path):
    """Packed rows expand to version 1 without its last section."""
    module = random_network("mlp:8x1", 1)
    rows = moments(1, 8).observation
    short = np.ascontiguousarray(
        rows[:, : schafkopf.observations.observation_sections()["rules"].start]
    )
    assert short.shape[1] < rows.shape[1]
    whole, part = (module(torch.from_numpy(x)) for x in (rows, short))
    assert all(torch.equal(a, b) for a, b in zip(whole, part, strict=True))
    file = tmp_path / "some.safetensors"
    schafkopf.save_player(module, file)
    network = schafkopf.load_numpy(file)
    assert np.array_equal(network(rows)[0], network(short)[0])
    with pytest.raises(ValueError, match=r"allowed: float32 \[B, 736 or 544\]"):
        network(short[:, 1:].copy())


def test_one_piece_of_another_shape_is_refused(tmp_path, seeded):
    module = random_network("mlp:8x1", 1)
    file = tmp_path / "wrong.safetensors"
    for wrong in (np.zeros((3, 5), np.float32), np.zeros(module.shape.row_length, np.float32)):
        with pytest.raises(ValueError, match=r"observation: .* came, allowed: float32 \[B, "):
            schafkopf.load_numpy("baseline")(wrong)
        with pytest.raises(ValueError, match=r"observation: .* came, allowed: float32 \[B, "):
            module(torch.from_numpy(wrong))
    with pytest.raises(ValueError, match="uint8"):
        schafkopf.load_numpy("baseline")(np.zeros((3, 736), np.uint8))
    with pytest.raises(TypeError, match="allowed: a tensor"):
        module(np.zeros((3, module.shape.row_length), np.float32))
    with pytest.raises(TypeError, match="Linear came, allowed: a network of load_torch"):
        schafkopf.save_player(torch.nn.Linear(3, 4), file)
    with pytest.raises(ValueError, match='precision = "double", allowed: single, half'):
        schafkopf.save_player(module, file, precision="double")
    with pytest.raises(TypeError, match='nearest one is "precision"'):
        schafkopf.save_player(module, file, precison="half")
    with torch.no_grad():
        module.policy.bias[3] = float("nan")
    with pytest.raises(ValueError, match=r"policy\.bias"):
        schafkopf.save_player(module, file)
    assert not file.exists()
    with torch.no_grad():
        module.policy.bias[3] = 1e6
    beyond = r"'policy\.bias': element 3 is 1000000\.0, allowed: -65504\.\.65504 .* \"single\""
    with pytest.raises(ValueError, match=beyond):
        schafkopf.save_player(module, file, precision="half")
    assert not file.exists()
    schafkopf.save_player(module, file)
    with torch.no_grad():
        module.policy.bias[3] = 65519  # half precision rounds it down to 65504
    schafkopf.save_player(module, file, precision="half")
    assert schafkopf.load_torch(file).policy.bias[3] == 65504


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"architecture": "resnet:8x1"}, "allowed: 'mlp:<width>x<layers>'"),
        ({"architecture": "mlp:0x1"}, "allowed: 'mlp:<width>x<layers>'"),
        ({"observation_version": 5}, "observation_version = 5, allowed: integer 1..4"),
        ({"input_sections": ["hands"]}, "unknown input section 'hands'"),
        ({"input_sections": 3}, "input_sections = 3, allowed: list of names, None"),
        ({"input_sections": [3]}, "input_sections = [3], allowed: list of names, None"),
        ({"value_scale": 0.0}, "value_scale = 0, allowed: a positive number"),
        ({"value_scale": "50"}, "value_scale = '50', allowed: a positive number"),
        ({"value_scale": None}, "value_scale = None, allowed: a positive number"),
    ],
)
def test_a_network_that_there_is_not_is_refused(arguments, text):
    with pytest.raises(ValueError) as caught:
        schafkopf.new_torch(**arguments)
    assert text in str(caught.value)


@pytest.mark.parametrize("load", [schafkopf.load_numpy, schafkopf.load_torch])
def test_a_file_that_is_no_network_is_refused(load, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.safetensors: .*; allowed: a file, or"):
        load(tmp_path / "nothing.safetensors")
    with pytest.raises(RuntimeError, match="no regular file; allowed: a file, or"):
        load(tmp_path)
    file = tmp_path / "damaged.safetensors"
    schafkopf.save_player(schafkopf.new_torch("mlp:8x1"), file)
    content = bytearray(file.read_bytes())
    content[-5] ^= 1
    file.write_bytes(content)
    with pytest.raises(ValueError, match="checksum"):
        load(file)


@pytest.mark.parametrize("load", [networks.load_numpy, networks.load_torch])
def test_an_empty_path_is_named(load):
    with pytest.raises(ValueError, match='file: "" came, allowed: a file, or "baseline"'):
        load("")
    with pytest.raises(ValueError, match='file: "" came, allowed: the path of a file'):
        networks.save_player(networks.load_torch("baseline"), "")


def test_importing_schafkopf_and_loading_numpy_networks_needs_no_torch():
    code = (
        "import sys; sys.modules['torch'] = None; import schafkopf\n"
        "schafkopf.load_numpy('baseline')\n"
        "for call in (schafkopf.load_torch, schafkopf.new_torch):\n"
        "    try: call('mlp:8x1')\n"
        "    except ModuleNotFoundError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert said.count("pip install 'schafkopf[torch]'") == 2


# MKL ended the process with "FATAL ERROR: Cannot load libtorch_cpu.so".
def test_torch_that_is_loaded_in_a_folder_that_was_removed_is_an_error(tmp_path):
    code = (
        "import os, sys, schafkopf\n"
        "folder = os.getcwd()\n"
        "os.rmdir(folder)\n"
        "batch = lambda _: schafkopf.VectorEnv(2, arrays='torch')\n"
        "for call in (schafkopf.load_torch, schafkopf.new_torch, batch):\n"
        "    try: call('mlp:8x1')\n"
        "    except FileNotFoundError as error: print(error)\n"
        "schafkopf.load_numpy('baseline')\n"
        "os.mkdir(folder); os.chdir(folder); import torch; os.rmdir(folder)\n"
        "schafkopf.new_torch('mlp:8x1')(torch.zeros(2, 736))\n"
    )
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "gone", capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = "the folder one is in was removed, allowed: one that is there (cd)\n"
    assert (done.returncode, done.stdout) == (0, 3 * told), done.stderr


@pytest.mark.parametrize(
    "name", ["lr=0.001", "lr=1,w=8/x", "a,b", "runs/lr=1/x", "baseline", '"', 'a",b="']
)
def test_the_name_of_a_saved_player_is_one_whatever_its_file_is_called(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    module = schafkopf.networks.new_torch("mlp:8x1")
    player = schafkopf.networks.save_player(module, name)
    agent = schafkopf.make_agent(player)
    assert agent.name == player and schafkopf.make_agent(agent.name).name == player
    written = schafkopf.networks.load_numpy(f"./{name}")
    view = schafkopf.Game("research", seed=1).view(0)
    chances = schafkopf.make_agent(f"{player},greedy=false").policy(view)[0]
    logits, _ = written(schafkopf.observations.encode(view))
    legal = np.atleast_2d(chances) > 0
    assert np.allclose(chances, masked_softmax(np.atleast_2d(logits), legal)[0], atol=1e-5)
    searching = player.replace("net:", "net+endgame:", 1)
    assert schafkopf.make_agent(schafkopf.make_agent(searching).name).name.startswith(searching)


def test_metadata_cannot_say_otherwise_what_the_network_is(tmp_path):
    module = schafkopf.networks.new_torch("mlp:8x1")
    for key, text in {"value_scale": "7", "observation_version": "2"}.items():
        with pytest.raises(ValueError, match=f'metadata."{key}". = "{text}", but the network has'):
            schafkopf.networks.save_player(module, tmp_path / "x", metadata={key: text})
    assert not list(tmp_path.iterdir())
    schafkopf.networks.save_player(module, tmp_path / "x", metadata={"run": "7"})
    _, written, _ = schafkopf._core.read_network(str(tmp_path / "x"))
    assert written["run"] == "7" and written["value_scale"] == "50"
    schafkopf.networks.save_player(module, tmp_path / "y", metadata=written)


@pytest.mark.parametrize("metadata", ["note", 5, [1], ["note"]])
def test_metadata_that_are_no_mapping_are_refused_by_their_name(tmp_path, metadata):
    module = schafkopf.networks.new_torch("mlp:8x1")
    with pytest.raises(TypeError, match=r"^metadata = .*, allowed: a mapping of texts to texts$"):
        schafkopf.networks.save_player(module, tmp_path / "x", metadata=metadata)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("metadata", [{"note": "\ud800"}, {"\ud800": "note"}])
def test_metadata_that_utf8_cannot_write_are_named(tmp_path, metadata):
    module = schafkopf.networks.new_torch("mlp:8x1")
    with pytest.raises(ValueError, match=r"^metadata: .*UTF-8 cannot write, allowed: other texts$"):
        schafkopf.networks.save_player(module, tmp_path / "x", metadata=metadata)
    assert not list(tmp_path.iterdir())


def test_a_network_on_the_meta_device_has_nothing_to_save_and_says_so(tmp_path):
    module = schafkopf.networks.new_torch("mlp:8x1").to("meta")
    with pytest.raises(ValueError, match=r"'trunk\.0\.weight' .*meta.*, allowed: "):
        schafkopf.networks.save_player(module, tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_the_model_card_says_what_the_shipped_network_is_and_where_it_is_weak():
    card = networks.model_card()
    assert card.startswith("# The shipped baseline\n")
    for row in ("| learned from |", "| how long |", "| command |", "| weak |"):
        assert row in card


@pytest.mark.parametrize("nothing", [[], ()])
def test_a_network_that_would_read_nothing_is_refused(nothing):
    pytest.importorskip("torch")
    words = r"input_sections = \[\], allowed: at least one of hand, .*; or None"
    with pytest.raises(ValueError, match=words):
        schafkopf.networks.new_torch("mlp:32x1", input_sections=nothing)
    one = schafkopf.networks.new_torch("mlp:32x1", input_sections=["hand"])
    assert one.shape.input_sections == ["hand"]
    assert schafkopf.networks.new_torch("mlp:32x1").shape.inputs > 500


def test_a_player_is_written_to_files_alone_and_links_stay(tmp_path):
    pytest.importorskip("torch")
    module = schafkopf.networks.new_torch("mlp:8x1")
    pipe, link, behind = (tmp_path / name for name in ("pipe", "link", "behind"))
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="pipe: no regular file, allowed: the path of a file"):
        schafkopf.networks.save_player(module, pipe)
    assert pipe.is_fifo() and os.listdir(tmp_path) == ["pipe"]
    link.symlink_to(behind)
    assert schafkopf.networks.save_player(module, link) == f"net:{link}"
    assert link.is_symlink() and behind.is_file()


def test_a_network_of_arrays_says_what_it_is():
    text = "<NumpyNetwork mlp:256x2, rows of version 4>"
    assert repr(schafkopf.load_numpy("baseline")) == text
