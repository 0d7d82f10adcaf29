// Which events are shown: the causal past of the bug or all, and those that a filter keeps.

// "kind:send node:n1 -balance": words that must, or with "-" must not, be part of a name of the event.
function parseFilter(text) {
  return text
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "-")
    .map((word) => {
      const isNot = word.startsWith("-");
      const [, field, rest] = /^(?:(kind|node|task|object|at):)?(.*)$/s.exec(isNot ? word.slice(1) : word);
      return { isNot, field, text: rest.toLowerCase(), known: new Map() };
    });
}

function nameMatches(t, term, id) {
  let known = term.known.get(id);
  if (known === undefined) {
    known = t.names[id].toLowerCase().includes(term.text);
    term.known.set(id, known);
  }
  return known;
}

function termMatches(t, term, e) {
  const [node, name] = t.tasks[t.task[e]];
  const has = (id) => id !== 0 && nameMatches(t, term, id);
  const tests = {
    kind: () => t.kindName(e).includes(term.text) || t.className(e) === term.text,
    node: () => has(node),
    task: () => has(name),
    object: () => has(t.object[e]) || (!(t.has[e] & HAS.peer) && has(t.message[e])),
    at: () => has(t.location[e]),
  };
  if (term.field !== undefined) {
    return tests[term.field]();
  }
  return tests.kind() || tests.node() || tests.task() || tests.object() || tests.at() || has(t.text[e]);
}

const filterKeeps = (t, filter, e) => filter.every((term) => termMatches(t, term, e) !== term.isNot);

// A pattern of several events: "send vote -> recv" asks for an arrow between the two, "lock a .. lock b" for the next
// such event of the same task.
function parsePattern(text) {
  const parts = text.split(/\s+(->|\.\.)\s+/);
  const pattern = [{ link: null, filter: parseFilter(parts[0]) }];
  for (let i = 1; i + 1 < parts.length; i += 2) {
    pattern.push({ link: parts[i], filter: parseFilter(parts[i + 1]) });
  }
  return pattern;
}

const AHEAD = 5000; // events of a task that are searched for the next one of a pattern

function nextOfTask(t, filter, e) {
  const own = t.ofTask.of(t.task[e]);
  const limit = Math.min(own.length, t.position[e] + AHEAD);
  for (let i = t.position[e] + 1; i < limit; i++) {
    if (filterKeeps(t, filter, own[i])) {
      return [own[i]];
    }
  }
  return [];
}

// Marks the events of every occurrence that begins with the event. Returns whether there is one.
function markOccurrence(t, pattern, at, e, marks) {
  if (!filterKeeps(t, pattern[at].filter, e)) {
    return false;
  }
  const next = pattern[at + 1];
  let isWhole = next === undefined;
  if (next?.link === "->") {
    for (const i of t.outOf.of(e)) {
      isWhole = markOccurrence(t, pattern, at + 1, t.edges.to[i], marks) || isWhole;
    }
  } else if (next?.link === "..") {
    isWhole = nextOfTask(t, next.filter, e).some((other) => markOccurrence(t, pattern, at + 1, other, marks));
  }
  if (isWhole) {
    marks[e] = 1;
  }
  return isWhole;
}

// Whether each event is kept by the text of the filter; null: all are.
function filterOf(t, text) {
  const pattern = parsePattern(text);
  if (pattern.length === 1) {
    const [{ filter }] = pattern;
    return { keeps: filter.length === 0 ? null : (e) => filterKeeps(t, filter, e), occurrences: -1 };
  }
  const marks = new Uint8Array(t.count);
  let occurrences = 0;
  for (let e = 0; e < t.count; e++) {
    occurrences += markOccurrence(t, pattern, 0, e, marks) ? 1 : 0;
  }
  return { keeps: (e) => marks[e] === 1, occurrences };
}

// The rows of the diagram: events in the order of the trace, or of a witness.
function chooseRows(t, view) {
  const rows = { events: null, past: 0, own: 0, filtered: 0, folded: 0, isSorted: true };
  const { keeps, occurrences } = filterOf(t, view.filter);
  rows.occurrences = occurrences;
  const isKey = new Set(view.keys);
  const past = view.mode === "past" && view.keys.length > 0 ? causalPast(t, view.keys) : null;
  const hidesOwn = view.mode === "past" && keeps === null;
  const folds = view.mode !== "witness" && !view.filter.includes("handler");
  const from = view.mode === "witness" ? view.witness : null;
  const count = from === null ? t.count : from.length;
  const events = new Uint32Array(count);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const e = from === null ? i : from[i];
    if (past !== null && !isInPast(t, past, e)) {
      rows.past++;
    } else if (hidesOwn && e !== view.event && !isKey.has(e) && isOfOneTask(t, e)) {
      rows.own++;
    } else if (keeps !== null && !isKey.has(e) && !keeps(e)) {
      rows.filtered++;
    } else if (folds && e !== view.event && !isKey.has(e) && t.className(e) === "handler") {
      rows.folded++;
    } else {
      events[kept++] = e;
    }
  }
  rows.events = events.subarray(0, kept);
  rows.of = new Int32Array(t.count).fill(-1);
  rows.events.forEach((e, row) => {
    rows.of[e] = row;
    rows.isSorted = rows.isSorted && (row === 0 || rows.events[row - 1] < e);
  });
  return rows;
}

// The row of the event, or of the nearest one before it that is shown.
function rowNear(rows, e) {
  if (rows.of[e] >= 0) {
    return rows.of[e];
  }
  let low = 0;
  let high = rows.events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows.events[middle] <= e) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Math.max(0, low - 1);
}

// Lanes: tasks side by side, those of a node together. A node that restarts goes on in its lane.
function chooseLanes(t, rows) {
  const nodes = new Map();
  const seen = new Set();
  const ends = new Map();
  const order = [...rows.events.length > 200000 ? firstOfTasks(t, rows) : rows.events];
  for (const e of order) {
    const task = t.task[e];
    if (seen.has(task)) {
      continue;
    }
    seen.add(task);
    const node = t.tasks[task][0];
    const lanes = nodes.get(node) ?? [];
    nodes.set(node, lanes);
    const base = t.name(t.tasks[task][1]).replace(/\.\d+$/, "");
    const own = t.ofTask.of(task);
    const lane = lanes.find((l) => l.base === base && ends.get(l) < own[0]);
    if (lane !== undefined) {
      lane.tasks.push(task);
      ends.set(lane, own[own.length - 1]);
    } else {
      const fresh = { node, base, tasks: [task] };
      lanes.push(fresh);
      ends.set(fresh, own[own.length - 1]);
    }
  }
  const lanes = [...nodes.values()].flat();
  const laneOf = new Int32Array(t.tasks.length).fill(-1);
  lanes.forEach((lane, i) => lane.tasks.forEach((task) => (laneOf[task] = i)));
  return { lanes, laneOf };
}

// The first event of each task that is shown.
function firstOfTasks(t, rows) {
  const first = [];
  for (let task = 0; task < t.tasks.length; task++) {
    const shown = t.ofTask.of(task).find((e) => rows.of[e] >= 0);
    if (shown !== undefined) {
      first.push(shown);
    }
  }
  return first.sort((a, b) => a - b);
}
