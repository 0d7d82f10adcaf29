// The order of a trace: program order, edges between tasks, the causal past of events.

// Groups numbers 0..count-1 by key[i]: {first, items}, where the items of k are
// items[first[k]] .. items[first[k + 1] - 1], in ascending order.
function groupBy(key, keyCount) {
  const first = new Uint32Array(keyCount + 1);
  for (let i = 0; i < key.length; i++) {
    first[key[i] + 1]++;
  }
  for (let k = 0; k < keyCount; k++) {
    first[k + 1] += first[k];
  }
  const next = first.slice();
  const items = new Uint32Array(key.length);
  for (let i = 0; i < key.length; i++) {
    items[next[key[i]]++] = i;
  }
  return { first, items, of: (k) => items.subarray(first[k], first[k + 1]) };
}

// Spans [begin, end] of events, in ascending order of begin: which of them meet an interval?
function indexSpans(begin, end) {
  const BLOCK = 256;
  const latest = new Float64Array(Math.ceil(begin.length / BLOCK));
  for (let i = 0; i < begin.length; i++) {
    const block = Math.floor(i / BLOCK);
    latest[block] = Math.max(latest[block], end[i]);
  }
  return (first, last, visit) => {
    for (let block = 0; block < latest.length && begin[block * BLOCK] <= last; block++) {
      if (latest[block] < first) {
        continue;
      }
      const stop = Math.min((block + 1) * BLOCK, begin.length);
      for (let i = block * BLOCK; i < stop && begin[i] <= last; i++) {
        if (end[i] >= first) {
          visit(i);
        }
      }
    }
  };
}

function addOrder(t) {
  t.ofTask = groupBy(t.task, t.tasks.length);
  t.position = new Uint32Array(t.count);
  for (let task = 0; task < t.tasks.length; task++) {
    t.ofTask.of(task).forEach((e, i) => {
      t.position[e] = i;
    });
  }
  t.into = groupBy(t.edges.to, t.count);
  t.outOf = groupBy(t.edges.from, t.count);
  // Edges sorted by their earlier end, for drawing.
  const early = t.edges.from.map((from, i) => Math.min(from, t.edges.to[i]));
  const byEarly = groupBy(early, t.count).items;
  t.edgesMeeting = (first, last, visit) => t.edgeSpans(first, last, (i) => visit(byEarly[i]));
  t.edgeSpans = indexSpans(
    byEarly.map((i) => early[i]),
    byEarly.map((i) => Math.max(t.edges.from[i], t.edges.to[i])),
  );
  t.sectionsMeeting = indexSpans(t.sections.begin, t.sections.end);
  t.handlers = findHandlers(t);
  t.partitions = findPartitions(t);
  t.ofObject = null; // made when a history is asked for
}

// The spans of handlers, from handler-begin to handler-end of a task.
function findHandlers(t) {
  const open = new Map();
  const spans = [];
  for (let e = 0; e < t.count; e++) {
    const kind = t.kindName(e);
    if (kind === "handler-begin") {
      open.set(t.task[e], spans.length);
      spans.push([e, t.ofTask.items[t.ofTask.first[t.task[e] + 1] - 1]]); // to its end, unless it ends
    } else if (kind === "handler-end" && open.has(t.task[e])) {
      spans[open.get(t.task[e])][1] = e;
      open.delete(t.task[e]);
    }
  }
  const begin = Uint32Array.from(spans, ([first]) => first);
  const end = Uint32Array.from(spans, ([, last]) => last);
  return { begin, end, meeting: indexSpans(begin, end) };
}

// The spans from a partition to the heal of the same link, or to the end.
function findPartitions(t) {
  const open = new Map();
  const spans = [];
  for (let e = 0; e < t.count; e++) {
    const mode = t.kindName(e) === "fault" ? t.modeName(e) : "";
    if (mode === "partition") {
      open.set(t.object[e], spans.length);
      spans.push([e, t.count - 1]);
    } else if (mode === "heal" && open.has(t.object[e])) {
      spans[open.get(t.object[e])][1] = e;
      open.delete(t.object[e]);
    }
  }
  return spans;
}

// A name belongs to its node, unless it is of memory or of a counter that processes share (trace/name_scope.h).
const isShared = (name) => name.startsWith("shm:") || name.startsWith("eventfd#");

// The object of each event as a number: its name and, where names belong to nodes, its node.
function numberObjects(t) {
  const numbers = new Map();
  const isWhole = t.names.map(isShared);
  const keys = new Uint32Array(t.count);
  for (let e = 0; e < t.count; e++) {
    const node = isWhole[t.object[e]] || t.className(e) === "net" ? 0 : t.tasks[t.task[e]][0];
    const key = t.object[e] * 2 ** 21 + node;
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    keys[e] = number;
  }
  return { keys, events: groupBy(keys, numbers.size) };
}

// Of each name of memory the only task that accesses it, or MANY.
const MANY = -1;

function findOwners(t) {
  const owners = new Int32Array(t.names.length); // 1 more than the task; 0: nobody yet
  for (let e = 0; e < t.count; e++) {
    const name = t.object[e];
    if (name !== 0 && isAccess(t, e)) {
      owners[name] = owners[name] === 0 || owners[name] === t.task[e] + 1 ? t.task[e] + 1 : MANY;
    }
  }
  return owners;
}

// Whether the event reads or writes memory that no other task of the trace accesses.
function isOfOneTask(t, e) {
  const kind = t.kindName(e);
  t.owners = t.owners ?? findOwners(t);
  return (kind === "read" || kind === "write") && t.owners[t.object[e]] !== MANY;
}

// The events on the object of the event.
function objectEvents(t, e) {
  t.ofObject = t.ofObject ?? numberObjects(t);
  return t.ofObject.events.of(t.ofObject.keys[e]);
}

// How many events of each task are the causes of the events, or are among them.
function causalPast(t, events) {
  const upTo = new Uint32Array(t.tasks.length);
  const work = Array.from(events);
  while (work.length > 0) {
    const e = work.pop();
    const task = t.task[e];
    const from = upTo[task];
    const to = t.position[e] + 1;
    if (to <= from) {
      continue;
    }
    upTo[task] = to;
    const own = t.ofTask.first[task];
    for (let i = own + from; i < own + to; i++) {
      const member = t.ofTask.items[i];
      for (let k = t.into.first[member]; k < t.into.first[member + 1]; k++) {
        work.push(t.edges.from[t.into.items[k]]);
      }
    }
  }
  return upTo;
}

const isInPast = (t, past, e) => t.position[e] < past[t.task[e]];

// Partners: of each event of the first run, 1 more than the same event of the second; 0: none.
function pairRuns([first, second], partner) {
  first.partner = partner;
  second.partner = new Uint32Array(second.count);
  partner.forEach((other, e) => {
    if (other > 0) {
      second.partner[other - 1] = e + 1;
    }
  });
  first.other = second;
  second.other = first;
}
