"""What every web page of the library must be, looked at in Debian's chromium.

    from support import page_checks
    browser = pytest.fixture(scope="module")(page_checks.chromium)
    def test_page(browser): page_checks.check_page(browser, path.as_uri())

For a page that lives (a server, a game) call `open_page` and then the `..._faults` one by one.
"""

import json
import shutil

import pytest

pytest.importorskip("selenium")

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
PHONE, DESK = 390, 1100  # pixels
TEXT = 4.5  # contrast that WCAG asks for
SCHEMES = ("light", "dark")

# Everything that a person reads: its words, its box, its colours, and what may hide it.
_READ = """
const isHeard = (node) => { // what is there for readers of the screen alone
  for (let one = node; one; one = one.parentElement)
    if (getComputedStyle(one).clipPath === 'inset(50%)') return true;
  return false;
};
const shown = (node) => !isHeard(node)
  && node.checkVisibility({opacityProperty: true, visibilityProperty: true});
const scrolls = (node) => {
  for (let one = node; one && one !== document.documentElement; one = one.parentElement)
    if (['auto', 'scroll'].includes(getComputedStyle(one).overflowX)) return true;
  return false;
};
const floats = (node) => {
  for (let one = node; one; one = one.parentElement)
    if (['sticky', 'fixed'].includes(getComputedStyle(one).position)) return true;
  return false;
};
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const known = new Map();
const rgba = (colour) => {
  if (!known.has(colour)) known.set(colour, painted(colour));
  return known.get(colour);
};
const painted = (colour) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
const behind = (node) => {
  const layers = [];
  for (let one = node; one; one = one.parentElement) {
    const colour = rgba(getComputedStyle(one).backgroundColor);
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  return layers.reduceRight((below, top) => over(top, below), [255, 255, 255]);
};
const luminance = (colour) => {
  const [r, g, b] = colour.map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const parent = node.parentElement;
  const words = node.textContent.trim();
  if (!words || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(parent.tagName)) continue;
  if (!shown(parent) || parent.closest('symbol, defs')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const style = getComputedStyle(parent), drawn = parent instanceof SVGElement;
  const paper = behind(drawn ? parent.ownerSVGElement.parentElement : parent);
  const ink = over(rgba(drawn ? style.fill : style.color), paper);
  texts.push({
    words: words.slice(0, 60), boxes: [...range.getClientRects()].map((b) => [
      b.left + scrollX, b.top + scrollY, b.right + scrollX, b.bottom + scrollY]),
    scrolls: scrolls(parent), floats: floats(parent), contrast: contrast(ink, paper),
    off: parent.closest('[disabled], [aria-hidden=true]') !== null,
  });
}
const cut = [];
for (const one of document.body.querySelectorAll('*')) {
  if (one instanceof SVGElement || one.tagName === 'SELECT') continue;
  const hides = ['hidden', 'clip'].includes(getComputedStyle(one).overflowX);
  if (hides && one.scrollWidth > one.clientWidth + 1 && shown(one))
    cut.push(one.textContent.trim().slice(0, 60));
}
const svgs = [...document.querySelectorAll('.chart svg')].map((one) => one.getBoundingClientRect())
  .map((b) => [b.left + scrollX, b.top + scrollY, b.right + scrollX, b.bottom + scrollY]);
const wide = document.documentElement.scrollWidth - innerWidth;
return {texts, cut, svgs, wide, width: innerWidth};
"""


def chromium():
    """Debian's chromium without a window, as a fixture has it."""
    if not CHROMIUM or not DRIVER:
        pytest.skip("Debian's chromium and chromium-driver are not there")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def open_page(driver, address, width=DESK, scheme="light", height=800):
    """Open a page as a screen of that width and scheme shows it."""
    driver.get_log("performance")
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    wanted = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})
    driver.get(address)


def moved_by_arrows(driver, selector):
    """Return what an arrow does on a table that is made twice as wide as its box, and then fits:
    how far it moves the table, and whether the focus stays there."""
    found = {}
    for name, width in (("wide", "200%"), ("narrow", "auto")):
        driver.execute_script(
            "const box = document.querySelector(arguments[0]);"
            "box.firstChild.style.width = arguments[1]; box.scrollLeft = 0; box.focus();",
            selector,
            width,
        )
        webdriver.ActionChains(driver).send_keys(Keys.ARROW_RIGHT).pause(0.3).perform()
        found[name] = driver.execute_script(
            "const box = document.querySelector(arguments[0]);"
            "return {scrolled: box.scrollLeft, stays: document.activeElement === box};",
            selector,
        )
    return found


def faults_of_sight(driver):
    """Return in words what is cut off, lies over something else or cannot be read."""
    seen = driver.execute_script(_READ)
    faults = [f"cut off: {text!r}" for text in seen["cut"]]
    if seen["wide"] > 0:
        faults.append(f"the page is {seen['wide']} pixels wider than the screen")
    placed = []
    for text in seen["texts"]:
        if text["contrast"] < TEXT and not text["off"]:
            faults.append(f"contrast {text['contrast']:.2f}: {text['words']!r}")
        for box in text["boxes"]:
            if not text["scrolls"] and (box[0] < -1 or box[2] > seen["width"] + 1):
                faults.append(f"beyond the edge: {text['words']!r}")
            if not text["floats"] and not text["scrolls"]:
                placed.append((box, text["words"]))
            for frame in seen["svgs"]:
                centre = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
                inside = frame[0] < centre[0] < frame[2] and frame[1] < centre[1] < frame[3]
                if inside and (box[0] < frame[0] - 1 or box[2] > frame[2] + 1):
                    faults.append(f"cut off by its drawing: {text['words']!r}")
    return list(dict.fromkeys(faults + _overlaps(placed)))[:20]


def _overlaps(placed):
    faults, near = [], []
    for box, words in sorted(placed, key=lambda one: one[0][1]):
        near = [(b, w) for b, w in near if b[3] > box[1]]
        for other, text in near:
            across = min(box[2], other[2]) - max(box[0], other[0])
            down = min(box[3], other[3]) - max(box[1], other[1])
            if across > 2 and down > 0.4 * min(box[3] - box[1], other[3] - other[1]):
                faults.append(f"{text!r} and {words!r} lie over each other")
        near.append((box, words))
    return faults


def requests_of(driver):
    """Return the addresses that were asked since open_page(), but files and what is in the page."""
    sent = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [
        one["params"]["request"]["url"]
        for one in sent
        if one["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]


def access_faults(driver):
    """Return what axe finds serious or critical, with the first place of each."""
    axe = pytest.importorskip("selenium_axe_python").Axe(driver)
    axe.inject()
    found = axe.run(options={"resultTypes": ["violations"]})
    return [
        f"{one['id']}: {one['help']}, {one['nodes'][0]['html'][:120]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def written_at(driver, selector, *parts):
    """Return where the first letters of the last such parts of a text stand, from the left."""
    return driver.execute_script(
        """const [selector, parts] = arguments;
        const all = document.createTreeWalker(document.querySelector(selector), 4);
        const nodes = [];
        while (all.nextNode()) nodes.push(all.currentNode);
        return parts.map((part) => {
          const node = nodes.find((one) => one.textContent.includes(part));
          const range = document.createRange(), at = node.textContent.lastIndexOf(part);
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          return range.getBoundingClientRect().left;
        });""",
        selector,
        parts,
    )


def landmarks(driver):
    """Return what a reader of the screen hears in the list of the parts of a page."""
    return driver.execute_script(
        "return [...document.querySelectorAll('section[aria-label], nav, main')]"
        ".filter((one) => one.checkVisibility()).map((one) => one.ariaLabel ?? one.tagName)"
    )


def check_page(driver, address):
    """Look at a page that stands still: light and dark, on a telephone and on a desk.

    axe looks once: of what it checks, only contrasts change with the scheme, and faults_of_sight
    has those of all text, in drawings too.
    """
    for scheme in SCHEMES:
        for width in (PHONE, DESK):
            open_page(driver, address, width, scheme)
            faults = faults_of_sight(driver)
            assert not faults, "\n".join([f"{scheme}, {width} pixels:", *faults])
            assert requests_of(driver) == []
    faults = access_faults(driver)
    assert not faults, "\n".join(["axe:", *faults])
    assert driver.get_log("browser") == []
