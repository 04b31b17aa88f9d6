// The parts of the page below the cards: last trick, hint, result, account, links. Needs talk.js.
// talk, told: of schafkopfTalk and schafkopfTold.  page: shown, opinion, language, text, nameOf.
const schafkopfPanels = (data, base, talk, told, page) => {
  const { say, cardName, signed, node, cardPicture } = talk;
  const $ = (id) => document.getElementById(id);

  function drawLast() {
    const box = $("last_trick");
    box.replaceChildren();
    if (box.hidden) return;
    box.append(node("h2", {}, say("last_trick")));
    const trick = page.shown.last_trick;
    if (!trick) return void box.append(node("p", {}, lastText()));
    const list = node("ul", { class: "small", role: "list" });
    for (const [s, card] of trick.cards) {
      list.append(node("li", s === trick.winner ? { class: "wins" } : {}, cardPicture(card)));
    }
    box.append(list, node("p", {}, lastText()));
  }

  function lastText() {
    const trick = page.shown.last_trick;
    if (!trick) return say("no_trick");
    const words = trick.cards.map(([s, card]) => say("plays", page.nameOf(s), cardName(card)));
    return `${words.join(", ")}. ${trick.winner === null ? "" : told.takenText(trick)}`;
  }

  const hintText = () =>
    say("rule_agent", page.text(page.opinion.chosen), page.text(page.opinion.sentence));

  function drawOpinions() {
    const box = $("opinions");
    box.replaceChildren();
    box.hidden = !page.opinion;
    if (box.hidden) return;
    box.append(node("h2", {}, say("hint_title")));
    const rule = node("p", {}, hintText());
    rule.append(node("small", {}, ` ${say("source")}: ${page.opinion.source}`));
    box.append(rule);
    if (!page.opinion.players.length) {
      if (page.shown.players.some(Boolean)) box.append(node("p", {}, say("hint_hidden")));
      return;
    }
    const head = node("tr", {}, node("th", { scope: "col" }, say("action")));
    page.opinion.players.forEach((player, i) => {
      const places = page.shown.place_names.filter((_, place) => page.shown.players[place] === player);
      const th = node("th", { scope: "col" }, places.join(", "), node("small", {}, ` ${player}`));
      const value = page.opinion.values[i];
      if (value !== null) th.append(node("small", {}, ` ${say("expects", signed(value))}`));
      head.append(th);
    });
    const body = node("tbody");
    for (const row of page.opinion.rows) {
      const name = row.card ? cardName(row.card) : page.text(row.text);
      const cells = row.shares.map((share) => {
        const meter = node("span", { class: "meter" });
        meter.style.setProperty("--share", `${100 * share}%`);
        return node("td", {}, meter, `${Math.round(100 * share)} %`);
      });
      body.append(node("tr", {}, node("th", { scope: "row" }, name), ...cells));
    }
    box.append(wide("opinions", node("table", {}, node("thead", {}, head), body)));
  }

  // key: by which the keyboard finds its way back when all is drawn anew.
  const wide = (key, table) => node("div", { class: "wide", tabindex: "0", "data-key": key }, table);
  const amount = (x) => node("td", { class: x < 0 ? "minus" : "plus" }, signed(x));

  function drawResult() {
    const box = $("result"), { result } = page.shown;
    box.replaceChildren();
    box.hidden = !result;
    if (!result) return;
    box.append(node("h2", {}, say("result")), node("p", {}, `${told.titleText()}.`));
    const price = node("ul", { class: "price" });
    for (const line of result.price) {
      price.append(node("li", {}, told.named(page.text(line))));
    }
    box.append(price, node("h2", {}, say("dealt_cards")));
    result.hands.forEach((hand, s) => {
      const declarer = page.shown.game?.declarer ?? null; // none in a Kreuzbock: the party are the winners
      const party = result.party.includes(s) && declarer !== null
        ? ` · ${say(declarer === s ? "declarer" : "partner")}` : "";
      const from = result.tricks_of.length ? ` (${say("tricks_of", page.nameOf(result.tricks_of[s]))})` : "";
      const line = `${page.nameOf(s)}${party} · ${say("points", result.points[s])}${from} · ${signed(result.change[s])}`;
      const list = node("ul", { class: "small", role: "list" });
      for (const card of hand) list.append(node("li", {}, cardPicture(card)));
      box.append(node("div", { class: "row" }, node("p", {}, line), list));
    });
    if (result.packet.length) {
      const list = node("ul", { class: "small", role: "list" });
      for (const card of result.packet) list.append(node("li", {}, cardPicture(card)));
      box.append(node("div", { class: "row" }, node("p", {}, say("packet")), list));
    }
  }

  function drawScore() {
    const box = $("score");
    box.replaceChildren();
    box.hidden = !page.shown.results.length;
    if (box.hidden) return;
    box.append(node("h2", {}, say("score")));
    const heads = page.shown.place_names.map((name) => node("th", { scope: "col" }, name));
    const rows = page.shown.results.map((one, i) => {
      const by = one.by === null ? "" : ` ${page.shown.place_names[one.by]}`;
      const title = `${i + 1}. ${one.title ? one.title + by : say("thrown_in")}`;
      return node("tr", {}, node("th", { scope: "row" }, title), ...one.change.map(amount));
    });
    rows.push(node("tr", { class: "chosen" }, node("th", { scope: "row" }, say("total")),
      ...page.shown.totals.map(amount)));
    box.append(wide("score", node("table", {}, node("thead", {}, node("tr", {}, node("td"), ...heads)),
      node("tbody", {}, ...rows))));
    const replay = { href: `${base}/replay?language=${page.language}`, target: "_blank", rel: "noopener" };
    const records = { href: `${base}/records`, download: "schafkopf.jsonl" };
    box.append(node("p", { class: "downloads" },
      node("a", { ...replay, "data-key": "replay" }, say("replay")),
      node("a", { ...records, "data-key": "records" }, say("records"))));
  }

  let drawnLinks = ""; // language and names: what is marked in a link stays until they change
  function drawLinks() {
    const box = $("links"), wanted = [page.language, ...page.shown.place_names].join("\n");
    if (!data.links.length || wanted === drawnLinks) return;
    drawnLinks = wanted;
    box.replaceChildren();
    box.append(node("h2", {}, say("invite")));
    if (data.is_local) box.append(node("p", { class: "soft" }, say("invitation_local")));
    for (const link of data.links) {
      const value = location.origin + link.path;
      const field = node("input", {
        readonly: "", "aria-label": say("invite"), value, "data-key": `link${link.place}`,
      });
      const copy = node("button", { type: "button", "data-key": `copy${link.place}` }, say("copy"));
      copy.addEventListener("click", async () => {
        field.select();
        if (await copied(field.value)) copy.textContent = say("copied"); // else it is marked
      });
      box.append(node("p", {}, say("invite_text", page.shown.place_names[link.place])),
        node("p", { class: "link" }, field, copy));
    }
  }

  // The clipboard is there for pages of this machine or with encryption; others copy what is marked.
  async function copied(value) {
    try { await navigator.clipboard.writeText(value); return true; }
    catch { return document.execCommand("copy"); }
  }

  return { lastText, hintText, drawLast, drawOpinions, drawResult, drawScore, drawLinks };
};
