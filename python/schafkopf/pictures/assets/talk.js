// What the pages with cards share: words, elements, pictures of cards. All texts go in as text nodes,
// so that nothing that a person or a file names becomes markup.
"use strict";
// data: words, suits, contracts and cards of the page.  now: language(), name(seat), seats(), called().
const schafkopfTalk = (data, now) => {
  const titles = new Map(data.cards.map((card) => [card.name, card.title]));
  const decimal = (text) => now.language() === "de" ? String(text).replace(".", ",") : String(text);
  const written = (part) => typeof part === "number" ? decimal(part) : part ?? "";
  const say = (key, ...parts) =>
    (data.words[now.language()][key] ?? key).replace(/\{(\d)\}/g, (_, i) => written(parts[i]));
  const cardName = (card) => titles.get(card);
  const hiddenText = (number) => say(number === 1 ? "hidden_one" : "hidden", number);
  const signed = (x) => (x > 0 ? "+" : x < 0 ? "\u2212" : "") + decimal(Math.abs(x));

  // A name that is written from the right turns no more than itself; signs that turn are no part of one.
  const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
  const apart = (name) => {
    const plain = name.replace(/[\u202a-\u202e\u2066-\u2069]/gu, "");
    return FROM_RIGHT.test(plain) ? `\u2068${plain}\u2069` : plain;
  };

  // In a Muss-Spiel tens and Kings are called too: die Gras-Zehn, der Gras-König.
  const withArticle = (key, card) => (/[KOU]$/.test(card) ? `${key}_der` : key);

  // What a player said or did, from the name of the action.
  // doubling: its name, as the rules have one for each.
  function actionName(id, { seat, isSecret, isShown, doubling }) {
    if (doubling && id === "DOUBLE") return doubling;
    if (doubling && id === "NO_DOUBLE") return say("NO_DOUBLE_", doubling);
    if (id.startsWith("CARD ")) {
      const card = id.slice(5), isCalled = now.called() === card;
      const way = isSecret ? "CARD_secret"
        : isShown ? (isCalled ? withArticle("CARD_away", card) : "CARD_shown")
        : isCalled ? withArticle("CARD_call", card) : "CARD";
      return say(way, cardName(card));
    }
    if (id.startsWith("C_")) return data.contracts[id] ?? id.slice(2);
    if (id.startsWith("SUIT_")) return say("SUIT_", data.suits[id.slice(5)]);
    if (id.startsWith("TARGET_")) {
      return say("TARGET_", now.name((seat + Number(id.slice(-1))) % now.seats()));
    }
    for (const start of ["RAISE_", "CLAIM_LAUFENDE_"]) {
      if (id.startsWith(start)) return say(start, id.slice(start.length));
    }
    return say(id);
  }

  // The game of a deal with who plays it. Without a declarer opposite seats are one party, or none.
  function gameTitle({ title, called, declarer, bid, isOpposite }) {
    const what = called ? `${title} ${say(withArticle("on", called), cardName(called))}` : title;
    const who = declarer != null ? say("plays", now.name(declarer), what)
      : say(isOpposite ? "opposite" : "alone", what);
    return bid ? `${who}, ${say("bid", bid)}` : who;
  }

  function node(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function cardPicture(card) { // "" = a back
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const use = document.createElementNS(space, "use");
    use.setAttribute("href", `#sk-${card || "back"}`);
    svg.setAttribute("viewBox", "0 0 100 160");
    svg.setAttribute("class", "card");
    if (card) {
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", cardName(card));
    } else {
      svg.setAttribute("aria-hidden", "true");
    }
    svg.append(use);
    return svg;
  }

  // Whether the keyboard is on a table that is wider than the page: there an arrow moves the table.
  function scrollsTable({ key, target }) {
    const box = target.closest?.(".wide");
    return key.startsWith("Arrow") && box && box.scrollWidth > box.clientWidth;
  }

  // Texts of the page itself, by their attributes.
  function writeTexts() {
    document.documentElement.lang = now.language();
    for (const element of document.querySelectorAll("[data-text]")) {
      element.textContent = say(element.dataset.text);
    }
    for (const element of document.querySelectorAll("[data-label]")) {
      element.setAttribute("aria-label", say(element.dataset.label));
      element.title = say(element.dataset.label);
    }
    // the button that names the other language, in that language
    document.getElementById("language").lang = now.language() === "de" ? "en" : "de";
  }

  return {
    say, apart, cardName, hiddenText, decimal, signed, actionName, gameTitle, node, cardPicture, scrollsTable,
    writeTexts,
  };
};
