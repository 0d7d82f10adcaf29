// The panel beside the diagram: the event, its source line, the state there and its neighbours.

const SEEN_BACK = 20000; // events that are searched for the state
const LISTED = 12;

const valueOf = (t, e) => (t.has[e] & HAS.value && t.className(e) !== "file" ? String(t.value[e]) : t.kindName(e) === "variable" ? t.name(t.text[e]) : "");

// The last writes of the variables that were used last, up to and with the event.
function variablesAt(t, e) {
  const found = new Map();
  for (let i = e; i >= 0 && i > e - SEEN_BACK && found.size < LISTED; i--) {
    const key = t.object[i] + " " + t.tasks[t.task[i]][0];
    if (isAccess(t, i) && t.object[i] !== 0 && !found.has(key)) {
      found.set(key, lastWrite(t, i, i));
    }
  }
  return found;
}

// The last write of the object of an event that comes before the limit, or is it; -1: none is known.
function lastWrite(t, of, limit) {
  const all = objectEvents(t, of);
  let i = indexBefore(all, limit + 1);
  while (i >= 0 && !isWrite(t, all[i])) {
    i--;
  }
  return i < 0 ? -1 : all[i];
}

// The place of the last number below the limit in an ascending list; -1: none.
function indexBefore(list, limit) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

function locksAt(t, e) {
  const held = [];
  t.sectionsMeeting(e, e, (i) => {
    if (t.sections.end[i] > e || t.sections.isHeld(i)) {
      held.push(i);
    }
  });
  return held;
}

function messagesAt(t, e) {
  const flying = [];
  t.edgesMeeting(e, e, (i) => {
    if (t.edges.names[t.edges.kind[i]] === "message" && t.edges.from[i] <= e && t.edges.to[i] > e) {
      flying.push(i);
    }
  });
  return flying;
}

// What the event changed, a sentence each.
function changesOf(t, e) {
  const changes = [];
  const name = t.name(t.object[e]);
  const kind = t.kindName(e);
  if (isWrite(t, e) && name !== "") {
    const before = lastWrite(t, e, e - 1);
    const old = before < 0 ? "" : valueOf(t, before);
    const now = valueOf(t, e);
    if (now !== "") {
      changes.push([`${name}: ${old === "" ? "?" : old} → ${now}`, before]);
    } else if (before >= 0) {
      changes.push([`${name} was written before by ${taskWords(t, before)}`, before]);
    }
  } else if (isAccess(t, e)) {
    const seen = lastWrite(t, e, e - 1);
    if (seen >= 0) {
      changes.push([`the write listed last before it is by ${taskWords(t, seen)}`, seen]);
    }
  } else if (kind === "lock") {
    changes.push([`${name}: now held by ${taskWords(t, e)}`, -1]);
  } else if (kind === "unlock") {
    changes.push([`${name}: released`, -1]);
  }
  return changes;
}

// Of a run under control: what the step of the event changed, and its line of the source.
function stepOf(t, e) {
  const step = t.step[e];
  return step > 0 ? t.steps[step - 1 - t.step_first] : undefined;
}

const stepSource = (t, e) => stepOf(t, e)?.[1] ?? "";

class Panel {
  constructor(data, onSelect) {
    Object.assign(this, { data, onSelect });
    this.host = make("aside", "panel");
    this.host.setAttribute("aria-label", "the selected event");
    this.said = make("p", "said");
    this.said.setAttribute("role", "status");
    this.content = make("div");
    this.host.append(this.said, this.content);
  }

  show(t, e, isKey) {
    this.t = t;
    this.said.textContent = `event ${e}, ${taskWords(t, e)}: ${eventWords(t, e)}`;
    this.content.replaceChildren(
      this.title(e, isKey),
      this.source(e),
      this.partner(e),
      this.changes(e),
      this.state(e),
      this.neighbours(e),
      this.history(e),
      this.facts(e),
    );
  }

  title(e, isKey) {
    const { t } = this;
    const block = make("div", "event-title");
    const words = make("h2", isKey ? "key" : "", eventWords(t, e));
    const step = t.step.length > e && t.step[e] > 0 ? `step ${t.step[e]} · ` : "";
    const line = make("p", "dim", `${step}event ${e} · ${taskWords(t, e)}`);
    block.append(words, line);
    return block;
  }

  source(e) {
    const location = this.t.name(this.t.location[e]);
    const lines = sourceLines(this.data, location);
    const code = stepSource(this.t, e);
    if (location === "" || (lines.length === 0 && code === "")) {
      return location === "" ? "" : this.section("Source", make("p", "mono", location));
    }
    const block = make("pre", "source");
    block.tabIndex = 0;
    const shown = lines.length > 0 ? lines : [[location.replace(/^.*:/, ""), code, true]];
    for (const [number, text, isLine] of shown) {
      const line = make("span", isLine ? "line here" : "line");
      line.append(make("i", "", String(number)), text + "\n");
      block.append(line);
    }
    return this.section(location, block);
  }

  // The same event of the other run.
  partner(e) {
    const { t } = this;
    if (t.partner === null) {
      return "";
    }
    const other = t.partner[e];
    const line = make("p", "", other === 0 ? "only in this run" : `event ${other - 1} of ${t.other.title}`);
    return this.section("In the other run", line);
  }

  changes(e) {
    const { t } = this;
    const list = make("ul");
    for (const [text, other] of changesOf(t, e)) {
      const item = make("li", "", text + " ");
      if (other >= 0) {
        item.append(this.link(other));
      }
      list.append(item);
    }
    const detail = stepOf(t, e)?.[0] ?? "";
    if (detail !== "") {
      list.append(make("li", "", `step ${t.step[e]}: ${detail}`));
    }
    const share = shareAt(this.data, t, e);
    if (share !== undefined) {
      list.append(make("li", "", shareWords(share)));
    }
    return list.children.length === 0 ? "" : this.section("What changed", list);
  }

  // What the steps of the run up to this one last changed at each node.
  nodesAt(e) {
    const { t } = this;
    const found = new Map();
    for (let i = e; i >= 0 && i > e - SEEN_BACK && found.size < LISTED; i--) {
      const node = t.tasks[t.task[i]][0];
      const detail = t.step[i] === t.step[i + 1] && i < e ? "" : (stepOf(t, i)?.[0] ?? "");
      if (detail !== "" && node !== 0 && !found.has(node)) {
        found.set(node, [detail, i]);
      }
    }
    return found;
  }

  state(e) {
    const { t } = this;
    const table = make("table");
    const row = (name, value, other) => {
      const line = make("tr");
      const cell = make("td", "", value + " ");
      if (other >= 0 && other !== e) {
        cell.append(this.link(other));
      }
      const head = make("th", "", name);
      head.scope = "row";
      line.append(head, cell);
      table.append(line);
    };
    for (const [node, [detail, i]] of this.nodesAt(e)) {
      const name = t.name(node);
      row(name, detail.startsWith(name + ": ") ? detail.slice(name.length + 2) : detail, i);
    }
    for (const write of variablesAt(t, e).values()) {
      if (write >= 0) {
        row(t.name(t.object[write]) + (t.tasks[t.task[write]][0] === t.tasks[t.task[e]][0] ? "" : "@" + t.name(t.tasks[t.task[write]][0])), valueOf(t, write) || "written by " + taskWords(t, write), write);
      }
    }
    for (const i of locksAt(t, e).slice(0, LISTED)) {
      const begin = t.sections.begin[i];
      row(t.name(t.sections.lock[i]), "held by " + taskWords(t, begin), begin);
    }
    const flying = messagesAt(t, e);
    for (const i of flying.slice(0, LISTED)) {
      const from = t.edges.from[i];
      row("in flight", t.name(t.message[from]) || t.name(t.object[from]), from);
    }
    if (flying.length > LISTED) {
      row("in flight", `${flying.length - LISTED} more`, -1);
    }
    return table.children.length === 0 ? "" : this.section("State after it", table);
  }

  neighbours(e) {
    const { t } = this;
    const list = make("ul");
    const add = (words, i, other) => {
      const item = make("li", "", `${words} (${t.edges.names[t.edges.kind[i]]}) `);
      item.append(this.link(other), ` ${taskWords(t, other)}: ${eventWords(t, other)}`);
      list.append(item);
    };
    t.into.of(e).slice(0, LISTED).forEach((i) => add("after", i, t.edges.from[i]));
    t.outOf.of(e).slice(0, LISTED).forEach((i) => add("before", i, t.edges.to[i]));
    return list.children.length === 0 ? "" : this.section("Order with other tasks", list);
  }

  history(e) {
    const { t } = this;
    if (t.object[e] === 0) {
      return "";
    }
    const all = objectEvents(t, e);
    if (all.length < 2) {
      return "";
    }
    const at = indexBefore(all, e + 1);
    const from = Math.max(0, Math.min(at - LISTED, all.length - 2 * LISTED));
    const list = make("ol", "history");
    for (const other of all.slice(from, from + 2 * LISTED)) {
      const item = make("li", other === e ? "here" : "");
      item.append(this.link(other), ` ${taskWords(t, other)}: ${t.kindName(other)} ${valueOf(t, other)}`);
      list.append(item);
    }
    const more = all.length > 2 * LISTED ? ` (${2 * LISTED} of ${all.length})` : "";
    return this.section(`History of ${t.name(t.object[e])}${more}`, list);
  }

  facts(e) {
    const { t } = this;
    const facts = [`kind ${t.kindName(e)}`, t.modeName(e) && `mode ${t.modeName(e)}`];
    if (t.text[e] !== 0) {
      facts.push(`text ${t.name(t.text[e])}`);
    }
    if (t.has[e] & HAS.size) {
      facts.push(`${t.size[e]} bytes`);
    }
    if (t.has[e] & HAS.count) {
      facts.push(`count ${t.repeat[e]}`);
    }
    if (t.has[e] & HAS.time) {
      facts.push(`time ${t.time[e]}`);
    }
    return make("p", "dim facts", facts.filter(Boolean).join(" · "));
  }

  section(title, content) {
    const block = make("section");
    block.append(make("h3", "", title), content);
    return block;
  }

  link(e) {
    const link = make("a", "event", "#" + e);
    const { t } = this;
    link.href = "#event=" + e;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.onSelect(t, e);
    });
    return link;
  }
}
