"""What Python holds outlives what it came from, in any order and from any thread; the sanitizers
look at every read and write here (./run sanitize)."""

import gc
import threading

import numpy as np
import pytest

import schafkopf
from schafkopf import _core, records


class Picky:
    """A player that keeps what it was shown."""

    def __init__(self):
        self.seen = []

    def act(self, views):
        self.seen.append(views)
        return schafkopf.legal_mask(views).argmax(axis=1)


def shown(env):
    return {name: array for name, array in vars(env).items() if isinstance(array, np.ndarray)}


@pytest.mark.parametrize("end", ["close", "forget"])
def test_arrays_of_a_batch_outlive_it(end):
    env = schafkopf.VectorEnv(7, seed=1, view_lines=True, opponent=Picky(), learner_seat=0)
    arrays = shown(env)
    assert len(arrays) > 5
    parts = [array[1:] for array in arrays.values()]
    before = [array.copy() for array in parts]
    if end == "close":
        env.close()
    del env, arrays
    gc.collect()
    for part, old in zip(parts, before, strict=True):
        assert np.array_equal(part, old, equal_nan=part.dtype.kind == "f")
        if part.flags.writeable:
            part[...] = 0


def test_views_and_masks_of_a_game_outlive_it():
    game = schafkopf.VectorEnv(1, seed=3).get_game(0)
    view = game.view(game.current_player)
    mask = schafkopf.legal_mask(view)
    del game
    gc.collect()
    assert np.array_equal(schafkopf.legal_mask(view), mask)
    assert schafkopf.encode(view).shape[0] == 1


@pytest.mark.parametrize("wrap", [bytes, bytearray, lambda data: memoryview(bytearray(data))])
def test_bytes_are_read_and_let_go(wrap):
    env = schafkopf.VectorEnv(4, seed=1)
    for _ in range(9):
        env.step(env.random_actions())
    data = wrap(env.snapshot())
    game = env.get_game(2)
    kept = wrap(game.serialize())
    twin, again = schafkopf.VectorEnv(4, seed=1), schafkopf.Game.deserialize(kept)
    twin.restore(data)
    if isinstance(data, bytearray):
        data.clear()  # nothing holds it any more
        kept.clear()
    assert twin == env and again == game
    for cut in (0, 1, len(env.snapshot()) - 1):
        with pytest.raises(ValueError):
            twin.restore(wrap(env.snapshot()[:cut]))
    for cut in (0, 1, len(game.serialize()) - 1):
        with pytest.raises(ValueError):
            schafkopf.Game.deserialize(wrap(game.serialize()[:cut]))


def test_weights_outlive_the_file_and_are_written_from_pieces(tmp_path):
    tensors, metadata, _ = _core.read_network("baseline")
    spread = {name: np.asfortranarray(array) for name, array in tensors.items()}
    assert not all(array.flags.c_contiguous for array in spread.values())
    _core.write_network(str(tmp_path / "net.safetensors"), spread, metadata)
    again, _, _ = _core.read_network(str(tmp_path / "net.safetensors"))
    (tmp_path / "net.safetensors").unlink()
    gc.collect()
    assert all(np.array_equal(again[name], tensors[name]) for name in tensors)
    assert _core.mean_interval(next(iter(again.values())).ravel()[:9].tolist())[1] > 0


def test_records_outlive_the_game():
    env = schafkopf.VectorEnv(1, seed=5)
    while not env.terminated[0]:
        game = env.get_game(0)
        env.step(env.random_actions())
    mask = schafkopf.legal_mask(game.view(game.current_player))
    game.apply(int(mask[0].argmax()))
    record = records.record_of(game)
    del game
    gc.collect()
    text = records.text_of(record)
    assert records.replay(record)["payoffs"] == records.replay(records.from_text(text))["payoffs"]


def test_players_outlive_their_agents_and_keep_what_they_saw():
    player = Picky()
    env = schafkopf.VectorEnv(6, seed=1, opponent=player, learner_seat="rotate", num_threads=3)
    for _ in range(40):
        env.step(env.random_actions())
    seen = player.seen
    del env, player
    gc.collect()
    assert len(seen) > 10
    assert all(schafkopf.legal_mask(views).any(axis=1).all() for views in seen)


def test_threads_share_a_player_an_agent_and_a_conversation():
    player = Picky()
    agent = schafkopf.make_agent("rules")
    conversation = _core.EngineSession("random")
    wrong = []

    def work(seed):
        try:
            env = schafkopf.VectorEnv(
                5, seed=seed, opponent=player, learner_seat=0, view_lines=True, num_threads=2
            )
            for _ in range(30):
                env.step(env.agent_actions(agent))
                assert not conversation.is_over
                assert conversation.answer("nonsense").startswith("error")
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    conversation.answer("quit")
    assert conversation.is_over


def test_a_player_that_lets_go_of_everything_while_it_is_asked():
    held = {}

    class Dropper:
        def act(self, views):
            held.clear()
            gc.collect()
            return schafkopf.legal_mask(views).argmax(axis=1)

    held["agent"] = agent = schafkopf.make_agent(Dropper())
    env = schafkopf.VectorEnv(3, seed=1, view_lines=True)
    held["views"] = views = env.views()
    del env
    actions = agent.act(views)
    assert actions.shape == (3,) and not held
