"""The table in the browser: what nobody may learn, neither cards nor parties nor the seed."""

import json
import random

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from support.served_table import DECK, Broken, Page, live_table, play_on, served, until_trouble

from schafkopf import _core
from schafkopf.commands import table_options
from schafkopf.pictures import replay_html
from schafkopf.serve import state
from schafkopf.serve.refused import Refused
from schafkopf.terminal import words
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.table import Deal


def hidden_cards(live, place):
    """Cards in other hands that nothing has shown to a place."""
    game, places = live.deal.game, live.deal.places
    shown = {event["action"].removeprefix("CARD ") for event in game.events if not event["secret"]}
    if game.contract is not None and game.contract.called:
        shown.add(game.contract.called)
    shown |= {card for _, card in game.plays} | set(game.open_cards)
    asked = live.state(place)["choices"] if live.asked_place == place else []
    shown |= {choice["card"] for choice in asked}
    if place in places:
        seat = places.index(place)
        shown |= {*game.hand(seat), *game.given(seat), *game.received(seat)}
    held = {card for seat in range(game.seats) for card in game.hand(seat)}
    return held - shown


HOUSES = {
    "five": {"players": 5},  # the dealer sits out and watches
    "forgets": {"history_view": "last_trick"},
    "schieber": {"special_round": "schieber"},
}


@pytest.mark.parametrize("rules", [*_core.preset_names(), *HOUSES])
def test_a_place_is_told_no_hidden_card_in_whole_deals_of_every_rule_set(rules):
    if rules in HOUSES:
        rules = _core.RuleSet("official_1989_full", **HOUSES[rules])
    live = live_table(rules, people=(0, 2), deals=2, seed=6)
    seen = []

    def look():
        game = live.deal.game
        for place in range(len(live.names)):
            told = live.state(place)
            text = json.dumps(told, ensure_ascii=False)
            if game.is_terminal:
                continue
            if game.plays:
                left = [len(game.hand(seat)) for seat in range(game.seats)]
                assert told["cards_left"] == left
            hidden = hidden_cards(live, place)
            told = [c for c in hidden if f'"{c}"' in text or words.card_title(c) in text]
            seen.append(len(hidden))
            assert not told, (place, told)

    play_on(live, random.Random(1), look)
    assert max(seen, default=0) >= 12 and len(live.results) == 2
    assert sum(sum(one["change"]) for one in live.results) + live.session.stock == pytest.approx(0)


def test_what_a_place_is_told_does_not_depend_on_hidden_hands():
    hands = [DECK[seat::4] for seat in range(4)]
    contract = _core.Contract("WENZ", 0)
    told = []
    for others in ((1, 2, 3), (3, 1, 2)):
        deal = [hands[0], *(hands[seat] for seat in others)]
        game = _core.Game.with_contract(contract, "official_1989", deal)
        told.append(state.state_of(Deal(live_table().table, game, 1, [0, 1, 2, 3]), 0, True))
    assert told[0] == told[1] and len(told[0]["choices"]) >= 8


RUF_ALONE = {"contracts": ["RUF"], "sie_enabled": False, "tout_enabled": False}


@pytest.mark.parametrize("window", [{}, {"kontra_window": "full_hand"}])
def test_who_may_say_kontra_is_shown_to_nobody(window):
    """Whoever is asked, in earnest or for the look of it: the others see the next card awaited."""
    rules, rng = _core.RuleSet("course_002", **RUF_ALONE, **window), random.Random(2)
    seen, waited = {True: 0, False: 0}, 0
    for seed in range(60):
        live = live_table(rules, people=(0, 1, 2, 3), seed=seed, deals=1)
        game = live.deal.game
        while not game.is_terminal and len(game.plays) < 8:
            if live.moves_itself:
                live.apply(live.decision()())
                continue
            shown = live.state(live.asked_place)
            names = [_core.action_name(choice["action"]) for choice in shown["choices"]]
            if "NO_DOUBLE" in names:
                seen[names == ["NO_DOUBLE"]] += 1
                for place in set(range(4)) - {live.asked_place}:
                    told = live.state(place)
                    to_act = live.deal.places[game.current_player] == place
                    waited += to_act and game.phase == "DOUBLE"
                    assert (told["turn"], told["phase"]) == (_next_card(game), "PLAY")
                    assert not told["choices"] and not told["question"]
            said = [choice for choice in shown["choices"] if choice["action"] != DOUBLE]
            action = rng.choice(said if rng.random() < 0.7 else shown["choices"])["action"]
            live.act(live.asked_place, shown["deal"], shown["question_number"], action)
    assert min(seen.values()) > 20 and (waited > 5 or window), (seen, waited)


DOUBLE = next(a for a in range(_core.NUM_ACTIONS) if _core.action_name(a) == "DOUBLE")


def _next_card(game):
    """Seat that plays the next card."""
    plays = game.plays
    start = len(plays) - len(plays) % 4
    if start == len(plays):
        return game.forehand if not plays else game.tricks[-1]["winner"]
    return (plays[start][0] + len(plays) - start) % 4


# F.3: the partner of the declarer is nobody that a stop of the program names
def test_a_table_that_is_opened_again_asks_nobody_anew():
    rules, people, seen = _core.RuleSet("course_002", **RUF_ALONE), (0, 1, 2, 3), 0
    for seed in range(12):
        live = live_table(rules, people=people, seed=seed, deals=1)
        for _ in range(40):
            if live.deal.game.is_terminal:
                break
            if live.moves_itself:
                live.apply(live.decision()())
                continue
            shown = live.state(live.asked_place)
            names = [_core.action_name(choice["action"]) for choice in shown["choices"]]
            quiet = next((a for a in ("NO_DOUBLE", "PLAY") if a in names), names[0])
            choice = shown["choices"][names.index(quiet)]
            live.act(live.asked_place, shown["deal"], shown["question_number"], choice["action"])
            seen += live.kept([], "", 0).heard > 0
            kept = live.kept([], "", 0)
            again = live_table(
                rules,
                people=people,
                seed=seed,
                deals=1,
                played=[list(actions) for actions in kept.actions],
                heard=kept.heard,
            )
            assert [again.state(place) for place in people] == [live.state(p) for p in people]
    assert seen > 10
    with pytest.raises(ValueError, match="heard = 3: nobody is asked so often"):
        live_table(rules, people=people, seed=1, heard=3)


# F.3: nor is an agent asked anew that only seemed to think
def test_a_silent_answer_is_kept_at_once():
    heard = []
    for seed in range(12):
        rules = _core.RuleSet("course_002", **RUF_ALONE)
        live, kept = live_table(rules, seed=seed, deals=1), []
        live.keep = lambda live=live, kept=kept: kept.append(live.kept([], "", 0))
        while live.moves_itself:
            live.apply(live.decision()())
            assert kept[-1] == live.kept([], "", 0)
            heard.append(kept[-1].heard)
    assert any(heard)


# D.1: silence must not show what a seat holds
@pytest.mark.parametrize("mode", ["two_stage", "direct"])
def test_who_can_only_pass_is_asked_as_everybody_is(mode):
    """A Rufspiel needs a plain card of a suit whose Sau another seat holds."""
    rules = _core.RuleSet("course_002", **RUF_ALONE, auction_style=mode)
    alone = 0
    for seed in range(60):
        live = live_table(rules, people=(0, 1, 2, 3), seed=seed, deals=1)
        while live.deal.game.phase in ("AUCTION_ROUND", "AUCTION_DIRECT"):
            said = [event["action"] for event in live.deal.game.events]
            if "PLAY" in said:
                break
            assert not live.moves_itself
            shown = live.state(live.asked_place)
            alone += len(shown["choices"]) == 1
            live.act(live.asked_place, shown["deal"], shown["question_number"], 32)
    assert alone > 3


# C.3: who could offer a Hochzeit holds hardly a trump
@pytest.mark.parametrize(("mode", "turn"), [("before_auction", "forehand"), ("after_all_pass", "")])
def test_who_may_offer_a_hochzeit_is_shown_to_nobody(mode, turn):
    rules = _core.RuleSet("research", hochzeit=mode)
    seen = 0
    for seed in range(60):
        live = live_table(rules, people=(0, 1, 2, 3), seed=seed)
        game = live.deal.game
        while game.phase == "AUCTION_ROUND" and "PASS" in game.legal_names():
            shown = live.state(live.asked_place)
            silent = next(c["action"] for c in shown["choices"] if c["action"] == 32)
            live.act(live.asked_place, shown["deal"], shown["question_number"], silent)
            game = live.deal.game
        if game.phase != "HZ_OFFER":
            continue
        asked = live.asked_place
        expected = game.forehand if turn else None
        for place in set(range(4)) - {asked}:
            told = live.state(place)
            own = live.deal.places[game.forehand] == place  # it would be asked
            assert told["turn"] == (None if own else expected) and not told["choices"]
        seen += live.deal.places[game.current_player] != live.deal.places[game.forehand]
    assert seen > 2


# F.3: nobody waits for the holder of the called ace, and the time told who that is
@pytest.mark.parametrize("people", [(0, 2), (0, 1, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("window", ["before_first_card", "before_second_card"])
def test_everybody_but_the_declarer_says_something_about_kontra_in_the_order_of_seats(
    people, window
):
    rules = _core.RuleSet("course_002", kontra_window=window)
    agent, said_in, partners = _core.make_agent("rules"), 0, set()
    for seed in range(60):
        live = live_table(rules, people=people, seed=seed, deals=1)
        said = []
        while not live.is_over and len(live.deal.game.plays) < 2:
            game = live.deal.game
            plays, place = len(game.plays), live.asked_place
            if place is None:
                live.apply(live.decision()())
                continue
            told = live.state(place)
            names = [_core.action_name(choice["action"]) for choice in told["choices"]]
            if "NO_DOUBLE" in names:
                said.append((plays, place))
                if names == ["NO_DOUBLE"]:
                    assert not game.legal_names() or live.deal.places[game.current_player] != place
                    with pytest.raises(Refused, match="only say no"):
                        live.act(place, told["deal"], told["question_number"], 0)
                    with pytest.raises(Refused):
                        live.hint(place)()
                    for other in set(people) - {place}:
                        assert live.state(other)["question"] is None
                action = told["choices"][names.index("NO_DOUBLE")]["action"]
            else:
                action = int(agent.act(game.view(game.current_player), rules=rules)[0])
            live.act(place, told["deal"], told["question_number"], action)
        contract = live.deal.game.contract
        doubled = any(event["action"] == "DOUBLE" for event in live.deal.game.events)
        if doubled or contract is None or not contract.called or live.is_over:
            continue
        said_in += 1
        game, first = live.deal.game, live.deal.game.forehand + (window == "before_second_card")
        order = [live.deal.places[(first + step) % 4] for step in range(4)]
        (partner,) = set(game.declarer_party) - {contract.declarer}
        shown = game.plays[0][1] == contract.called or any(e["ran_away"] for e in game.events)
        silent = [] if shown and window == "before_second_card" else [partner]
        asked = {
            live.deal.places[seat] for seat in {*range(4)} - {*game.declarer_party} | {*silent}
        }
        assert [place for _, place in said] == [
            place for place in order if place in people and place in asked
        ]
        partners.add(live.deal.places[partner])
    assert said_in > 10 and len(partners) > 2


# F.3: whoever comes next saw whether an agent was asked before, and so who holds the called ace
@pytest.mark.parametrize("people", [(0,), (0, 2)])
@pytest.mark.parametrize("window", ["before_first_card", "before_second_card"])
def test_an_agent_that_cannot_double_is_waited_for_as_one_that_can(people, window):
    rules = _core.RuleSet("course_002", **RUF_ALONE, kontra_window=window)
    agent, waited = _core.make_agent("rules"), {True: [], False: []}
    for seed in range(150):
        live, before = live_table(rules, people=people, seed=seed, deals=1), None
        while not live.deal.game.is_terminal and len(live.deal.game.plays) < 2:
            game, place, told = live.deal.game, live.asked_place, live.state(0)
            if told["phase"] == "DOUBLE":
                next_card = (game.forehand + len(game.plays)) % 4
                first = live.deal.places[next_card]
                if first not in (*people, live.deal.places[game.contract.declarer]):
                    one_before = live.deal.places[(next_card + 1) % 4] == 0
                    if one_before and game.contract.called and not game.doubling_level:
                        waited[next_card in game.declarer_party].append(
                            before["said"] == told["said"] and before["trick"] == told["trick"]
                        )
                break
            before = told
            if place is None:
                live.apply(live.decision()())
                continue
            asked = live.state(place)
            action = asked["choices"][-1]["action"]  # no, where it is about Kontra
            if len(asked["choices"]) > 1 and asked["phase"] != "DOUBLE":
                action = int(agent.act(game.view(game.current_player), rules=rules)[0])
            live.act(place, asked["deal"], asked["question_number"], action)
    assert all(map(len, waited.values())) and all(map(all, waited.values())), waited


def said_about_kontra(live, action_of):
    """Whole deals in which people say what action_of(live, place, names) wants of the names of
    actions; of each deal with a called card: its Deal and (cards played, place, silently) of
    everybody who was asked about doubling."""
    agent, deals, said = _core.make_agent("rules"), [], []
    while True:
        game = live.deal.game
        if game.is_terminal:
            if game.contract is not None and game.contract.called:
                deals.append((live.deal, said))
            if live.is_over:
                return deals
            said = []
            live.next_deal(live.deal.number)
        elif (place := live.asked_place) is None:
            live.apply(live.decision()())
        else:
            told = live.state(place)
            names = [_core.action_name(choice["action"]) for choice in told["choices"]]
            if "NO_DOUBLE" in names:
                said.append((len(game.plays), place, names == ["NO_DOUBLE"]))
                name = action_of(live, place, names)
                action = told["choices"][names.index(name)]["action"]
            else:
                view = game.view(game.current_player)
                action = int(agent.act(view, rules=live.table.rules)[0])
            live.act(place, told["deal"], told["question_number"], action)


# F.2, W2: the partner is not asked in earnest before the own first card, and the silence told it
@pytest.mark.parametrize("before_first", [False, True])
def test_everybody_but_the_declarer_is_asked_before_the_own_first_card(before_first):
    rules = _core.RuleSet(
        "wikipedia_pure", kontra_window="full_hand", kontra_ask_before_first=before_first
    )
    live = live_table(rules, people=(0, 1, 2, 3), seed=4, deals=80)
    deals = said_about_kontra(live, lambda *_: "NO_DOUBLE")
    partners = set()
    for deal, said in deals:
        game, places = deal.game, deal.places
        called = game.contract.called
        first_trick = [card for _, card in game.plays[:4]]
        until = first_trick.index(called) if called in first_trick else 3
        expected = [
            (number, places[seat])
            for number, (seat, _) in enumerate(game.plays[:4])
            if seat not in game.declarer_party
            or (seat != game.contract.declarer and number <= until)  # not known yet
        ]
        if before_first:
            order = [(game.forehand + step) % 4 for step in range(4)]
            expected = [(0, places[s]) for s in order if s != game.contract.declarer] + expected
        assert [(cards, place) for cards, place, _ in said] == expected
        (partner,) = set(game.declarer_party) - {game.contract.declarer}
        silent = {place for *_, place, silently in said if silently}
        assert silent <= {places[partner]}
        partners.add(places[partner])
    assert len(deals) > 10 and len(partners) > 2


# F.3, E.2: from the called card on everybody knows who may double
def test_nobody_is_asked_for_the_look_of_it_once_the_partner_is_known():
    known = {True: 0, False: 0}

    def first(live, place, names):
        cards = live.deal.game.view(0)["cards"]
        is_known = bool(_core.unpack_cards(cards)["partner_known"])
        known[is_known] += 1
        assert not is_known or len(names) > 1
        return names[0]

    said_about_kontra(live_table("course_002", people=(0, 1, 2, 3), seed=4, deals=60), first)
    assert min(known.values()) > 5, known


# F.3: nobody is asked for a doubling that the rules do not have
@pytest.mark.parametrize(("rules", "most"), [("tournament_2024", 2), ("official_1989", 4)])
def test_nobody_is_asked_about_kontra_after_the_last_doubling(rules, most):
    live = live_table(rules, people=(0, 1, 2, 3), seed=4, deals=30)
    asked_at = []

    def double(live, place, names):
        asked_at.append(live.deal.game.doubling_level)
        return names[0] if len(names) > 1 else "NO_DOUBLE"

    deals = said_about_kontra(live, double)
    assert max(asked_at) == most - 1
    assert {deal.game.doubling_level for deal, _ in deals} == {most}
    assert {deal.game.max_doublings for deal, _ in deals} == {most}


# whoever has the seed of a table has all hands of the deals to come
def test_no_record_of_a_table_tells_its_seed(tmp_path):
    seed = 0x9E3779B97F4A7C15
    file = ReplayFile(tmp_path / "deals.jsonl")
    live = live_table("official_1989_full", people=(0, 2), seed=seed, deals=3, file=file)
    play_on(live, random.Random(1))
    given = live.named_records()
    assert len(given) == 3 and len({record["id"] for record in given}) == 3
    shown = json.dumps([given, [live.state(place) for place in (0, 2)]])
    shown += file.path.read_text() + replay_html(given, language="de")
    assert str(seed) not in shown and f"{seed:x}" not in shown and '"seed"' not in shown


def test_the_seed_of_several_people_cannot_be_searched_for():
    assert max(table_options.new_seed(2) for _ in range(40)) > 1 << 58
    assert max(table_options.new_seed(1) for _ in range(40)) < 1_000_000


# An engine that answers with something illegal is told what it may play: its hand, in a deal that
# --resume goes on with.
def test_what_a_player_says_that_fails_is_told_to_nobody_at_the_table(capsys):
    live = live_table(people=(0, 2))
    said = "answered PASS, which is not legal; legal: PLANTED-EK, G7\x1b[2J"
    live.table.agents["rules"] = Broken(said)
    with served(live) as (app, port):
        pages = [Page(app, port, seat, "ab"[seat] * 24) for seat in (0, 1)]
        for page in pages:
            page.state(take=True)
        assert all(told["trouble"] for told in until_trouble(*pages))
        told = json.dumps([page.state(after=-1) for page in pages])
        assert "PLANTED" not in told and "legal:" not in told
    told = capsys.readouterr().err  # where the server runs
    assert "legal: PLANTED-EK, G7?[2J" in told


def test_what_a_player_says_that_gives_no_hint_is_told_to_nobody_at_the_table(capsys):
    live = next(one for seed in range(9) if (one := live_table(seed=seed)).asked_place == 0)
    live.table.agents["rules"] = Broken("my cards are PLANTED-EK")
    with served(live) as (app, port):
        page = Page(app, port)
        page.state(take=True)
        status, told = page.post("hint")
        assert status == 500 and told["ground"] == "no_opinion"
        assert "PLANTED" not in json.dumps(told)
    assert "PLANTED" in capsys.readouterr().err
