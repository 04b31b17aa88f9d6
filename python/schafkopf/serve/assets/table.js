// The page of a seat: it draws what the server tells, and sends what the person wants. It needs
// talk.js, told.js and panels.js before it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const base = location.pathname.replace(/\/$/, "");
  const client = [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const [RETRY_MS, LONGEST_RETRY_MS, LONGEST_WAIT_MS] = [500, 4000, 40000];
  const [LAST, LONGEST_LOG] = [6, 60]; // sentences that are seen, and that are kept to be heard
  const [LONGEST_SEND_MS, LONGEST_HINT_MS] = [10000, 300000]; // others may think long about a hint
  const $ = (id) => document.getElementById(id);
  let language = [kept("language"), data.language].find((one) => Object.hasOwn(data.words, one));
  let version = -1; // of what is shown
  let shown = null; // the state, null before the first one
  let mine = ""; // one's own name as it was given; who sits out has no seat
  let events = []; // what happened in this deal so far, in words
  let stateHeard = []; // of logState()
  let opinion = null; // the last hint
  let sure = null; // the claim that was pressed once
  let bannerWords = null; // as banner() got them
  let isClosed = false; // as the server said before it ended
  let isDrawn = true; // what the server told last
  let takes = true; // the next request takes the seat over
  const sending = new Map(); // what is on its way, "hint" or "deed" -> how to give it up
  let waiting = new AbortController(); // of the request that waits for news

  const talk = schafkopfTalk(data, {
    language: () => language, name: (s) => nameOf(s), seats: () => shown.seats,
    called: () => shown.game?.called,
  });
  const { say, apart, cardName, hiddenText, node, cardPicture, writeTexts } = talk;
  const page = {
    get shown() { return shown; }, get opinion() { return opinion; },
    get language() { return language; }, text: (pair) => text(pair), nameOf: (s) => nameOf(s),
  };
  const told = schafkopfTold(talk, page);
  const { lastText, hintText, drawLast, drawOpinions, drawResult, drawScore, drawLinks } =
    schafkopfPanels(data, base, talk, told, page);
  const text = (pair) => pair[language === "de" ? 0 : 1];
  const nameOf = (s) => shown.names[s];

  function kept(key) { // private windows may have no storage
    try { return localStorage.getItem(`schafkopf.${key}`); } catch { return null; }
  }

  function keep(key, value) {
    try { localStorage.setItem(`schafkopf.${key}`, value); } catch { /* until the page is closed */ }
  }

  // ---- the server ------------------------------------------------------------------------------
  const pause = (time) => new Promise((done) => setTimeout(done, time));

  async function listen() {
    let wait = RETRY_MS;
    for (;;) {
      try {
        const isOld = bannerWords && bannerWords !== notDrawn; // what is told goes as soon as it may
        const after = isOld ? -1 : version;
        const query = new URLSearchParams({ client, page: data.page, after });
        if (takes) query.set("take", "1");
        waiting = new AbortController();
        const timer = setTimeout(() => waiting.abort(), LONGEST_WAIT_MS);
        const answer = await fetch(`${base}/state?${query}`, {
          cache: "no-store", signal: waiting.signal,
        }).finally(() => clearTimeout(timer));
        const message = await answer.json();
        if (answer.ok) {
          takes = isClosed = false;
          wait = RETRY_MS;
          banner(null);
          if (message.version !== version) isDrawn = couldUpdate(message);
          if (!isDrawn) banner(notDrawn);
          continue;
        }
        if (message.ground === "taken") return banner(() => text(message.text), true);
        if (message.ground === "token") return banner(() => say("gone"));
        banner(() => text(message.text));
        if (message.ground === "version") return undefined;
        isClosed = message.ground === "closed" || message.ground === "over";
      } catch {
        if (!isClosed) banner(() => say("lost"));
      }
      await pause(wait);
      wait = Math.min(wait * 2, LONGEST_RETRY_MS);
    }
  }

  // One deed at a time, and a hint beside it. What gets no answer is given up: the server knows by its
  // numbers what it has done already.
  async function send(what, message = {}) {
    const kind = what === "hint" ? what : "deed";
    if (sending.has(kind)) {
      notice(kind === "hint" ? say("hint_comes") : say("deed_goes"));
      return null;
    }
    const control = new AbortController();
    const number = shown?.question_number;
    const timer = setTimeout(() => control.abort(), kind === "hint" ? LONGEST_HINT_MS : LONGEST_SEND_MS);
    sending.set(kind, control);
    try {
      const answer = await fetch(`${base}/${what}`, {
        method: "POST", cache: "no-store", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ client, page: data.page, ...message }), signal: control.signal,
      });
      const reply = await answer.json();
      const isOld = kind === "hint" && number !== shown.question_number; // played without it
      if (!isOld) notice(answer.ok ? "" : text(reply.text));
      return answer.ok ? reply : null;
    } catch {
      notice(say("unanswered"));
      waiting.abort(); // which tells, and tries again
      return null;
    } finally {
      clearTimeout(timer);
      sending.delete(kind);
    }
  }

  function giveUpAll() {
    waiting.abort();
    for (const control of sending.values()) control.abort();
  }

  // words: what the banner says in the language of the page, null = nothing.
  function banner(words, canTake = false) {
    bannerWords = words;
    $("banner").hidden = !words;
    writeBanner();
    $("play_here").hidden = $("play_here").disabled = !canTake;
    writeTitle();
  }

  function writeBanner() {
    const words = bannerWords?.() ?? "";
    if ($("banner_text").textContent !== words) $("banner_text").textContent = words;
  }

  const notice = (words) => { $("notice").textContent = words; };

  const notDrawn = () => say("not_drawn");

  // A fault of the page is told, and its console says which; what comes next may be drawn again.
  function couldUpdate(message) {
    try {
      update(message);
      return true;
    } catch (error) {
      console.error(error);
      return false;
    }
  }

  function update(message) {
    const before = shown;
    version = message.version;
    shown = message.state;
    mine = shown.place_names[shown.place];
    for (const key of ["names", "place_names"]) shown[key] = shown[key].map(apart);
    shown.outside &&= apart(shown.outside);
    const isNew = !before || before.deal !== shown.deal;
    if (isNew) {
      events = [];
      $("log").replaceChildren();
    }
    if (isNew || before.question_number !== shown.question_number || !shown.question) {
      opinion = sure = null;
      notice("");
    }
    const news = told.happened().slice(events.length);
    events.push(...news);
    draw(news);
    log(isNew && !news.length ? [told.dealtText()] : before ? news : news.slice(-LAST));
    logState();
  }

  // The second click of a double click was meant for what the first one met, which may be gone.
  const onceClicked = (button, deed) =>
    button.addEventListener("click", (event) => { if (event.detail < 2) deed(); });

  // ---- drawing ---------------------------------------------------------------------------------
  const placesAround = () => shown.seats === 3 ? ["bottom", "left", "right"]
    : ["bottom", "left", "top", "right"];
  const placeOf = (s) => placesAround()[(s - (shown.me ?? 0) + shown.seats) % shown.seats];

  function roleOf(s) {
    const game = shown.game;
    if (!game) return "";
    if (game.declarer === s) return "declarer";
    return game.partner === s ? "partner" : "";
  }

  // What a player said last: before the cards everything, then what is said to this trick.
  function bubbleOf(s) {
    const since = shown.trick ? shown.trick.number * shown.seats : 0;
    let doubling = told.earlierDoublings(shown) - 1, found = "";
    for (const said of shown.said) {
      const [seat, action, , before] = said;
      if (action === "DOUBLE") doubling++;
      if (seat !== s || before < since || shown.result) continue;
      if (!shown.trick || before || action === "DOUBLE") found = told.saidText(said, doubling);
    }
    return found;
  }

  function drawSeat(s) {
    const isMe = s === shown.me;
    const isOpen = !isMe && shown.open_cards.length > 0 && shown.game?.declarer === s;
    const box = node("section", { class: `seat ${placeOf(s)}${isOpen ? " open" : ""}`, "aria-label": nameOf(s) });
    const head = node("p", { class: shown.turn === s ? "who turn" : "who" });
    head.append(node("strong", {}, isMe ? `${nameOf(s)} (${say("you")})` : nameOf(s)));
    const role = roleOf(s);
    if (role) head.append(node("span", { class: "role" }, say(role)));
    if (s === shown.dealer) head.append(node("span", { class: "role quiet" }, say("dealer")));
    if (shown.turn === s && !isMe) head.append(node("span", { class: "role quiet" }, say("turn")));
    head.append(node("span", { class: "points" }, say("points", shown.points[s])));
    box.append(head);
    if (!isMe) {
      const cards = isOpen ? shown.open_cards : Array(shown.cards_left[s]).fill("");
      const label = isOpen ? say("open_hand", nameOf(s)) : hiddenText(cards.length);
      const hand = node("ul", { class: "hand", "aria-label": label, role: "list" });
      for (const card of cards) hand.append(node("li", {}, cardPicture(card)));
      if (cards.length) box.append(hand);
    }
    const bubble = bubbleOf(s);
    if (bubble) box.append(node("p", { class: "bubble" }, bubble));
    return box;
  }

  function drawTrick() {
    const box = node("section", { class: "trick" });
    if (!shown.trick) return box;
    box.setAttribute("aria-label", say("trick", shown.trick.number + 1));
    for (const [s, card] of shown.trick.cards) {
      const wins = shown.trick.winner === s ? " wins" : "";
      const picture = cardPicture(card); // whose it is, its place alone would say
      picture.setAttribute("aria-label", say("plays", nameOf(s), cardName(card)));
      box.append(node("div", { class: `laid ${placeOf(s)}${wins}` }, picture));
    }
    box.append(node("p", { class: "number" }, say("trick", shown.trick.number + 1)));
    return box;
  }

  function cardButton(card, attributes, action) {
    const button = node("button", {
      type: "button", "data-key": card, "aria-label": cardName(card), title: cardName(card),
      "aria-describedby": "question", ...attributes,
    });
    button.className = `card-button ${attributes.class ?? ""}`;
    const picture = cardPicture(card);
    picture.setAttribute("aria-hidden", "true");
    button.append(picture);
    onceClicked(button, action);
    return button;
  }

  let drawnName = ""; // what somebody has typed stays until the own name changes
  function drawName() {
    const field = $("name");
    if (mine === drawnName) return;
    if (document.activeElement !== field) field.value = mine;
    else if (field.value !== mine) return; // as soon as the field is left
    drawnName = mine;
  }

  // What is held down with the mouse stays until it is another one: the news may be of others.
  let drawnAsked = "";
  function drawAsked() {
    const { deal, question_number, choices, hand, refusals } = shown;
    const wanted = JSON.stringify([language, deal, question_number, choices, hand, refusals, sure]);
    if (wanted === drawnAsked) return;
    drawChoices();
    drawOwn();
    drawnAsked = wanted;
  }

  function drawOwn() {
    const choices = new Map(shown.choices.filter((one) => one.card).map((one) => [one.card, one]));
    const list = $("own");
    list.replaceChildren();
    const asksCard = shown.choices.some((one) => one.card && shown.hand.flat(2).includes(one.card));
    for (const [, cards] of shown.hand) {
      for (const card of cards) {
        const choice = choices.get(card);
        const state = !asksCard ? {} : choice ? { class: "legal" }
          : { class: "barred", "aria-disabled": "true" };
        const button = cardButton(card, state, () => choice ? act(choice) : explain(card));
        if (asksCard && !choice) {
          button.title += `: ${text(shown.refusals[card])}`;
          button.removeAttribute("aria-describedby"); // else nobody hears why not
        }
        list.append(node("li", {}, button));
      }
    }
  }

  function explain(card) {
    const why = shown.refusals[card];
    notice(shown.question && why ? say("not_allowed", cardName(card), text(why))
      : say("not_your_turn"));
  }

  function drawChoices() {
    const box = $("choices"), claims = $("claims");
    box.replaceChildren();
    claims.replaceChildren();
    const held = shown.hand.flat(2);
    const aside = shown.choices.some((one) => one.card); // claims beside cards
    for (const choice of shown.choices) {
      if (choice.card && held.includes(choice.card)) continue;
      if (choice.card) box.append(cardButton(choice.card, { class: "legal" }, () => act(choice)));
      else if (aside) claims.append(claimButton(choice));
      else box.append(answerButton(choice, box.childElementCount + 1));
    }
  }

  function answerButton(choice, number) {
    const hasKey = number < 10;
    const button = node("button", {
      type: "button", "data-key": `a${choice.action}`, ...(hasKey ? { "aria-keyshortcuts": number } : {}),
    }, ...(hasKey ? [node("kbd", { "aria-hidden": "true" }, String(number))] : []), text(choice.text));
    onceClicked(button, () => act(choice));
    return button;
  }

  // What ends a deal is pressed twice.
  function claimButton(choice) {
    const isSure = sure === choice.action;
    const button = node("button", { type: "button", "data-key": `a${choice.action}` },
      isSure ? say("sure", text(choice.text)) : text(choice.text));
    if (isSure) button.className = "main";
    onceClicked(button, () => {
      if (isSure) return act(choice);
      sure = choice.action;
      drawChoices();
      return document.querySelector(`[data-key="a${choice.action}"]`).focus();
    });
    return button;
  }

  // The dot in the tab: somebody is asked here, unless the seat was taken in another window.
  function writeTitle() {
    const isAsked = shown?.question && $("play_here").hidden;
    document.title = isAsked ? `● ${say("title")}` : say("title");
  }

  // What keeps the table waiting, each time it changes: no answer and no card tells of it.
  function logState() {
    const trouble = shown.trouble.length ? say("trouble", text(shown.trouble)) : "";
    const now = [trouble, shown.result ? told.waitText() : ""].filter(Boolean);
    log(now.filter((one) => !stateHeard.includes(one)));
    stateHeard = now;
  }

  // For those who hear the page: all that happened since the last answer, who won at the end, and
  // what they asked to see.
  function log(sentences) {
    const box = $("log");
    box.append(...sentences.map((one) => node("p", { lang: language }, one)));
    while (box.childElementCount > LONGEST_LOG) box.firstChild.remove();
  }

  // Before the table has come.
  function writeFirst() {
    writeTexts();
    $("said").textContent = say("loading");
  }

  function draw(news = []) {
    const focus = document.activeElement?.dataset?.key;
    const wasInPlay = focus || [document.body, $("next"), $("question"), $("result")]
      .includes(document.activeElement);
    writeTexts();
    writeTitle();
    $("number").textContent = (shown.deals ? say("deal_of", shown.deal, shown.deals) : say("deal", shown.deal))
      + ` · ${data.rules}`;
    $("contract").textContent = told.titleText();
    $("facts").textContent = told.factTexts().join(" · ");
    const table = $("table");
    table.className = `felt seats-${shown.seats}`;
    table.replaceChildren(drawTrick());
    for (let s = 0; s < shown.seats; s++) table.append(drawSeat(s));
    if (news.length) $("said").textContent = news.slice(-LAST).join(" ");
    else if (!events.length) $("said").textContent = told.dealtText();
    $("question").textContent = shown.question ? text(shown.question)
      : shown.is_over ? shown.is_session_over ? say("end") : say("end_of_deals") : told.waitText();
    drawAsked();
    $("next").hidden = !shown.result || shown.is_over;
    $("next").textContent = told.isReady() ? say("next_anyway") : say("next");
    $("hint").disabled = !shown.question;
    $("last").disabled = false;
    drawLast();
    drawOpinions();
    drawResult();
    drawScore();
    drawLinks();
    drawName();
    if (wasInPlay) restoreFocus(focus);
  }

  // The keyboard stays where it was, or goes to what is asked, to the result, or to the line that
  // says whom one waits for.
  function restoreFocus(key) {
    if (document.activeElement === $("next") && !$("next").hidden) return;
    const same = key && document.querySelector(`[data-key="${key}"]`);
    const asked = document.querySelector(`[data-key="a${shown.default_action}"]`)
      ?? document.querySelector("#choices button, #own .legal");
    const to = same && !(asked && same.getAttribute("aria-disabled")) ? same
      : asked ?? (shown.result ? $("result") : $("question"));
    if (to !== document.activeElement) to.focus({ preventScroll: true });
  }

  // ---- what the person does --------------------------------------------------------------------
  function act(choice) {
    return send("act", {
      deal: shown.deal, question: shown.question_number, action: choice.action,
    });
  }

  async function askHint() {
    if ($("hint").disabled) return;
    const number = shown.question_number;
    const answer = await send("hint");
    if (answer && number === shown.question_number) {
      opinion = answer;
      drawOpinions();
      log([hintText()]);
      $("opinions").scrollIntoView({ block: "nearest" });
    }
  }

  function toggleLast() {
    $("last_trick").hidden = !$("last_trick").hidden;
    $("last").setAttribute("aria-expanded", String(!$("last_trick").hidden));
    drawLast();
    if (!$("last_trick").hidden) log([lastText()]);
  }

  function next() {
    if (!$("next").hidden) send("next", { deal: shown.deal });
  }

  function moveFocus(step) {
    const cards = [...document.querySelectorAll("#choices button, #own button")];
    const at = cards.indexOf(document.activeElement);
    const from = at < 0 ? (step > 0 ? -1 : 0) : at;
    cards[(from + step + cards.length) % cards.length]?.focus();
  }

  const keys = {
    ArrowLeft: () => moveFocus(-1), ArrowRight: () => moveFocus(1),
    h: askHint, r: askHint, l: toggleLast, n: next,
  };
  document.addEventListener("keydown", (event) => {
    if (!shown || event.ctrlKey || event.altKey || event.metaKey) return;
    if (["INPUT", "SELECT", "SUMMARY"].includes(event.target.tagName)) return;
    if (talk.scrollsTable(event)) return;
    if (event.repeat && event.key === "Enter") return event.preventDefault(); // one question, one answer
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^[1-9]$/.test(key)) {
      if (event.repeat) return; // a key that is held must not answer the next question too
      const button = document.querySelectorAll("#choices button")[Number(key) - 1];
      if (button) { event.preventDefault(); button.click(); }
      return;
    }
    if (event.repeat && key === "n" || !Object.hasOwn(keys, key)) return;
    event.preventDefault();
    keys[key]();
  });
  $("hint").addEventListener("click", askHint);
  $("last").addEventListener("click", toggleLast);
  onceClicked($("next"), next);
  $("language").addEventListener("click", () => {
    language = language === "de" ? "en" : "de";
    keep("language", language);
    notice("");
    writeBanner();
    if (!shown) return writeFirst();
    events = told.happened();
    return draw(events.slice(-1));
  });
  $("rename").addEventListener("submit", (event) => {
    event.preventDefault();
    send("name", { name: $("name").value });
  });
  $("play_here").addEventListener("click", () => {
    $("play_here").disabled = true; // a second click would listen twice, for good
    takes = true;
    version = -1;
    listen();
  });
  addEventListener("offline", giveUpAll);
  addEventListener("online", giveUpAll);
  $("name").maxLength = data.name_length;
  writeFirst();
  // A page that the browser draws ahead, while its address is typed, takes the seat of nobody.
  if (document.prerendering) document.addEventListener("prerenderingchange", listen, { once: true });
  else listen();
})();
