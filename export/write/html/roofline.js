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

function drawPoints(plot, scale, points) {
  const most = Math.max(1, ...points.map((point) => point.total_ns));
  for (const point of points) {
    const circle = svg("circle", { class: "point bound-" + point.bound, tabindex: 0,
                                   cx: scale.x(point.intensity), cy: scale.y(point.tflops),
                                   r: 3.5 + 9 * Math.sqrt(point.total_ns / most) });
    circle.addEventListener("pointermove", (event) => showTip(event, [
      plain(point.name === null ? "outside of every range" : point.name, 160),
      digits(point.tflops) + " TFLOP/s, " + digits(point.gbs) + " GB/s, " + digits(point.intensity) + " per byte",
      (isNumber(point.roof_share) ? share(point.roof_share, 1) + " of the roof, " : "") + point.bound + " bound; " +
        time(point.total_ns) + " in " + count(point.count) + " launches"]));
    circle.addEventListener("pointerleave", hideTip);
    plot.append(circle);
  }
}

function drawRoofline(device, width) {
  const points = device.rows.filter((row) => row.intensity > 0 && row.tflops > 0);
  const rates = ratesOf(device.peak), bandwidth = device.peak.bandwidth_gbs;
  if (!points.length && !(rates.length && bandwidth)) return null;
  const plot = svg("svg", { class: "plot roofline", width, height: ROOF_HEIGHT + 36, role: "img",
                            "aria-label": "roofline of " + plain(device.name) });
  const scale = roofScale(points, rates, bandwidth, width);
  drawScale(plot, scale, width);
  drawRoofs(plot, scale, rates, bandwidth, width);
  drawPoints(plot, scale, points);
  return plot;
}

const REASONS = {
  not_told: "nothing tells", no_formula: "no formula is known for what it does", no_shapes: "no shapes were recorded",
  no_values: "a value that the formula needs was not recorded", bad_shapes: "shapes that do not fit together",
  no_type: "the type of the numbers is not known", in_no_range: "launched in no range",
};

function rooflineNote(device) {
  const notes = [];
  const peak = device.peak;
  if (peak.entry) notes.push("Peaks: " + plain(peak.entry) + ", " + plain(peak.source) + ".");
  else notes.push("The peak rates of this device are not known" + (peak.note ? ": " + plain(peak.note) : "") + ".");
  const known = device.flop_count, all = device.kernels;
  if (known < all)
    notes.push("Operations are known of " + count(known) + " of " + count(all) + " kernels; of the others: " +
               Object.entries(device.flop_unknown).map(([reason, kernels]) =>
                 count(kernels) + ": " + (REASONS[reason] || reason.replace(/_/g, " "))).join("; ") + ".");
  return notes;
}

const rooflineColumns = [
  { title: "Kernel", class: "once", value: (row) => row.name || "", show: (row) => nameOf(row.name === null ? "(outside of every range)" : row.name) },
  { title: "Launches", number: true, value: (row) => row.count, show: (row) => count(row.count) },
  { title: "Time", number: true, value: (row) => row.total_ns, show: (row) => time(row.total_ns) },
  { title: "Type", value: (row) => row.type, show: (row) => plain(row.type) },
  { title: "TFLOP/s", number: true, value: (row) => row.tflops, show: (row) => digits(row.tflops) },
  { title: "GB/s", number: true, value: (row) => row.gbs, show: (row) => digits(row.gbs) },
  { title: "FLOP/byte", number: true, value: (row) => row.intensity, show: (row) => digits(row.intensity) },
  { title: "Of the roof", number: true, help: "of what is attainable at its intensity", value: (row) => row.roof_share,
    show: (row) => (isNumber(row.roof_share) ? share(row.roof_share, 1) : "-") },
  { title: "Bound by", value: (row) => row.bound, show: (row) => row.bound },
];

function rooflineOf(device) {
  const host = el("div", { class: "wide" });
  const notes = rooflineNote(device).map((note) => el("p", { class: "note" }, note));
  const table = makeTable({ id: "roofline-table", columns: rooflineColumns, rows: device.rows, sort: 2,
                            descending: true, page: 8, text: (row) => row.name || "" });
  responsive(host, (width) => {
    const plot = drawRoofline(device, width);
    clear(host).append(plot || el("p", { class: "none" },
      "Nothing can be drawn: neither operations and bytes of a kernel nor the peaks of the device are known."));
  });
  return el("div", null, host, notes, table.node);
}

/* Whether the work of at least one kernel is known. */
function hasWork(device) {
  return device.rows.some((row) => row.tflops > 0 || row.gbs > 0);
}

function rooflineSection(data) {
  const devices = data.devices.filter(hasWork);
  if (!devices.length) return;
  const host = el("div");
  const pids = new Set(data.devices.map((device) => device.pid)).size > 1;
  const titles = devices.map((device) => deviceName(device.device, device.pid, pids) + ", " + plain(device.name));
  const show = (index) => clear(host).append(rooflineOf(devices[index]));
  section("roofline", "Roofline", titles.length > 1 ? select("Device", titles, show) : el("p", { class: "dim" }, titles[0]), host);
  show(0);
}
