"""The page of a replay in a real browser: stepped, on a telephone, without a request."""

import random

import pytest

import schafkopf

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys
from support import page_checks
from support.deals import doubled
from support.page_checks import DESK, PHONE, open_page, requests_of

from schafkopf import display, records
from schafkopf.games import play_deals
from schafkopf.pictures import timeline
from schafkopf.terminal import words

browser = pytest.fixture(scope="module")(page_checks.chromium)
HOSTILE = "</script><script>document.title='broken in'</script><img src=x onerror=alert(1)>"
STATE = """return {
  hands: [...document.querySelectorAll('.hand')].map((hand) => hand.childElementCount),
  faces: [...document.querySelectorAll('.hand svg[role=img]')].length,
  said: document.getElementById('said').textContent,
  at: Number(document.getElementById('slider').value),
  last: Number(document.getElementById('slider').max),
  wide: document.documentElement.scrollWidth - innerWidth,
  loaded: performance.getEntriesByType('resource').length,
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Games of several rule sets, with a name that is markup, and what players think of them."""
    games = []
    for seed, rules in enumerate(["research", "official_1989_full", "tournament_2024"], 3):
        game, deal = display.play_out(["rules"] * 4, seed, rules)
        games.append(records.record_of(game, deal))
    games[0]["meta"] = {"players": [HOSTILE, "Bene", "Caro", "Dora"]}
    games[1]["meta"] = {"players": ["Anna", "rules", "rules", "rules"]}
    path = tmp_path_factory.mktemp("page") / "replay.html"
    html = schafkopf.replay_html(games, players=["rules"], solver=True)
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


def press(browser, key):
    browser.execute_script("document.activeElement?.blur()")
    browser.find_element("tag name", "body").send_keys(key)


def state(browser):
    return browser.execute_script(STATE)


def choose(browser, name, value):
    browser.execute_script(
        "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
        "box.dispatchEvent(new Event('change'));", name, str(value)
    )  # fmt: skip


@pytest.mark.parametrize(("width", "seat"), [(PHONE, -1), (PHONE, 2), (DESK, -1), (DESK, 0)])
def test_every_step_of_every_game_fits_and_shows_what_its_seat_sees(browser, page, width, seat):
    open_page(browser, page, width)
    choose(browser, "view", seat)
    seen = browser.execute_script(
        """const states = [];
        for (let game = 0; game < 3; game++) {
          do {
            states.push((() => { """ + STATE + """ })());
            document.getElementById('forward').click();
          } while (states.at(-1).at < states.at(-1).last);
          document.getElementById('next_game').click();
        }
        return states;"""
    )  # fmt: skip
    ends = [one for one in seen if one["at"] == one["last"]]
    assert len(ends) == 3 and all(one["last"] > 30 for one in ends)
    for one in seen:
        assert one["wide"] <= 0, one
        own = one["hands"][max(seat, 0)]
        assert one["faces"] == (sum(one["hands"]) if seat < 0 else own)
    assert sum(ends[0]["hands"]) == 0
    assert browser.get_log("browser") == []
    assert "broken in" not in browser.title


def test_numbers_have_the_decimal_mark_of_the_language(browser, tmp_path):
    rules = schafkopf.RuleSet("official_1989", tariff="5/20 half Laufende")
    hands = ["EO GO HO SU S9 S8 E7 E8", "SO EU GU HU HA H10 HK H9",
             "EA E10 EK E9 GA G10 GK G9", "G8 G7 SA S10 SK S7 H8 H7"]  # fmt: skip
    solo = {"class": "SOLO", "suit": "S", "declarer": 0}
    game = schafkopf.Game.with_contract(solo, rules, hands, 3)
    agent = schafkopf.make_agent("rules")
    while not game.is_terminal:
        game.apply(int(agent.act(game.view(game.current_player), rules=rules)[0]))
    path = tmp_path / "replay.html"
    path.write_text(schafkopf.replay_html(game, players=["rules"]), encoding="utf-8")
    open_page(browser, path.as_uri(), DESK)
    press(browser, Keys.END)
    for mark, other in ((",", "."), (".", ",")):
        text = browser.find_element("tag name", "body").text
        assert f" +7{mark}5" in text and f"7{other}5" not in text
        press(browser, Keys.ARROW_LEFT)
        text = browser.find_element("tag name", "body").text
        assert f"{mark}0 %" in text and f"{other}0 %" not in text
        press(browser, Keys.END)
        browser.find_element("id", "language").click()


def test_keys_step_jump_and_change_the_game(browser, page):
    open_page(browser, page, DESK)
    press(browser, Keys.ARROW_RIGHT)
    assert state(browser)["at"] == 1
    press(browser, Keys.END)
    end = state(browser)
    assert end["at"] == end["last"]
    press(browser, Keys.PAGE_UP)
    trick = state(browser)
    assert trick["at"] < end["last"] - 3 and sum(trick["hands"]) == 4
    press(browser, "o")
    assert state(browser)["faces"] == 1
    press(browser, "n")
    assert state(browser)["at"] == 0
    browser.find_element("css selector", "#course-list li:nth-child(2) button").click()
    assert sum(state(browser)["hands"]) == 31


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(
    ("named", "game", "at"),
    [("3.17", 2, 17), ("2", 1, 0), ("9.999", 2, None), ("x.y", 0, 0), ("1e-1.4", 0, 4)],
)
def test_an_address_names_game_and_step_of_a_page_that_is_open_too(
    browser, page, is_open, named, game, at
):
    browser.get("about:blank")
    open_page(browser, page if is_open else f"{page}#{named}")
    if is_open:
        browser.get(f"{page}#{named}")
    shown = state(browser)
    assert browser.find_element("id", "game").get_property("value") == str(game)
    assert shown["at"] == (shown["last"] if at is None else at) and shown["hands"]


def test_keys_mean_the_same_on_the_slider(browser, page):
    open_page(browser, page)
    slider = browser.find_element("id", "slider")
    slider.send_keys(Keys.PAGE_DOWN)
    trick = state(browser)["at"]
    slider.send_keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert state(browser)["at"] == 2
    press(browser, Keys.HOME)
    press(browser, Keys.PAGE_DOWN)
    assert state(browser)["at"] == trick
    slider.send_keys("n")
    assert "Spiel 2 von 3" in browser.find_element("id", "facts").text


def test_arrows_move_a_table_that_is_too_wide_and_else_the_steps(browser, page):
    open_page(browser, page, PHONE)
    browser.find_element("id", "last").click()
    last = state(browser)["at"]
    moved = page_checks.moved_by_arrows(browser, "#result .wide")
    assert moved["wide"]["scrolled"] > 0 and moved["wide"]["stays"]
    assert state(browser)["at"] == last
    press(browser, Keys.ARROW_LEFT)
    assert state(browser)["at"] == last - 1


@pytest.mark.parametrize(
    ("button", "other"),
    [("last", "slider"), ("first", "slider"), ("next_game", "game"), ("previous_game", "game")],
)
def test_the_keyboard_is_not_lost_with_a_button_that_has_done_its_work(
    browser, page, button, other
):
    open_page(browser, page, DESK)
    press(browser, Keys.ARROW_RIGHT)
    if button == "previous_game":
        press(browser, "n")
    focus = "document.getElementById(arguments[0]).focus();"
    for _ in range(2 if button == "next_game" else 1):
        browser.execute_script(focus, button)
        browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.find_element("id", button).get_property("disabled")
    assert browser.execute_script("return document.activeElement.id") == other


def test_the_keyboard_stays_on_a_table_that_is_drawn_anew(browser, page):
    open_page(browser, page, DESK)
    box = browser.find_element("css selector", "#opinions .wide")
    browser.execute_script("arguments[0].focus()", box)
    box.send_keys(Keys.ARROW_RIGHT)
    assert state(browser)["at"] == 1
    assert browser.execute_script("return document.activeElement.matches('#opinions .wide')")


def test_a_seat_is_told_nothing_of_the_others(browser, page):
    open_page(browser, page, DESK)
    choose(browser, "view", 1)
    told = browser.execute_script(
        """const told = [];
        const box = document.getElementById('opinions');
        for (let i = 0; i < 60; i++) {
          told.push([box.querySelector('h2')?.textContent ?? '', box.textContent]);
          document.getElementById('forward').click();
        }
        return told;"""
    )
    whose = {title for title, _ in told if title}
    assert whose == {"Entscheidung von Bene"}
    assert not any("Augen offen" in text for _, text in told)
    choose(browser, "view", -1)
    press(browser, Keys.HOME)
    press(browser, Keys.PAGE_DOWN)
    assert "Augen offen" in browser.find_element("id", "opinions").text


@pytest.mark.parametrize(
    ("language", "told"), [("de", "1 verdeckte Karte"), ("en", "1 hidden card")]
)
def test_a_last_hidden_card_is_one_card(browser, tmp_path, language, told):
    game, deal = display.play_out(["rules"] * 4, 3)
    path = tmp_path / "one.html"
    record = records.record_of(game, deal)
    path.write_text(schafkopf.replay_html(record, seat=0, language=language), encoding="utf-8")
    open_page(browser, path.as_uri())
    press(browser, Keys.END)
    heard = set()
    for _ in range(6):
        press(browser, Keys.ARROW_LEFT)
        heard |= set(
            browser.execute_script(
                "return [...document.querySelectorAll('.hand')].map((hand) => hand.ariaLabel)"
            )
        )
    assert told in heard
    assert not any(label.startswith(f"{told}n") or label == f"{told}s" for label in heard)


def test_players_of_one_name_are_told_apart(browser, page):
    open_page(browser, page, PHONE)
    press(browser, "n")
    names = browser.execute_script(
        "return [...document.querySelectorAll('.who strong')].map((one) => one.textContent)"
    )
    assert sorted(names) == ["Anna", *(f"rules (Platz {seat})" for seat in (1, 2, 3))]


def test_signs_in_a_name_that_turn_the_writing_turn_nothing_else(browser, tmp_path):
    game, deal = display.play_out(["rules"] * 4, 3, "research")
    record = records.record_of(game, deal)
    for turned in ("a\u202eb", "a\u2069\u202eb", "\u05e9\u05dc"):
        record["meta"] = {"players": [turned, "Bene", "Caro", "Dora"]}
        path = tmp_path / "turned.html"
        path.write_text(schafkopf.replay_html([record]), encoding="utf-8")
        open_page(browser, path.as_uri(), DESK)
        names = browser.execute_script(
            "return [...document.querySelectorAll('#view option')].map((one) => one.textContent)"
        )
        assert not any("\u202e" in name for name in names), names
        browser.execute_script(
            "document.getElementById('said').textContent = arguments[0]", names[1]
        )
        at = page_checks.written_at(browser, "#said", "Sicht", "von")
        assert at == sorted(at)
        for _ in range(8):
            press(browser, Keys.ARROW_RIGHT)
            said = browser.find_element("id", "said").text
            if turned[-1] in said:
                break
        at = page_checks.written_at(browser, "#said", turned[-1], said[-3:-1])
        assert at == sorted(at), said


def test_the_page_speaks_both_languages_and_names_its_buttons(browser, page):
    open_page(browser, page, DESK)
    assert "gibt" in state(browser)["said"]
    button = browser.find_element("id", "language")
    assert (button.text, button.get_attribute("lang")) == ("English", "en")
    button.click()
    assert (button.text, button.get_attribute("lang")) == ("Deutsch", "de")
    assert "dealer" in state(browser)["said"]
    nameless = browser.execute_script(
        """return [...document.querySelectorAll('button, select, input')].filter((one) =>
        !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).length"""
    )
    assert nameless == 0
    small = browser.execute_script(
        """return [...document.querySelectorAll('.controls button')]
        .filter((one) => one.offsetWidth < 24 || one.offsetHeight < 24).length"""
    )
    assert small == 0


def test_a_card_on_the_table_is_named_with_its_player(browser, page):
    open_page(browser, page)
    press(browser, Keys.PAGE_DOWN)
    press(browser, Keys.PAGE_DOWN)
    names = browser.execute_script(
        "return [...document.querySelectorAll('.laid svg')].map((one) => one.ariaLabel)"
    )
    assert len(names) == 4 and all(" spielt " in name for name in names)


def test_the_parts_of_the_page_have_names_of_their_own(browser, page):
    open_page(browser, page)
    for key in (Keys.HOME, Keys.END):
        press(browser, key)
        places = page_checks.landmarks(browser)
        assert len(set(places)) == len(places), places
        assert ("Stich 8" in places) == (key == Keys.END), places


def test_what_a_finger_touches_is_44_pixels_high_and_wide(browser, page):
    open_page(browser, page, PHONE)
    press(browser, Keys.END)
    small = browser.execute_script(
        """return [...document.querySelectorAll('button, select, input')]
        .filter((one) => one.checkVisibility())
        .map((one) => [one.getBoundingClientRect(), one.id || one.textContent])
        .filter(([box]) => box.width < 44 || box.height < 44)
        .map(([box, name]) => `${name} ${box.width} x ${box.height}`)"""
    )
    assert small == [] and state(browser)["wide"] <= 0
    open_page(browser, page, 320)
    assert state(browser)["wide"] <= 0


# Safari on a telephone enlarges the page for smaller ones, and leaves it so.
def test_what_one_chooses_from_is_large_enough_not_to_be_enlarged(browser, page):
    open_page(browser, page, PHONE)
    sizes = browser.execute_script(
        """return [...document.querySelectorAll('select')]
        .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
    )
    assert len(sizes) == 2 and min(sizes) >= 16


# The box is narrow on a telephone: what was played comes before the name of the record.
PRINTED = """const style = (one) => getComputedStyle(document.querySelector(one));
return [style('.controls').position, style('.felt').printColorAdjust];"""


def test_printed_nothing_lies_over_the_hands_and_the_cloth_keeps_its_colour(browser, page):
    open_page(browser, page)
    assert browser.execute_script(PRINTED)[0] == "sticky"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script(PRINTED) == ["static", "exact"]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_the_list_of_deals_begins_with_the_contract(browser, tmp_path):
    game, deal = display.play_out(["rules"] * 4, 3, "research")
    record = {**records.record_of(game, deal), "id": "table-61e9e667786d-1"}
    path = tmp_path / "replay.html"
    path.write_text(schafkopf.replay_html([record, record]), encoding="utf-8")
    open_page(browser, path.as_uri(), PHONE)
    told = browser.execute_script("return document.querySelector('#game option').textContent")
    assert told.split(" · ") == ["1", words.title_of(game.contract), "table-61e9e667786d-1"]


def test_doublings_are_called_as_the_rules_call_them(browser, tmp_path):
    path = tmp_path / "doubled.html"
    games = [doubled({}), doubled({"special_round": "hadsch"})]
    path.write_text(schafkopf.replay_html(games, players=["rules"]), encoding="utf-8")
    open_page(browser, path.as_uri(), DESK)
    for first in ("Kontra", "Re"):
        told = browser.find_element("id", "course-list").text
        found = [one for one in ("Kontra", "Re", "Bock") if f": {one}" in told]
        assert found == ["Kontra", "Re", "Bock"][["Kontra", "Re"].index(first) :]
        assert "Stoß" not in told
        asked = browser.execute_script(
            """const told = new Set();
            for (let i = 0; i < 60; i++) {
              for (const row of document.querySelectorAll('#opinions th[scope=row]')) {
                told.add(row.textContent.replace(' gewählt', ''));
              }
              document.getElementById('forward').click();
            }
            return [...told];"""
        )
        assert {first, f"kein {first}"} <= set(asked) and "Stoß" not in asked
        press(browser, "n")


def processor_seconds(browser):
    """What the page has taken of the processor since it was opened, whatever else works there."""
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


# On a usual machine a second is five times what a single game takes.
def test_251_games_are_ready_within_a_second_and_ask_for_nothing(browser, tmp_path):
    processor_seconds(browser)  # counts from here on
    took = {1: [], 251: []}
    for games in [251, 1] * 2:
        path = tmp_path / f"{games}.html"
        if not path.exists():
            path.write_text(schafkopf.replay_html(play_deals("rules", games)), encoding="utf-8")
        open_page(browser, path.as_uri(), PHONE)
        press(browser, Keys.ARROW_RIGHT)
        assert state(browser)["at"] == 1
        took[games].append(processor_seconds(browser))
    assert 0 < min(took[251]) < 5 * min(took[1]), took  # scripts have run then
    assert requests_of(browser) == []


def test_seconds_of_the_processor_are_those_of_the_page(browser, tmp_path):
    path = tmp_path / "slow.html"
    path.write_text("<script>for (let t = Date.now(); Date.now() < t + 1000;);</script>")
    processor_seconds(browser)
    for _ in range(5):  # a machine that stood still for that second gave the page none of it
        open_page(browser, path.as_uri(), PHONE)
        if (seconds := processor_seconds(browser)) > 0.05:
            break
    assert 0.05 < seconds < 2


def played_at_random(rules, context=None, gives_up=False):
    rng = random.Random(7)
    game = schafkopf.Game(schafkopf.RuleSet(**rules), seed=7, context=context)
    while not game.is_terminal:
        names = game.legal_names()
        first = [name for name in ("TAKE_UP", "CONCEDE_REST") if name in names]
        if first and (first != ["CONCEDE_REST"] or (gives_up and len(game.plays) > 13)):
            game.apply(first[0])
        else:
            game.apply(rng.choice([name for name in names if not name.endswith("_REST")]))
    return records.record_of(game)


# C.20.6, C.20.7, F.1: what is drawn is what the engine says that each seat holds and sees
@pytest.mark.parametrize(
    ("rules", "special"),
    [
        ({}, "schieber"),
        ({"schieber_cards": 3}, "schieber"),
        ({"legen": "free"}, "none"),
        ({"legen": "free", "legen_dealer_cards": "all"}, "none"),
        ({"legen": "free"}, "teufel"),
        ({"players": 3, "deck": "short24"}, "none"),
    ],
)
def test_the_hands_of_each_step_are_those_of_the_engine(browser, tmp_path, rules, special):
    round_of = None if special == "none" else schafkopf.games.DealContext(
        special_round=special, games_left=2
    )  # fmt: skip
    record = played_at_random({"preset": "research", **rules}, round_of)
    steps, end = timeline.steps_of(record)
    path = tmp_path / "replay.html"
    path.write_text(schafkopf.replay_html(record), encoding="utf-8")
    open_page(browser, path.as_uri(), DESK)
    drawn = browser.execute_script(
        """const drawn = [];
        do {
          drawn.push([...document.querySelectorAll('.hand')].map((hand) =>
            [...hand.querySelectorAll('use')].map((card) => card.getAttribute('href').slice(4))));
        } while (!document.getElementById('forward').disabled
          && (document.getElementById('forward').click(), true));
        return drawn;"""
    )
    states = [*(step.game for step in steps if not step.silent), end]
    assert len(drawn) == len(states)
    for shown, game in zip(drawn, states, strict=True):
        for seat in range(game.seats):
            hand = display.card_names(game.view(seat)["cards"]["hand"])
            assert sorted(shown[seat]) == sorted(hand), (game.phase, seat)


def test_who_gives_up_the_rest_leaves_the_points_to_the_others(browser, tmp_path):
    record = played_at_random({"preset": "research", "claims_enabled": True}, gives_up=True)
    told = records.replay(record)
    assert any(claim[1] == "CONCEDE_REST" for claim in record["claims"])
    path = tmp_path / "replay.html"
    path.write_text(schafkopf.replay_html(record), encoding="utf-8")
    open_page(browser, path.as_uri(), DESK)
    press(browser, Keys.END)
    texts, rows = browser.execute_script(
        """return [[...document.querySelectorAll('.who .points')].map((one) => one.textContent),
        [...document.querySelectorAll('#course-list li')].map((one) => one.textContent)];"""
    )
    assert [int(text.split()[0]) for text in texts] == told["points"]
    assert sum(told["points"]) == 120
    said = "gibt den Rest ab"
    assert said in rows[-1] and not any(said in row for row in rows[:-1])
