/* flame.js - a flame graph, outermost on top. A click on a box makes it as wide as the graph. */

const HUES = 6, ROW_PX = 18, LEAST_PX = 0.8, BOXES_MOST = 2500;

/* Nodes with their children and totals of a metric; the root is all of them. */
function flameTree(flame, metric, numbers = null) {
  const root = { name: "all", kind: -1, calls: 0, self: 0, rest: 0, total: 0, children: [], depth: 0 };
  const narrow = numbers && flame.sums;
  const nodes = flame.nodes.map(([, name, kind, calls, self0, self1, rest0, rest1]) => ({
    name: flame.names[name], kind, calls: narrow ? 0 : calls, self: narrow ? 0 : metric ? self1 : self0,
    rest: narrow ? 0 : metric ? rest1 : rest0, total: 0, children: [] }));
  if (narrow)
    flame.sums.each(numbers, (item, [calls, self0, self1, rest0, rest1]) => {
      nodes[item].calls += calls, nodes[item].self += metric ? self1 : self0, nodes[item].rest += metric ? rest1 : rest0;
    });
  for (let i = nodes.length - 1; i >= 0; i--) {
    const parent = flame.nodes[i][0] < 0 ? root : nodes[flame.nodes[i][0]];
    nodes[i].total += nodes[i].self + nodes[i].rest;
    nodes[i].parent = parent;
    parent.total += nodes[i].total;
    if (nodes[i].total > 0) parent.children.push(nodes[i]);
  }
  for (const node of [root, ...nodes]) {
    node.children.sort((a, b) => b.total - a.total);
    if (node !== root) node.depth = node.parent.depth + 1;
  }
  return root;
}

function hue(name) {
  let hash = 2166136261;
  const end = name.replace(/[0-9]+$/, "");
  for (let i = 0; i < end.length && i < 400; i++) hash = Math.imul(hash ^ end.charCodeAt(i), 16777619);
  return (hash >>> 8) % HUES;
}

class Flame {
  constructor(flames) {
    this.flames = flames;
    this.which = 0, this.metric = 0, this.query = "";
    this.host = el("div", { class: "wide flame" });
    this.status = el("p", { class: "dim", role: "status" });
    this.stretch = null;
    this.choose(0, 0);
    this.view = responsive(this.host, (width) => this.draw(width));
  }

  choose(which, metric) {
    this.which = which, this.metric = metric;
    this.root = this.zoomed = flameTree(this.flames[which], metric, this.stretch && this.stretch.numbers);
    if (this.view) this.view.redraw();
  }

  /* Of chosen steps; null: of everything. */
  follow(stretch) {
    this.stretch = stretch;
    this.choose(this.which, this.metric);
  }

  find(query) {
    this.query = query.toLowerCase();
    this.view.redraw();
  }

  zoom(node) {
    this.zoomed = node;
    this.view.redraw();
  }

  /* Boxes from the outermost in: those around the chosen one are as wide as it. */
  boxes(width) {
    const boxes = [], around = [];
    for (let node = this.zoomed.parent; node; node = node.parent) around.unshift(node);
    around.forEach((node) => boxes.push({ node, x: 0, width, row: node.depth, around: true }));
    let level = [{ node: this.zoomed, x: 0, width, row: this.zoomed.depth }];
    while (level.length && boxes.length < BOXES_MOST) {
      boxes.push(...level);
      level = level.flatMap((box) => this.childrenOf(box));
    }
    return boxes;
  }

  childrenOf(box) {
    let x = box.x;
    const scale = box.width / (box.node.total || 1), inside = [];
    for (const child of box.node.children) {
      const width = child.total * scale;
      if (width < LEAST_PX) break;
      inside.push({ node: child, x, width, row: box.row + 1 });
      x += width;
    }
    return inside;
  }

  draw(width) {
    const boxes = this.boxes(width);
    const rows = boxes.reduce((most, box) => Math.max(most, box.row), 0) + 1;
    const plot = svg("svg", { class: "plot", width, height: rows * ROW_PX, role: "group",
                              "aria-label": "flame graph: " + this.flames[this.which].title });
    this.found = 0;
    for (const box of boxes) plot.append(this.box(box));
    clear(this.host).append(plot);
    this.say();
  }

  say() {
    const flame = this.flames[this.which];
    const notes = [time(this.root.total) + " in all" + (!this.stretch ? "" : flame.sums ? ", in " + this.stretch.title : ", of the whole run")];
    if (this.query) notes.push(count(this.found) + " boxes found");
    if (flame.shown < flame.all) notes.push("the " + count(flame.shown) + " heaviest of " + count(flame.all) + " nodes");
    if (this.zoomed !== this.root) notes.push("Escape or a click on the top shows all again");
    if (!this.root.total) notes.splice(0, 1, "Nothing of this kind was recorded");
    this.status.textContent = notes.join("; ") + ".";
  }

  box({ node, x, width, row, around }) {
    const name = node.kind < 0 ? "all" : plain(node.name);
    const hit = this.query && node.kind >= 0 && node.name.toLowerCase().includes(this.query);
    this.found += hit ? 1 : 0;
    const group = svg("g", { class: "box" + (around ? " around" : "") + (hit ? " hit" : ""), tabindex: width > 12 ? 0 : null,
                             role: "button", "aria-label": name + ", " + time(node.total) },
                      svg("rect", { class: node.kind < 0 ? "whole" : "kind" + node.kind + " hue" + hue(node.name), x: x.toFixed(2),
                                    y: row * ROW_PX, width: Math.max(0.5, width - 0.6).toFixed(2), height: ROW_PX - 1 }));
    /* the whole name, cut by its own frame: a screen reader hears what is seen */
    if (width >= LABEL_LEAST_PX)
      group.append(svg("svg", { x: (x + 3).toFixed(2), y: row * ROW_PX, width: (width - 6).toFixed(2), height: ROW_PX },
                       svg("text", { x: 0, y: 12.5 }, name)));
    group.addEventListener("click", () => this.zoom(node));
    group.addEventListener("keydown", (event) => event.key === "Enter" && this.zoom(node));
    group.addEventListener("pointermove", (event) => showTip(event, this.lines(node, name)));
    group.addEventListener("pointerleave", hideTip);
    return group;
  }

  lines(node, name) {
    const lines = [plain(name, 300), time(node.total) + ", " + share(node.total, this.root.total) + " of all",
                   "self " + time(node.self)];
    if (node.calls) lines.push(count(node.calls) + (node.calls === 1 ? " call" : " calls"));
    if (node.rest) lines.push(time(node.rest) + " in parts too small to be here");
    return lines;
  }
}

function flameSection(run) {
  const shown = run.flames.filter((flame) => flame.nodes.length);
  if (!shown.length) return null;
  const flame = new Flame(shown);
  stretchFollowers.push((stretch) => flame.follow(stretch));
  const views = shown.flatMap((one, which) => one.metrics.map((metric, index) => ({ title: one.title + ": " + metric, which, index })));
  const search = el("input", { type: "search", name: "flame-search", placeholder: "Search", "aria-label": "Search the flame graph",
                               oninput: () => flame.find(search.value) });
  const node = section("flame", "Flame graph",
    el("div", { class: "bar" },
       choice("Graph", views.map((view) => view.title), (index) => flame.choose(views[index].which, views[index].index)),
       search, el("button", { type: "button", onclick: () => flame.zoom(flame.root) }, "Show all")),
    flame.host, flame.status,
    !run.stack_count && !run.processes.some((process) => process.format) &&
      el("p", { class: "note" }, "No call stacks were recorded: profrun --stacks names the code of calls."));
  node.addEventListener("keydown", (event) => event.key === "Escape" && flame.zoom(flame.root));
  /* A graph of nothing is no good start. */
  const first = views.findIndex((view) => flameTree(shown[view.which], view.index).total > 0);
  if (first > 0) node.querySelectorAll(".choice button")[first].click();
  return flame;
}
