"""The table in a real headless browser: by mouse and keys, reload, two seats, lost connection.

What was seen is stored in build/screenshots.
"""

import re
import threading
import time
from pathlib import Path

import pytest

import schafkopf

for package in ("selenium", "uvicorn", "starlette"):
    pytest.importorskip(package)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from support import page_checks  # noqa: E402
from support.page_checks import DESK, PHONE, open_page  # noqa: E402
from support.served_table import live_table, served  # noqa: E402

from schafkopf import _core  # noqa: E402
from schafkopf.serve import page  # noqa: E402

PICTURES = Path(__file__).resolve().parents[3] / "build" / "screenshots"
MARKUP = "<img src=x onerror=a()>"

# What is on the page, and cards and controls that lie over others, are cut off or small.
LOOK = """
const box = (id) => document.getElementById(id);
const faults = [];
const controls = ['.laid', 'button', 'input', 'summary', 'a'].map((one) => `main ${one}`).join();
const placed = [...document.querySelectorAll(controls)].filter((one) => one.checkVisibility());
const rects = placed.map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 60)]);
rects.forEach(([r, name], i) => {
  if (r.left < -1 || r.right > innerWidth + 1) faults.push(`cut off: ${name}`);
  if (r.width < 24 || r.height < 24) faults.push(`small: ${name}`);
  for (const [s, other] of rects.slice(0, i)) {
    const wide = Math.min(r.right, s.right) - Math.max(r.left, s.left);
    const high = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
    if (wide > 1 && high > 1) faults.push(`${name} covers ${other}`);
  }
});
return {
  faults,
  question: box('question').textContent, notice: box('notice').textContent,
  answers: document.querySelectorAll('#choices button').length,
  legal: [...document.querySelectorAll('#own .legal')].map((one) => one.dataset.key),
  barred: [...document.querySelectorAll('#own .barred')].map((one) => one.dataset.key),
  hand: [...document.querySelectorAll('#own button')].map((one) => one.dataset.key),
  banner: box('banner').hidden ? '' : box('banner_text').textContent,
  is_done: !box('result').hidden, said: box('said').textContent,
  number: box('number').textContent, contract: box('contract').textContent,
};"""


browser = pytest.fixture(scope="module")(page_checks.chromium)


def look(browser):
    found = browser.execute_script(LOOK)
    assert found["faults"] == [], found
    return found


def check_sight(browser):
    """All text can be read: contrast, nothing cut off, nothing over other things."""
    faults = page_checks.faults_of_sight(browser)
    assert not faults, faults


def check_access(browser):
    faults = page_checks.access_faults(browser)
    assert not faults, faults


def until(browser, holds):
    """What the page shows as soon as it holds."""

    def found(_):
        seen = look(browser)
        return seen if holds(seen) else False

    return WebDriverWait(browser, 60, poll_frequency=0.05).until(found)


def is_asked(found):
    return bool(found["answers"] or found["legal"] or found["is_done"])


def asked(browser):
    found = until(browser, is_asked)
    check_sight(browser)
    return found


def picture(browser, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    browser.save_screenshot(str(PICTURES / f"{name}.png"))


def click(browser, selector):
    browser.find_element("css selector", selector).click()


@pytest.fixture
def table(browser, request):
    """(application, address) of a table; afterwards: nothing went elsewhere, no script failed."""
    rules, people, seed = getattr(request, "param", ("research", (0,), 3))
    with served(live_table(rules, people, seed)) as (app, port):
        address = f"http://127.0.0.1:{port}"
        browser.get_log("browser")
        yield app, address
        browser.set_network_conditions(offline=False, latency=0, throughput=-1)
        asked_for = page_checks.requests_of(browser)
        assert asked_for and [one for one in asked_for if not one.startswith(address)] == []
        said = [one["message"] for one in browser.get_log("browser")]
        assert [one for one in said if "Failed to load resource" not in one] == []  # as refusals do
        browser.get("about:blank")


def number_of(found):
    return len(found["hand"]), found["question"], found["is_done"]


def choose(browser, found):
    """Answer by mouse: the second answer where there is one, else the first legal card."""
    if found["legal"]:
        click(browser, f"#own [data-key='{found['legal'][0]}']")
    else:
        place = min(found["answers"], 2)
        click(browser, f"#choices button:nth-child({place})")
    return until(browser, lambda now: number_of(now) != number_of(found) or now["is_done"])


# A key that is held down, as the browser repeats it.
HELD = "document.dispatchEvent(new KeyboardEvent('keydown', {key: '1', repeat: true}))"
# The same of Enter on a button: whether the browser may take it for one more click.
HELD_ENTER = """const button = document.querySelector('#choices button, #language');
return button.dispatchEvent(new KeyboardEvent(
  'keydown', {key: 'Enter', repeat: true, bubbles: true, cancelable: true}));"""
# Gives an answer where one is asked for.
ANSWER = """const one = document.querySelector('#choices button, #own .legal');
one?.click();
return Boolean(one);"""
COURSE = ("course_002", (0,), 5)


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_deal_by_mouse_with_wrong_clicks_a_hint_and_a_reload(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]))
    found, did = asked(browser), set()
    while not found["is_done"]:
        if found["barred"] and "barred" not in did:
            did.add("barred")
            click(browser, f"#own [data-key='{found['barred'][0]}']")
            refused = until(browser, lambda now: now["notice"])
            assert "(R-" in refused["notice"]
            assert refused["hand"] == found["hand"]
            picture(browser, "wrong_click_light")
        if found["answers"] and "hint" not in did:
            did.add("hint")
            click(browser, f"#own [data-key='{found['hand'][0]}']")  # it is no time for cards
            assert "nicht zur Wahl" in until(browser, lambda now: now["notice"])["notice"]
            click(browser, "#hint")
            WebDriverWait(browser, 60).until(
                lambda _: "Nach den Maximen" in browser.find_element("id", "opinions").text
            )
            assert "%" in browser.find_element("css selector", "#opinions table").text
            check_sight(browser)
            check_access(browser)
        if len(found["hand"]) == 4 and "reload" not in did and is_asked(found):
            did.add("reload")
            browser.refresh()
            again = asked(browser)
            same = ("hand", "legal", "barred", "question", "contract", "number")
            assert [again[key] for key in same] == [found[key] for key in same]
            assert "spielt" in again["said"] and "weiter" not in again["said"]
            click(browser, "#last")
            assert "spielt" in browser.find_element("id", "last_trick").text
        if is_asked(found):
            choose(browser, found)
        found = asked(browser)
    assert did == {"barred", "hint", "reload"}
    result = browser.find_element("id", "result").text
    assert "Grundpreis" in result and "Summe" in browser.find_element("id", "score").text
    assert browser.execute_script("return document.querySelectorAll('#result svg').length") == 32
    picture(browser, "result_light")
    click(browser, "#language")
    assert "Base" in browser.find_element("id", "result").text.title()
    check_sight(browser)
    click(browser, "#language")
    click(browser, "#next")
    assert "Spiel 2" in until(browser, lambda now: "Spiel 2" in now["number"])["number"]


def focused(browser):
    return browser.execute_script(
        "const one = document.activeElement; return [one.dataset.key ?? '', one.className]"
    )


@pytest.mark.parametrize("table", [("tournament_2024", (0,), 7)], indirect=True)
def test_a_deal_by_keyboard_on_a_telephone_in_the_dark(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE, "dark")
    keys = lambda *given: webdriver.ActionChains(browser).send_keys(*given).perform()  # noqa: E731
    found, pictured, refused = asked(browser), False, False
    while not found["is_done"]:
        before = number_of(found)
        if found["answers"]:
            keys("1")
        else:
            for _ in range(10):
                key, name = focused(browser)
                if "barred" in name and not refused:
                    refused = True
                    keys(Keys.ENTER)
                    assert "(R-" in until(browser, lambda now: now["notice"])["notice"]
                if key in found["legal"] and (refused or not found["barred"]):
                    break
                keys(Keys.ARROW_RIGHT)
            assert focused(browser)[0] in found["legal"]
            if len(found["hand"]) < 6 and not pictured:
                pictured = True
                keys("r", "l")
                WebDriverWait(browser, 60).until(
                    lambda _: browser.find_element("id", "opinions").text
                )
                picture(browser, "phone_dark")
                check_sight(browser)
            keys(Keys.ENTER)
        until(browser, lambda now, before=before: number_of(now) != before or now["is_done"])
        found = asked(browser)
    assert refused and pictured
    picture(browser, "phone_result_dark")
    check_access(browser)
    open_page(browser, browser.current_url, DESK, "dark")
    until(browser, lambda now: now["is_done"])
    check_sight(browser)
    keys("n")
    assert "Spiel 2" in until(browser, lambda now: "Spiel 2" in now["number"])["number"]


@pytest.mark.parametrize("table", [("tournament_2024", (0,), 7)], indirect=True)
def test_a_key_that_is_held_answers_nothing(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), DESK)
    found = asked(browser)
    assert found["answers"]
    browser.execute_script(HELD)
    assert browser.execute_script(HELD_ENTER) is False  # it is no click
    time.sleep(0.3)  # an answer takes less
    assert number_of(look(browser)) == number_of(found)


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_arrows_move_a_table_that_is_too_wide_and_not_the_focus(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    asked(browser)
    click(browser, "#hint")
    WebDriverWait(browser, 60).until(lambda _: browser.find_element("id", "opinions").text)
    moved = page_checks.moved_by_arrows(browser, "#opinions .wide")
    assert moved["wide"]["scrolled"] > 0 and moved["wide"]["stays"]
    assert moved["narrow"]["scrolled"] == 0 and not moved["narrow"]["stays"]


@pytest.mark.parametrize("table", [("course_002", (0, 2), 5)], indirect=True)
def test_two_people_at_one_table_by_a_link_and_two_windows_on_one_seat(browser, table):
    app, address = table
    first = browser.current_window_handle
    open_page(browser, address + app.path_of(app.seats[0]))
    asked(browser)
    click(browser, "summary")
    link = browser.execute_script("return document.querySelector('.link input').value")
    assert link == address + app.path_of(app.seats[1])
    field = browser.find_element("id", "name")
    field.clear()
    field.send_keys(MARKUP[:20])
    click(browser, "#rename button")
    WebDriverWait(browser, 60).until(lambda _: app.table.names[0] == MARKUP[:20])
    check_sight(browser)
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    open_page(browser, link, PHONE)
    until(browser, lambda now: now["hand"])
    assert MARKUP[:20] in browser.find_element("id", "table").text
    assert not browser.execute_script("return document.querySelectorAll('img').length")
    table, steps = app.table, 0
    wait = WebDriverWait(browser, 60, poll_frequency=0.05)
    while not table.deal.game.is_terminal:
        place = table.asked_place
        if place is not None:
            browser.switch_to.window(first if place == 0 else second)
            number = table.state(place)["question_number"]

            def answered(_, place=place, number=number):
                """Click until the table has heard: what is clicked on an older state is dropped."""
                if table.asked_place != place or table.state(place)["question_number"] != number:
                    return True
                browser.execute_script(ANSWER)
                return False

            wait.until(answered)
            steps += 1
    assert steps > 5
    for handle in (first, second):
        browser.switch_to.window(handle)
        assert until(browser, lambda now: now["is_done"])["contract"]
    picture(browser, "second_seat_phone")
    click(browser, "#next")
    assert "warten auf" in until(browser, lambda now: now["question"])["question"]
    check_sight(browser)
    assert table.deal.number == 1 and table.ready == {2}
    browser.get(address + app.path_of(app.seats[0]))  # the seat of the first window
    until(browser, lambda now: now["is_done"])
    browser.close()
    browser.switch_to.window(first)
    assert "anderen Fenster" in until(browser, lambda now: now["banner"])["banner"]
    click(browser, "#play_here")
    until(browser, lambda now: not now["banner"])


# As in a page of another machine, which comes without encryption.
NO_CLIPBOARD = """Object.defineProperty(navigator, 'clipboard', {value: undefined});
addEventListener('copy', () => {
  const field = document.activeElement;
  window.taken = field.value.slice(field.selectionStart, field.selectionEnd);
});"""


@pytest.mark.parametrize("table", [("course_002", (0, 2), 5)], indirect=True)
def test_a_link_is_copied_where_the_browser_has_no_clipboard_for_the_page(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]))
    asked(browser)
    click(browser, "summary")
    browser.execute_script(NO_CLIPBOARD)
    click(browser, ".link button")
    WebDriverWait(browser, 60).until(
        lambda _: browser.find_element("css selector", ".link button").text == "Kopiert"
    )
    assert browser.execute_script("return taken") == address + app.path_of(app.seats[1])


def test_a_double_click_does_what_its_first_click_did_and_no_more(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    found, did = asked(browser), set()

    def double_click(selector):
        button = browser.find_element("css selector", selector)
        webdriver.ActionChains(browser).double_click(button).perform()

    while did != {"barred", "claim"}:
        if found["barred"] and "barred" not in did:
            did.add("barred")
            double_click(f"#own [data-key='{found['barred'][-1]}']")
            assert until(browser, lambda now: now["notice"])["hand"] == found["hand"]
        claims = browser.find_elements("css selector", "#claims button")
        if claims and "claim" not in did:
            did.add("claim")
            double_click("#claims button")
            WebDriverWait(browser, 60).until(
                lambda _: "Wirklich?" in browser.find_element("id", "claims").text
            )
        deal = app.table.deal
        assert not deal.game.is_terminal and len(deal.game.hand(0)) == len(found["hand"])
        choose(browser, found)
        found = asked(browser)


def test_who_doubled_is_told_after_the_first_trick_too(browser):
    rules = schafkopf.RuleSet("official_1989_full")
    for seed in range(60):
        live = live_table(rules, (0,), seed)
        game = live.deal.game
        while not game.is_terminal and (len(game.plays) < 8 or live.asked_place != 0):
            names = [name for name in game.legal_names() if not name.endswith("_REST")]
            first = [name for name in ("PLAY", "DOUBLE", "LAY") if name in names]
            live.apply(_core.parse_action((first or names)[0]))
        facts = live.state(0)["circumstances"]
        if not game.is_terminal and facts["doubled_by"] and facts["laid_by"]:
            break
    with served(live) as (app, port):
        open_page(browser, f"http://127.0.0.1:{port}{app.path_of(app.seats[0])}", PHONE)
        asked(browser)
        shown = browser.find_element("id", "facts").text
        assert f"{facts['doublings'][0]} ({live.names[facts['doubled_by'][0]]})" in shown
        assert f"gelegt ({', '.join(live.names[seat] for seat in facts['laid_by'])}) ×" in shown


# Where the keyboard is, and what a reader of the screen has been told.
HEARD = """const one = document.activeElement;
return {
  focus: one.dataset.key ?? one.id, body: one === document.body,
  described: document.getElementById(one.getAttribute('aria-describedby'))?.textContent,
  log: [...document.querySelectorAll('#log p')].map((one) => one.textContent),
  tongues: [...document.querySelectorAll('#log p')].map((one) => one.closest('[lang]').lang),
  live: document.getElementById('log').getAttribute('aria-live'),
  laid: [...document.querySelectorAll('.laid svg')].map((one) => one.ariaLabel),
};"""


@pytest.mark.parametrize("table", [("tournament_2024", (0,), 7)], indirect=True)
def test_a_reader_of_the_screen_hears_all_and_the_focus_stays_at_the_table(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]))
    found, played = asked(browser), 0
    while not found["is_done"]:
        heard = browser.execute_script(HEARD)
        assert heard["focus"] and not heard["body"] and heard["live"] == "polite"
        if found["legal"]:
            assert heard["focus"] in found["legal"] and heard["described"] == found["question"]
            assert all(re.fullmatch(r"\w+ spielt [\w-]+", name) for name in heard["laid"])
            played += 1
        choose(browser, found)
        assert not browser.execute_script(HEARD)["body"]  # while the others play, too
        found = asked(browser)
        places = page_checks.landmarks(browser)
        assert len(set(places)) == len(places), places
    heard = browser.execute_script(HEARD)
    assert played > 5 and heard["focus"] == "result"
    cards = [line for line in heard["log"] if " spielt " in line]
    assert len(cards) == len(app.table.deal.game.plays) == 32  # none is lost where it goes fast
    assert re.fullmatch(r"Ergebnis: .*(gewonnen|verloren).*Anna [+\u2212]\d+.*", heard["log"][-1])
    webdriver.ActionChains(browser).send_keys("n").perform()
    until(browser, lambda now: "Spiel 2" in now["number"])
    assert not any("Ergebnis" in line for line in browser.execute_script(HEARD)["log"])


@pytest.mark.parametrize("table", [("tournament_2024", (0,), 7)], indirect=True)
def test_a_hint_and_the_last_trick_are_heard_too(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]))
    found = asked(browser)

    def heard_after(key, box):
        webdriver.ActionChains(browser).send_keys(key).perform()
        WebDriverWait(browser, 60).until(lambda _: browser.find_element("id", box).is_displayed())
        return browser.execute_script(HEARD)["log"][-1]

    assert heard_after("l", "last_trick") == "Noch ist kein Stich gemacht."
    webdriver.ActionChains(browser).send_keys("l").perform()
    while len(found["hand"]) == 8 or not found["legal"]:
        choose(browser, found)
        found = asked(browser)
    assert heard_after("r", "opinions").startswith("Nach den Maximen: ")
    trick = heard_after("l", "last_trick")
    assert trick.count(" spielt ") == 4 and "macht den Stich" in trick
    before = len(browser.execute_script(HEARD)["log"])
    webdriver.ActionChains(browser).send_keys("l").perform()  # away again
    assert len(browser.execute_script(HEARD)["log"]) == before


def heard_last(browser, told):
    """Wait until a reader of the screen has been told something."""
    WebDriverWait(browser, 60).until(lambda _: browser.execute_script(HEARD)["log"][-1:] == [told])


def test_what_keeps_the_table_waiting_is_heard(browser):
    live = live_table("research", (0, 1))
    with served(live) as (app, port):
        open_page(browser, f"http://127.0.0.1:{port}{app.path_of(app.seats[0])}")
        until(browser, lambda now: now["hand"])
        live.trouble = ["Bene hat nicht geantwortet.", "Bene did not answer."]
        app._show()
        heard_last(browser, "Am Tisch ist etwas schiefgegangen: Bene hat nicht geantwortet.")
        live.trouble = []
        while not live.deal.game.is_terminal:
            live.apply(live.deal.game.legal_actions()[0])
        app._show()
        until(browser, lambda now: now["is_done"])
        live.ready = {1}
        app._show()
        heard_last(browser, "Bene will weiterspielen.")
        live.table.names[1] = "Benedikt"  # something else is new
        app._show()
        WebDriverWait(browser, 60).until(
            lambda _: "Benedikt" in browser.find_element("id", "score").text
        )
        log = browser.execute_script(HEARD)["log"]
        assert log.count("Bene will weiterspielen.") == 1


# Puts the keyboard on something below the cards and marks what can be marked.
FOCUS = """const one = document.querySelector(arguments[0]);
document.getElementById('more').open = true;
one.focus();
one.select?.();
return document.activeElement === one;"""
FOCUSED = """const one = document.activeElement;
return [one.matches(arguments[0]), one.selectionEnd > one.selectionStart];"""
BELOW = ("#opinions .wide", "#score .wide", ".downloads a", ".link input", ".link button")


@pytest.mark.parametrize("table", [("course_002", (0, 2), 5)], indirect=True)
def test_the_keyboard_stays_below_the_cards_while_the_others_play(browser, table):
    app, address = table
    app.table.results += [{"title": "Wenz", "by": 0, "change": [60, -20, -20, -20]}]
    app._show()
    open_page(browser, address + app.path_of(app.seats[0]))
    asked(browser)
    click(browser, "#hint")
    WebDriverWait(browser, 60).until(lambda _: browser.find_element("id", "opinions").text)
    for number, selector in enumerate(BELOW):
        assert browser.execute_script(FOCUS, selector), selector
        app.table.results[0]["title"] = f"Wenz {number}"  # the table shows something new
        app._show()
        WebDriverWait(browser, 60).until(
            lambda _, n=number: f"Wenz {n}" in browser.find_element("id", "score").text
        )
        is_there, is_marked = browser.execute_script(FOCUSED, selector)
        assert is_there, selector
        assert is_marked or selector != ".link input"
    app.table.rename(2, "Xaver")  # the links are written anew
    app._show()
    WebDriverWait(browser, 60).until(lambda _: "Xaver" in browser.find_element("id", "links").text)
    assert browser.execute_script(FOCUSED, ".link button")[0]


@pytest.mark.parametrize("table", [("tournament_2024", (0,), 7)], indirect=True)
def test_what_was_heard_in_another_language_is_marked_as_such(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]))
    found = asked(browser)
    before = len(browser.execute_script(HEARD)["log"])
    click(browser, "#language")
    choose(browser, found)
    until(browser, lambda _: len(browser.execute_script(HEARD)["log"]) > before)
    heard = browser.execute_script(HEARD)
    assert before > 0
    assert heard["tongues"] == ["de"] * before + ["en"] * (len(heard["log"]) - before)
    assert browser.execute_script("return document.documentElement.lang") == "en"
    click(browser, "#language")  # of the next test


@pytest.mark.parametrize("table", [("tournament_2024", (0,), 7)], indirect=True)
def test_the_key_of_an_answer_is_no_part_of_its_name(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]))
    asked(browser)
    buttons = browser.find_elements("css selector", "#choices button")
    assert [one.accessible_name for one in buttons] == ["Weiter", "Ich spiele auch"]
    assert [one.get_attribute("aria-keyshortcuts") for one in buttons] == ["1", "2"]


def test_a_tab_whose_seat_was_taken_asks_nobody(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]))
    asked(browser)
    assert browser.title.startswith("●")
    app.seats[0].client = "b" * 24  # another window
    app._show()
    until(browser, lambda now: "anderen Fenster" in now["banner"])
    assert browser.title == "Schafkopf"
    click(browser, "#language")
    assert browser.title == "Schafkopf"
    assert look(browser)["banner"].startswith("This seat is open in another window.")
    click(browser, "#language")  # of the next test


@pytest.mark.parametrize(
    ("ready", "told"),
    [({1}, "Bene will weiterspielen."), ({1, 2}, "Bene, Caro wollen weiterspielen.")],
)
def test_who_wants_to_play_on_is_one_or_several(browser, ready, told):
    live = live_table("research", (0, 1, 2, 3))
    while not live.deal.game.is_terminal:
        live.apply(live.deal.game.legal_actions()[0])
    live.ready = ready
    with served(live) as (app, port):
        open_page(browser, f"http://127.0.0.1:{port}{app.path_of(app.seats[0])}", PHONE)
        assert until(browser, lambda now: now["is_done"])["question"] == told


SMALL = 360  # pixels, of a telephone
LYING = (640, 360)  # the same on its side
LONGEST = ["W" * 20, "Maximiliane-Theresia", "Sepp", "Korbinian Huber sen."]
HEBREW = "\u05e9\u05dc\u05d5\u05dd"  # written from the right
IN_VIEW = """
const boxes = [...document.querySelectorAll('.laid, #question, #own button')]
  .map((one) => one.getBoundingClientRect());
return Math.max(...boxes.map((one) => one.bottom)) - Math.min(...boxes.map((one) => one.top));"""


def test_the_account_of_all_players_fits_a_small_telephone(browser):
    live = live_table("official_1989_full", (0, 1, 2, 3), 3)
    for place, name in enumerate(LONGEST):
        live.rename(place, name)
    live.results += [{"title": "Wenz-Tout", "by": 0, "change": [-76800, 25600, 25600, 25600]}] * 2
    with served(live) as (app, port):
        open_page(browser, f"http://127.0.0.1:{port}{app.path_of(app.seats[0])}", SMALL)
        until(browser, lambda now: now["hand"])
        check_sight(browser)
        over = "const box = document.querySelector('#score .wide');"
        assert browser.execute_script(f"{over} return box.scrollWidth - box.clientWidth") <= 0
        heads = browser.find_elements("css selector", "#score thead th")
        assert [one.text for one in heads] == LONGEST  # and none without a name


SMALLEST = 320  # pixels: what WCAG asks for
# Buttons with a word that is longer than a line of theirs, which breaks it.
BROKEN = """const pen = document.createElement('canvas').getContext('2d');
return [...document.querySelectorAll('button')].filter((one) => {
  const style = getComputedStyle(one);
  pen.font = style.font;
  const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const words = one.textContent.trim().split(' ');
  return one.checkVisibility() && words.some((word) => pen.measureText(word).width > room + 1);
}).map((one) => one.textContent);"""


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_no_word_of_a_button_is_broken_on_the_smallest_telephone(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), SMALLEST)
    found = asked(browser)
    while not found["is_done"]:
        assert browser.execute_script(BROKEN) == []
        choose(browser, found)
        found = asked(browser)
    assert browser.execute_script(BROKEN) == []
    click(browser, "#next")


# Safari on a telephone enlarges the page for smaller ones, and leaves it so.
def test_the_field_of_the_name_is_large_enough_not_to_be_enlarged(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    size = "return parseFloat(getComputedStyle(document.getElementById('name')).fontSize)"
    assert browser.execute_script(size) >= 16


def test_a_name_that_is_written_from_the_right_turns_nothing_but_itself(browser, table):
    app, address = table
    app.table.rename(0, HEBREW)
    app._show()
    open_page(browser, address + app.path_of(app.seats[0]), DESK)
    found = asked(browser)
    field = browser.find_element("id", "name")
    assert field.get_property("value") == HEBREW
    while not found["is_done"]:
        choose(browser, found)
        found = asked(browser)
    said = browser.find_element("id", "said").text
    change = re.search(r"([+\u2212]?\d+), Bene", said)[0]
    at = page_checks.written_at(browser, "#said", HEBREW[-1], change, ", Bene")
    assert at == sorted(at), said


def test_trick_question_and_hand_are_seen_at_once_on_a_telephone_on_its_side(browser, table):
    app, address = table
    width, height = LYING
    open_page(browser, address + app.path_of(app.seats[0]), width, height=height)
    found, most = asked(browser), 0
    while not found["is_done"]:
        if browser.execute_script("return document.querySelectorAll('.laid').length"):
            assert browser.execute_script(IN_VIEW) <= height
            most = max(most, len(found["hand"]))
        choose(browser, found)
        found = asked(browser)
    assert most == 8
    picture(browser, "phone_on_its_side")


KREUZ = schafkopf.RuleSet("course_002", special_round="kreuzbock")


@pytest.mark.parametrize("table", [(KREUZ, (0,), 5)], indirect=True)
def test_a_special_round_is_said_and_who_plays_together(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    assert asked(browser)["contract"] == "Kreuzbock: wer sich gegenübersitzt, spielt zusammen"
    assert "Kreuzbock, noch 4 Spiele" in browser.find_element("id", "facts").text
    click(browser, "#language")
    assert "Kreuzbock, 4 games left" in browser.find_element("id", "facts").text


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_lost_connection_is_told_and_nothing_is_lost(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), DESK, "dark")
    found = asked(browser)
    browser.set_network_conditions(offline=True, latency=0, throughput=-1)
    click(browser, "#choices button")
    lost = until(browser, lambda now: now["banner"])
    assert "Verbindung" in lost["banner"] and lost["hand"] == found["hand"]
    picture(browser, "lost_connection_dark")
    browser.set_network_conditions(offline=False, latency=0, throughput=-1)
    again = until(browser, lambda now: not now["banner"])
    assert number_of(again) == number_of(found)
    choose(browser, again)


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_what_is_clicked_before_the_table_has_come_does_nothing(browser, table):
    app, address = table
    early = {"source": "window.fetch = () => new Promise(() => {});"}
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", early)
    try:
        open_page(browser, address + app.path_of(app.seats[0]), PHONE)
        assert browser.find_element("id", "said").text == "Der Tisch wird geholt."
        for button in ("hint", "last", "language"):
            browser.execute_script(f"document.getElementById('{button}').click()")
        assert browser.find_element("id", "said").text == "Fetching the table."
        assert not browser.find_element("id", "last_trick").is_displayed()
        click(browser, "#language")  # of the next test
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    asked(browser)
    click(browser, "#last")
    assert browser.find_element("id", "last_trick").is_displayed()


def test_a_page_outlives_its_server(browser):
    live = live_table(*COURSE)
    with served(live) as (app, port):
        open_page(browser, f"http://127.0.0.1:{port}{app.path_of(app.seats[0])}", PHONE)
        found = asked(browser)
    closed = until(browser, lambda now: now["banner"])
    assert "geschlossen" in closed["banner"] and closed["hand"] == found["hand"]
    check_sight(browser)
    again = live_table(*COURSE, played=live.actions)
    with served(again, port, tokens=app.tokens):
        back = until(browser, lambda now: not now["banner"])
        assert number_of(back) == number_of(found)
        choose(browser, back)


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_stale_page_and_a_stranger_are_told_what_to_do(browser, table):
    app, address = table
    open_page(browser, f"{address}/t/wrong", PHONE)
    assert "Link des Kommandos" in browser.find_element("tag name", "body").text
    browser.get(address + app.path_of(app.seats[0]))
    asked(browser)
    app.table.apply(app.table.deal.game.legal_actions()[0])  # somebody acted, the page missed it
    click(browser, "#choices button")
    told = until(browser, lambda now: now["notice"])["notice"]
    assert "weiter" in told or "an der Reihe" in told


# Every request but that for news stays without an answer, as on a train that enters a tunnel.
UNANSWERED = """
window.realFetch ??= window.fetch;
window.fetch = (url, how) => !new RegExp(`/(${arguments[0]})$`).test(url) ? realFetch(url, how)
  : new Promise((_, no) => how.signal?.addEventListener("abort", () => no(new Error("given up"))));
"""


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_what_gets_no_answer_is_given_up_and_can_be_done_again(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    found = asked(browser)
    browser.execute_script(UNANSWERED, "act|next|name")
    click(browser, "#choices button")
    click(browser, "#choices button")
    assert "unterwegs" in until(browser, lambda now: now["notice"])["notice"]
    browser.execute_script("dispatchEvent(new Event('offline'))")
    told = until(browser, lambda now: "keine Antwort" in now["notice"])
    assert number_of(told) == number_of(found)
    browser.execute_script("window.fetch = window.realFetch;")
    until(browser, lambda now: not now["banner"])
    choose(browser, found)


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_hint_that_takes_long_keeps_nobody_from_playing(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    found = asked(browser)
    browser.execute_script(UNANSWERED, "hint")
    click(browser, "#hint")
    click(browser, "#hint")
    assert "noch" in until(browser, lambda now: now["notice"])["notice"]
    choose(browser, found)


def hint_of(browser, app, port):
    """The hint to the first person who is asked, on the page of that seat."""
    while app.table.asked_place is None:
        time.sleep(0.01)
    seat = next(one for one in app.seats if one.place == app.table.asked_place)
    open_page(browser, f"http://127.0.0.1:{port}{app.path_of(seat)}", DESK)
    asked(browser)
    click(browser, "#hint")
    return WebDriverWait(browser, 60).until(lambda _: browser.find_element("id", "opinions").text)


@pytest.mark.parametrize(("people", "hidden"), [((0, 1, 2, 3), False), ((0, 1), True)])
def test_a_hint_says_that_players_see_hidden_cards_where_some_do(browser, people, hidden):
    with served(live_table("course_002", people, 5, agents=("oracle",))) as (app, port):
        told = hint_of(browser, app, port)
    assert "Nach den Maximen" in told and ("sieht verdeckte Karten" in told) == hidden


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_who_takes_a_seat_back_by_two_clicks_asks_once(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    asked(browser)
    app.seats[0].client = "b" * 24  # another window
    until(browser, lambda now: now["banner"])
    browser.execute_script(
        "const box = document.getElementById('play_here'); box.click(); box.click();"
    )
    until(browser, lambda now: not now["banner"])
    polls = set()
    for _ in range(20):
        polls.add(app.seats[0].polls)
        time.sleep(0.05)
    assert max(polls) == 1


@pytest.mark.parametrize("table", [("course_002", (0, 1), 5)], indirect=True)
def test_a_button_that_is_held_down_while_somebody_takes_another_name_is_pressed(browser, table):
    app, address = table
    while app.table.asked_place is None:
        time.sleep(0.01)
    seat, other = sorted(app.seats, key=lambda one: one.place != app.table.asked_place)
    open_page(browser, address + app.path_of(seat), DESK)
    found = asked(browser)
    assert found["answers"]
    button = browser.find_element("css selector", "#choices button")
    ActionChains(browser).move_to_element(button).click_and_hold().perform()
    app.table.rename(other.place, "Zenzi")
    app._show()
    WebDriverWait(browser, 60).until(lambda _: "Zenzi" in browser.find_element("id", "table").text)
    ActionChains(browser).release().perform()
    until(browser, lambda now: number_of(now) != number_of(found))


@pytest.mark.parametrize("table", [("course_002", (0, 1), 5)], indirect=True)
def test_a_name_that_was_typed_stays_until_it_is_sent(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), DESK)
    felt = browser.find_element("id", "table")
    WebDriverWait(browser, 60).until(lambda _: "Anna" in felt.text)
    click(browser, "#more summary")
    field = browser.find_element("id", "name")
    field.clear()
    field.send_keys("Resi", Keys.TAB)  # as a telephone leaves it with its keyboard
    app.table.rename(1, "Zenzi")
    app._show()
    WebDriverWait(browser, 60).until(lambda _: "Zenzi" in felt.text)
    assert field.get_property("value") == "Resi"
    click(browser, "#rename button")
    WebDriverWait(browser, 60).until(lambda _: "Resi" in felt.text)
    app.table.rename(0, "Vroni")  # in another window
    app._show()
    WebDriverWait(browser, 60).until(lambda _: field.get_property("value") == "Vroni")
    field.click()
    for place, name in enumerate(("Kathi", "Moni")):  # the own one while the field is open
        app.table.rename(place, name)
        app._show()
        WebDriverWait(browser, 60).until(lambda _, name=name: name in felt.text)
    assert field.get_property("value") == "Vroni"
    field.send_keys(Keys.TAB)
    app.table.rename(1, "Zenzi")
    app._show()
    WebDriverWait(browser, 60).until(lambda _: field.get_property("value") == "Kathi")


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_language_that_the_page_does_not_have_is_not_taken_from_the_storage(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), PHONE)
    browser.execute_script("localStorage.setItem('schafkopf.language', 'fr')")
    try:
        browser.refresh()
        assert asked(browser)["question"] == "Was sagst du?"
    finally:
        browser.execute_script("localStorage.clear()")


COUNT_REQUESTS = """
window.requests = 0;
const asks = window.fetch;
window.fetch = (...what) => { window.requests++; return asks(...what); };"""


def test_a_state_that_the_page_cannot_show_is_told_until_it_can(browser):
    with served(live_table(*COURSE)) as (app, port):
        open_page(browser, f"http://127.0.0.1:{port}{app.path_of(app.seats[0])}", PHONE)
        found, state = asked(browser), app.table.state
        browser.get_log("browser")
        app.table.state = lambda place: state(place) | {"hand": None}
        browser.execute_script(COUNT_REQUESTS)
        app._show()
        told = until(browser, lambda now: now["banner"])
        assert "neu laden" in told["banner"]
        said = [one["message"] for one in browser.get_log("browser")]
        assert any("TypeError" in one for one in said), said
        time.sleep(1)
        assert look(browser)["banner"] and browser.execute_script("return window.requests") < 5
        app.table.state = state
        app._show()
        again = until(browser, lambda now: not now["banner"])
        assert number_of(again) == number_of(found)


# Has the browser draw a page ahead, as it does by itself while its address is typed.
AHEAD = """
const rules = document.createElement("script");
rules.type = "speculationrules";
rules.textContent = JSON.stringify({prerender: [{urls: [arguments[0]], eagerness: "immediate"}]});
document.head.append(rules);"""


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_page_that_is_drawn_ahead_takes_no_seat_before_somebody_looks_at_it(
    browser, table, monkeypatch
):
    app, address = table
    link, seat = address + app.path_of(app.seats[0]), app.seats[0]
    open_page(browser, link, PHONE)
    asked(browser)
    player, window = seat.client, browser.current_window_handle
    browser.switch_to.new_window("tab")
    try:
        browser.get(f"{address}/t/wrong")
        is_drawn, draws = threading.Event(), page.table_page
        monkeypatch.setattr(page, "table_page", lambda *what: is_drawn.set() or draws(*what))
        browser.execute_script(AHEAD, link)
        assert is_drawn.wait(60)
        time.sleep(2)
        assert seat.client == player
        browser.execute_script("location.href = arguments[0]", link)
        WebDriverWait(browser, 60).until(lambda _: seat.client != player)
        asked(browser)
        began = "return performance.getEntriesByType('navigation')[0].activationStart"
        assert browser.execute_script(began) > 0  # it was drawn ahead
    finally:
        browser.close()
        browser.switch_to.window(window)
    assert "anderen Fenster" in until(browser, lambda now: now["banner"])["banner"]


HADSCH = schafkopf.RuleSet("course_002", special_round="hadsch")


# C.20.8: the first level stands, and nobody has said it
@pytest.mark.parametrize("table", [(HADSCH, (0,), 0)], indirect=True)
def test_the_answer_to_the_kontra_that_a_hadsch_begins_with_is_a_re(browser, table):
    app, address = table
    open_page(browser, address + app.path_of(app.seats[0]), DESK)
    while "Sagst du Re?" not in (found := asked(browser))["question"]:
        assert not found["is_done"]
        choose(browser, found)
    click(browser, "#choices button[data-key^=a]:first-child")
    WebDriverWait(browser, 60).until(
        lambda _: any(event["action"] == "DOUBLE" for event in app.table.deal.game.events)
    )
    told = "return [document.body.innerText, document.querySelector('#said').textContent].join()"
    said = WebDriverWait(browser, 60).until(
        lambda _: "Re!" in (text := browser.execute_script(told)) and text
    )
    assert "Kontra!" not in said
