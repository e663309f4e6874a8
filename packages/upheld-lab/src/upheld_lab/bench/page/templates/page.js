"use strict";
// Everything of a run is put into the page as text, never as markup: sources are not to be trusted.
(() => {
  const data = JSON.parse(document.getElementById("run-data").textContent);
  const $ = (id) => document.getElementById(id);
  const SIGNS = { right: "✓", wrong: "✗", silent: "–", failed: "!", unjudged: "?" };
  const NAMES = { silent: "silent or warned" };
  const COLOURS = 8;
  const SUPPORT = {
    supported: "✓ supported", contradicted: "✗ contradicted", unsupported: "? unsupported",
    not_checked: "· not checked", not_checkworthy: "nothing to check",
  };

  function make(tag, kind, ...children) {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function folded(title, ...children) {
    return make("details", "", make("summary", "", ...[title].flat()), ...children);
  }

  // ---- what came of it, as a sign

  function came(given) {
    if (given.came !== "silent") return given.came;
    return given.claims.length ? "only with a warning" : "silent";
  }

  function badge(question, given, words) {
    const well = given.came === "silent" && question.answerable === false;
    const sign = make("i", `came ${given.came}${well ? " well" : ""}`, SIGNS[given.came]);
    if (words) sign.append(` ${well ? "rightly " : ""}${came(given)}`);
    return sign;
  }

  // ---- one question

  function claim(said) {
    const probability = said.probability === null ? "" : ` ${said.probability.toFixed(2)}`;
    const why = make("span", "why", make("b", "", (SUPPORT[said.support] || said.support) + probability));
    if (said.support !== "supported" && said.reason) why.append(` – ${said.reason}`);
    const quotes = said.quotes.map((quote) => {
      const mark = quote.source === null ? "" : ` [${quote.source}]`;
      const lead = { cited: "cites", for: "upheld by", against: "but" }[quote.says] || "";
      const same = quote.words === said.text;
      return make("blockquote", quote.says, same ? `word for word in${mark}` : `${lead} “${quote.words}”${mark}`);
    });
    const marks = said.marks.map((number) => ` [${number}]`).join("");
    return make("li", said.support, make("div", "", said.text, make("b", "", marks)), why, ...quotes);
  }

  function marked(text, quotes) {
    const found = quotes.map((words) => [text.indexOf(words), words]).filter(([at, words]) => at >= 0 && words);
    if (!found.length) return make("p", "", text);
    const [at, words] = found.sort((one, other) => one[0] - other[0])[0];
    return make("p", "", text.slice(0, at), make("mark", "", words), text.slice(at + words.length));
  }

  function source(question, given, id, number) {
    const page = data.sources[id] || { title: id, uri: "", text: "", document: id };
    const among = (ids) => ids.includes(id) || ids.includes(page.document);
    const title = [`[${number}] ${page.title || page.uri || id}`];
    if (among(question.gold)) title.push(make("span", "gold", " ★ gold"));
    if (among(question.planted)) title.push(make("span", "planted", " ☠ planted or mistaken"));
    const quotes = given.claims.flatMap((said) => said.quotes).filter((quote) => quote.source === number);
    const place = page.uri && page.uri !== page.title ? make("p", "why", page.uri) : null;
    return folded(title, marked(page.text, quotes.map((quote) => quote.words)), place);
  }

  function scores(given) {
    const body = make("tbody", "");
    for (const [name, value] of Object.entries(given.scores)) {
      const told = Number.isInteger(value) ? String(value) : value.toFixed(3);
      body.append(make("tr", "", make("th", "", name), make("td", "", told)));
    }
    return folded("scores", make("table", "", body));
  }

  function card(question, given, place) {
    const name = data.variants[place];
    const list = make("ul", "claims", ...given.claims.map((said) => claim(said)));
    const conflicts = given.conflicts.map(([one, other]) =>
      make("p", "conflict", `⚡ Sources disagree: “${one}” – “${other}”`));
    const sources = given.sources.map((id, at) => source(question, given, id, at + 1));
    const notes = given.notes.map((note) => make("p", "why", `note: ${note}`));
    return make("section", `card c${place % COLOURS}`,
      make("h4", "", name, badge(question, given, true)),
      given.text ? make("p", "why", given.text) : null,
      list, ...conflicts, ...notes,
      sources.length ? folded(`${sources.length} source${sources.length > 1 ? "s" : ""}`, ...sources) : null,
      scores(given));
  }

  function noted(question) {
    if (question.answerable === false) return "Nothing in the sources answers it.";
    if (question.answers.length) return `Answer: ${question.answers.join(" · ")}`;
    return "Nobody noted an answer.";
  }

  function show(question) {
    const found = !question.gold.length ? ""
      : question.gold_rank === null ? " · no gold passage among the first 20 found"
      : ` · first gold passage found at rank ${question.gold_rank}`;
    $("detail").replaceChildren(
      make("p", "meta", `${question.set} · ${question.id}${found}`),
      make("h3", "", question.text),
      make("p", "noted", noted(question)),
      make("div", "cards", ...question.given.map((given, place) => card(question, given, place))));
  }

  // ---- the list and its filters

  const words = (question) => [
    question.id, question.text, ...question.answers,
    ...question.given.flatMap((given) => [given.text, ...given.claims.map((said) => said.text)]),
  ].join("\n").toLowerCase();

  const items = data.questions.map((question, at) => {
    const row = make("div", "row", make("span", "", question.set), ...question.given.map((given, place) => {
      const sign = badge(question, given, false);
      sign.title = `${data.variants[place]}: ${came(given)}`;
      return sign;
    }));
    const button = make("button", "", make("div", "what", question.text), row);
    button.type = "button";
    button.tabIndex = -1;
    button.addEventListener("click", () => choose(at));
    const item = make("li", "", button);
    return { question, item, button, words: words(question) };
  });

  let chosen = -1;
  let ready = false; // the address changes only when a reader chooses

  function choose(at, focus) {
    if (items[chosen]) {
      items[chosen].button.removeAttribute("aria-current");
      items[chosen].button.tabIndex = -1;
    }
    chosen = at;
    if (!items[at]) {
      $("detail").replaceChildren();
      return;
    }
    const { button, question } = items[at];
    button.setAttribute("aria-current", "true");
    button.tabIndex = 0;
    const box = $("list");
    const top = button.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top + button.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = top - box.clientHeight / 3;
    }
    if (focus) button.focus({ preventScroll: true });
    show(question);
    if (ready) history.replaceState(null, "", `#q=${encodeURIComponent(question.id)}`);
  }

  function fits({ question, words }) {
    const set = $("by-set").value, came = $("by-came").value, variant = $("by-variant").value;
    const given = variant === "" ? question.given : [question.given[Number(variant)]];
    if (set && question.set !== set) return false;
    if (came === "differ" && new Set(question.given.map((each) => each.came)).size < 2) return false;
    if (came && came !== "differ" && !given.some((each) => each.came === came)) return false;
    return words.includes($("by-text").value.trim().toLowerCase());
  }

  function filter() {
    let left = 0;
    for (const each of items) {
      each.item.hidden = !fits(each);
      left += each.item.hidden ? 0 : 1;
    }
    $("count").textContent = `${left} of ${items.length}`;
    if (!items[chosen] || items[chosen].item.hidden) choose(items.findIndex((each) => !each.item.hidden));
  }

  function step(way) {
    for (let at = chosen + way; items[at]; at += way) {
      if (!items[at].item.hidden) return choose(at, document.activeElement?.closest("#list") !== null);
    }
  }

  function options(select, pairs) {
    for (const [value, label] of pairs) {
      const option = make("option", "", label);
      option.value = value;
      select.append(option);
    }
  }

  options($("by-set"), [...new Set(data.questions.map((question) => question.set))].map((set) => [set, set]));
  options($("by-variant"), data.variants.map((variant, place) => [String(place), variant]));
  const seen = new Set(data.questions.flatMap((question) => question.given.map((given) => given.came)));
  options($("by-came"), Object.keys(SIGNS).filter((came) => seen.has(came)).map((came) => [came, NAMES[came] || came]));
  if (data.variants.length > 1) options($("by-came"), [["differ", "methods differ"]]);

  $("list").append(...items.map((each) => each.item));
  for (const id of ["by-set", "by-variant", "by-came", "by-text"]) $(id).addEventListener("input", filter);
  document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const inList = event.target.closest("#list") !== null;
    if (event.key === "j" || (inList && event.key === "ArrowDown")) step(1);
    else if (event.key === "k" || (inList && event.key === "ArrowUp")) step(-1);
    else if (event.key === "/") $("by-text").focus();
    else return;
    event.preventDefault();
  });

  // ---- tables: one set at a time

  const tabs = [...document.querySelectorAll("[data-set]")];
  function tab(name) {
    for (const each of tabs) each.setAttribute("aria-pressed", String(each.dataset.set === name));
    for (const each of document.querySelectorAll("[data-table]")) each.hidden = each.dataset.table !== name;
  }
  for (const each of tabs) each.addEventListener("click", () => tab(each.dataset.set));
  if (tabs.length) tab(tabs[0].dataset.set);

  filter();
  ready = true;
  const linked = items.findIndex((each) => location.hash === `#q=${encodeURIComponent(each.question.id)}`);
  if (linked >= 0) {
    choose(linked);
    $("questions").scrollIntoView();
  }
})();
