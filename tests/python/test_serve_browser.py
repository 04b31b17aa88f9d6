"""The table in a real headless browser: by mouse and keys, reload, two seats, lost connection.

What was seen is stored in build/screenshots.
"""

import contextlib
import json
import shutil
from pathlib import Path

import pytest

schafkopf = pytest.importorskip("schafkopf", exc_type=ImportError)
for package in ("selenium", "uvicorn", "starlette"):
    pytest.importorskip(package)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from test_serve import live_table, served  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    pytest.skip("Debian's chromium and chromium-driver are not there", allow_module_level=True)

PICTURES = Path(__file__).resolve().parents[2] / "build" / "screenshots"
MARKUP = "<img src=x onerror=a()>"
PHONE, DESK = 390, 1000

# What is on the page, and what is wrong with how it looks: text that is cut off, covered by
# other text or too weak on its ground, controls that are small or have no name.
LOOK = """
const box = (id) => document.getElementById(id);
const seen = (one) => one.checkVisibility() && one.getClientRects().length > 0;
const faults = [];
if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the window');
const luminance = (colour) => {
  const linear = (x) => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4;
  const [r, g, b] = colour.map((x) => linear(x / 255));
  return .2126 * r + .7152 * g + .0722 * b;
};
const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
const ground = (one) => {
  for (; one; one = one.parentElement) {
    const [r, g, b, a = 1] = parse(getComputedStyle(one).backgroundColor);
    if (a > 0) return [r, g, b];
  }
  return [255, 255, 255];
};
const rects = [];
for (const one of document.querySelectorAll('main *')) {
  if (one.closest('svg') || !seen(one)) continue;
  const own = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (own && !one.disabled) {
    const a = luminance(parse(getComputedStyle(one).color).slice(0, 3));
    const b = luminance(ground(one));
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(1)}: ${one.textContent}`);
    const range = document.createRange();
    for (const n of one.childNodes) {
      if (n.nodeType !== 3 || !n.textContent.trim()) continue;
      range.selectNodeContents(n);
      for (const r of range.getClientRects()) {
        if (!one.closest('.wide')) rects.push([r, n.textContent.trim(), one]);
      }
    }
  }
  if (['BUTTON', 'INPUT', 'A'].includes(one.tagName)) {
    const r = one.getBoundingClientRect();
    if (r.width < 24 || r.height < 24) faults.push(`small: ${one.outerHTML.slice(0, 80)}`);
    const name = one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length;
    if (!name) faults.push(`nameless: ${one.outerHTML.slice(0, 80)}`);
  }
}
const cards = [...document.querySelectorAll('.laid, #own .card-button, #choices .card-button')]
  .filter(seen).map((one) => [one.getBoundingClientRect(), one.dataset.key ?? 'laid', one]);
const all = [...rects, ...cards];
for (let i = 0; i < all.length; i++) {
  const [r, text] = all[i];
  if (r.left < -1 || r.right > innerWidth + 1) faults.push(`cut off: ${text}`);
  for (let j = 0; j < i; j++) {
    const [s, other] = all[j];
    const wide = Math.min(r.right, s.right) - Math.max(r.left, s.left);
    const high = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
    if (wide > 2 && high > 3) faults.push(`${text} covers ${other}`);
  }
}
const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
if (new Set(ids).size < ids.length) faults.push('an id twice');
if (!document.documentElement.lang) faults.push('no language');
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


@contextlib.contextmanager
def started_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars"):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def browser():
    with started_browser() as driver:
        yield driver


def window(browser, width, colours="light", height=800):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    scheme = {"name": "prefers-color-scheme", "value": colours}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def look(browser):
    found = browser.execute_script(LOOK)
    assert found["faults"] == [], found
    return found


def until(browser, holds):
    """What the page shows as soon as it holds."""

    def found(_):
        seen = look(browser)
        return seen if holds(seen) else False

    return WebDriverWait(browser, 10, poll_frequency=0.05).until(found)


def is_asked(found):
    return bool(found["answers"] or found["legal"] or found["is_done"])


def asked(browser):
    return until(browser, is_asked)


def picture(browser, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    browser.save_screenshot(str(PICTURES / f"{name}.png"))


def click(browser, selector):
    browser.find_element("css selector", selector).click()


def requests_of(browser):
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        one["params"]["request"]["url"]
        for one in sent
        if one["method"] == "Network.requestWillBeSent"
    ]


@pytest.fixture
def table(browser, request):
    """(application, address) of a table; afterwards: nothing went elsewhere, no script failed."""
    rules, people, seed = getattr(request, "param", ("research", (0,), 3))
    with served(live_table(rules, people, seed)) as (app, port):
        address = f"http://127.0.0.1:{port}"
        browser.get_log("performance")
        browser.get_log("browser")
        yield app, address
        browser.set_network_conditions(offline=False, latency=0, throughput=-1)
        assert [one for one in requests_of(browser) if not one.startswith((address, "data:"))] == []
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


# Gives an answer where one is asked for.
ANSWER = """const one = document.querySelector('#choices button, #own .legal');
one?.click();
return Boolean(one);"""
COURSE = ("course_002", (0,), 5)


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_deal_by_mouse_with_wrong_clicks_a_hint_and_a_reload(browser, table):
    app, address = table
    window(browser, DESK)
    browser.get(address + app.path_of(app.seats[0]))
    found, did = asked(browser), set()
    while not found["is_done"]:
        if found["barred"] and "barred" not in did:
            did.add("barred")
            click(browser, f"#own [data-key='{found['barred'][0]}']")
            refused = until(browser, lambda now: now["notice"])
            assert "(R-112)" in refused["notice"] or "(R-11" in refused["notice"]
            assert refused["hand"] == found["hand"]
            picture(browser, "wrong_click_light")
        if found["answers"] and "hint" not in did:
            did.add("hint")
            click(browser, f"#own [data-key='{found['hand'][0]}']")  # it is no time for cards
            assert "nicht zur Wahl" in until(browser, lambda now: now["notice"])["notice"]
            click(browser, "#hint")
            WebDriverWait(browser, 10).until(
                lambda _: "Nach den Maximen" in browser.find_element("id", "opinions").text
            )
            assert "%" in browser.find_element("css selector", "#opinions table").text
            look(browser)
        if len(found["hand"]) == 4 and "reload" not in did and is_asked(found):
            did.add("reload")
            browser.refresh()
            again = asked(browser)
            same = ("hand", "legal", "barred", "question", "contract", "number")
            assert [again[key] for key in same] == [found[key] for key in same]
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
    look(browser)
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
    window(browser, PHONE, "dark")
    browser.get(address + app.path_of(app.seats[0]))
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
                WebDriverWait(browser, 10).until(
                    lambda _: browser.find_element("id", "opinions").text
                )
                picture(browser, "phone_dark")
                look(browser)
            keys(Keys.ENTER)
        until(browser, lambda now, before=before: number_of(now) != before or now["is_done"])
        found = asked(browser)
    assert refused and pictured
    picture(browser, "phone_result_dark")
    for width, colours in ((PHONE, "light"), (DESK, "dark")):
        window(browser, width, colours)
        look(browser)
    keys("n")
    assert "Spiel 2" in until(browser, lambda now: "Spiel 2" in now["number"])["number"]


@pytest.mark.parametrize("table", [("course_002", (0, 2), 5)], indirect=True)
def test_two_people_at_one_table_by_a_link_and_two_windows_on_one_seat(browser, table):
    app, address = table
    window(browser, DESK)
    first = browser.current_window_handle
    browser.get(address + app.path_of(app.seats[0]))
    asked(browser)
    click(browser, "summary")
    link = browser.execute_script("return document.querySelector('.link input').value")
    assert link == address + app.path_of(app.seats[1])
    field = browser.find_element("id", "name")
    field.clear()
    field.send_keys(MARKUP[:20])
    click(browser, "#rename button")
    WebDriverWait(browser, 10).until(lambda _: app.table.names[0] == MARKUP[:20])
    look(browser)
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    window(browser, PHONE)
    browser.get(link)
    until(browser, lambda now: now["hand"])
    assert MARKUP[:20] in browser.find_element("id", "table").text
    assert not browser.execute_script("return document.querySelectorAll('img').length")
    table, steps = app.table, 0
    wait = WebDriverWait(browser, 10, poll_frequency=0.05)
    while not table.deal.game.is_terminal:
        place = table.asked_place
        if place is not None:
            browser.switch_to.window(first if place == 0 else second)
            number = table.state(place)["question_number"]
            wait.until(lambda _: browser.execute_script(ANSWER))
            wait.until(lambda _, asked=(place, number): table.asked_place != asked[0]
                       or table.state(asked[0])["question_number"] != asked[1])  # fmt: skip
            steps += 1
    assert steps > 5
    for handle in (first, second):
        browser.switch_to.window(handle)
        assert until(browser, lambda now: now["is_done"])["contract"]
    picture(browser, "second_seat_phone")
    browser.get(address + app.path_of(app.seats[0]))  # the seat of the first window
    until(browser, lambda now: now["is_done"])
    browser.close()
    browser.switch_to.window(first)
    assert "anderen Fenster" in until(browser, lambda now: now["banner"])["banner"]
    click(browser, "#play_here")
    until(browser, lambda now: not now["banner"])


@pytest.mark.parametrize("table", [COURSE], indirect=True)
def test_a_lost_connection_is_told_and_nothing_is_lost(browser, table):
    app, address = table
    window(browser, DESK, "dark")
    browser.get(address + app.path_of(app.seats[0]))
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
def test_a_stale_page_and_a_stranger_are_told_what_to_do(browser, table):
    app, address = table
    browser.get(f"{address}/t/wrong")
    assert "Link des Kommandos" in browser.find_element("tag name", "body").text
    browser.get(address + app.path_of(app.seats[0]))
    asked(browser)
    app.table.apply(app.table.deal.game.legal_actions()[0])  # somebody acted, the page missed it
    click(browser, "#choices button")
    told = until(browser, lambda now: now["notice"])["notice"]
    assert "weiter" in told or "an der Reihe" in told
