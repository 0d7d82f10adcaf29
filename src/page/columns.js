// The trace as the page carries it: JSON, and columns of packed integers (page/columns.h).

const byId = (id) => document.getElementById(id);

function columnBytes(name) {
  const holder = byId("column-" + name);
  const text = holder.textContent;
  holder.remove();
  if (Uint8Array.fromBase64 !== undefined) {
    return Uint8Array.fromBase64(text);
  }
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

// How many numbers there are: each ends in a byte below 128.
function countNumbers(bytes) {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    count += bytes[i] < 128 ? 1 : 0;
  }
  return count;
}

// Numbers below 2^32.
function readNumbers(name, Type = Uint32Array) {
  const bytes = columnBytes(name);
  const numbers = new Type(countNumbers(bytes));
  let at = 0;
  for (let i = 0; i < numbers.length; i++) {
    let byte = bytes[at++];
    let number = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++];
      number |= (byte & 127) << shift;
    }
    numbers[i] = number;
  }
  return numbers;
}

// Signed numbers of 64 bits, one for each event that has the flag; 0 for others.
function readSigned(name, has, flag) {
  const bytes = columnBytes(name);
  const numbers = new BigInt64Array(has.length);
  const halves = new Uint32Array(numbers.buffer);
  let at = 0;
  for (let i = 0; i < has.length; i++) {
    if ((has[i] & flag) === 0) {
      continue;
    }
    let low = 0;
    let high = 0;
    let byte = 128;
    for (let shift = 0; byte > 127; shift += 7) {
      byte = bytes[at++];
      if (shift < 28) {
        low |= (byte & 127) << shift;
      } else if (shift === 28) {
        low |= (byte & 15) << 28;
        high |= (byte & 127) >> 4;
      } else {
        high |= (byte & 127) << (shift - 32);
      }
    }
    const sign = -(low & 1);
    halves[2 * i] = ((low >>> 1) | (high << 31)) ^ sign;
    halves[2 * i + 1] = (high >>> 1) ^ sign;
  }
  return numbers;
}

// Running sums of distances.
function sumUp(distances) {
  for (let i = 1; i < distances.length; i++) {
    distances[i] += distances[i - 1];
  }
  return distances;
}

const HAS = { value: 1, size: 2, count: 4, time: 8, peer: 32 };

// The index-th run of the page.
function readTrace(data, index) {
  const run = data.runs[index];
  const t = { ...run, kinds: data.kinds, modes: data.modes, index };
  const readColumn = (name, Type) => readNumbers(`${index}-${name}`, Type);
  const readSparse = (name, has, flag) => readSigned(`${index}-${name}`, has, flag);
  t.kind = readColumn("kind", Uint16Array);
  t.partner = null; // in the other run: 1 more than the event; 0: none
  t.count = t.kind.length;
  t.mode = readColumn("mode", Uint8Array);
  t.has = readColumn("has", Uint8Array);
  for (const name of ["task", "object", "location", "text", "message"]) {
    t[name] = readColumn(name);
  }
  t.value = readSparse("value", t.has, HAS.value);
  t.size = readSparse("size", t.has, HAS.size);
  t.repeat = readSparse("count", t.has, HAS.count);
  t.time = readSparse("time", t.has, HAS.time);
  let time = 0n;
  for (let i = 0; i < t.count; i++) {
    if (t.has[i] & HAS.time) {
      time += t.time[i];
      t.time[i] = time;
    }
  }
  t.step = readColumn("step"); // 1 more than the step; 0: none
  t.edges = { names: data.edges, to: sumUp(readColumn("edge-to")) };
  const back = readColumn("edge-from");
  t.edges.from = back.map((zigzag, i) => t.edges.to[i] - ((zigzag >>> 1) ^ -(zigzag & 1)));
  t.edges.kind = readColumn("edge-kind", Uint8Array);
  const begin = sumUp(readColumn("section-begin"));
  const lock = readColumn("section-lock");
  const length = readColumn("section-end"); // 0: never released
  const end = new Uint32Array(begin.length);
  const next = new Map(); // where the lock is taken next
  for (let i = begin.length - 1; i >= 0; i--) {
    const name = lock[i] >>> 1;
    end[i] = length[i] > 0 ? begin[i] + length[i] - 1 : (next.get(name) ?? t.count) - 1;
    next.set(name, begin[i]);
  }
  t.sections = { begin, end, lock: lock.map((n) => n >>> 1), isShared: (i) => (lock[i] & 1) === 1, isHeld: (i) => length[i] === 0 };
  t.name = (id) => t.names[id];
  t.kindName = (e) => t.kinds[t.kind[e]][0] ?? "kind " + t.kind[e];
  t.className = (e) => t.kinds[t.kind[e]][1] ?? "other";
  t.modeName = (e) => (t.modes[t.kinds[t.kind[e]][2] ?? 0] ?? {})[t.mode[e]] ?? "";
  t.taskName = (id) => {
    const [node, name] = t.tasks[id];
    return t.names[name] + (node === 0 ? "" : "@" + t.names[node]);
  };
  return t;
}
