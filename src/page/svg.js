// The diagram in sight as an SVG file: the drawing goes to a context that writes elements instead of pixels.

const SVG = "http://www.w3.org/2000/svg";

class SvgContext {
  constructor(root) {
    Object.assign(this, { root, path: "", dash: [], globalAlpha: 1, lineWidth: 1, fillStyle: "#000", strokeStyle: "#000" });
  }

  add(tag, attributes) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries({ opacity: this.globalAlpha, ...attributes })) {
      made.setAttribute(name, value);
    }
    this.root.append(made);
    return made;
  }

  beginPath() {
    this.path = "";
  }

  moveTo(x, y) {
    this.path += `M${x} ${y}`;
  }

  lineTo(x, y) {
    this.path += `L${x} ${y}`;
  }

  rect(x, y, width, height) {
    this.path += `M${x} ${y}h${width}v${height}h${-width}z`;
  }

  roundRect(x, y, width, height) {
    this.rect(x, y, width, height);
  }

  // Whole circles only.
  arc(x, y, radius) {
    this.path += `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
  }

  fill() {
    this.add("path", { d: this.path, fill: this.fillStyle });
  }

  stroke() {
    this.add("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash.join(" ") || "none" });
  }

  fillRect(x, y, width, height) {
    this.add("rect", { x, y, width, height, fill: this.fillStyle });
  }

  clearRect(x, y, width, height) {
    this.add("rect", { x, y, width, height, fill: this.background });
  }

  fillText(text, x, y) {
    this.add("text", { x, y, fill: this.fillStyle, "font-style": "italic", "font-weight": 600 }).textContent = text;
  }

  setLineDash(dash) {
    this.dash = dash;
  }
}

// The elements of the diagram: lanes' names, drawing, labels.
function diagramSvg(diagram) {
  const root = document.createElementNS(SVG, "svg");
  const headHeight = 44;
  const color = diagram.colors();
  root.setAttribute("xmlns", SVG);
  root.setAttribute("width", diagram.width);
  root.setAttribute("height", diagram.height + headHeight);
  root.setAttribute("font-family", "sans-serif");
  root.setAttribute("font-size", "12");
  const drawing = document.createElementNS(SVG, "g");
  drawing.setAttribute("transform", `translate(0 ${headHeight})`);
  const g = new SvgContext(drawing);
  g.background = color("paper");
  const write = (parent, x, y, text, attributes) => {
    const words = new SvgContext(parent).add("text", { x, y, fill: color("ink"), ...attributes });
    words.textContent = text;
  };
  diagram.drawRows(g);
  root.append(drawing);
  new SvgContext(root).add("rect", { width: diagram.width, height: headHeight, fill: color("paper") });
  diagram.lanes.forEach((lane, i) => {
    const isFirst = i === 0 || diagram.lanes[i - 1].node !== lane.node;
    write(root, diagram.laneX(i) - 10, 16, isFirst ? diagram.t.name(lane.node) : "", { "font-weight": 600 });
    write(root, diagram.laneX(i) - 10, 34, diagram.laneWidth < LANE_WIDTH.narrow ? "" : lane.base, { fill: color("dim") });
  });
  diagram.pool.filter((label) => label.isUsed).forEach((label) => {
    const e = diagram.rows.events[label.row];
    const y = diagram.yOf(label.row) + 4;
    write(drawing, 44, y, e, { fill: color("dim"), "text-anchor": "end", "font-size": 10 });
    const isKey = diagram.keys.includes(e);
    write(drawing, diagram.xOf(e) + 13, y, `${label.words.textContent}  ${label.where.textContent}`, isKey ? { fill: color("bug"), "font-weight": 700 } : {});
  });
  return root;
}

function saveSvg(diagram, name) {
  const text = new XMLSerializer().serializeToString(diagramSvg(diagram));
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
