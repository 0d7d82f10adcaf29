// The space-time diagram: time runs down, a lane for each task. A canvas draws lines and marks of the
// rows in sight; labels are elements, so that they can be read aloud, searched and selected.

const ROW_HEIGHT = { least: 4, labels: 13, usual: 22, most: 40 };
const LANE_WIDTH = { least: 22, narrow: 70, most: 190 };
const GUTTER = 62;
const ENDS = new Set(["thread-end", "process-exit", "process-crash", "violation"]);
const OVERVIEW = 14;

const make = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) {
    made.className = className;
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
};

class Diagram {
  constructor(t, onSelect) {
    this.t = t;
    this.onSelect = onSelect;
    this.top = 0;
    this.rowHeight = ROW_HEIGHT.usual;
    this.selected = -1;
    this.keys = [];
    this.gutter = GUTTER;
    this.shareOf = null; // how likely the run fails after an event (likelihood.js); null: not measured
    this.lost = -1; // the event with which it was lost
    this.isRace = false;
    this.pool = [];
    this.width = this.height = 0; // until it is laid out
    this.host = make("section", "diagram");
    this.heads = make("div", "heads");
    this.body = make("div", "body");
    this.canvas = make("canvas");
    this.labels = make("div", "labels");
    this.labels.tabIndex = 0;
    this.labels.setAttribute("role", "listbox");
    this.labels.setAttribute("aria-label", "events in order; arrow keys step");
    this.overview = make("canvas", "overview");
    this.canvas.setAttribute("aria-hidden", "true");
    this.overview.setAttribute("aria-hidden", "true");
    this.body.append(this.canvas, this.labels, this.overview);
    this.caption = make("p", "caption");
    this.host.append(this.caption, this.heads, this.body);
    this.caption.hidden = true;
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.body);
  }

  showShares(shareOf, lost) {
    Object.assign(this, { shareOf, lost, gutter: GUTTER + SHARE.width });
  }

  listen() {
    this.body.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey) {
          this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
        } else {
          this.scrollTo(this.top + event.deltaY / this.rowHeight);
        }
        event.preventDefault();
      },
      { passive: false },
    );
    const drag = (event) => {
      if (event.buttons === 1) {
        const share = event.offsetY / this.overview.clientHeight;
        this.scrollTo(share * this.rows.events.length - this.inSight() / 2);
      }
    };
    this.overview.addEventListener("pointerdown", (event) => {
      this.overview.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.overview.addEventListener("pointermove", drag);
  }

  clickRow(row) {
    if (row >= 0 && row < this.rows.events.length) {
      this.onSelect(this.rows.events[row]);
    }
  }

  inSight() {
    return this.height / this.rowHeight;
  }

  show(rows, keys, isRace) {
    this.rows = rows;
    this.keys = keys;
    this.isRace = isRace;
    Object.assign(this, chooseLanes(this.t, rows));
    this.pool.forEach((label) => (label.row = -1));
    this.layOut();
    this.scrollTo(this.top);
    this.drawOverview();
  }

  resize() {
    const ratio = window.devicePixelRatio;
    this.width = this.body.clientWidth - OVERVIEW;
    this.height = this.body.clientHeight;
    for (const [canvas, width] of [[this.canvas, this.width], [this.overview, OVERVIEW]]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(this.height * ratio);
      canvas.style.width = width + "px";
      canvas.style.height = this.height + "px";
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    if (this.rows !== undefined) {
      this.pool.forEach((label) => (label.row = -1));
      this.layOut();
      this.reveal(Math.max(0, this.selectedRow()));
      this.drawOverview();
    }
  }

  // ---- layout ----

  // Labels need the room right of the last lanes; few lanes spread, many move together.
  layOut() {
    const count = Math.max(1, this.lanes.length);
    const room = this.width - this.gutter - Math.min(420, this.width * 0.36);
    this.laneWidth = Math.max(LANE_WIDTH.least, Math.min(LANE_WIDTH.most, room / count));
    this.left = 0;
    this.heads.classList.toggle("narrow", this.laneWidth < LANE_WIDTH.narrow);
    this.makeHeads();
  }

  makeHeads() {
    this.heads.replaceChildren();
    if (this.shareOf !== null) {
      const head = make("div", "head share", "fail");
      head.title = "of the runs with the same first steps, the share that fails";
      head.style.left = SHARE.left + "px";
      head.style.width = SHARE.width + "px";
      this.heads.append(head);
    }
    this.lanes.forEach((lane, i) => {
      const isFirst = i === 0 || this.lanes[i - 1].node !== lane.node;
      const head = make("div", isFirst ? "head first" : "head");
      head.style.left = this.laneX(i) - Math.min(10, this.laneWidth / 2) + "px";
      head.style.width = this.laneWidth - 2 + "px";
      const span = this.lanes.filter((l) => l.node === lane.node).length;
      const node = make("span", "node", isFirst ? this.t.name(lane.node) : "");
      node.style.width = this.laneWidth * span - 6 + "px";
      head.append(node, make("span", "task", lane.base));
      head.title = lane.tasks.map((task) => this.t.taskName(task)).join(", then ");
      this.heads.append(head);
    });
  }

  laneX(lane) {
    return this.gutter + this.laneWidth * lane + Math.min(24, this.laneWidth / 2) - this.left;
  }

  // Lanes that do not fit move aside, so that the selected event and its label are in sight.
  moveAside() {
    const over = this.gutter + this.laneWidth * this.lanes.length + 200 - this.width;
    if (over > 0 && this.selected >= 0) {
      const x = this.xOf(this.selected) + this.left - this.gutter;
      const left = Math.max(0, Math.min(over, x - (this.width - this.gutter) * 0.4));
      if (Math.abs(left - this.left) > this.width * 0.3 || left === 0) {
        this.left = left;
        this.pool.forEach((label) => (label.row = -1));
        this.makeHeads();
      }
    }
  }

  xOf(e) {
    return this.laneX(this.laneOf[this.t.task[e]]);
  }

  yOf(row) {
    return (row - this.top + 0.5) * this.rowHeight;
  }

  scrollTo(top) {
    if (this.height === 0) {
      return;
    }
    const most = this.rows.events.length - this.inSight();
    this.top = Math.max(0, Math.min(most + 1, top));
    this.wake();
  }

  // The row comes into sight, in the middle when it was far away.
  reveal(row) {
    if (this.height === 0) {
      return;
    }
    this.moveAside();
    const seen = this.inSight();
    if (row < this.top || row > this.top + seen - 2) {
      this.scrollTo(row < this.top - seen || row > this.top + 2 * seen ? row - seen * 0.6 : row < this.top ? row - 1 : row - seen + 2);
    } else {
      this.wake();
    }
  }

  zoom(factor) {
    const centre = this.selectedRow() >= 0 ? this.selectedRow() : this.top + this.inSight() / 2;
    const share = (centre - this.top) / this.inSight();
    this.rowHeight = Math.max(ROW_HEIGHT.least, Math.min(ROW_HEIGHT.most, this.rowHeight * factor));
    this.pool.forEach((label) => (label.row = -1));
    this.scrollTo(centre - share * this.inSight());
  }

  selectedRow() {
    return this.selected < 0 ? -1 : this.rows.of[this.selected];
  }

  wake() {
    if (!this.isAwake) {
      this.isAwake = true;
      requestAnimationFrame(() => {
        this.isAwake = false;
        this.draw();
      });
    }
  }

  // ---- drawing ----

  colors() {
    if (this.palette === undefined) {
      const style = getComputedStyle(document.documentElement);
      this.palette = (name) => style.getPropertyValue("--" + name);
    }
    return this.palette;
  }

  repaint() {
    this.palette = undefined;
    this.drawOverview();
    this.wake();
  }

  draw() {
    if (this.height === 0) {
      return;
    }
    const started = performance.now();
    const [first, last] = this.drawRows(this.canvas.getContext("2d"));
    this.placeLabels(first, last);
    this.drawWindow();
    this.drawTimes = this.drawTimes ?? [];
    this.drawTimes.push(performance.now() - started);
  }

  // Draws the rows in sight; returns the first and the last of them.
  drawRows(g) {
    const first = Math.max(0, Math.floor(this.top));
    const last = Math.min(this.rows.events.length - 1, Math.ceil(this.top + this.inSight()));
    g.clearRect(0, 0, this.width, this.height);
    if (last >= first) {
      this.drawGrid(g);
      this.drawSelection(g);
      if (this.shareOf !== null) {
        drawShares(g, this, first, last);
      }
      this.drawPartitions(g);
      this.drawHandlers(g, first, last);
      this.drawLanes(g, first, last);
      this.drawSections(g, first, last);
      this.drawEdges(g, first, last);
      this.drawKeys(g);
      this.drawMarks(g, first, last);
    }
    return [first, last];
  }

  drawGrid(g) {
    g.fillStyle = this.colors()("band");
    this.lanes.forEach((lane, i) => {
      const isOdd = [...new Set(this.lanes.map((l) => l.node))].indexOf(lane.node) % 2 === 1;
      if (isOdd) {
        const left = this.laneX(i) - Math.min(24, this.laneWidth / 2);
        g.fillRect(left, 0, this.laneWidth, this.height);
      }
    });
  }

  drawSelection(g) {
    const row = this.selectedRow();
    if (row >= 0) {
      g.fillStyle = this.colors()("selected");
      g.fillRect(0, this.yOf(row) - this.rowHeight / 2, this.width, this.rowHeight);
    }
  }

  // A band for as long as a link is cut, and the fault's name at its edge.
  drawPartitions(g) {
    const { t } = this;
    if (!this.rows.isSorted) {
      return;
    }
    t.partitions.forEach(([begin, end]) => {
      const y = Math.max(-4, this.yOf(this.rowAt(begin)));
      const bottom = Math.min(this.height + 4, this.yOf(this.rowAt(end)));
      const lane = this.lanes.findIndex((l) => l.node === t.object[begin]);
      const left = lane < 0 ? this.gutter - 8 : this.laneX(lane) - 14;
      if (bottom > 0 && y < this.height) {
        g.fillStyle = this.colors()("bug");
        g.globalAlpha = 0.1;
        g.fillRect(left, y, lane < 0 ? this.width : 28, bottom - y);
        g.globalAlpha = 0.7;
        g.fillRect(left, y, 2, bottom - y);
        g.globalAlpha = 1;
      }
    });
  }

  // A box around the events of a handler.
  drawHandlers(g, first, last) {
    if (!this.rows.isSorted) {
      return;
    }
    const { t } = this;
    g.fillStyle = this.colors()("handler");
    t.handlers.meeting(this.rows.events[first], this.rows.events[last], (i) => {
      const begin = t.handlers.begin[i];
      if (this.laneOf[t.task[begin]] >= 0) {
        const y = Math.max(-8, this.yOf(this.rowAt(begin)) - this.rowHeight * 0.42);
        const bottom = Math.min(this.height + 8, this.yOf(this.rowAt(t.handlers.end[i])) + this.rowHeight * 0.42);
        g.beginPath();
        g.roundRect(this.xOf(begin) - 8, y, 16, Math.max(3, bottom - y), 5);
        g.fill();
      }
    });
  }

  // A lifeline, from the first to the last event of its tasks; dotted while the node is down, and from the last event of
  // a task that does not end.
  drawLanes(g, first, last) {
    const t = this.t;
    const shown = this.rows.events;
    g.lineWidth = 1.5;
    this.lanes.forEach((lane, i) => {
      const x = this.laneX(i);
      let down = -1;
      for (const task of lane.tasks) {
        const own = t.ofTask.of(task);
        const begin = this.rowAt(own[0]);
        const end = this.rowAt(own[own.length - 1]);
        if (down >= 0) {
          this.line(g, x, down, begin, "crashed", [2, 4]);
        }
        this.line(g, x, Math.max(begin, first - 1), Math.min(end, last + 1), "lane", []);
        down = t.kindName(own[own.length - 1]) === "process-crash" ? end : -1;
        if (!ENDS.has(t.kindName(own[own.length - 1]))) {
          this.line(g, x, end, shown.length - 0.6, "lane", [2, 3]);
        }
      }
      if (down >= 0) {
        this.line(g, x, down, shown.length, "crashed", [2, 4]);
      }
    });
    g.setLineDash([]);
  }

  line(g, x, from, to, color, dash) {
    g.strokeStyle = this.colors()(color);
    g.setLineDash(dash);
    g.beginPath();
    g.moveTo(x, Math.max(-10, this.yOf(from)));
    g.lineTo(x, Math.min(this.height + 10, this.yOf(to)));
    g.stroke();
  }

  rowAt(e) {
    return this.rows.isSorted ? rowNear(this.rows, e) : Math.max(0, this.rows.of[e]);
  }

  drawSections(g, first, last) {
    const { t, rows } = this;
    if (!rows.isSorted) {
      return;
    }
    const depth = new Map();
    t.sectionsMeeting(rows.events[first], rows.events[last], (i) => {
      const begin = t.sections.begin[i];
      const task = t.task[begin];
      if (this.laneOf[task] < 0) {
        return;
      }
      const end = t.sections.end[i];
      const level = depth.get(task) ?? 0;
      depth.set(task, level + 1);
      const y = Math.max(-8, this.yOf(this.rowAt(begin)));
      const bottom = Math.min(this.height + 8, this.yOf(this.rowAt(end)));
      g.fillStyle = this.lockColor(t.sections.lock[i]);
      g.globalAlpha = t.sections.isShared(i) ? 0.35 : 0.75;
      g.beginPath();
      g.roundRect(this.xOf(begin) - 9 - 4 * Math.min(3, level), y, 4, Math.max(3, bottom - y), 2);
      g.fill();
    });
    g.globalAlpha = 1;
  }

  lockColor(lock) {
    return this.colors()("lock-" + (lock % 4));
  }

  drawEdges(g, first, last) {
    const { t, rows } = this;
    const draw = (i) => {
      const from = rows.of[t.edges.from[i]];
      const to = rows.of[t.edges.to[i]];
      if (from >= 0 && to >= 0 && !(Math.max(from, to) < first || Math.min(from, to) > last)) {
        this.drawEdge(g, i, from, to);
      }
    };
    if (rows.isSorted) {
      t.edgesMeeting(rows.events[first], rows.events[last], draw);
    } else {
      for (let row = first; row <= last; row++) {
        t.into.of(rows.events[row]).forEach(draw);
        t.outOf.of(rows.events[row]).forEach(draw);
      }
    }
    g.setLineDash([]);
    g.globalAlpha = 1;
  }

  drawEdge(g, i, from, to) {
    const { t } = this;
    const kind = t.edges.names[t.edges.kind[i]];
    const isOfSelected = t.edges.from[i] === this.selected || t.edges.to[i] === this.selected;
    const isMessage = kind === "message" || kind === "stream" || kind === "connect";
    const fromX = this.xOf(t.edges.from[i]);
    const toX = this.xOf(t.edges.to[i]);
    if (kind === "stream" && !isOfSelected) {
      return; // bytes before those received: the message itself has its own arrow
    }
    g.strokeStyle = g.fillStyle = this.colors()(isMessage ? "message" : "order");
    g.globalAlpha = isOfSelected ? 1 : isMessage ? 0.75 : 0.45;
    g.lineWidth = isOfSelected ? 2.2 : 1.2;
    g.setLineDash(isMessage ? [] : [5, 3]);
    const y = this.yOf(from);
    const toY = this.yOf(to);
    const side = Math.sign(toX - fromX) || 1;
    const end = toX - side * 6;
    g.beginPath();
    g.moveTo(fromX + side * 5, y);
    g.lineTo(end, toY);
    g.stroke();
    if (this.rowHeight >= 8) {
      const angle = Math.atan2(toY - y, end - fromX);
      g.setLineDash([]);
      g.beginPath();
      g.moveTo(end, toY);
      g.lineTo(end - 7 * Math.cos(angle - 0.4), toY - 7 * Math.sin(angle - 0.4));
      g.lineTo(end - 7 * Math.cos(angle + 0.4), toY - 7 * Math.sin(angle + 0.4));
      g.fill();
    }
  }

  // The events of the finding, and between the two of a race the order that is missing.
  drawKeys(g) {
    const color = this.colors()("bug");
    if (this.isRace && this.keys.length >= 2) {
      const [a, b] = this.keys;
      if (this.rows.of[a] >= 0 && this.rows.of[b] >= 0) {
        g.strokeStyle = color;
        g.lineWidth = 2.5;
        g.setLineDash([3, 4]);
        g.beginPath();
        g.moveTo(this.xOf(a), this.yOf(this.rows.of[a]));
        g.lineTo(this.xOf(b), this.yOf(this.rows.of[b]));
        g.stroke();
        g.setLineDash([]);
        this.writeNoOrder(g, a, b, color);
      }
    }
    for (const e of this.keys) {
      const row = this.rows.of[e];
      const y = this.yOf(row);
      if (row >= 0 && y > -20 && y < this.height + 20) {
        g.globalAlpha = 0.22;
        g.fillStyle = color;
        g.beginPath();
        g.arc(this.xOf(e), y, Math.max(5, Math.min(13, this.rowHeight * 0.6)), 0, 7);
        g.fill();
        g.globalAlpha = 1;
      }
    }
  }

  writeNoOrder(g, a, b, color) {
    const y = (this.yOf(this.rows.of[a]) + this.yOf(this.rows.of[b])) / 2;
    g.font = "italic 600 12px sans-serif";
    g.fillStyle = color;
    if (this.rowHeight >= ROW_HEIGHT.labels && Math.abs(this.rows.of[a] - this.rows.of[b]) > 1) {
      g.fillText("no order", (this.xOf(a) + this.xOf(b)) / 2 + 8, y - 6);
    }
  }

  drawMarks(g, first, last) {
    const isKey = new Set(this.keys);
    const size = Math.max(1.5, Math.min(4.5, this.rowHeight / 4));
    for (let row = first; row <= last; row++) {
      const e = this.rows.events[row];
      const mark = markOf(this.t, e);
      const isBug = isKey.has(e) || mark === "cross";
      g.fillStyle = g.strokeStyle = this.colors()(isBug ? "bug" : e === this.selected ? "ink" : "mark");
      this.drawMark(g, mark, this.xOf(e), this.yOf(row), isBug ? size + 1 : size);
    }
  }

  drawMark(g, mark, x, y, size) {
    g.lineWidth = 2;
    g.beginPath();
    if (mark === "square") {
      g.rect(x - size, y - size, 2 * size, 2 * size);
      g.fill();
    } else if (mark === "ring") {
      g.arc(x, y, size, 0, 7);
      const ink = g.fillStyle;
      g.fillStyle = this.colors()("paper");
      g.fill();
      g.fillStyle = ink;
      g.stroke();
    } else if (mark === "diamond") {
      g.moveTo(x, y - size - 1);
      g.lineTo(x + size + 1, y);
      g.lineTo(x, y + size + 1);
      g.lineTo(x - size - 1, y);
      g.fill();
    } else if (mark === "cross") {
      g.moveTo(x - size, y - size);
      g.lineTo(x + size, y + size);
      g.moveTo(x + size, y - size);
      g.lineTo(x - size, y + size);
      g.stroke();
    } else if (mark === "bar" || mark === "tick") {
      g.rect(x - (mark === "bar" ? size + 1 : size / 2), y - 1, mark === "bar" ? 2 * size + 2 : size, 2);
      g.fill();
    } else {
      g.arc(x, y, size, 0, 7);
      g.fill();
    }
  }

  // ---- labels ----

  placeLabels(first, last) {
    const areShown = this.rowHeight >= ROW_HEIGHT.labels;
    const wanted = areShown ? last - first + 1 : 0;
    while (this.pool.length < wanted) {
      this.pool.push(this.makeLabel());
    }
    const size = this.pool.length;
    this.pool.forEach((label) => (label.isUsed = false));
    for (let row = first; row < first + wanted; row++) {
      const label = this.pool[row % size];
      label.isUsed = true;
      if (label.row !== row) {
        this.fillLabel(label, row);
      }
      label.host.style.transform = `translateY(${this.yOf(row) - this.rowHeight / 2}px)`;
      const isSelected = this.rows.events[row] === this.selected;
      if (label.isSelected !== isSelected) {
        label.isSelected = isSelected;
        label.host.setAttribute("aria-selected", String(isSelected));
      }
    }
    this.pool.forEach((label) => {
      label.host.hidden = !label.isUsed;
    });
    const selected = this.pool.find((label) => label.isUsed && label.isSelected);
    this.labels.setAttribute("aria-activedescendant", selected === undefined ? "" : selected.host.id);
  }

  makeLabel() {
    const label = { host: make("div", "row"), row: -1, isSelected: null };
    label.number = make("span", "number");
    label.words = make("span", "words");
    label.where = make("span", "where");
    label.code = make("code");
    label.text = make("span", "text");
    label.text.append(label.words, label.where, label.code);
    label.host.append(label.number, label.text);
    label.host.id = `row-${this.t.index}-${this.pool.length}`;
    label.host.setAttribute("role", "option");
    label.host.addEventListener("click", () => this.clickRow(label.row));
    this.labels.append(label.host);
    return label;
  }

  fillLabel(label, row) {
    const e = this.rows.events[row];
    const { t } = this;
    label.row = row;
    const isOnly = t.partner !== null && t.partner[e] === 0;
    label.host.className = this.keys.includes(e) ? "row key" : isOnly ? "row only" : "row";
    label.host.style.height = label.host.style.lineHeight = this.rowHeight + "px";
    label.host.setAttribute("aria-label", `event ${e}, ${taskWords(t, e)}: ${eventWords(t, e)}`);
    label.number.textContent = e;
    label.words.textContent = eventWords(t, e);
    label.where.textContent = t.name(t.location[e]);
    const line = this.lineOf(e);
    label.code.textContent = line;
    const x = this.xOf(e);
    const isLeft = this.width - x < 150 && x > this.width / 2;
    label.text.style.left = isLeft ? "auto" : x + 13 + "px";
    label.text.style.right = isLeft ? this.width - x + 20 + "px" : "4px";
    label.text.style.textAlign = isLeft ? "right" : "left";
  }

  // ---- overview ----

  // The whole run in a strip: how many events a share of it has in each lane, and the bug.
  drawOverview() {
    if (this.height === 0 || this.rows === undefined) {
      return;
    }
    const count = this.rows.events.length;
    const rows = Math.floor(this.height);
    this.strip = make("canvas");
    this.strip.width = OVERVIEW;
    this.strip.height = rows;
    const g = this.strip.getContext("2d");
    const bug = this.colors()("bug");
    g.fillStyle = this.colors()("mark");
    g.globalAlpha = 0.6;
    const step = Math.max(1, Math.floor(count / (rows * 8)));
    for (let row = 0; row < count; row += step) {
      const lane = this.laneOf[this.t.task[this.rows.events[row]]];
      const x = 2 + ((OVERVIEW - 4) * lane) / Math.max(1, this.lanes.length);
      g.fillRect(x, (row / count) * rows, Math.max(1, (OVERVIEW - 4) / this.lanes.length - 0.5), Math.max(1, rows / count - 0.5));
    }
    g.globalAlpha = 1;
    g.fillStyle = bug;
    for (const e of this.keys) {
      if (this.rows.of[e] >= 0) {
        g.fillRect(0, (this.rows.of[e] / count) * rows - 1, OVERVIEW, 3);
      }
    }
  }

  drawWindow() {
    const g = this.overview.getContext("2d");
    const count = Math.max(1, this.rows.events.length);
    g.clearRect(0, 0, OVERVIEW, this.height);
    g.drawImage(this.strip, 0, 0);
    const share = Math.min(1, this.inSight() / count);
    if (share < 1) {
      g.fillStyle = this.colors()("window");
      g.fillRect(0, (this.top / count) * this.height, OVERVIEW, Math.max(8, share * this.height));
    }
  }
}
