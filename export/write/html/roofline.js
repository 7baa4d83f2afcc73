/* roofline.js - kernels under the roofs of their device: operations per second by operations per byte,
 * both logarithmic.
 */

const ROOF_HEIGHT = 330;

function ratesOf(peak) {
  const rates = [];
  for (const [kind, title] of [["vector_tops", ""], ["matrix_tops", " matrix"]])
    for (const [type, rate] of Object.entries(peak[kind])) rates.push({ title: type + title, rate });
  return rates.sort((a, b) => b.rate - a.rate);
}

const DECADES = 6; /* of operations per second: what is slower is drawn at the bottom */

function powers(values, least, most) {
  const to = Math.ceil(Math.log10(Math.max(...values)) + 0.1);
  const from = Math.max(to - most, Math.floor(Math.log10(Math.min(...values))));
  return to - from < least ? [from - 1, to + 1] : [from, to];
}

/* Where a pair of values lies. */
function roofScale(points, rates, bandwidth, width) {
  const ridges = bandwidth ? rates.map((rate) => (rate.rate * 1000) / bandwidth) : [];
  const xs = powers([...points.map((point) => point.intensity), ...ridges], 3, Infinity);
  const ys = powers([...points.map((point) => point.tflops), ...rates.map((rate) => rate.rate)], 3, DECADES);
  const place = (value, [from, to], begin, end) =>
    begin + ((Math.max(from, Math.log10(value)) - from) / (to - from)) * (end - begin);
  return { xs, ys, x: (value) => place(value, xs, LEFT, width - RIGHT),
           y: (value) => place(value, ys, ROOF_HEIGHT, 8) };
}

/* 0.001, 100: no exponents. */
function powerText(power) {
  return power < 0 ? Math.pow(10, power).toFixed(-power) : String(Math.pow(10, power));
}

function drawScale(plot, scale, width) {
  for (let power = scale.xs[0]; power <= scale.xs[1]; power++) {
    const x = scale.x(Math.pow(10, power));
    plot.append(svg("line", { class: "grid", x1: x, x2: x, y1: 8, y2: ROOF_HEIGHT }),
                svg("text", { class: "tick", x, y: ROOF_HEIGHT + 14, "text-anchor": power === scale.xs[1] ? "end" : "middle" },
                    powerText(power)));
  }
  for (let power = scale.ys[0]; power <= scale.ys[1]; power++) {
    const y = scale.y(Math.pow(10, power));
    plot.append(svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y, y2: y }),
                svg("text", { class: "tick", x: LEFT - 6, y: y + 3, "text-anchor": "end" },
                    powerText(power)));
  }
  plot.append(svg("text", { class: "tick", x: width - RIGHT, y: ROOF_HEIGHT + 30, "text-anchor": "end" },
                  "operations per byte"),
              svg("text", { class: "tick", x: LEFT + 4, y: 16 }, "10\u00b9\u00b2 operations per second"));
}

/* Up along the bandwidth to the ridge, then flat; without a bandwidth only flat. */
function drawRoofs(plot, scale, rates, bandwidth, width) {
  const right = width - RIGHT, left = Math.pow(10, scale.xs[0]);
  let above = -Infinity;
  if (bandwidth && rates.length)
    plot.append(svg("text", { class: "tick", x: LEFT + 8, y: scale.y((left * bandwidth) / 1000) - 12 }, digits(bandwidth) + " GB/s"));
  rates.forEach((rate) => {
    const y = scale.y(rate.rate);
    const ridge = bandwidth ? Math.max(LEFT, scale.x((rate.rate * 1000) / bandwidth)) : LEFT;
    let path = "M" + ridge + " " + y + "H" + right;
    if (bandwidth && ridge > LEFT)
      path = "M" + LEFT + " " + scale.y((left * bandwidth) / 1000) + "L" + path.slice(1);
    plot.append(svg("path", { class: "roof", d: path }));
    if (y - above < 11) return;
    above = y;
    plot.append(svg("text", { class: "tick", x: right - 4, y: y - 3, "text-anchor": "end" },
                    rate.title + " " + digits(rate.rate)));
  });
}

const LABELS_MOST = 6, LABEL_LETTERS = 28, TYPE_COLORS = 6;

/* The types of numbers that kernels work on, each with its colour. */
function typesOf(device) {
  return [...new Set(device.rows.filter((row) => row.intensity > 0 && row.tflops > 0).map((row) => row.type))];
}

function pointLines(point) {
  return [plain(point.name === null ? "outside any range" : point.name, 160),
          digits(point.tflops) + " TFLOP/s, " + digits(point.gbs) + " GB/s, " + digits(point.intensity) + " per byte, " + plain(point.type),
          (isNumber(point.roof_share) ? share(point.roof_share, 1) + " of the roof, " : "") + point.bound + " bound; " +
            time(point.total_ns) + " in " + count(point.count) + " launches"];
}

function pointRadius(point, points) {
  return 3.5 + 9 * Math.sqrt(point.total_ns / Math.max(1, ...points.map((one) => one.total_ns)));
}

/* The longest is labelled, others where a label covers no other, and no dot. */
function labelPoints(plot, scale, points, width) {
  const taken = [], dots = points.map((point) => ({ point, x: scale.x(point.intensity), y: scale.y(point.tflops), r: pointRadius(point, points) }));
  const coversDot = (own, x, y, px) => dots.some((dot) => dot.point !== own && Math.abs(dot.y + 4 - y) < dot.r + 5 && x < dot.x + dot.r && dot.x - dot.r < x + px);
  for (const point of [...points].sort((a, b) => b.total_ns - a.total_ns)) {
    if (taken.length === LABELS_MOST) return;
    const name = shortName(point.name || ""), text = name.length > LABEL_LETTERS ? name.slice(0, LABEL_LETTERS - 1) + "\u2026" : name;
    const px = text.length * 6.6, at = scale.x(point.intensity), y = scale.y(point.tflops) + 4;
    const left = at + px + 16 > width - RIGHT, x = left ? at - 12 - px : at + 12;
    if (x < LEFT || taken.some((other) => Math.abs(other.y - y) < 13 && other.x < x + px && x < other.x + other.px) || (taken.length > 0 && coversDot(point, x, y, px))) continue;
    taken.push({ x, y, px });
    plot.append(svg("text", { class: "point-label", x, y }, text));
  }
}

/* `choose(point)` shows its row. */
function drawPoints(plot, scale, points, types, choose) {
  for (const point of points) {
    const circle = svg("circle", { class: "point type" + (types.indexOf(point.type) % TYPE_COLORS), tabindex: 0, role: "button",
                                   "aria-label": pointLines(point).join("; "), cx: scale.x(point.intensity), cy: scale.y(point.tflops),
                                   r: pointRadius(point, points) });
    point.circle = circle;
    withTip(circle, () => pointLines(point));
    circle.addEventListener("click", () => choose(point));
    circle.addEventListener("keydown", (event) => event.key === "Enter" && choose(point));
    plot.append(circle);
  }
}

function drawRoofline(device, width, types, choose) {
  const points = device.rows.filter((row) => row.intensity > 0 && row.tflops > 0);
  const rates = ratesOf(device.peak), bandwidth = device.peak.bandwidth_gbs;
  if (!points.length && !(rates.length && bandwidth)) return null;
  const plot = svg("svg", { class: "plot roofline", width, height: ROOF_HEIGHT + 36, role: "group",
                            "aria-label": "roofline of " + plain(device.name) });
  const scale = roofScale(points, rates, bandwidth, width);
  drawScale(plot, scale, width);
  drawRoofs(plot, scale, rates, bandwidth, width);
  drawPoints(plot, scale, points, types, choose);
  labelPoints(plot, scale, points, width);
  return plot;
}

const REASONS = {
  not_told: "nothing tells", no_formula: "no formula is known for what it does", no_shapes: "no shapes were recorded",
  no_values: "a value that the formula needs was not recorded", bad_shapes: "shapes that do not fit together",
  no_type: "the type of the numbers is not known", in_no_range: "launched outside any range",
};

function rooflineNote(device) {
  const notes = [];
  const peak = device.peak;
  if (peak.entry) notes.push("Peaks: " + plain(peak.entry) + ", " + plain(peak.source) + ".");
  else notes.push("The peak rates of this device are not known" + (peak.note ? ": " + plain(peak.note) : "") + ".");
  const known = device.flop_count, all = device.kernels;
  if (known < all)
    notes.push("FLOP are known for " + count(known) + " of " + count(all) + " kernels; unknown for " +
               Object.entries(device.flop_unknown).map(([reason, kernels]) =>
                 count(kernels) + ": " + (REASONS[reason] || reason.replace(/_/g, " "))).join("; ") + ".");
  return notes;
}

const rooflineColumns = [
  { title: "Kernel", class: "once", value: (row) => row.name || "", show: (row) => nameOf(row.name === null ? "(outside any range)" : row.name) },
  { title: "Launches", number: true, value: (row) => row.count, show: (row) => count(row.count) },
  { title: "Time", number: true, value: (row) => row.total_ns, show: (row) => time(row.total_ns) },
  { title: "Type", value: (row) => row.type, show: (row) => plain(row.type) },
  { title: "TFLOP/s", number: true, value: (row) => row.tflops, show: (row) => digits(row.tflops) },
  { title: "GB/s", number: true, value: (row) => row.gbs, show: (row) => digits(row.gbs) },
  { title: "FLOP/byte", number: true, value: (row) => row.intensity, show: (row) => digits(row.intensity) },
  { title: "Share of roof", number: true, help: "achieved share of the rate attainable at this intensity", value: (row) => row.roof_share,
    show: (row) => (isNumber(row.roof_share) ? share(row.roof_share, 1) : "\u2013") },
  { title: "Bound by", value: (row) => row.bound, show: (row) => row.bound },
];

/* `types`: those of the whole device, so that colours stay. */
function rooflineOf(device, types, isNarrowed) {
  const host = el("div", { class: "wide" });
  const notes = isNarrowed ? [] : rooflineNote(device).map((note) => el("p", { class: "note" }, note));
  const table = makeTable({ id: "roofline-table", columns: rooflineColumns, rows: device.rows, sort: 2,
                            descending: true, page: 8, text: (row) => row.name || "",
                            over: (row) => light(row) });
  const light = (row) => device.rows.forEach((one) => one.circle && one.circle.classList.toggle("lit", one === row));
  const choose = (point) => {
    table.reveal(point.name || "");
    light(point);
    device.rows.forEach((one) => one.node && one.node.classList.toggle("lit", one === point));
  };
  responsive(host, (width) => {
    const plot = drawRoofline(device, width, types, choose);
    clear(host).append(plot || el("p", { class: "none" },
      "Nothing can be drawn: neither operations and bytes of a kernel nor the peaks of the device are known."));
  });
  return el("div", null, isNarrowed ? el("p", { class: "note" }, "Of " + shownStretch.title + ": what was launched in it.") : el("p", null, wholeRun()),
            types.length > 0 && legend(types.map((type, index) => ["type" + (index % TYPE_COLORS), plain(type)])), host, notes, table.node);
}

/* ---- the same of chosen steps ---- */

const ratio = (part, whole) => (whole > 0 ? part / whole : null);

/* As the whole row's follow from its sums. */
function addRates(row, peak, { flop, flopNs, bytes, bytesNs, bothFlop, bothBytes, bothNs, possible, ratedNs }) {
  const bandwidth = peak.bandwidth_gbs, moved = bandwidth ? ratio(bothBytes, bandwidth * bothNs) : null;
  Object.assign(row, { tflops: flopNs > 0 ? flop / flopNs / 1000 : null, gbs: ratio(bytes, bytesNs), intensity: ratio(bothFlop, bothBytes), bound: "unknown", roof_share: null });
  if (bothFlop <= 0) {
    if (moved > 0) Object.assign(row, { bound: "memory", roof_share: moved });
  } else if (ratedNs >= bothNs && moved !== null && bothBytes > 0) {
    const ridge = possible / ratedNs / bandwidth;
    Object.assign(row, { bound: row.intensity >= ridge ? "compute" : "memory", roof_share: Math.max(bothFlop / possible, moved) });
  }
  return row;
}

/* The rows of a device that the steps have, with their numbers; those of which nothing is known by step are left out. */
function narrowRoofline(device, numbers) {
  const sums = new Map(), byItem = new Map(device.rows.map((row) => [row.item, row]));
  rooflineSums.each(numbers, (item, values) => {
    const sum = sums.get(item);
    sums.set(item, sum ? sum.map((value, index) => value + values[index]) : values);
  });
  const rows = [...sums].filter(([item]) => byItem.has(item)).map(([item, [launches, total_ns, flop, flopNs, bytes, bytesNs, bothFlop, bothBytes, bothNs, possible, ratedNs]]) =>
    addRates({ ...byItem.get(item), count: launches, total_ns, circle: null, node: null }, device.peak, { flop, flopNs, bytes, bytesNs, bothFlop, bothBytes, bothNs, possible, ratedNs }));
  return { ...device, rows };
}

/* Whether the work of at least one kernel is known. */
function hasWork(device) {
  return device.rows.some((row) => row.tflops > 0 || row.gbs > 0);
}

function rooflineSection(data) {
  const devices = data.devices.filter(hasWork);
  if (!devices.length) return;
  let item = 0;
  for (const device of data.devices) for (const row of device.rows) row.item = item++;
  const host = el("div");
  const several = new Set(data.devices.map((device) => device.process)).size > 1;
  const titles = devices.map((device) => deviceName(device, several) + ", " + plain(device.name));
  let shown = 0;
  const show = (index) => {
    const device = devices[(shown = index)], known = rooflineSums && rooflineSums.items >= item;
    const narrowed = shownStretch && known && device.process === shownStretch.process ? narrowRoofline(device, shownStretch.numbers) : device;
    forgetTable("roofline-table");
    clear(host).append(rooflineOf(narrowed, typesOf(device), narrowed !== device));
  };
  const choice = titles.length > 1 ? select("Device", titles, show) : el("p", { class: "dim" }, titles[0]);
  section("roofline", "Roofline", choice, host);
  show(0);
  stretchFollowers.push((stretch) => {
    const index = stretch ? devices.findIndex((device) => isSameDevice(device, stretch)) : -1;
    if (index >= 0 && titles.length > 1) choice.querySelector("select").selectedIndex = index;
    show(index >= 0 ? index : shown);
  });
}
