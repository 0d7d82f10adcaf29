// The page: header, toolbar, keys, and the moment that the address names.

const HELP = [
  ["↓ ↑  j k", "next and previous event"],
  ["→ ←  l h", "next and previous event of the same task"],
  ["Enter", "follow a message or another order to its other end"],
  ["] [", "next and previous event of the finding"],
  ["n p", "next and previous finding"],
  ["a", "all events, or the causal past of the finding"],
  ["w", "the witness, if the finding has one"],
  ["d", "the step with which the run was lost, if that was measured"],
  ["/", "filter: words, kind: node: task: object: at:, -not"],
  ["A -> B", "filter: an arrow from an event A to an event B"],
  ["A .. B", "filter: the next B in the task of A"],
  ["+ -", "zoom; also Ctrl and wheel"],
  ["Home End PgUp PgDn", "move far"],
  ["o", "the same event in the other run"],
  ["s", "save the diagram in sight as SVG"],
  ["t", "light, dark, or as the system"],
  ["?", "this list; Escape closes it"],
];

class Page {
  // `runs`: the run that the findings are of, and perhaps another beside it.
  constructor(data, runs) {
    this.data = data;
    this.view = { mode: "past", filter: "", finding: 0, event: -1 };
    this.sides = runs.map((t) => {
      const diagram = new Diagram(t, (e) => this.selectIn(t, e, true));
      diagram.lineOf = (e) => this.lineOf(t, e);
      if (data.shares !== undefined && t.index === 0) {
        diagram.showShares((e) => shareAt(data, t, e), lostEvent(data, t));
      }
      return { t, diagram, rows: null };
    });
    this.side = this.sides[0];
    this.panel = new Panel(data, (t, e) => this.selectIn(t, e, true));
    this.build();
    this.readAddress();
    window.addEventListener("hashchange", () => this.readAddress());
    document.addEventListener("keydown", (event) => this.onKey(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
  }

  // The run that the keys walk through.
  get t() {
    return this.side.t;
  }

  get diagram() {
    return this.side.diagram;
  }

  get rows() {
    return this.side.rows;
  }

  repaint() {
    this.sides.forEach((side) => side.diagram.repaint());
  }

  // ---- what is shown ----

  finding() {
    return this.data.findings[this.view.finding];
  }

  // A property may read the state of every node, whatever led to the event that violates it.
  usualMode() {
    return /property|predicate|liveness/.test(this.finding()?.kind ?? "") ? "all" : "past";
  }

  // The events of the finding; in another run their partners.
  keys(t = this.t) {
    const own = this.finding()?.events ?? [];
    return t.index === 0 ? own : own.map((e) => t.other.partner[e] - 1).filter((e) => e >= 0);
  }

  lineOf(t, e) {
    const line = sourceLines(this.data, t.name(t.location[e])).find(([, , isLine]) => isLine);
    return line === undefined ? stepSource(t, e) : line[1].trim();
  }

  refresh() {
    const witness = this.finding()?.witness ?? [];
    const isEmpty = this.keys(this.sides[0].t).length === 0;
    if ((this.view.mode === "witness" && witness.length === 0) || (this.view.mode === "past" && isEmpty)) {
      this.view.mode = "all";
    }
    const isRace = this.finding() !== undefined && /race/.test(this.finding().kind);
    for (const side of this.sides) {
      const keys = this.keys(side.t);
      const event = side === this.side ? this.view.event : -1;
      const mode = side.t.index === 0 ? this.view.mode : this.view.mode === "past" ? "past" : "all";
      side.rows = chooseRows(side.t, { mode, filter: this.view.filter, event, keys, witness });
      side.diagram.show(side.rows, keys, isRace);
    }
    this.showFinding();
    this.showCounts();
  }

  selectIn(t, e, isJump) {
    this.side = this.sides[t.index];
    this.select(e, isJump);
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
    this.showPartner(e);
    this.panel.show(this.t, e, this.keys().includes(e));
    this.writeAddress(isJump);
  }

  // The other diagram follows: to the same event, or to the nearest one before it that both runs have.
  showPartner(e) {
    const other = this.sides[1 - this.t.index];
    if (other === undefined) {
      return;
    }
    let at = e;
    while (at > 0 && this.t.partner[at] === 0) {
      at--;
    }
    const partner = this.t.partner[at] - 1;
    other.diagram.selected = at === e ? partner : -1;
    if (partner >= 0) {
      other.diagram.reveal(rowNear(other.rows, partner));
    }
    other.diagram.wake();
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
    if (this.side !== this.sides[0]) {
      words.set("run", this.t.index + 1);
    }
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
    this.side = this.sides[Number(words.get("run") ?? 1) - 1] ?? this.sides[0];
    this.refresh();
    const event = words.has("event") ? Number(words.get("event")) : -1;
    this.select(Number.isInteger(event) && event >= 0 && event < this.t.count ? event : this.firstEvent(), false);
  }

  // The bug: where the passing run parts, else the last event of the finding, and of one that fails
  // later the last that leads to the failure.
  firstEvent() {
    const all = this.keys();
    if (this.data.divergence !== undefined && this.t.index === 0) {
      return this.data.divergence;
    }
    const causes = all.filter((e) => this.t.kindName(e) !== "violation");
    const keys = causes.length > 0 ? causes : all;
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
    if (this.data.lost !== undefined) {
      this.facts.after(this.makeLost());
    }
    if (this.data.cause !== undefined) {
      this.facts.after(make("p", "cause", "Cause: " + this.data.cause));
    }
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
    const diagrams = make("div", "diagrams");
    diagrams.append(...this.sides.map((side) => side.diagram.host));
    this.sides.forEach(({ t, diagram }) => {
      diagram.caption.hidden = this.sides.length < 2;
      diagram.caption.textContent = t.title;
    });
    main.replaceChildren(bar, diagrams, this.panel.host);
    this.help = this.makeHelp();
    document.body.append(this.help);
  }

  makeLost() {
    const line = make("p", "lost", this.data.lost + " ");
    const { t, diagram } = this.sides[0];
    if (diagram.lost >= 0) {
      line.append(this.button("show", "show the step with which the run was lost", () => this.selectIn(t, diagram.lost, true)));
    }
    return line;
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
      this.button("−", "smaller rows", () => this.zoom(1 / 1.25)),
      this.button("+", "larger rows", () => this.zoom(1.25)),
      this.button("SVG", "save the diagram in sight", () => saveSvg(this.diagram, "clew.svg")),
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
    this.why.hidden = f?.why === undefined;
    if (f === undefined) {
      this.facts.textContent = `${this.data.title} · order ${this.sides[0].t.order}${more}`;
      return;
    }
    byId("verdict").textContent = f.what;
    const grade = f.grade === "" ? "" : ` (${f.grade})`;
    this.facts.textContent = `${f.kind} · ${f.status}${grade} · ${this.data.title}${more}`;
    this.facts.dataset.status = f.status;
    if (f.why !== undefined) {
      const list = make("ul");
      // Lines that are indented draw something.
      f.why.split("\n").forEach((line) => list.append(make("li", line.startsWith("  ") ? "drawn" : "", line)));
      this.why.replaceChildren(make("summary", "", "Why"), list);
      this.why.open = f.kind === "predicate";
    }
  }

  showCounts() {
    const shown = this.rows.events.length;
    const says = [`${shown} of ${this.t.count} events.`];
    if (this.rows.past > 0) {
      const keys = this.keys().join(", ");
      const are = `${this.rows.past} hidden: not in the causal past of event${this.keys().length > 1 ? "s" : ""} ${keys}`;
      says.push(this.usualMode() === "all" ? are + "." : are + ", which cannot depend on them.");
    }
    if (this.rows.own > 0) {
      says.push(`${this.rows.own} hidden: memory that only one task accesses.`);
    }
    if (this.rows.occurrences >= 0) {
      says.push(`The pattern occurs ${this.rows.occurrences === 1 ? "once" : this.rows.occurrences + " times"}.`);
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
    if (this.t.partner !== null) {
      says.push(`${this.t.partner.reduce((only, p) => only + (p === 0 ? 1 : 0), 0)} only in this run.`);
    }
    this.counts.textContent = says.join(" ");
    this.counts.title = says.join(" ");
    for (const button of this.modes.children) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.view.mode));
      button.hidden =
        (button.dataset.mode === "witness" && (this.finding()?.witness ?? []).length === 0) ||
        (button.dataset.mode === "past" && this.keys(this.sides[0].t).length === 0);
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

  zoom(factor) {
    this.sides.forEach((side) => side.diagram.zoom(factor));
  }

  // The same event in the other run.
  changeSide() {
    const partner = this.t.partner?.[this.view.event] ?? 0;
    if (partner > 0) {
      this.selectIn(this.t.other, partner - 1, true);
    }
  }

  nextTheme() {
    const root = document.documentElement;
    const next = { "": "dark", dark: "light", light: "" };
    root.dataset.theme = next[root.dataset.theme ?? ""];
    this.repaint();
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
      d: () => this.selectIn(this.sides[0].t, this.sides[0].diagram.lost, true),
      "/": () => this.filterBox.focus(),
      "+": () => this.zoom(1.25),
      "-": () => this.zoom(1 / 1.25),
      o: () => this.changeSide(),
      s: () => saveSvg(this.diagram, "clew.svg"),
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
const runs = data.runs.map((run, index) => readTrace(data, index));
runs.forEach(addOrder);
if (runs.length > 1) {
  pairRuns(runs, readNumbers("0-partner"));
}
window.clew = new Page(data, runs);
