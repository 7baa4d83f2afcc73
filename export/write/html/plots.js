/* plots.js - small histograms, bars of parts, and what happened over time. */

/* ---- how durations are spread ---- */

const BARS_WIDTH = 72, BARS_HEIGHT = 18;

/* Where a part of the way from min to max begins. */
function barEdge(row, bar, byRatio) {
  const part = bar / (row.bars.length - 1);
  return byRatio ? row.min * Math.pow(row.max / row.min, part) : row.min + (row.max - row.min) * part;
}

function sparkline(row) {
  if (!row.bars) return "";
  const [byRatio, ...bars] = row.bars;
  const most = Math.max(...bars), width = BARS_WIDTH / bars.length;
  const plot = svg("svg", { class: "spark", width: BARS_WIDTH, height: BARS_HEIGHT, role: "img",
                            "aria-label": "durations from " + time(row.min) + " to " + time(row.max) });
  bars.forEach((calls, bar) => {
    if (!calls) return;
    const height = Math.max(1.5, Math.sqrt(calls / most) * BARS_HEIGHT);
    plot.append(svg("rect", { x: bar * width, y: BARS_HEIGHT - height, width: width - 0.5, height }));
  });
  plot.addEventListener("pointermove", (event) => {
    const at = event.clientX - plot.getBoundingClientRect().left;
    const bar = Math.max(0, Math.min(bars.length - 1, Math.floor(at / width)));
    showTip(event, [count(bars[bar]) + " of " + count(row.count) + " took " +
                    time(barEdge(row, bar, byRatio)) + " to " + time(barEdge(row, bar + 1, byRatio)),
                    (byRatio ? "logarithmic" : "linear") + " from " + time(row.min) + " to " + time(row.max)]);
  });
  plot.addEventListener("pointerleave", hideTip);
  return plot;
}

/* ---- parts of a whole ---- */

function partsBar(title, parts, whole) {
  const bar = el("div", { class: "parts", role: "img", "aria-label": title + ": " +
    parts.map((part) => part.title + " " + share(part.ns, whole)).join(", ") });
  for (const part of parts) {
    const piece = el("span", { class: "part " + part.class });
    piece.style.flexGrow = part.ns;
    piece.addEventListener("pointermove", (event) =>
      showTip(event, [title, part.title + " " + time(part.ns) + ", " + share(part.ns, whole)]));
    piece.addEventListener("pointerleave", hideTip);
    bar.append(piece);
  }
  return bar;
}

/* `parts`: { title, ns, class }. Those of nothing are left out. */
function breakdown(title, parts, whole, note) {
  const some = parts.filter((part) => part.ns > 0);
  const legend = el("ul", { class: "legend" }, some.map((part) =>
    el("li", null, el("span", { class: "swatch " + part.class }), el("span", null, part.title),
       el("b", null, share(part.ns, whole)), el("span", { class: "dim" }, time(part.ns)))));
  return el("div", { class: "breakdown" },
            el("h3", null, title, " ", el("span", { class: "dim" }, time(whole), note ? ", " + note : "")),
            partsBar(title, some, whole), legend);
}

/* ---- axes ---- */

const LONG_STEPS = [1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_NS).concat([1, 2, 3, 6, 12].map((hours) => hours * HOUR_NS));
const LONGEST_DECIMAL_NS = 20e9; /* 50 s is no part of a minute */

/* A round step, in ns, of which there are at most `most` in the stretch: a day has no ten hours. */
function niceStep(stretch, most) {
  const least = stretch / most;
  if (least <= LONGEST_DECIMAL_NS) return roundStep(least);
  return LONG_STEPS.find((step) => step >= least) || DAY_NS * roundStep(Math.max(1, least / DAY_NS));
}

function roundStep(least) {
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  return power * [1, 2, 5, 10].find((candidate) => candidate * power >= least);
}

const LEFT = 64, RIGHT = 10;

function timeAxis(plot, width, height, stretchNs, named = true) {
  const step = niceStep(stretchNs, Math.max(2, width / 130));
  const inner = width - LEFT - RIGHT;
  for (let ns = 0; ns <= stretchNs; ns += step) {
    const x = LEFT + (ns / stretchNs) * inner;
    plot.append(svg("line", { class: "grid", x1: x, x2: x, y1: 0, y2: height }),
                !named ? "" : svg("text", { class: "tick", x, y: height + 14, "text-anchor": x > width - 60 ? "end" : "middle" },
                    tickTime(ns, step)));
  }
}

/* A step per part, as an area or a line. */
function steps(values, width, height, most, closed) {
  const inner = width - LEFT - RIGHT, part = inner / values.length;
  let path = closed ? "M" + LEFT + " " + height : "";
  values.forEach((value, index) => {
    const y = (height - (value / most) * height).toFixed(1);
    path += (path ? "L" : "M") + (LEFT + index * part).toFixed(1) + " " + y +
            "H" + (LEFT + (index + 1) * part).toFixed(1);
  });
  return path + (closed ? "V" + height + "Z" : "");
}

function partAt(event, plot, parts) {
  const box = plot.getBoundingClientRect();
  const part = Math.floor(((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)) * parts);
  return part >= 0 && part < parts ? part : -1;
}

/* `lines(part)` says what the tip has of a part. */
function follow(plot, usage, height, parts, lines) {
  const cross = svg("line", { class: "cross", y1: 0, y2: height });
  plot.append(cross);
  stretchBand(plot, usage, +plot.getAttribute("width"), height);
  plot.addEventListener("pointermove", (event) => {
    const part = partAt(event, plot, parts);
    cross.classList.toggle("shown", part >= 0);
    if (part < 0) return hideTip();
    const x = LEFT + ((part + 0.5) / parts) * (plot.getBoundingClientRect().width - LEFT - RIGHT);
    cross.setAttribute("x1", x), cross.setAttribute("x2", x);
    showTip(event, ["at " + time(part * usage.part_ns) + " to " + time((part + 1) * usage.part_ns),
                    ...lines(part)]);
  });
  plot.addEventListener("pointerleave", () => (cross.classList.remove("shown"), hideTip()));
}

/* ---- devices over time ---- */

const USE_HEIGHT = 84;

/* The longest gaps of a device, in the colours of their causes, on the scale of the plot above. */
function gapStrip(usage, gaps) {
  const stretch = usage.part_ns * usage.parts, strip = el("div", { class: "strip" });
  for (const gap of gaps) {
    const mark = withTip(el("span", { class: "cause" + gap.cause }), () => ["idle " + time(gap.end - gap.start) + ": " + gap.words]);
    mark.style.left = ((100 * (gap.start - usage.start_ns)) / stretch).toFixed(4) + "%";
    mark.style.width = ((100 * (gap.end - gap.start)) / stretch).toFixed(4) + "%";
    mark.addEventListener("click", () => showGap(gap));
    gap.mark = mark;
    strip.append(mark);
  }
  return strip;
}

/* look: { height, title, axis }; without a title, the device is named beside the plot. */
function drawUse(usage, device, width, look) {
  const { height } = look;
  const plot = svg("svg", { class: "plot use", width, height: height + (look.axis ? 20 : 3), role: "img",
                            "aria-label": "use of " + device.title + " over time" });
  timeAxis(plot, width, height, usage.part_ns * usage.parts, look.axis);
  plot.append(svg("path", { class: "busy", d: steps(device.busy, width, height, 1000, true) }),
              svg("path", { class: "kernel", d: steps(device.kernel, width, height, 1000, true) }),
              svg("path", { class: "copy-line", d: steps(device.copy, width, height, 1000, false) }));
  const ticks = look.title ? [[0, "0 %"], [0.5, "50 %"], [1, "100 %"]] : [[0.75, "GPU " + device.device], [0.25, processTitle(device)]];
  for (const [part, text] of ticks)
    plot.append(svg("text", { class: "tick", x: LEFT - 6, y: Math.max(9, height * (1 - part) + 3), "text-anchor": "end" }, text));
  follow(plot, usage, height, usage.parts, (part) => [device.title,
    "busy " + share(device.busy[part], 1000), "kernels " + share(device.kernel[part], 1000),
    "copies and sets " + share(device.copy[part], 1000)]);
  return plot;
}

/* ---- memory over time ---- */

const MEMORY_HEIGHT = 120, LINES = 8;

function drawMemory(usage, heaps, width) {
  const most = Math.max(1, ...heaps.map((heap) => Math.max(...heap.bytes)));
  const plot = svg("svg", { class: "plot memory", width, height: MEMORY_HEIGHT + 20, role: "img",
                            "aria-label": "memory in use over time" });
  timeAxis(plot, width, MEMORY_HEIGHT, usage.part_ns * usage.parts);
  for (const part of [0, 0.5, 1])
    plot.append(svg("text", { class: "tick", x: LEFT - 6, y: Math.max(9, MEMORY_HEIGHT * (1 - part) + 3),
                              "text-anchor": "end" }, bytes(Math.round(most * part))));
  heaps.forEach((heap, index) =>
    plot.append(svg("path", { class: "line line" + (index % LINES),
                              d: steps(heap.bytes, width, MEMORY_HEIGHT, most * 1.02, false) })));
  follow(plot, usage, MEMORY_HEIGHT, usage.parts, (part) =>
    heaps.slice(0, 12).map((heap) => heap.title + ": " + bytes(heap.bytes[part])));
  return plot;
}
