/* timeline.js - the timeline on a canvas: what is drawn depends on its width, not on the number of events.
 *
 * Wheel or w and s zoom, dragging or a and d move, dragging on the scale or with Shift selects a stretch. Arrow keys go
 * from box to box, Enter zooms to the chosen one, Escape lets go.
 */

const LEVEL_PX = 17, TRACK_GAP_PX = 7, PROCESS_PX = 22, SCALE_PX = 24, CANVAS_MOST_PX = 620, PAPER_MOST_PX = 8000, THIN_PX = 2;
const NARROW_PX = 520, TITLE_PX = 15, OPERATION_LEAST_PX = 3;
const LABEL_LEAST_PX = 26, ARROWS_MOST = 200, NARROWEST_NS = 20, ALL_SHOWN = 1.0001, LABELS_KEPT = 5000, STRIPE_PX = 5;

/* Hue, saturation, lightness in light and in dark; the hue varies with the name. */
const BOX_COLORS = {
  range: [150, 30, 80, 30], call: [215, 14, 76, 42], kernel: [212, 62, 76, 38], copy: [30, 80, 75, 36],
  set: [46, 75, 74, 34], graph: [255, 45, 80, 42], communication: [318, 48, 80, 38], function: [92, 30, 80, 30],
};

/* Boxes without a label are seen by their colour alone: it contrasts with the page by 3:1 or more. */
const BARE_LIGHTNESS = { range: [43, 52], call: [52, 58], kernel: [48, 62], copy: [38, 58], set: [32, 56], graph: [54, 64], communication: [48, 60], function: [42, 54] };
const OPERATIONS = ["kernel", "copy", "set", "graph", "communication"];

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

class Timeline {
  constructor(data, processes, several) {
    Object.assign(this, { data, processes, several });
    this.from = 0, this.to = data.span;
    this.chosen = this.stretch = this.hits = this.arrows = null;
    this.query = "", this.shows = "all", this.selects = false;
    this.colors = {}, this.bareColors = {}, this.labels = new Map();
    this.build();
    this.layout();
    this.listen();
    this.view = responsive(this.host, () => this.redraw());
  }

  /* ---- elements ---- */

  build() {
    this.canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": "Timeline of threads and streams",
                                 "aria-describedby": "timeline-help", id: "timeline-canvas" });
    this.filler = el("div", { class: "timeline-filler" });
    this.host = el("div", { class: "timeline-host" }, this.canvas, this.filler);
    this.status = el("p", { class: "dim", id: "timeline-status", role: "status" });
    this.panel = el("div", { class: "timeline-panel", id: "timeline-panel", "aria-live": "polite" });
    this.search = el("input", { type: "search", name: "timeline-search", placeholder: "Search", "aria-label": "Search the timeline",
                                oninput: () => this.find(this.search.value),
                                onkeydown: (event) => event.key === "Enter" && this.nextHit(event.shiftKey ? -1 : 1) });
    this.node = el("div", { class: "timeline" }, this.tools(), this.host, this.status, this.panel);
    this.canvas.timeline = this;
  }

  tools() {
    const button = (text, title, onclick) => el("button", { type: "button", title, "aria-label": title, onclick }, text);
    const rows = ["all", "threads", "devices"].filter((rows) => rows === "all" || this.tracksOf(rows).length);
    return el("div", { class: "bar" },
      choice("Rows", rows.map((rows) => ({ all: "All rows", threads: "Threads", devices: "Devices" })[rows]),
             (index) => { this.shows = rows[index]; this.layout(); this.redraw(); }),
      choice("Dragging", ["Move", "Select"], (index) => { this.selects = index === 1; }),
      button("+", "Zoom in", () => this.zoomBy(0.5)), button("\u2212", "Zoom out", () => this.zoomBy(2)),
      el("button", { type: "button", onclick: () => this.go(0, this.data.span) }, "Show all"), this.search);
  }

  /* ---- rows ---- */

  tracksOf(shows) {
    return this.data.tracks.filter((track) => shows === "all" || (track.kind === "stream") === (shows === "devices"));
  }

  trackName(track) {
    if (track.kind !== "stream") return (track.kind === "python" ? "Python: " : "") + plain(track.name, 80);
    return (track.device === null ? "" : "GPU " + track.device + " ") + plain(track.name, 80);
  }

  layout() {
    let y = 4, process = -1;
    this.rows = [];
    for (const track of this.tracksOf(this.shows)) {
      if (this.several && track.process !== process) {
        this.rows.push({ y, height: PROCESS_PX, title: programName(this.processes[track.process]) });
        y += PROCESS_PX;
        process = track.process;
      }
      const title = this.isNarrow ? TITLE_PX : 0, height = title + track.levels.length * LEVEL_PX;
      track.y = y + title;
      this.rows.push({ y, height, track });
      y += height + TRACK_GAP_PX;
    }
    this.height = y;
  }

  isShown(track) {
    return this.rows.some((row) => row.track === track);
  }

  /* ---- where things are ---- */

  /* In a narrow window, names of rows are above their boxes. */
  get gutter() {
    return this.isNarrow ? 4 : 168;
  }

  get scale() {
    return (this.width - this.gutter) / (this.to - this.from);
  }

  x(time) {
    return this.gutter + (time - this.from) * this.scale;
  }

  timeAt(x) {
    return this.from + (x - this.gutter) / this.scale;
  }

  go(from, to) {
    const span = this.data.span, length = Math.min(span, Math.max(NARROWEST_NS, to - from));
    this.from = Math.max(0, Math.min(span - length, (from + to - length) / 2));
    this.to = this.from + length;
    this.redraw();
  }

  zoomBy(factor, at = (this.from + this.to) / 2) {
    this.go(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  moveBy(part) {
    const by = Math.max(-this.from, Math.min(this.data.span - this.to, (this.to - this.from) * part));
    this.go(this.from + by, this.to + by);
  }

  boxAt(x, y) {
    y += this.host.scrollTop - SCALE_PX;
    const row = this.rows.find((row) => row.track && y >= row.y && y < row.y + row.height);
    if (!row || x < this.gutter || y < row.track.y) return null;
    const depth = Math.floor((y - row.track.y) / LEVEL_PX), level = row.track.levels[depth], time = this.timeAt(x);
    const slack = OPERATION_LEAST_PX / this.scale;
    let index = level.find(time);
    if (index < 0) {
      index = level.lower(level.end, time - slack);
      if (index === level.size || level.start[index] > time + slack) return null;
    }
    return { track: row.track, depth, level, index };
  }

  /* ---- drawing ---- */

  redraw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  resize() {
    const width = Math.max(200, Math.floor(this.host.clientWidth)), ratio = window.devicePixelRatio || 1, narrow = width < NARROW_PX;
    if (narrow !== this.isNarrow) {
      this.isNarrow = narrow;
      this.layout();
    }
    const height = Math.min(this.prints ? PAPER_MOST_PX : CANVAS_MOST_PX, this.height + SCALE_PX + 6);
    if (width === this.width && height === this.shownHeight && ratio === this.ratio) return;
    Object.assign(this, { width, shownHeight: height, ratio });
    this.canvas.width = width * ratio, this.canvas.height = height * ratio;
    this.canvas.style.width = width + "px", this.canvas.style.height = height + "px";
    this.host.style.height = height + 2 + "px"; /* with its border */
    this.filler.style.height = Math.max(0, this.height + SCALE_PX + 6 - height) + "px";
  }

  draw() {
    const began = performance.now(), style = getComputedStyle(document.documentElement);
    this.resize();
    this.dark = isDark();
    this.palette = this.colors[this.dark] = this.colors[this.dark] || this.mixColors(this.dark, (kind) => BOX_COLORS[kind].slice(2), 7);
    this.barePalette = this.bareColors[this.dark] = this.bareColors[this.dark] || this.mixColors(this.dark, (kind) => BARE_LIGHTNESS[kind], 3);
    this.ink = (name) => style.getPropertyValue("--" + name);
    const pen = (this.pen = this.canvas.getContext("2d"));
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = this.ink("paper");
    pen.fillRect(0, 0, this.width, this.shownHeight);
    pen.font = "11px " + style.getPropertyValue("--mono");
    pen.textBaseline = "middle";
    this.letterPx = pen.measureText("0").width;
    this.stripes = this.makeStripes(pen);
    this.drawScale(pen);
    this.clip(pen, 0, SCALE_PX, this.width, () => this.rows.forEach((row) => this.drawRow(pen, row)));
    this.clip(pen, this.gutter, SCALE_PX, this.width, () => { this.drawArrows(pen); this.outline(pen); });
    this.drawStretch(pen);
    this.drawnMs = performance.now() - began;
    this.say();
  }

  clip(pen, x, y, width, draw) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, width - x, this.shownHeight - y);
    pen.clip();
    draw();
    pen.restore();
  }

  drawScale(pen) {
    const step = niceStep(this.to - this.from, Math.max(2, (this.width - this.gutter) / 110));
    const base = this.data.start_ns - this.data.origin_ns, covered = this.stretchLabel() || { from: 0, to: 0 };
    pen.strokeStyle = this.ink("line"), pen.fillStyle = this.ink("dim");
    pen.beginPath();
    for (let tick = Math.ceil((this.from + base) / step); tick * step - base <= this.to; tick++) {
      const x = Math.round(this.x(tick * step - base)) + 0.5;
      pen.moveTo(x, SCALE_PX - 4), pen.lineTo(x, this.shownHeight);
      const text = tickTime(tick * step, step), width = text.length * this.letterPx;
      if (x + width / 2 > covered.from && x - width / 2 < covered.to) continue;
      pen.fillText(text, Math.max(this.gutter, Math.min(this.width - width - 6, x - width / 2)), SCALE_PX / 2);
    }
    pen.stroke();
  }

  drawRow(pen, row) {
    const y = row.y + SCALE_PX - this.host.scrollTop;
    if (y > this.shownHeight || y + row.height < SCALE_PX) return;
    if (row.title) {
      pen.fillStyle = this.ink("soft");
      pen.fillRect(0, y, this.width, row.height - 4);
      pen.fillStyle = this.ink("text");
      pen.fillText(this.fit(row.title, this.width - 12), 6, y + 9);
      return;
    }
    const top = y + row.track.y - row.y;
    row.track.levels.forEach((level, depth) => this.drawLevel(pen, row.track, level, depth, top + depth * LEVEL_PX));
    pen.fillStyle = this.ink("paper");
    pen.fillRect(0, y, this.isNarrow ? this.width : this.gutter - 2, this.isNarrow ? TITLE_PX : row.height);
    pen.fillStyle = this.ink("dim");
    pen.fillText(this.fit(this.trackName(row.track), (this.isNarrow ? this.width : this.gutter) - 12), 6, y + (this.isNarrow ? TITLE_PX : LEVEL_PX) / 2);
  }

  fit(text, width) {
    const room = Math.floor(width / this.letterPx);
    return text.length > room ? text.slice(0, Math.max(1, room - 1)) + "\u2026" : text;
  }

  drawLevel(pen, track, level, depth, y) {
    if (y > this.shownHeight || y + LEVEL_PX < SCALE_PX) return;
    pen.globalAlpha = this.hits ? 0.25 : 1;
    this.drawBoxes(pen, level, y);
    pen.globalAlpha = 1;
    if (this.hits && this.hits.get(level)) this.drawBoxes(pen, this.hits.get(level), y);
  }

  /* A box of THIN_PX or more is drawn by itself; thinner ones that touch become one rectangle. Operations of devices are
   * OPERATION_LEAST_PX wide at least. */
  drawBoxes(pen, level, y) {
    const { start, end, size } = level, to = this.to, least = size && this.isOperation(level, 0) ? OPERATION_LEAST_PX : 1;
    const run = { from: 0, to: -1, color: "" };
    const flush = () => {
      if (run.to < run.from) return;
      pen.fillStyle = run.color;
      pen.fillRect(run.from, y, run.to - run.from, LEVEL_PX - 2);
      run.to = -1;
    };
    let index = level.lower(end, this.from);
    while (index < size && start[index] < to) {
      const x0 = this.x(start[index]), x1 = this.x(end[index]);
      if (x1 - x0 >= THIN_PX) {
        flush();
        this.drawBox(pen, level, index, x0, x1, y);
        index++;
        continue;
      }
      const color = this.bareColorOf(level, index), left = Math.floor(x0);
      if (run.to < run.from || left > run.to || color !== run.color) {
        flush();
        run.from = left, run.color = color;
      }
      run.to = left + least;
      index = this.skip(level, index, this.timeAt(left + 1));
    }
    flush();
  }

  /* Past the boxes that begin within a pixel, but for a wide one that does. */
  skip(level, index, until) {
    const next = level.gallop(until, index + 1);
    const last = next - 1;
    return last > index && level.end[last] > until ? last : Math.max(next, index + 1);
  }

  isOperation(level, index) {
    return OPERATIONS.includes(BOX_KINDS[level.kind[index]]);
  }

  colorOf(level, index) {
    return this.palette[level.kind[index] * HUES + this.data.hueOf(level.name[index])];
  }

  bareColorOf(level, index) {
    return this.barePalette[level.kind[index] * HUES + this.data.hueOf(level.name[index])];
  }

  /* Of each kind, HUES colours, `turned` degrees apart. */
  mixColors(dark, lightnessOf, turned) {
    return BOX_KINDS.flatMap((kind) => Array.from({ length: HUES }, (_, turn) => {
      const [h, s] = BOX_COLORS[kind], [light, deep] = lightnessOf(kind);
      return `hsl(${h + (turn - 2.5) * turned} ${s}% ${(dark ? deep : light) + (turn % 3 - 1) * 4}%)`;
    }));
  }

  /* The short name of a box, made once for each name that is drawn. */
  labelOf(level, index) {
    const name = level.name[index];
    let label = this.labels.get(name);
    if (label !== undefined) return label;
    if (this.labels.size >= LABELS_KEPT) this.labels.clear();
    this.labels.set(name, (label = shortName(this.data.nameOf(level, index)) || "(no name)"));
    return label;
  }

  drawBox(pen, level, index, x0, x1, y) {
    const left = Math.max(this.gutter - 2, x0), right = Math.min(this.width, x1), height = LEVEL_PX - 2;
    const least = this.isOperation(level, index) ? OPERATION_LEAST_PX : 1, many = level.count[index] > 1;
    const width = Math.max(least, right - left - (x1 - x0 > 4 ? 0.7 : 0)), isBare = width < LABEL_LEAST_PX;
    pen.fillStyle = isBare ? this.bareColorOf(level, index) : this.colorOf(level, index);
    pen.fillRect(isBare ? Math.floor(left) : left, y, isBare ? Math.floor(width) : width, height);
    if (many && width > 5) this.hatch(pen, left, y, width, height);
    if (isBare) return;
    const name = this.labelOf(level, index);
    const text = many ? count(level.count[index]) + ": " + name : name;
    pen.fillStyle = this.ink("text");
    pen.fillText(this.fit(text, width - 6), left + 3, y + height / 2 + 0.5);
  }

  /* Several events in one box. Drawing the lines of each box took most of a frame where all are merged. */
  hatch(pen, x, y, width, height) {
    pen.fillStyle = this.stripes;
    pen.globalAlpha *= 0.5;
    pen.fillRect(x, y, width, height);
    pen.globalAlpha *= 2;
  }

  makeStripes(pen) {
    const tile = el("canvas", { width: STRIPE_PX, height: STRIPE_PX }), lines = tile.getContext("2d");
    lines.strokeStyle = this.ink("paper");
    lines.beginPath();
    for (const x of [-STRIPE_PX, 0, STRIPE_PX]) lines.moveTo(x, STRIPE_PX), lines.lineTo(x + STRIPE_PX, 0);
    lines.stroke();
    return pen.createPattern(tile, "repeat");
  }

  placeOf({ track, depth, level, index }) {
    const y = track.y + depth * LEVEL_PX + SCALE_PX - this.host.scrollTop;
    return { x0: this.x(level.start[index]), x1: this.x(level.end[index]), y };
  }

  outline(pen) {
    if (!this.chosen || !this.isShown(this.chosen.track)) return;
    const { x0, x1, y } = this.placeOf(this.chosen);
    pen.strokeStyle = this.ink("text");
    pen.lineWidth = 2;
    pen.strokeRect(Math.max(-4, x0 - 1), y - 1, Math.min(this.width + 8, Math.max(3, x1 - Math.max(-4, x0) + 1)), LEVEL_PX);
    pen.lineWidth = 1;
  }

  drawArrows(pen) {
    pen.strokeStyle = this.ink("accent");
    pen.fillStyle = this.ink("accent");
    for (const { from, operation } of this.arrows || []) {
      if (!this.isShown(operation.track) || !this.isShown(from.track)) continue;
      const a = { x: this.x(from.time), y: from.track.y + from.depth * LEVEL_PX + SCALE_PX - this.host.scrollTop + LEVEL_PX - 3 };
      const to = this.placeOf(operation), b = { x: to.x0, y: to.y };
      if (Math.max(a.x, b.x) < 0 || Math.min(a.x, b.x) > this.width) continue;
      const bend = Math.max(12, Math.abs(b.y - a.y) / 2) * (b.y > a.y ? 1 : -1);
      pen.beginPath();
      pen.moveTo(a.x, a.y), pen.bezierCurveTo(a.x, a.y + bend, b.x, b.y - bend, b.x, b.y);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(b.x, b.y + 1), pen.lineTo(b.x - 3.5, b.y - 6), pen.lineTo(b.x + 3.5, b.y - 6);
      pen.fill();
    }
  }

  /* On the scale, in place of ticks. */
  stretchLabel() {
    if (!this.stretch) return null;
    const text = time(Math.abs(this.stretch[1] - this.stretch[0])), from = Math.max(this.x(Math.min(...this.stretch)), this.gutter);
    return { text, from, to: from + text.length * this.letterPx + 10 };
  }

  drawStretch(pen) {
    if (!this.stretch) return;
    const [x0, x1] = this.stretch.map((time) => this.x(time)).sort((a, b) => a - b);
    pen.fillStyle = this.ink("accent");
    pen.globalAlpha = 0.16;
    pen.fillRect(x0, 0, x1 - x0, this.shownHeight);
    pen.globalAlpha = 1;
    pen.fillRect(x0, 0, 1, this.shownHeight), pen.fillRect(x1, 0, 1, this.shownHeight);
    const { text, from, to } = this.stretchLabel();
    pen.fillRect(from, 3, to - from, SCALE_PX - 6);
    pen.fillStyle = this.ink("paper");
    pen.fillText(text, from + 5, SCALE_PX / 2);
  }

  say() {
    const { data } = this, base = data.start_ns - data.origin_ns;
    const isAll = this.to - this.from > data.span / ALL_SHOWN;
    const notes = [isAll ? "All " + time(data.span) + " are shown"
                         : "Shown: " + time(this.to - this.from) + ", from " + time(this.from + base) + " to " + time(this.to + base) + " after the recording began"];
    if (this.hits) notes.push(count(this.found) + " of " + count(data.boxes) + " boxes found");
    if (data.least_ns)
      notes.push(count(data.boxes) + " boxes stand for " + count(data.events) + " events: those under " + time(data.least_ns) +
                 " are merged, hatched (profdump --html-full keeps all)");
    if (data.tracks_left) notes.push(count(data.tracks_left) + " rows are not shown (profdump --html-full keeps all)");
    if (data.deep) notes.push(count(data.deep) + " ranges and calls are nested too deeply to be shown");
    this.status.textContent = notes.join("; ") + ".";
  }

  /* ---- choosing ---- */

  choose(box, scroll) {
    this.chosen = box;
    this.stretch = null;
    this.arrows = box ? this.arrowsOf(box) : null;
    clear(this.panel);
    if (box) this.panel.append(boxPanel(this, box));
    if (box && scroll) this.scrollTo(box);
    this.redraw();
  }

  scrollTo(box) {
    if (!this.isShown(box.track)) {
      this.shows = "all";
      this.node.querySelector(".choice button").click();
    }
    const y = box.track.y + box.depth * LEVEL_PX, room = this.host.clientHeight - SCALE_PX - LEVEL_PX;
    if (y < this.host.scrollTop || y > this.host.scrollTop + room) this.host.scrollTop = y - room / 2;
  }

  arrowsOf(box) {
    const { track, level, index, depth } = box, { thread, launch } = level;
    if (track.kind === "stream")
      return thread[index] < 0 ? [] : [{ from: { track: this.data.tracks[thread[index]], depth: level.depth[index], time: launch[index] }, operation: box }];
    if (track.kind !== "thread") return [];
    return this.data.launchedIn(track.index, level.start[index], level.end[index], depth).slice(0, ARROWS_MOST)
      .map((operation) => ({ from: { track, depth: operation.level.depth[operation.index], time: operation.level.launch[operation.index] }, operation }));
  }

  select(from, to) {
    const [begin, end] = from < to ? [from, to] : [to, from];
    this.chosen = this.arrows = null;
    this.stretch = [begin, end];
    clear(this.panel).append(stretchPanel(this, begin, end));
    this.redraw();
  }

  /* A stretch that the page is to show; null: everything. */
  follow(stretch) {
    if (!stretch) {
      this.letGo();
      this.go(0, this.data.span);
      return;
    }
    const [from, to] = [stretch.from - this.data.start_ns, stretch.to - this.data.start_ns];
    this.go(from - (to - from) * 0.05, to + (to - from) * 0.05);
    this.select(from, to);
  }

  /* All rows, on paper. */
  print(prints) {
    this.prints = prints;
    this.draw();
  }

  /* Shows a stretch with room around it, and chooses a box. */
  reveal(from, to, box) {
    const around = Math.max(NARROWEST_NS, (to - from) * 0.6);
    this.go(from - around, to + around);
    if (box) this.choose(box, true);
    document.getElementById("timeline").scrollIntoView();
  }

  revealBox(box) {
    const { level, index } = box;
    this.reveal(Math.min(level.start[index], level.thread[index] >= 0 ? level.launch[index] : Infinity), level.end[index], box);
  }

  /* ---- searching ---- */

  find(query) {
    this.query = query.toLowerCase();
    this.hits = null, this.found = 0, this.hitList = null;
    if (this.query) {
      const names = this.data.names.search(this.query);
      this.hits = new Map();
      for (const track of this.data.tracks)
        for (const level of track.levels) {
          const hits = level.only(names);
          this.hits.set(level, hits);
          this.found += hits.size;
        }
    }
    this.redraw();
  }

  nextHit(step) {
    if (!this.hits) return;
    this.hitList = this.hitList || this.tracksOf(this.shows).flatMap((track) => track.levels.flatMap((level, depth) =>
      this.hits.get(level).from.map((index) => ({ track, depth, level, index }))))
      .sort((a, b) => a.level.start[a.index] - b.level.start[b.index]);
    if (!this.hitList.length) return;
    this.hit = ((this.hit === undefined ? -1 : this.hit) + step + this.hitList.length) % this.hitList.length;
    const box = this.hitList[this.hit], { level, index } = box;
    const half = Math.min(this.to - this.from, Math.max(200, (level.end[index] - level.start[index]) * 20)) / 2;
    const middle = (level.start[index] + level.end[index]) / 2;
    this.go(middle - half, middle + half);
    this.choose(box, true);
  }

  /* ---- pointer and keys ---- */

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => (this.drag = null));
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", (event) => this.zoomBy(0.25, this.timeAt(event.offsetX)));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.host.addEventListener("scroll", () => this.redraw());
    document.addEventListener("themechange", () => this.redraw());
    stretchFollowers.push((stretch) => this.follow(stretch));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  /* Once everything is shown, zooming out further is scrolling the page. */
  wheel(event) {
    hideTip();
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const all = this.to - this.from >= this.data.span / ALL_SHOWN;
    if (!sideways && event.deltaY > 0 && all) return;
    event.preventDefault();
    const delta = sideways && !event.deltaX ? event.deltaY : event.deltaX, lines = event.deltaMode === 1 ? 20 : 1;
    if (sideways) this.moveBy((delta * lines) / this.width);
    else this.zoomBy(Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.0025))), this.timeAt(event.offsetX));
  }

  press(event) {
    if (event.button !== 0) return;
    const selects = this.selects !== event.shiftKey || event.offsetY < SCALE_PX;
    this.drag = { x: event.offsetX, y: event.offsetY, from: this.from, to: this.to, top: this.host.scrollTop,
                  selects, moved: false, time: this.timeAt(event.offsetX) };
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    const drag = this.drag;
    if (!drag) return this.hover(event);
    const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
    drag.moved = drag.moved || Math.abs(dx) > 3 || Math.abs(dy) > 3;
    if (!drag.moved) return;
    hideTip();
    if (drag.selects) {
      this.stretch = [drag.time, this.timeAt(event.offsetX)];
      this.redraw();
      return;
    }
    this.host.scrollTop = drag.top - dy;
    const by = Math.max(drag.to - this.data.span, Math.min(drag.from, dx / this.scale));
    this.go(drag.from - by, drag.to - by);
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    if (!drag.moved) this.choose(this.boxAt(event.offsetX, event.offsetY));
    else if (drag.selects) this.select(...[drag.time, this.timeAt(event.offsetX)].map((at) => Math.max(0, Math.min(this.data.span, at))));
  }

  hover(event) {
    const box = this.boxAt(event.offsetX, event.offsetY);
    this.canvas.style.cursor = event.offsetY < SCALE_PX || this.selects ? "col-resize" : box ? "pointer" : "grab";
    if (!box) return hideTip();
    const { level, index } = box, many = level.count[index] > 1;
    showTip(event, [plain(this.data.nameOf(level, index), 300) || "(no name)",
                    many ? count(level.count[index]) + " events, busy " + time(level.busy[index]) + " of " + time(level.end[index] - level.start[index])
                         : time(level.busy[index]),
                    "at " + time(level.start[index] + this.data.start_ns - this.data.origin_ns)]);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { w: () => this.zoomBy(0.6), s: () => this.zoomBy(1 / 0.6), a: () => this.moveBy(-0.2), d: () => this.moveBy(0.2),
                  ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), ArrowDown: () => this.change(1), ArrowUp: () => this.change(-1),
                  Enter: () => this.chosen && this.revealBox(this.chosen), Escape: () => this.letGo(), f: () => this.go(0, this.data.span),
                }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  letGo() {
    hideTip();
    this.stretch = null;
    this.choose(null);
  }

  bring(box) {
    const { level, index } = box;
    if (level.end[index] < this.from || level.start[index] > this.to) {
      const half = (this.to - this.from) / 2, middle = (level.start[index] + level.end[index]) / 2;
      this.go(middle - half, middle + half);
    }
    this.choose(box, true);
  }

  step(by) {
    if (!this.chosen) return this.change(1);
    const index = this.chosen.index + by;
    if (index >= 0 && index < this.chosen.level.size) this.bring({ ...this.chosen, index });
  }

  /* To the next level that has anything, at about the same time. */
  change(by) {
    const levels = this.rows.filter((row) => row.track)
      .flatMap(({ track }) => track.levels.map((level, depth) => ({ track, depth, level })))
      .filter(({ level }) => level.size);
    const now = this.chosen ? levels.findIndex(({ level }) => level === this.chosen.level) : by > 0 ? -1 : levels.length;
    const next = levels[now + by];
    if (!next) return;
    const time = this.chosen ? this.chosen.level.start[this.chosen.index] : this.from;
    this.bring({ ...next, index: Math.min(next.level.size - 1, next.level.lower(next.level.end, time)) });
  }
}
