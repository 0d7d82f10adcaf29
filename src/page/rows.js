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

// The rows of the diagram: events in the order of the trace, or of a witness.
function chooseRows(t, view) {
  const rows = { events: null, past: 0, filtered: 0, folded: 0, isSorted: true };
  const filter = parseFilter(view.filter);
  const isKey = new Set(view.keys);
  const past = view.mode === "past" && view.keys.length > 0 ? causalPast(t, view.keys) : null;
  const folds = view.mode !== "witness" && !view.filter.includes("handler");
  const from = view.mode === "witness" ? view.witness : null;
  const count = from === null ? t.count : from.length;
  const events = new Uint32Array(count);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const e = from === null ? i : from[i];
    if (past !== null && !isInPast(t, past, e)) {
      rows.past++;
    } else if (filter.length > 0 && !isKey.has(e) && !filterKeeps(t, filter, e)) {
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
