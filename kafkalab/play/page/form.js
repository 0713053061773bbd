// Draws the form of a story from the table of settings, fills it, and reads it.
import { make } from "./draw.js";

const OPEN = ["releases", "faults"]; // The parts that are open on a wide screen.

export class StoryForm {
  constructor(host, { settings, faults }) {
    this.settings = settings;
    this.faults = faults;
    this.fields = {};
    const parts = Map.groupBy(settings, (each) => each.part);
    for (const [name, own] of parts) host.append(this.#part(name, own));
    host.append(make("datalist", { id: "programs" }));
    host.addEventListener("input", () => this.#summaries());
    this.fill({});
  }

  // Settings by their names; what is not there gets its default. What cannot be shown is left for the reader of the story.
  fill(given) {
    for (const setting of this.settings) {
      const value = given[setting.name] ?? setting.default;
      if (setting.name === "faults") this.#fillFaults([value].flat());
      else if (Array.isArray(setting.default)) this.fields[setting.name].value = [value].flat().join("\n");
      else this.fields[setting.name].value = value;
    }
    this.#summaries();
  }

  read() {
    const story = {};
    for (const { name, default: usual } of this.settings) {
      if (name === "faults") story.faults = [...this.fields.faults.children].map((row) => row.story());
      else if (Array.isArray(usual)) story[name] = this.fields[name].value.split("\n").filter((line) => line.trim());
      else story[name] = this.fields[name].value;
    }
    return story;
  }

  #part(name, settings) {
    const summary = make("summary", {}, make("b", {}, name), make("small", {}));
    const part = make("details", { class: "part", open: OPEN.includes(name) && matchMedia("(min-width: 62rem)").matches }, summary);
    part.settings = settings;
    for (const setting of settings) part.append(name === "faults" ? this.#faultEditor() : this.#field(setting));
    (this.parts ??= []).push(part);
    return part;
  }

  #field(setting) {
    let input;
    const says = setting.says ? `says-${setting.name}` : null;
    const own = { name: setting.name, "aria-describedby": says };
    if (setting.choices) {
      input = make("select", own, ...setting.choices.map((each) => make("option", { value: each }, each || "none")));
    } else if (Array.isArray(setting.default)) {
      input = make("textarea", { ...own, rows: 2, spellcheck: "false" });
    } else if (typeof setting.default === "number") {
      input = make("input", { ...own, type: "number", min: setting.between[0], max: setting.between[1], inputmode: "numeric" });
    } else {
      input = make("input", { ...own, type: "text", placeholder: "the release's default", autocomplete: "off", spellcheck: "false", list: setting.hints ? `hints-${setting.name}` : null });
    }
    this.fields[setting.name] = input;
    return make("label", { class: "field" }, make("span", {}, setting.label), input,
      says ? make("small", { id: says }, setting.says) : null,
      setting.hints ? make("datalist", { id: `hints-${setting.name}` }, ...setting.hints.map((each) => make("option", { value: each }))) : null);
  }

  #faultEditor() {
    const rows = make("div", {});
    this.fields.faults = rows;
    const add = make("button", { type: "button", onclick: () => {
      const row = this.#fault("10 crash 1 10");
      rows.append(row);
      row.querySelector("input").focus();
      this.#summaries();
    } }, "Add a fault");
    return make("div", {}, rows, add);
  }

  #fillFaults(texts) {
    this.fields.faults.replaceChildren(...texts.map((text) => this.#fault(String(text))));
  }

  // A row of the editor. A text that has another form stays as it is, for the reader to refuse.
  #fault(text) {
    const [at, what, ...words] = text.split(/\s+/);
    const row = make("div", { class: "fault", role: "group", "aria-label": "A fault" });
    if (!this.faults[what]) {
      const raw = make("input", { "aria-label": "A fault", value: text });
      row.append(raw);
      row.story = () => raw.value;
    } else {
      const kind = make("select", {}, ...Object.entries(this.faults).map(([name, { label }]) => make("option", { value: name }, label)));
      kind.value = what;
      const second = make("input", { type: "number", min: 0, step: "any", value: at });
      const lists = { client: make("input", { list: "programs", autocomplete: "off" }), broker: make("input", { type: "number", min: 0 }), lasts: make("input", { type: "number", min: 0, step: "any", placeholder: "for good" }) };
      this.faults[what].whom.forEach((place, number) => { lists[place].value = words[number] ?? ""; });
      lists.lasts.value = words[this.faults[what].whom.length] ?? "";
      const labels = { client: make("label", {}, "program", lists.client), broker: make("label", {}, "broker", lists.broker), lasts: make("label", {}, "for seconds", lists.lasts) };
      row.append(make("label", {}, "at second", second), make("label", {}, "fault", kind), ...Object.values(labels));
      const used = () => [...this.faults[kind.value].whom, ...(this.faults[kind.value].lasts ? ["lasts"] : [])];
      const show = () => { for (const [place, label] of Object.entries(labels)) label.hidden = !used().includes(place); };
      kind.addEventListener("input", show);
      show();
      row.story = () => [second.value || "0", kind.value, ...used().map((place) => lists[place].value.trim())].filter((word) => word !== "").join(" ");
    }
    row.append(make("button", { type: "button", "aria-label": "Remove this fault", onclick: () => { row.remove(); this.#summaries(); } }, "Remove"));
    return row;
  }

  #summaries() {
    const story = this.read();
    for (const part of this.parts) {
      const changed = part.settings.filter(({ name, default: usual }) => String(story[name]) !== String(usual));
      const words = changed.map(({ name, label }) => Array.isArray(story[name]) ? `${label}: ${story[name].length}` : `${label} ${story[name] || "none"}`);
      part.querySelector("summary small").textContent = words.length ? ` · ${words.join(", ")}` : "";
    }
    const names = (kind, count) => Array.from({ length: Math.min(+count || 0, 9) }, (_, place) => `${kind}-${place + 1}`);
    document.querySelector("#programs")?.replaceChildren(...[...names("shop", story.producers), ...names("member", story.members)].map((name) => make("option", { value: name })));
  }
}
