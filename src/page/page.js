// The page: header, toolbar, keys, and the moment that the address names.

const HELP = [
  ["↓ ↑  j k", "next and previous event"],
  ["→ ←  l h", "next and previous event of the same task"],
  ["Enter", "follow a message or another order to its other end"],
  ["] [", "next and previous event of the finding"],
  ["n p", "next and previous finding"],
  ["a", "all events, or the causal past of the finding"],
  ["w", "the witness, if the finding has one"],
  ["/", "filter: words, kind: node: task: object: at:, -not"],
  ["+ -", "zoom; also Ctrl and wheel"],
  ["Home End PgUp PgDn", "move far"],
  ["t", "light, dark, or as the system"],
  ["?", "this list; Escape closes it"],
];

class Page {
  constructor(data, t) {
    Object.assign(this, { data, t });
    this.view = { mode: "past", filter: "", finding: 0, event: -1 };
    this.diagram = new Diagram(t, (e) => this.select(e, true));
    this.panel = new Panel(t, data, (e) => this.select(e, true));
    this.diagram.lineOf = (e) => this.lineOf(e);
    this.build();
    this.readAddress();
    window.addEventListener("hashchange", () => this.readAddress());
    document.addEventListener("keydown", (event) => this.onKey(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.diagram.repaint());
  }

  // ---- what is shown ----

  finding() {
    return this.data.findings[this.view.finding];
  }

  // A property may read the state of every node, whatever led to the event that violates it.
  usualMode() {
    return /property|predicate|liveness/.test(this.finding()?.kind ?? "") ? "all" : "past";
  }

  keys() {
    return this.finding()?.events ?? [];
  }

  lineOf(e) {
    const line = sourceLines(this.data, this.t.name(this.t.location[e])).find(([, , isLine]) => isLine);
    return line === undefined ? this.panel.stepSource(e) : line[1].trim();
  }

  refresh() {
    const keys = this.keys();
    const witness = this.finding()?.witness ?? [];
    if ((this.view.mode === "witness" && witness.length === 0) || (this.view.mode === "past" && keys.length === 0)) {
      this.view.mode = "all";
    }
    this.rows = chooseRows(this.t, { mode: this.view.mode, filter: this.view.filter, event: this.view.event, keys, witness });
    const isRace = this.finding() !== undefined && /race/.test(this.finding().kind);
    this.diagram.show(this.rows, keys, isRace);
    this.showFinding();
    this.showCounts();
  }

  select(e, isJump) {
    if (e < 0 || e >= this.t.count) {
      return;
    }
    this.view.event = e;
    if (this.rows.of[e] < 0) {
      this.view.mode = "all";
      this.view.filter = "";
      this.filterBox.value = "";
      this.refresh();
    }
    this.diagram.selected = e;
    this.diagram.reveal(this.rows.of[e]);
    this.panel.show(e, this.keys().includes(e));
    this.writeAddress(isJump);
  }

  selectRow(row) {
    if (this.rows.events.length > 0) {
      this.select(this.rows.events[Math.max(0, Math.min(this.rows.events.length - 1, row))], false);
    }
  }

  // ---- the address ----

  writeAddress(isJump) {
    const words = new URLSearchParams();
    words.set("event", this.view.event);
    if (this.data.findings.length > 1) {
      words.set("finding", this.view.finding + 1);
    }
    words.set("view", this.view.mode);
    if (this.view.filter !== "") {
      words.set("filter", this.view.filter);
    }
    const address = "#" + words;
    if (address !== location.hash) {
      history[isJump ? "pushState" : "replaceState"](null, "", address);
    }
  }

  readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const finding = Number(words.get("finding") ?? 1) - 1;
    this.view.finding = this.data.findings[finding] === undefined ? 0 : finding;
    this.view.mode = ["past", "all", "witness"].includes(words.get("view")) ? words.get("view") : this.usualMode();
    this.view.filter = words.get("filter") ?? "";
    this.filterBox.value = this.view.filter;
    this.refresh();
    const event = words.has("event") ? Number(words.get("event")) : -1;
    this.select(Number.isInteger(event) && event >= 0 && event < this.t.count ? event : this.firstEvent(), false);
  }

  // The bug: the last event of the finding, else the first violation, else the first event.
  firstEvent() {
    const keys = this.keys();
    return keys.length > 0 ? Math.max(...keys) : this.rows.events.length > 0 ? this.rows.events[0] : 0;
  }

  // ---- elements ----

  build() {
    const main = byId("main");
    const summary = byId("summary");
    this.facts = make("p", "dim", "");
    this.why = make("details", "why");
    byId("verdict").after(this.facts);
    summary.append(this.why);
    this.addCopy();
    this.addSteps();
    const bar = make("div", "bar");
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "view");
    this.picker = this.makePicker();
    this.modes = this.makeModes();
    this.filterBox = this.makeFilter();
    this.counts = make("p", "counts");
    this.counts.setAttribute("role", "status");
    bar.append(this.picker, this.modes, this.filterBox, this.counts, ...this.makeButtons());
    main.replaceChildren(bar, this.diagram.host, this.panel.host);
    this.help = this.makeHelp();
    document.body.append(this.help);
  }

  addCopy() {
    const line = byId("replay");
    if (line !== null && navigator.clipboard !== undefined) {
      const button = this.button("copy", "copy the command", () => navigator.clipboard.writeText(line.firstChild.textContent));
      line.append(" ", button);
    }
  }

  // What an explanation of a run says besides: the order, the values, the nearest passing run.
  addSteps() {
    const x = this.data.explanation;
    if (x === undefined) {
      return;
    }
    const block = make("details", "why");
    block.open = true;
    block.append(make("summary", "", "Why"));
    const list = make("ul");
    x.order.forEach((line) => list.append(make("li", "", line)));
    x.causes.forEach((line) => list.append(make("li", "mono", line)));
    x.values.forEach(([what, failing, passing]) => {
      list.append(make("li", "", `${what}: ${failing} here, ${passing} in the nearest passing run`));
    });
    if (x.passing !== undefined) {
      list.append(make("li", "", "Nearest passing run: " + x.passing));
    }
    block.append(list);
    byId("summary").append(block);
  }

  makePicker() {
    const picker = make("select");
    picker.setAttribute("aria-label", "finding");
    this.data.findings.forEach((f, i) => picker.append(new Option(`${f.id}. ${f.kind}: ${shorten(f.what, 70)}`, i)));
    picker.hidden = this.data.findings.length < 2;
    picker.addEventListener("change", () => this.choose(Number(picker.value)));
    return picker;
  }

  makeModes() {
    const group = make("span", "modes");
    const names = { past: "causal past", all: "all events", witness: "witness" };
    for (const [mode, name] of Object.entries(names)) {
      const button = this.button(name, "", () => this.setMode(mode));
      button.dataset.mode = mode;
      group.append(button);
    }
    return group;
  }

  makeFilter() {
    const box = make("input");
    box.type = "search";
    box.placeholder = "filter  ( / )";
    box.setAttribute("aria-label", "filter events");
    box.addEventListener("input", () => {
      this.view.filter = box.value;
      this.refresh();
      this.writeAddress(false);
    });
    return box;
  }

  makeButtons() {
    return [
      this.button("−", "smaller rows", () => this.diagram.zoom(1 / 1.25)),
      this.button("+", "larger rows", () => this.diagram.zoom(1.25)),
      this.button("◐", "light or dark", () => this.nextTheme()),
      this.button("?", "keys", () => this.help.showModal()),
    ];
  }

  button(text, label, action) {
    const button = make("button", "", text);
    button.type = "button";
    if (label !== "") {
      button.title = label;
      button.setAttribute("aria-label", label);
    }
    button.addEventListener("click", action);
    return button;
  }

  makeHelp() {
    const dialog = make("dialog");
    const list = make("dl");
    HELP.forEach(([keys, meaning]) => list.append(make("dt", "", keys), make("dd", "", meaning)));
    dialog.append(make("h2", "", "Keys"), list, this.button("close", "", () => dialog.close()));
    return dialog;
  }

  showFinding() {
    const f = this.finding();
    const more = this.data.elsewhere > 0 ? ` · ${this.data.elsewhere} more findings are of other inputs or have no events` : "";
    this.picker.value = this.view.finding;
    if (f === undefined) {
      this.facts.textContent = `${this.data.title} · order ${this.data.order}${more}`;
      return;
    }
    byId("verdict").textContent = f.what;
    const grade = f.grade === "" ? "" : ` (${f.grade})`;
    this.facts.textContent = `${f.kind} · ${f.status}${grade} · ${this.data.title}${more}`;
    this.facts.dataset.status = f.status;
    this.why.hidden = f.why === undefined;
    if (f.why !== undefined) {
      const list = make("ul");
      f.why.split("\n").forEach((line) => list.append(make("li", "", line)));
      this.why.replaceChildren(make("summary", "", "Why"), list);
    }
  }

  showCounts() {
    const shown = this.rows.events.length;
    const says = [`${shown} of ${this.t.count} events.`];
    if (this.rows.past > 0) {
      const keys = this.keys().join(", ");
      const are = `${this.rows.past} hidden: not in the causal past of event${this.keys().length > 1 ? "s" : ""} ${keys}`;
      says.push(this.usualMode() === "all" ? are + "." : are + ", so nothing there depends on them.");
    }
    if (this.rows.filtered > 0) {
      says.push(`${this.rows.filtered} hidden by the filter.`);
    }
    if (this.rows.folded > 0) {
      says.push(`${this.rows.folded} drawn as boxes: handlers begin and end.`);
    }
    if (this.view.mode === "witness") {
      says.push("In the order of the witness.");
    }
    this.counts.textContent = says.join(" ");
    this.counts.title = says.join(" ");
    for (const button of this.modes.children) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.view.mode));
      button.hidden =
        (button.dataset.mode === "witness" && (this.finding()?.witness ?? []).length === 0) ||
        (button.dataset.mode === "past" && this.keys().length === 0);
    }
  }

  // ---- actions ----

  choose(finding) {
    const count = this.data.findings.length;
    if (count > 0) {
      this.view.finding = (finding + count) % count;
      this.view.mode = this.usualMode();
      this.refresh();
      this.select(this.firstEvent(), true);
    }
  }

  setMode(mode) {
    this.view.mode = mode;
    this.refresh();
    this.select(this.rows.of[this.view.event] >= 0 ? this.view.event : this.firstEvent(), true);
  }

  nextTheme() {
    const root = document.documentElement;
    const next = { "": "dark", dark: "light", light: "" };
    root.dataset.theme = next[root.dataset.theme ?? ""];
    this.diagram.repaint();
  }

  // The next event of the same task that is shown, or the previous one.
  alongTask(by) {
    const t = this.t;
    const own = t.ofTask.of(t.task[this.view.event]);
    let i = t.position[this.view.event] + by;
    while (i >= 0 && i < own.length && this.rows.of[own[i]] < 0) {
      i += by;
    }
    if (i >= 0 && i < own.length) {
      this.select(own[i], false);
    }
  }

  alongKeys(by) {
    const keys = [...this.keys()].sort((a, b) => a - b);
    const next = by > 0 ? keys.find((e) => e > this.view.event) : keys.filter((e) => e < this.view.event).pop();
    if (next !== undefined) {
      this.select(next, true);
    }
  }

  follow() {
    const t = this.t;
    const out = t.outOf.of(this.view.event);
    const into = t.into.of(this.view.event);
    if (out.length > 0) {
      this.select(t.edges.to[out[0]], true);
    } else if (into.length > 0) {
      this.select(t.edges.from[into[0]], true);
    }
  }

  onKey(event) {
    const isTyping = event.target.matches("input, select, dialog *");
    if (event.key === "Escape" && event.target === this.filterBox) {
      this.diagram.labels.focus();
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const row = this.diagram.selectedRow();
    const far = Math.max(1, Math.floor(this.diagram.inSight()) - 2);
    const actions = {
      ArrowDown: () => this.selectRow(row + 1),
      ArrowUp: () => this.selectRow(row - 1),
      ArrowRight: () => this.alongTask(1),
      ArrowLeft: () => this.alongTask(-1),
      PageDown: () => this.selectRow(row + far),
      PageUp: () => this.selectRow(row - far),
      Home: () => this.selectRow(0),
      End: () => this.selectRow(this.rows.events.length - 1),
      "]": () => this.alongKeys(1),
      "[": () => this.alongKeys(-1),
      n: () => this.choose(this.view.finding + 1),
      p: () => this.choose(this.view.finding - 1),
      a: () => this.setMode(this.view.mode === "all" ? "past" : "all"),
      w: () => this.setMode("witness"),
      "/": () => this.filterBox.focus(),
      "+": () => this.diagram.zoom(1.25),
      "-": () => this.diagram.zoom(1 / 1.25),
      t: () => this.nextTheme(),
      "?": () => this.help.showModal(),
    };
    Object.assign(actions, { j: actions.ArrowDown, k: actions.ArrowUp, l: actions.ArrowRight, h: actions.ArrowLeft });
    if (event.key === "Enter" && !event.target.matches("a, button, summary")) {
      this.follow();
    } else if (Object.hasOwn(actions, event.key)) {
      actions[event.key]();
      event.preventDefault();
    }
  }
}

const data = JSON.parse(byId("data").textContent);
const trace = readTrace(data);
addOrder(trace);
window.clew = new Page(data, trace);
