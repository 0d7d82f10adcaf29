// Events in words.

const VERBS = {
  "process-start": "start process",
  "process-fork": "fork",
  "process-exec": "exec",
  "process-exit": "exit",
  "process-crash": "crash",
  "thread-create": "create",
  "thread-start": "start",
  "thread-end": "end",
  "thread-join": "join",
  "wait-begin": "wait for",
  "wait-end": "woken from",
  "barrier-enter": "enter barrier",
  "barrier-exit": "leave barrier",
  "sem-post": "post",
  "sem-wait": "wait",
  "sem-init": "initialize",
  "atomic-load": "load",
  "atomic-store": "store",
  "atomic-rmw": "update",
  recv: "receive",
  "handler-begin": "handle",
  "handler-end": "handled",
  "timer-set": "set timer",
  "timer-fire": "timer",
  "timer-cancel": "cancel timer",
  "file-open": "open",
  "file-read": "read file",
  "file-write": "write file",
  "file-fsync": "sync",
  "file-rename": "rename",
  "file-unlink": "unlink",
  variable: "",
  log: "log",
  interrupt: "signal",
};

// "n1>n2/vote#3" is the message vote #3 from n1 to n2: the arrow says the rest.
function messageWords(name) {
  const slash = name.indexOf("/");
  return slash > 0 && name.lastIndexOf(">", slash) > 0 ? name.slice(slash + 1) : name;
}

// "n2": the other end of the message, from its name.
function otherEnd(name, isSend) {
  const [, from, to] = /^(.*?)>(.*?)\//s.exec(name) ?? [];
  return from === undefined ? "" : isSend ? " to " + to : " from " + from;
}

const shorten = (text, size) => (text.length > size ? text.slice(0, size - 1) + "…" : text);

function operationWords(t, e) {
  const kind = t.kindName(e);
  if (kind === "fault") {
    return `fault: ${t.modeName(e)} ${t.name(t.object[e])}`;
  }
  if (kind === "violation") {
    return "✗ " + (t.name(t.text[e]) || t.name(t.object[e]));
  }
  const words = [VERBS[kind] ?? kind];
  if (t.has[e] & HAS.peer) {
    words.push(t.taskName(t.message[e]).replace(/@.*$/, ""));
  } else if (t.message[e] !== 0 && t.className(e) !== "handler") {
    const name = t.name(t.message[e]);
    words.push(messageWords(name) + otherEnd(name, kind === "send"));
  } else if (t.object[e] !== 0) {
    words.push(t.name(t.object[e]));
  }
  if (kind === "log" || kind === "call" || kind === "variable") {
    words.push(t.name(t.text[e]));
  }
  return words.filter((word) => word !== "").join(" ");
}

function eventWords(t, e) {
  const sign = t.className(e) === "file" ? " at " : t.kindName(e) === "timer-set" || t.kindName(e) === "sleep" ? " in " : " = ";
  const value = t.has[e] & HAS.value ? sign + t.value[e] : "";
  return shorten(operationWords(t, e) + value, 200);
}

// "main/1@server" as the lane heads have it.
const taskWords = (t, e) => t.taskName(t.task[e]);

const WRITES = new Set(["write", "atomic-store", "atomic-rmw", "file-write", "variable"]);
const READS = new Set(["read", "atomic-load", "file-read"]);
const isWrite = (t, e) => WRITES.has(t.kindName(e));
const isAccess = (t, e) => isWrite(t, e) || READS.has(t.kindName(e));

// What kind of mark the event has in the diagram.
function markOf(t, e) {
  const kind = t.kindName(e);
  if (kind === "violation" || kind === "fault" || kind === "process-crash") {
    return "cross";
  }
  if (isWrite(t, e)) {
    return "square";
  }
  if (isAccess(t, e)) {
    return "ring";
  }
  const sign = { sync: "diamond", net: "dot", handler: "tick", thread: "bar", process: "bar" };
  return sign[t.className(e)] ?? "dot";
}

// A place, and the lines of the source around it: [[number, text, isTheLine]].
function sourceLines(data, location) {
  const colon = location.lastIndexOf(":");
  const file = data.sources[location.slice(0, colon)];
  const line = Number(location.slice(colon + 1));
  if (colon < 0 || file === undefined || !Object.hasOwn(file, String(line))) {
    return [];
  }
  const lines = [];
  for (let n = line - 4; n <= line + 4; n++) {
    if (Object.hasOwn(file, String(n))) {
      lines.push([n, file[String(n)], n === line]);
    }
  }
  return lines;
}
