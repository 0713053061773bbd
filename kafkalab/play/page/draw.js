// Draws lanes of bars over time as SVG, sharp at every width. A bar or a tick can be clicked, and reached by arrow keys.
const SPACE = "http://www.w3.org/2000/svg";
const LEFT_LABELS_PX = 640; // A narrower picture has its labels above the bars.
const LONGEST_LABEL_PX = 360;
const NEAR_PX = 4; // Requests nearer than this are one tick.
let pictures = 0;

const pen = document.createElement("canvas").getContext("2d");
pen.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const long = (text) => pen.measureText(text).width;

export const clock = (ms) => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60000)} min ${((ms % 60000) / 1000).toFixed(1)} s`;
};

export function make(name, attributes = {}, ...inside) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...inside.filter((each) => each != null));
  return node;
}

function shape(name, attributes, ...inside) {
  const node = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...inside);
  return node;
}

function steps(from, to, most) {
  const span = Math.max(1, to - from);
  const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 1200000];
  const size = sizes.find((each) => span / each <= most) ?? 3600000;
  const found = [];
  for (let at = Math.ceil(from / size) * size; at <= to; at += size) found.push(at);
  return found;
}

const axisName = (ms, span) => span <= 2000 ? `${ms} ms` : span <= 180000 ? `${ms / 1000} s` : `${+(ms / 60000).toFixed(2)} min`;

function pattern(id, kind) {
  const lines = kind === "cross" ? ["M0 0L8 8", "M8 0L0 8"] : ["M0 8L8 0"];
  return shape("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
    shape("rect", { width: 8, height: 8, class: "paper" }), ...lines.map((d) => shape("path", { d, class: kind })));
}

// lanes: [{label, bars: [{from, to, look, text, says, id, end}], ticks: [[at, says, id]]}]; look is a class, "cross" or "hatch".
export function lanesPicture({ title, lanes, moments, from, to, width, pick }) {
  const number = ++pictures;
  const beside = width >= LEFT_LABELS_PX;
  const left = beside ? Math.min(LONGEST_LABEL_PX, 16 + Math.max(...lanes.map((lane) => long(lane.label)))) : 8;
  const right = width - 14;
  const hasTicks = lanes.some((lane) => lane.ticks?.length);
  const barPx = 18, labelPx = beside ? 0 : 17, lanePx = labelPx + barPx + (hasTicks ? 13 : 5);
  const x = (ms) => left + (Math.min(Math.max(ms, from), to) - from) / Math.max(1, to - from) * (right - left);
  const named = placed(moments.filter((each) => each.at >= from && each.at <= to), x, width);
  const top = 6 + 15 * (1 + Math.max(-1, ...named.map((each) => each.row)));
  const height = top + lanes.length * lanePx + 26;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "group", "aria-label": `${title}. Arrow keys move, Enter shows the cause.` });
  const looks = { cross: `cross-${number}`, hatch: `hatch-${number}` };
  svg.append(shape("defs", {}, pattern(looks.cross, "cross"), pattern(looks.hatch, "hatch")));
  for (const at of steps(from, to, Math.max(2, Math.floor((right - left) / 80)))) {
    svg.append(shape("line", { x1: x(at), x2: x(at), y1: top, y2: height - 22, class: "rule" }));
    const name = shape("text", { x: x(at), y: height - 7, "text-anchor": at === from ? "start" : x(at) > right - 24 ? "end" : "middle", class: "quiet" });
    name.textContent = axisName(at, to - from);
    svg.append(name);
  }
  const items = [];
  const item = (node, lane, says, id) => {
    node.setAttribute("class", `${node.getAttribute("class")} item`);
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "-1");
    node.setAttribute("aria-label", says);
    node.append(shape("title", {}));
    node.firstChild.textContent = says;
    node.addEventListener("click", () => { reach(entry); pick(id, says, node); });
    const entry = { node, lane, id, says, at: +node.getAttribute("x") };
    items.push(entry);
    svg.append(node);
  };
  lanes.forEach((lane, place) => {
    const y = top + place * lanePx;
    const name = shape("text", beside ? { x: left - 8, y: y + barPx - 4, "text-anchor": "end" } : { x: left, y: y + 13 });
    name.textContent = lane.label;
    svg.append(name);
    for (const bar of lane.bars) {
      if (bar.to < from || bar.from > to) continue;
      const wide = Math.max(2, x(bar.to) - x(bar.from));
      const attributes = { x: x(bar.from), y: y + labelPx, width: wide, height: barPx, class: looks[bar.look] ? "striped" : bar.look };
      if (looks[bar.look]) attributes.fill = `url(#${looks[bar.look]})`;
      item(shape("rect", attributes), place, bar.says, bar.id);
      const room = bar.text && !looks[bar.look] ? roomIn(bar, lane.bars.slice(lane.bars.indexOf(bar) + 1), x, long(bar.text) + 8) : null;
      if (room != null) {
        const text = shape("text", { x: room + 4, y: y + labelPx + 13, class: "inside" });
        text.textContent = bar.text;
        svg.append(text);
      }
      if (bar.end && bar.to <= to) {
        const at = x(bar.to), middle = y + labelPx + barPx / 2;
        svg.append(shape("path", { d: `M${at - 4} ${middle - 4}l8 8M${at + 4} ${middle - 4}l-8 8`, class: "end" }));
      }
    }
    for (const tick of near(lane.ticks ?? [], x, from, to)) {
      item(shape("rect", { x: tick.x - 1, y: y + labelPx + barPx + 1, width: 2.5, height: 7, class: "tick" }), place, tick.says, tick.id);
    }
  });
  for (const each of named) {
    svg.append(shape("line", { x1: x(each.at), x2: x(each.at), y1: top - 4, y2: height - 22, class: "moment" }));
    if (each.row < 0) continue;
    const name = shape("text", { x: each.left, y: 12 + 15 * each.row, class: "moment-name item", role: "button", tabindex: "-1", "aria-label": `${each.name} at ${clock(each.at)}` });
    name.textContent = each.name;
    name.addEventListener("click", () => pick(each.id, each.name, name));
    svg.append(name);
    items.push({ node: name, lane: -1, id: each.id, says: each.name, at: each.left });
  }
  // One stop for Tab; the arrow keys go on from there.
  items.sort((a, b) => a.lane - b.lane || a.at - b.at);
  let here = items[0];
  const reach = (entry, focus) => {
    here?.node.setAttribute("tabindex", "-1");
    here = entry;
    entry.node.setAttribute("tabindex", "0");
    if (focus) entry.node.focus();
  };
  if (here) reach(here);
  svg.addEventListener("keydown", (event) => {
    const place = items.indexOf(here);
    const lanesOf = (step) => {
      const lane = items.filter((each) => Math.sign(each.lane - here.lane) === step).map((each) => each.lane);
      const next = step > 0 ? Math.min(...lane) : Math.max(...lane);
      return items.filter((each) => each.lane === next).sort((a, b) => Math.abs(a.at - here.at) - Math.abs(b.at - here.at))[0];
    };
    const next = { ArrowRight: () => items[place + 1], ArrowLeft: () => items[place - 1], ArrowDown: () => lanesOf(1), ArrowUp: () => lanesOf(-1),
      Home: () => items[0], End: () => items.at(-1) }[event.key];
    if (next) {
      event.preventDefault();
      const entry = next();
      if (entry) reach(entry, true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pick(here.id, here.says, here.node);
    }
  });
  return svg;
}

// Where a bar has so much room that no later bar of its lane lies upon; null for nowhere.
function roomIn(bar, later, x, wide) {
  let left = x(bar.from);
  const upon = later.filter((each) => each.to > bar.from && each.from < bar.to).sort((a, b) => a.from - b.from);
  for (const each of upon) {
    if (x(each.from) - left > wide) return left;
    left = Math.max(left, x(each.to));
  }
  return x(bar.to) - left > wide ? left : null;
}

// The names of moments above the picture, in rows, so that none lies upon another.
function placed(moments, x, width) {
  const free = [0, 0, 0];
  return moments.map((each) => {
    const wide = long(each.name) + 8;
    const left = Math.max(2, Math.min(x(each.at) + 2, width - wide));
    const row = free.findIndex((end) => end <= left);
    if (row >= 0) free[row] = left + wide;
    return { ...each, left, row };
  });
}

function near(ticks, x, from, to) {
  const found = [];
  for (const [at, says, id] of ticks) {
    if (at < from || at > to) continue;
    const last = found.at(-1);
    if (last && x(at) - last.x < NEAR_PX) last.more.push(says);
    else found.push({ x: x(at), says, id, at, more: [] });
  }
  return found.map((each) => ({ ...each, says: `${clock(each.at)}: ${each.says}${each.more.length ? `, and ${each.more.length} more` : ""}` }));
}

export function swatch(look) {
  const number = ++pictures;
  const svg = shape("svg", { viewBox: "0 0 18 12", "aria-hidden": "true" });
  if (look === "cross" || look === "hatch") {
    svg.append(shape("defs", {}, pattern(`key-${number}`, look)), shape("rect", { width: 18, height: 12, fill: `url(#key-${number})` }));
  } else svg.append(shape("rect", { width: 18, height: 12, class: look }));
  return svg;
}

export function table(heads, rows, caption) {
  const cell = (value) => value instanceof Node ? make("td", {}, value) : make("td", { class: typeof value === "number" ? "number" : null }, String(value));
  return make("div", { class: "scroll", tabindex: "0" }, make("table", {},
    caption ? make("caption", { class: "hint" }, caption) : null,
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", { class: row.differs ? "differs" : null }, ...row.map(cell))))));
}
