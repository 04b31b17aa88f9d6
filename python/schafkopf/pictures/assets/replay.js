// The page of a replay: one state, drawn anew after every step. It needs talk.js before it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const CODES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";
  const [SAID, PLAYED, SECRET, SHOWN, SILENT] = [0, 1, 2, 3, 4];
  const OPEN = -1;
  const $ = (id) => document.getElementById(id);
  let language = data.language;
  let number = 0; // of the game
  let seat = data.seat; // whose cards are seen, OPEN = all
  let game = null; // of all games, unpacked once it is looked at
  let at = 0; // index into game.stops

  // ---- words -----------------------------------------------------------------------------------
  const { say, decimal, signed, actionName, gameTitle, node, ...talk } = schafkopfTalk(data, {
    language: () => language, name: (s) => name(s), seats: () => game.seats,
    called: () => game.contract?.c && cardOf(game.contract.c),
  });
  const name = (s) => {
    const given = game.names[s];
    if (given === undefined) return say("seat", s);
    const isAlone = game.names.indexOf(given) === game.names.lastIndexOf(given);
    return isAlone ? given : `${given} (${say("seat", s)})`; // as three players "rules"
  };
  const cardOf = (letter) => data.cards[CODES.indexOf(letter)].name;
  const cardName = (letter) => talk.cardName(cardOf(letter));
  const cardPicture = (letter) => talk.cardPicture(letter && cardOf(letter)); // "" = a back

  function phrase(step) {
    if (step.kind === PLAYED) return say("plays", name(step.seat), cardName(step.card));
    return say("says", name(step.seat), deedName(step.action, step));
  }

  const deedName = (action, { seat, kind, doubling }) => actionName(data.actions[action], {
    seat, isSecret: kind === SECRET, isShown: kind === SHOWN, doubling: game.raw.v?.[doubling],
  });

  // ---- games -----------------------------------------------------------------------------------
  function unpack(raw) {
    let said = 0; // doublings so far
    const steps = (raw.a ?? []).map((packed) => {
      const action = packed & 255, doubling = said;
      if (data.actions[action] === "DOUBLE") said++;
      return { action, seat: packed >> 8 & 3, kind: packed >> 10, card: CODES[action], doubling };
    });
    const plays = [];
    steps.forEach((step, i) => {
      if (step.kind === PLAYED) plays.push({ ...step, step: i });
    });
    return {
      raw, steps, plays, seats: raw.h.length, names: (raw.n ?? []).map(talk.apart), contract: raw.c ?? null,
      winners: raw.w ?? [], moved: raw.x ?? [], stops: [0],
    };
  }

  function isSeen(step) {
    if (seat === OPEN || step.seat === seat) return true;
    return step.kind !== SECRET && step.kind !== SILENT;
  }

  function findStops() {
    game.stops = [0];
    game.steps.forEach((step, i) => { if (isSeen(step)) game.stops.push(i + 1); });
    const last = game.steps.length;
    if (game.stops[game.stops.length - 1] !== last) game.stops.push(last);
  }

  // What lies where after `done` steps.
  function stateAt(done) {
    const hands = game.raw.h.map((cards) => new Set(cards));
    const move = ([, who, gone, come]) => {
      for (const card of gone) hands[who].delete(card);
      for (const card of come) hands[who].add(card);
    };
    for (const one of game.moved) if (one[0] < done) move(one);
    const plays = game.plays.filter((play) => play.step < done);
    for (const play of plays) hands[play.seat].delete(play.card);
    // before all cards are dealt: those that each seat sees
    (game.raw.f?.[done] ?? []).forEach((cards, s) => { hands[s] = new Set(cards); });
    let points = Array(game.seats).fill(0);
    const whole = Math.floor(plays.length / game.seats);
    for (let trick = 0; trick < whole; trick++) points[game.winners[trick]] += worth(trick);
    // who gives up the rest leaves tricks that nobody plays
    if (done >= game.steps.length && game.raw.e?.points) points = game.raw.e.points;
    const order = data.orders[game.raw.o[done >= game.raw.k ? 1 : 0]];
    const sorted = hands.map((hand) => [...order].filter((card) => hand.has(card)));
    return { hands: sorted, plays, points, whole };
  }

  const trickOf = (trick) => game.plays.slice(trick * game.seats, (trick + 1) * game.seats);
  const worth = (trick) =>
    trickOf(trick).reduce((sum, play) => sum + data.cards[CODES.indexOf(play.card)].points, 0);

  function roleOf(s, done) {
    const { p: party = [], pk } = game.raw;
    if (!game.contract || done < game.raw.k) return "";
    if (game.contract.s === s) return "declarer";
    const known = seat === OPEN || seat === s || done >= pk || done >= game.steps.length;
    return known && party.includes(s) ? "partner" : "";
  }

  function isOpen(s, done) {
    if (seat === OPEN || seat === s) return true;
    return game.contract?.s === s && done >= (game.raw.op ?? Infinity);
  }

  function contractText(done) {
    const contract = game.contract;
    if (!contract && game.raw.e && done >= game.steps.length) return say("thrown_in");
    if (!contract || done < game.raw.k) return say("no_contract");
    return gameTitle({
      title: contract.t, called: contract.c && cardOf(contract.c), declarer: contract.s,
      bid: contract.b, isOpposite: Boolean(game.raw.p?.length),
    });
  }

  // ---- drawing ---------------------------------------------------------------------------------
  const places = () => game.seats === 3 ? ["bottom", "left", "right"]
    : ["bottom", "left", "top", "right"];
  const placeOf = (s) => places()[(s - Math.max(seat, 0) + game.seats) % game.seats];

  function drawSeat(s, state, done) {
    const box = node("section", { class: `seat ${placeOf(s)}`, "aria-label": name(s) });
    const head = node("p", { class: "who" }, node("strong", {}, name(s)));
    const role = roleOf(s, done);
    if (role) head.append(node("span", { class: "role" }, say(role)));
    if (s === game.raw.d && !game.raw.u) head.append(node("span", { class: "role quiet" }, say("dealer")));
    head.append(node("span", { class: "points" }, say("points", state.points[s])));
    const open = isOpen(s, done), cards = state.hands[s];
    const label = open ? say("hand", name(s)) : talk.hiddenText(cards.length);
    const hand = node("ul", { class: "hand", "aria-label": label, role: "list" });
    for (const card of cards) hand.append(node("li", {}, cardPicture(open ? card : "")));
    box.append(head, hand);
    return box;
  }

  function drawTrick(state) {
    const box = node("section", { class: "trick" });
    const count = state.plays.length;
    if (!count) return box;
    const trick = Math.floor((count - 1) / game.seats);
    box.setAttribute("aria-label", say("trick", trick + 1));
    const isWhole = count % game.seats === 0;
    for (const play of state.plays.slice(trick * game.seats)) {
      const wins = isWhole && game.winners[trick] === play.seat ? " wins" : "";
      const picture = cardPicture(play.card); // whose it is, its place alone would say
      picture.setAttribute("aria-label", phrase(play));
      box.append(node("div", { class: `laid ${placeOf(play.seat)}${wins}` }, picture));
    }
    box.append(node("p", { class: "number" }, say("trick", trick + 1)));
    return box;
  }

  function statusText(done, state) {
    if (!done) {
      const forehand = (game.raw.d + 1) % game.seats;
      return game.raw.u ? say("dealt_outside", name(forehand))
        : say("dealt", name(game.raw.d), name(forehand));
    }
    let last = done - 1;
    while (last > 0 && !isSeen(game.steps[last])) last--;
    const step = game.steps[last];
    let text = isSeen(step) ? phrase(step) : "";
    if (step.kind === PLAYED && state.plays.length % game.seats === 0) {
      const trick = state.whole - 1;
      if (trick < game.winners.length) {
        text += `. ${say("takes", name(game.winners[trick]), worth(trick))}`;
      }
    }
    return text + ".";
  }

  // ---- opinions --------------------------------------------------------------------------------
  function drawOpinions(done) {
    const box = $("opinions");
    box.replaceChildren();
    box.hidden = !data.players.length && !data.solver;
    if (box.hidden) return;
    const next = game.stops[at + 1] ?? game.steps.length;
    let index = -1;
    let isHidden = false;
    for (let i = done; i < next; i++) {
      if (!game.raw.q?.[0]?.[i] && !game.raw.z?.[i]) continue;
      if (seat === OPEN || game.steps[i].seat === seat) index = i;
      else isHidden = true;
    }
    if (index < 0) {
      const told = isHidden ? say("not_seen") : say("no_opinion");
      box.append(node("p", { class: "soft" }, told));
      return;
    }
    const step = game.steps[index];
    box.append(node("h2", {}, say("opinions", name(step.seat))), opinionTable(step, index));
  }

  function opinionTable(step, index) {
    const columns = data.players.map((player, p) => {
      const [value, ...cells] = game.raw.q[p][index] ?? [null];
      const shares = new Map();
      for (let i = 0; i < cells.length; i += 2) shares.set(cells[i], cells[i + 1]);
      return { title: player, value, shares };
    });
    const points = new Map();
    const solved = seat === OPEN ? game.raw.z?.[index] ?? [] : []; // they tell of hidden hands
    for (let i = 0; i < solved.length; i += 2) points.set(CODES.indexOf(solved[i]), solved[i + 1]);
    const first = columns[0]?.shares ?? points;
    const head = node("tr", {}, node("th", { scope: "col" }, say("action")));
    for (const column of columns) {
      const th = node("th", { scope: "col" }, column.title);
      if (column.value !== null) {
        th.append(node("small", {}, ` ${say("expects", signed(column.value))}`));
      }
      head.append(th);
    }
    if (points.size) head.append(node("th", { scope: "col" }, say("solver")));
    const body = node("tbody");
    for (const action of first.keys()) {
      const isCard = action < 32;
      const text = isCard ? cardName(CODES[action])
        : deedName(action, { seat: step.seat, doubling: step.doubling });
      const title = node("th", { scope: "row" }, text);
      if (action === step.action) title.append(node("small", {}, ` ${say("chosen")}`));
      const row = node("tr", action === step.action ? { class: "chosen" } : {}, title);
      for (const column of columns) {
        const share = (column.shares.get(action) ?? 0) / 10;
        const meter = node("span", { class: "meter" });
        meter.style.setProperty("--share", `${share}%`);
        row.append(node("td", {}, meter, `${decimal(share.toFixed(1))} %`));
      }
      if (points.size) row.append(node("td", {}, String(points.get(action) ?? "")));
      body.append(row);
    }
    return node("div", { class: "wide", tabindex: "0", "data-key": "opinions" },
      node("table", {}, node("thead", {}, head), body));
  }

  // ---- course and result -----------------------------------------------------------------------
  function jumpButton(index, child) {
    const button = node("button", { type: "button", "data-done": index + 1 }, child);
    button.setAttribute("aria-label", phrase(game.steps[index]));
    button.addEventListener("click", () => {
      at = Math.max(0, game.stops.indexOf(index + 1));
      draw();
    });
    return button;
  }

  function drawCourse() {
    const list = $("course-list");
    list.replaceChildren();
    const tricks = Math.ceil(game.plays.length / game.seats);
    const words = new Map(); // by the trick in which they were said, -1 = before the cards
    let played = 0;
    game.steps.forEach((step, i) => {
      if (step.kind === PLAYED) played++;
      else if (isSeen(step)) {
        const trick = played ? Math.min(Math.floor(played / game.seats), tricks - 1) : -1;
        if (!words.has(trick)) words.set(trick, node("p", { class: "words" }));
        words.get(trick).append(jumpButton(i, phrase(step)));
      }
    });
    if (words.has(-1)) {
      list.append(node("li", { class: "said" }, node("span", {}, say("before_cards")), words.get(-1)));
    }
    for (let trick = 0; trick < tricks; trick++) {
      const row = node("li", {}, node("span", {}, say("trick", trick + 1)));
      for (const play of trickOf(trick)) row.append(jumpButton(play.step, cardPicture(play.card)));
      if (trick < game.winners.length) {
        row.append(node("span", { class: "soft" }, say("takes", name(game.winners[trick]), worth(trick))));
      }
      if (words.has(trick)) row.append(words.get(trick));
      list.append(row);
    }
  }

  function drawResult(done) {
    const box = $("result");
    box.replaceChildren();
    box.hidden = done < game.steps.length;
    if (box.hidden) return;
    const end = game.raw.e;
    box.append(node("h2", {}, say("result")));
    if (!end) return box.append(node("p", {}, say("unfinished")));
    if (end.won !== undefined) {
      const text = say(end.won ? "won" : "lost", end.declarer_points);
      box.append(node("p", {}, `${contractText(done)}: ${text}.`));
    }
    const from = (s) => end.counts?.[s] ?? s; // whose tricks count: in a Schieberramsch they move on
    const rows = end.payoffs.map((payoff, s) => node("tr", {},
      node("th", { scope: "row" }, name(s),
        ...(from(s) === s ? [] : [node("small", {}, ` ${say("tricks_of", name(from(s)))}`)])),
      node("td", {}, String(end.points?.[from(s)] ?? "")),
      node("td", {}, String(end.tricks?.[from(s)] ?? "")),
      node("td", { class: payoff < 0 ? "minus" : "plus" }, signed(payoff))));
    const heads = ["player", "points_head", "tricks", "payoff"].map((key) =>
      node("th", { scope: "col" },
        key === "points_head" ? say("points", "").trim() : say(key)));
    box.append(node("div", { class: "wide", tabindex: "0", "data-key": "result" },
      node("table", {}, node("thead", {}, node("tr", {}, ...heads)), node("tbody", {}, ...rows))));
    const price = node("ul", { class: "price" });
    for (const [german, english] of end.price) {
      const text = (language === "de" ? german : english).replace(/\{(\d)\}/g, (_, s) => name(+s));
      price.append(node("li", {}, text));
    }
    box.append(price);
  }

  // ---- the page --------------------------------------------------------------------------------
  function draw() {
    const done = game.stops[at], key = document.activeElement?.dataset?.key;
    const state = stateAt(done);
    $("contract").textContent = contractText(done);
    const table = $("table");
    table.replaceChildren(drawTrick(state));
    table.className = `felt seats-${game.seats}`;
    for (let s = 0; s < game.seats; s++) table.append(drawSeat(s, state, done));
    $("said").textContent = statusText(done, state);
    const slider = $("slider");
    slider.max = game.stops.length - 1;
    slider.value = at;
    slider.setAttribute("aria-valuetext", say("step_of", at, game.stops.length - 1));
    $("count").textContent = `${at} / ${game.stops.length - 1}`;
    const isFirst = at === 0, isLast = at === game.stops.length - 1;
    turnOff({ first: isFirst, previous_trick: isFirst, back: isFirst,
      forward: isLast, next_trick: isLast, last: isLast }, "slider");
    for (const button of document.querySelectorAll("[data-done]")) {
      if (Number(button.dataset.done) === done) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    drawOpinions(done);
    drawResult(done);
    if (key) focus(document.querySelector(`[data-key="${key}"]`) ?? slider);
  }

  const focus = (element) => element.focus({ preventScroll: true });

  // Buttons that can do nothing; from one of them the keyboard goes to another.
  function turnOff(buttons, other) {
    const held = document.activeElement?.id;
    for (const [id, isOff] of Object.entries(buttons)) $(id).disabled = isOff;
    if (buttons[held]) focus($(other));
  }

  function go(to) {
    at = Math.min(Math.max(to, 0), game.stops.length - 1);
    draw();
  }

  // Where tricks end, as indices of stops; the end of the auction counts too.
  function goTrick(direction) {
    const ends = [0];
    if (game.plays.length) ends.push(game.stops.indexOf(game.plays[0].step));
    game.plays.forEach((play, i) => {
      if ((i + 1) % game.seats === 0) ends.push(game.stops.indexOf(play.step + 1));
    });
    ends.push(game.stops.length - 1);
    if (direction > 0) go(ends.find((end) => end > at) ?? at);
    else go(ends.reverse().find((end) => end >= 0 && end < at) ?? 0);
  }

  function setSeat(value) {
    const done = game.stops[at];
    seat = value;
    $("view").value = String(seat);
    findStops();
    at = game.stops.findIndex((stop) => stop >= done);
    drawCourse();
    draw();
  }

  function setGame(index) {
    number = Math.min(Math.max(index, 0), data.games.length - 1);
    game = unpack(data.games[number]);
    if (seat >= game.seats) seat = 0; // not all hands
    at = 0;
    write();
  }

  // Everything that depends on the language or the game.
  function write() {
    talk.writeTexts();
    document.title = say("title");
    const games = $("game");
    games.replaceChildren(...data.games.map((one, i) => {
      const title = [i + 1, one.c?.t ?? say("thrown_in"), one.i].filter(Boolean).join(" \u00b7 ");
      return node("option", { value: i }, title);
    }));
    games.value = String(number);
    $("games").hidden = data.games.length === 1;
    turnOff({ previous_game: number === 0, next_game: number === data.games.length - 1 }, "game");
    const views = [node("option", { value: OPEN }, say("open"))];
    for (let s = 0; s < game.seats; s++) {
      views.push(node("option", { value: s }, say("seen_by", name(s))));
    }
    $("view").replaceChildren(...views);
    $("view").value = String(seat);
    const rules = game.raw.r === "custom" ? say("custom") : game.raw.r;
    $("facts").textContent = [say("game_of", number + 1, data.games.length), talk.apart(game.raw.i ?? ""), rules]
      .filter(Boolean).join(" \u00b7 ");
    findStops();
    drawCourse();
    draw();
  }

  const keys = {
    ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1),
    PageUp: () => goTrick(-1), PageDown: () => goTrick(1),
    Home: () => go(0), End: () => go(game.stops.length - 1),
    p: () => setGame(number - 1), n: () => setGame(number + 1),
    o: () => setSeat(seat === OPEN ? 0 : OPEN),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.tagName === "SELECT" || talk.scrollsTable(event)) return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  const clicks = {
    first: keys.Home, previous_trick: keys.PageUp, back: keys.ArrowLeft,
    forward: keys.ArrowRight, next_trick: keys.PageDown, last: keys.End,
    previous_game: keys.p, next_game: keys.n,
    language: () => { language = language === "de" ? "en" : "de"; write(); },
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  $("slider").addEventListener("input", () => go(Number($("slider").value)));
  $("game").addEventListener("change", () => setGame(Number($("game").value)));
  $("view").addEventListener("change", () => setSeat(Number($("view").value)));
  // "#3.17" opens game 3 at step 17, of a page that is open too.
  function openNamed() {
    const [wanted, step] = location.hash.slice(1).split(".").map((one) => parseInt(one, 10));
    setGame((wanted || 1) - 1);
    go(step || 0);
  }
  addEventListener("hashchange", openNamed);
  openNamed();
})();
