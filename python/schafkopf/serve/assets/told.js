// What the page says of a deal: the game, its circumstances, what happened. Needs talk.js.
// talk: of schafkopfTalk.  page: shown, text, nameOf.
const schafkopfTold = (talk, page) => {
  const { say, cardName, signed, actionName, gameTitle } = talk;
  const sentence = (words) => words.endsWith("!") ? words : `${words}.`;
  const takenText = (trick) => say("takes", page.nameOf(trick.winner), trick.points) + ".";

  function saidText([seat, action, marked], doubling) {
    const { shown } = page;
    if (action === "DOUBLE") return `${shown.circumstances.doublings[doubling] ?? say(action)}!`;
    const card = action.startsWith("CARD ") ? action.slice(5) : "";
    return actionName(action, {
      seat, isSecret: shown.given.includes(card), isShown: marked || card !== shown.game?.called,
    });
  }

  // Doublings that stand before the first one that is told: one that a special round gives, or those
  // that are too long ago.
  const earlierDoublings = ({ circumstances, said }) => circumstances.doublings.length
    - said.filter(([, action]) => action === "DOUBLE").length;

  // Sentences in order. A trick that is gone is told by its number, so that the list only grows; a
  // page that is opened late begins with the first trick that it knows.
  const history = new Map();
  function happened() {
    const { shown } = page;
    if (history.deal !== shown.deal) history.clear();
    history.deal = shown.deal;
    for (const trick of [shown.earlier_trick, shown.last_trick, shown.trick]) {
      if (trick) history.set(trick.number, trick);
    }
    const known = [...history.values()].sort((a, b) => a.number - b.number);
    const start = (known[0]?.number ?? 0) * shown.seats;
    const events = shown.said.map((said) => ({ said, before: said[3] }));
    const lines = [];
    let doubling = earlierDoublings(shown);
    const tellUntil = (count) => {
      while (events.length && events[0].before <= count) {
        const { said, before } = events.shift();
        const words = say("says", page.nameOf(said[0]), saidText(said, doubling));
        if (before >= start) lines.push(sentence(words));
        if (said[1] === "DOUBLE") doubling++;
      }
    };
    for (const trick of known) {
      trick.cards.forEach(([seat, card], i) => {
        tellUntil(trick.number * shown.seats + i);
        lines.push(say("plays", page.nameOf(seat), cardName(card)) + ".");
      });
      if (trick.winner !== null) lines.push(takenText(trick));
    }
    tellUntil(Infinity);
    if (shown.result) lines.push(resultText());
    return lines;
  }

  // Who won, and what it brought each player.
  function resultText() {
    const { result } = page.shown;
    const changes = result.change.map((x, s) => `${page.nameOf(s)} ${signed(x)}`);
    return `${say("result")}: ${named(page.text(result.verdict))}. ${changes.join(", ")}.`;
  }

  function gameText() {
    const { game, result, results } = page.shown;
    if (result && !results.at(-1).title) return say("thrown_in");
    if (!game) return say("no_contract");
    return gameTitle({ ...game, isOpposite: game.opposite });
  }

  const titleText = () => gameText().replace(/^./u, (first) => first.toUpperCase());

  // "{0}" to "{3}" are seats.
  const named = (text) => text.replace(/\{(\d)\}/g, (_, s) => page.nameOf(+s));

  function factTexts() {
    const { shown } = page, { game, circumstances: facts } = shown, parts = [];
    const by = (what, seats) => seats.length ? `${what} (${seats.map(page.nameOf).join(", ")})` : what;
    if (facts.doublings.length) { // a Hadsch begins with one that nobody says
      const unsaid = facts.doublings.length - facts.doubled_by.length;
      const said = facts.doublings.map((name, i) => by(name, i < unsaid ? [] : [facts.doubled_by[i - unsaid]]));
      parts.push(say("factor", said.join(", "), facts.doublings_factor));
    }
    if (facts.laid) parts.push(say("factor", by(say("laid"), facts.laid_by), facts.laid_factor));
    if (facts.virgins.length) parts.push(by(say("virgin"), facts.virgins));
    if (facts.bock_factor > 1 && !facts.is_plain_bock) {
      parts.push(say("factor", say("bock"), facts.bock_factor));
    }
    if (facts.special_round.length) parts.push(page.text(facts.special_round));
    if (facts.owed.length) parts.push(named(page.text(facts.owed)));
    if (shown.stock) parts.push(say("stock", shown.stock));
    if (shown.kitty) parts.push(say("kitty", shown.kitty));
    if (shown.me === null) parts.push(say("watch"));
    else if (shown.outside) parts.push(say("outside", shown.outside));
    if (shown.is_partner) parts.push(say("partner_you"));
    if (game?.partner != null && game.declarer !== null && !shown.result) {
      parts.push(say("pair", page.nameOf(game.declarer), page.nameOf(game.partner)));
    }
    for (const key of ["given", "received"]) {
      if (shown[key].length) parts.push(say(key, shown[key].map(cardName).join(", ")));
    }
    if (shown.trouble) parts.push(say("trouble", page.text(shown.trouble)));
    return parts;
  }

  const isReady = () => page.shown.ready.includes(page.shown.place);

  // Whom one waits for while nothing is asked.
  function waitText() {
    const { shown } = page;
    if (shown.result) {
      const names = (places) => places.map((place) => shown.place_names[place]).join(", ");
      return !shown.ready.length ? ""
        : isReady() ? say("wait_next", names(shown.waits_for))
        : shown.ready.length > 1 ? say("others_ready", names(shown.ready))
        : say("other_ready", names(shown.ready));
    }
    if (shown.turn === null) return say("wait");
    return shown.turn === shown.me ? say("wait_word") : say("wait_for", page.nameOf(shown.turn));
  }

  function dealtText() {
    const { shown } = page;
    return say("dealt", shown.outside || page.nameOf(shown.dealer), page.nameOf(shown.forehand));
  }

  return {
    named, earlierDoublings,
    saidText, happened, takenText, titleText, factTexts, isReady, waitText, dealtText,
  };
};
