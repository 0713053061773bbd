// Shows what a run told: pictures, counts, lines, and the cause of what is clicked.
import { clock, lanesPicture, make, swatch, table } from "./draw.js";

const find = (selector) => document.querySelector(selector);
const MORE = 300;
const ROLES = { bootstrap: "bootstrap, a made-up id", coordinator: "the group's coordinator", data: "a broker by its own id" };
const LEVELS = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"];

export class Result {
  constructor(simulator, alarm) {
    this.simulator = simulator;
    this.alarm = alarm;
    this.most = MORE;
    find("#filter [name=level]").append(...LEVELS.map((level) => make("option", {}, level)));
    for (const name of ["words", "level", "who"]) find(`#filter [name=${name}]`).addEventListener("input", () => { this.most = MORE; this.#lines(); });
    find("#filter").addEventListener("submit", (event) => event.preventDefault());
    find("#window").addEventListener("submit", (event) => { event.preventDefault(); this.#draw(); });
    find("#whole").addEventListener("click", () => { this.#wholeWindow(); this.#draw(); });
    find("#close-cause").addEventListener("click", () => this.#closeCause());
    addEventListener("keydown", (event) => { if (event.key === "Escape" && !find("#cause").hidden) this.#closeCause(); });
    let width = innerWidth;
    addEventListener("resize", () => { if (this.told && innerWidth !== width) { width = innerWidth; this.#draw(); } });
  }

  async show(told, look) {
    this.told = told;
    this.#closeCause(false);
    const [first] = told.sides;
    find("#result").hidden = false;
    find("#headline").textContent = told.sides.map((side) => `Client ${side.client}: ${side.counted}`).join(" · ");
    find("#look").textContent = look;
    find("#notices").replaceChildren(...told.sides.flatMap((side) => notices(side, told.sides.length > 1)));
    find("#differences").replaceChildren(...(told.sides.length > 1 ? [differences(told.sides)] : []));
    find("#cell").textContent = first.cell;
    find("#filter [name=words]").value = "";
    find("#filter [name=level]").value = first.story.level ?? "INFO";
    const names = [...new Set(told.sides.flatMap((side) => side.speakers))];
    find("#filter [name=who]").replaceChildren(make("option", { value: "" }, "all"), ...names.map((name) => make("option", {}, name)));
    this.most = MORE;
    this.#wholeWindow();
    this.#draw();
    this.drawn ??= performance.now();
    await this.#lines();
  }

  #wholeWindow() {
    const form = find("#window");
    form.elements.from.value = 0;
    form.elements.to.value = Math.max(...this.told.sides.map((side) => side.now_ms)) / 1000;
  }

  #draw() {
    const form = find("#window");
    const from = Math.max(0, +form.elements.from.value * 1000 || 0);
    const to = Math.max(from + 1, +form.elements.to.value * 1000 || 0);
    const sides = find("#sides");
    sides.classList.toggle("two", this.told.sides.length > 1);
    sides.replaceChildren(...this.told.sides.map((side) => make("section", { "aria-label": `Client ${side.client}` })));
    this.told.sides.forEach((side, place) => {
      const host = sides.children[place];
      const pick = (id, says, node) => this.#why(place, id, says, node);
      if (this.told.sides.length > 1) host.append(make("h3", {}, `Client ${side.client}`));
      host.append(...recordsLine(side));
      const add = (heading, lanes, key, words, empty) => {
        host.append(make("h3", {}, heading));
        if (!lanes.length) return void host.append(make("p", { class: "hint" }, empty));
        const room = make("div", {});
        host.append(key, room);
        room.append(lanesPicture({ title: heading, lanes, moments: side.moments, from, to, width: room.clientWidth, pick }));
        host.append(make("details", {}, make("summary", {}, "In words"), words()));
      };
      add("Connections over time", connectionLanes(side, to), connectionKey(side), () => connectionTable(side), "Nobody has opened a connection.");
      add(side.shares ? "Who holds which record" : "Who owns which partition", ownerLanes(side), ownerKey(side), () => ownerTable(side), "There are no members, or none has got a partition.");
      if (side.transactions.length) {
        add("Transactions", transactionLanes(side), transactionKey(side), () => barTable("id and speaker", "state", side.transactions), "");
      }
      host.append(make("details", {}, make("summary", {}, `Requests: ${side.requests.reduce((sum, [, , count]) => sum + count, 0).toLocaleString("en")}`),
        table(["client", "request", "how many", "the first one"], side.requests.map(([who, api, count, id]) =>
          [who, api, count, make("button", { type: "button", onclick: (event) => pick(id, `${who}: ${api}`, event.currentTarget) }, "why?")]))));
    });
  }

  async #lines() {
    const filter = find("#filter").elements;
    const turn = this.turn = (this.turn ?? 0) + 1;
    let found;
    try {
      found = await this.simulator.ask("lines", { level: filter.level.value, who: filter.who.value, words: filter.words.value, most: this.most });
    } catch (error) {
      return this.alarm(error.message);
    }
    if (turn !== this.turn) return; // Another letter has been typed since.
    const host = find("#lines");
    host.classList.toggle("two", found.length > 1);
    host.replaceChildren(...found.map(({ lines, count }, place) => {
      const own = lines.filter((line) => line.new).length;
      const heading = `${count.toLocaleString("en")} ${count === 1 ? "line" : "lines"}${count > lines.length ? `, the first ${lines.length} are shown` : ""}`;
      return make("section", {},
        make("p", { class: "hint", role: "status" }, found.length > 1 ? `Client ${this.told.sides[place].client}: ${heading}; ${own} with words that the other does not say (marked)` : heading),
        make("ol", { class: "log" }, ...lines.map((line) => this.#line(line, place))),
        count > lines.length ? make("button", { type: "button", onclick: () => { this.most *= 3; this.#lines(); } }, "Show more lines") : null);
    }));
  }

  #line(line, side) {
    const [first, ...rest] = line.text.trimEnd().split("\n");
    const button = make("button", { type: "button", class: "line", disabled: line.id == null, onclick: (event) => this.#why(side, line.id, first, event.currentTarget) },
      make("span", { class: "head" }, `${(line.at / 1000).toFixed(3)} s  ${line.who}  `), make("span", { class: line.level }, line.level), `  ${first}`);
    return make("li", { class: line.new ? "new" : null }, button,
      rest.length ? make("details", {}, make("summary", {}, `${rest.length} more lines of it`), make("pre", { tabindex: "0" }, rest.join("\n"))) : null);
  }

  async #why(side, id, says, from) {
    const panel = find("#cause");
    this.from = from;
    let chain = [];
    if (id != null) {
      try {
        chain = await this.simulator.ask("why", { side, event: id });
      } catch (error) {
        return this.alarm(error.message);
      }
    }
    panel.querySelector("h2").textContent = `Why? ${says}`;
    const list = panel.querySelector("ol");
    list.replaceChildren(...chain.map((step, place) => make("li", { class: place === 0 ? "begins" : null }, `${clock(step.at)}  ${step.who}  ${step.what}`)));
    if (!chain.length) list.append(make("li", {}, "Nothing in the journal caused this alone: it is a state that lasted."));
    panel.hidden = false;
    panel.scrollTop = 0;
    find("#close-cause").focus({ preventScroll: true });
  }

  #closeCause(back = true) {
    find("#cause").hidden = true;
    if (back) this.from?.focus();
  }
}

function notices(side, two) {
  const name = two ? `Client ${side.client}: ` : "";
  const found = side.ended.map(([at, who, what]) => `${name}${who} ended at ${clock(at)}. ${what}`);
  if (side.cut_short) found.push(name + side.cut_short);
  return found.map((words) => make("p", { class: "notice" }, words));
}

function differences(sides) {
  const counted = sides.map((side) => new Map([
    ["connections opened", side.connections.filter(({ how }) => how !== "failed").length],
    ["connections open at the end", side.connections.filter(({ to }) => to == null).length],
    ["ms without an owner, all partitions", side.owners.filter(({ who }) => who === "nobody").reduce((sum, bar) => sum + bar.to - bar.from, 0)],
    ...side.records.map(([name, count]) => [`records ${name}`, count]),
    ...side.requests.map(([who, api, count]) => [`${who}: ${api}`, count]),
  ]));
  const names = [...new Set(counted.flatMap((each) => [...each.keys()]))];
  const rows = names.map((name) => {
    const row = [name, ...counted.map((each) => each.get(name) ?? 0)];
    row.differs = row[1] !== row[2];
    row.push(row.differs ? "differs" : "");
    return row;
  });
  const number = rows.filter((row) => row.differs).length;
  return make("details", { open: true }, make("summary", {}, number ? `What differs: ${number} of ${rows.length} counts` : "No count differs"),
    table(["", ...sides.map((side) => `client ${side.client}`), ""], rows.filter((row) => row.differs)));
}

const BAD = ["failed", "acknowledged and lost", "written twice"];

function recordsLine(side) {
  const [[, sent]] = side.records;
  const words = side.records.filter(([name, count]) => count || name === "acknowledged").map(([name, count]) =>
    make("span", { class: BAD.includes(name) && count ? "WARN" : null }, `${count.toLocaleString("en")} ${name}`));
  return sent ? [make("p", {}, make("b", {}, "Records: "), ...words.flatMap((each, place) => place ? [" · ", each] : [each]))] : [];
}

function connectionLanes(side, end) {
  const several = new Set(side.connections.map(({ client }) => client)).size > 1;
  return side.connections.map((each) => ({
    label: `${each.differs ? "≠ " : ""}${several ? `${each.client}: ` : ""}${each.label}`,
    bars: [{ from: each.from, to: each.to ?? Math.max(end, side.now_ms), look: each.role, id: each.id, end: each.to != null,
      text: each.to == null ? "" : each.ending, says: `${each.client} ${each.label}, from ${clock(each.from)}, ${each.ending}, ${each.count} requests` }],
    ticks: each.requests.map(([at, api, why, id]) => [at, `${api}${why ? ` ${why}` : ""}`, id]),
  }));
}

function connectionKey(side) {
  const roles = Object.keys(ROLES).filter((role) => side.connections.some((each) => each.role === role));
  return make("ul", { class: "key" }, ...roles.map((role) => make("li", {}, swatch(role), ROLES[role])), make("li", {}, "small ticks: requests"), make("li", {}, "red cross: its end"),
    side.connections.some(({ differs }) => differs) ? make("li", {}, "≠: the other release has no such connection") : null);
}

const connectionTable = (side) => table(["client", "connection", "from", "end", "requests"],
  side.connections.map((each) => [each.client, each.label, clock(each.from), each.ending, each.count]));

const lookOf = (side) => {
  const members = [...new Set(side.owners.map(({ who }) => who))].filter((who) => who !== "nobody" && who !== "owned, not read").sort();
  return { members, look: (who) => who === "nobody" ? "cross" : who === "owned, not read" ? "hatch" : `who${members.indexOf(who) % 8}` };
};

function ownerLanes(side) {
  const { look } = lookOf(side);
  const lanes = Map.groupBy(side.owners, ({ lane }) => lane);
  const place = (name) => name.split(/[-@]/).slice(1).map((number) => number.trim().padStart(6)).join("");
  const found = [...lanes.keys()].sort((a, b) => (place(a) < place(b) ? -1 : 1)).map((lane) => ({
    label: lane,
    bars: lanes.get(lane).sort((a, b) => (a.who === "owned, not read") - (b.who === "owned, not read")).map((bar) => ({
      ...bar, look: look(bar.who), text: look(bar.who).startsWith("who") ? bar.who : "", says: `${lane}: ${bar.who}, from ${clock(bar.from)} to ${clock(bar.to)}${bar.note ? `, ${bar.note}` : ""}`,
    })),
  }));
  if (side.states.length) {
    found.unshift({ label: "the group", bars: side.states.map((state) => ({ ...state, text: state.what,
      look: state.what === "Stable" ? "stable" : state.what === "Empty" || state.what === "Dead" ? "empty" : "waiting", says: `the group is ${state.what}, ${state.note}, from ${clock(state.from)} to ${clock(state.to)}` })) });
  }
  return found;
}

function ownerKey(side) {
  const { members, look } = lookOf(side);
  const entries = members.map((who) => make("li", {}, swatch(look(who)), who));
  if (side.owners.some(({ who }) => who === "nobody")) entries.push(make("li", {}, swatch("cross"), "nobody owns it"));
  if (side.owners.some(({ who }) => who === "owned, not read")) entries.push(make("li", {}, swatch("hatch"), "owned, and not read"));
  return make("ul", { class: "key" }, ...entries);
}

const ownerTable = (side) => barTable(side.shares ? "record" : "partition", "whose", side.owners);

const barTable = (lane, what, bars) => table([lane, "from", "to", what, ""],
  [...bars].sort((a, b) => a.from - b.from).map((bar) => [bar.lane, clock(bar.from), clock(bar.to), bar.who, bar.note]));

// The states of a transaction, at the coordinator and at a producer, by what they mean.
const PHASES = [
  ["who0", "open", ["Ongoing", "IN_TRANSACTION"]],
  ["stable", "committed, or ready", ["CompleteCommit", "READY"]],
  ["waiting", "ends now", ["PrepareCommit", "PrepareAbort", "COMMITTING_TRANSACTION", "ABORTING_TRANSACTION", "INITIALIZING"]],
  ["cross", "aborted or failed", ["CompleteAbort", "PrepareEpochFence", "ABORTABLE_ERROR", "FATAL_ERROR"]],
];
const phaseOf = (state) => PHASES.find(([, , states]) => states.includes(state))?.[0] ?? "empty";

function transactionLanes(side) {
  const lanes = Map.groupBy(side.transactions, ({ lane }) => lane);
  return [...lanes].map(([label, bars]) => ({ label, bars: bars.map((bar) => ({
    ...bar, look: phaseOf(bar.who), text: bar.who, says: `${label} is ${bar.who}, ${bar.note ? `${bar.note}, ` : ""}from ${clock(bar.from)} to ${clock(bar.to)}`,
  })) }));
}

function transactionKey(side) {
  const used = new Set(side.transactions.map(({ who }) => phaseOf(who)));
  return make("ul", { class: "key" }, ...PHASES.filter(([look]) => used.has(look)).map(([look, words]) => make("li", {}, swatch(look), words)));
}
