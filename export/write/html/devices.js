/* devices.js - where the time of each device went, and how it was used over time: one legend, one scale for all. */

const COMPACT_DEVICES = 2, MATRIX_PX = 12, HEAT_LEVELS = 5;

function deviceParts(device, idle) {
  const parts = [{ title: "busy", ns: device.busy_ns, class: "busy" }];
  idle.causes.forEach(([name, words], cause) =>
    parts.push({ title: "idle: " + words, ns: device.idle[name], class: "cause" + cause }));
  return parts;
}

const KINDS = { kernel: "kernels", memcpy: "copies", memset: "sets", graph: "whole graphs",
                range: "ranges' own code", cuda_api: "calls", mark: "marks" };

/* Sums of self times by kind; what is in rows that are not here is their rest. */
function kindParts(rows, column, whole) {
  const sums = {};
  for (const row of rows)
    if (row[column] > 0 && (column === "self_cpu" || isDeviceKind(row.kind)))
      sums[row.kind] = (sums[row.kind] || 0) + row[column];
  const parts = Object.entries(sums).map(([kind, ns]) => ({ title: KINDS[kind], ns, class: "kind-" + kind }));
  const rest = whole - parts.reduce((sum, part) => sum + part.ns, 0);
  if (rest > 0) parts.push({ title: "others", ns: rest, class: "kind-rest" });
  return parts.sort((a, b) => b.ns - a.ns);
}

/* Communication of a device, and how much of it was beside computing; null: it did not communicate. */
function overlapOf(run, device) {
  const found = run.overlaps.find(([process, number]) => isSameDevice({ process, device: number }, device));
  if (!found || !found[3]) return null;
  return { communication: found[3], hidden: found[4] };
}

function overlapText(overlap, window) {
  return overlap ? share(overlap.communication, window) + " of the time, " + share(overlap.hidden, overlap.communication) + " of that overlapped with compute" : "\u2013";
}

/* Several devices: a row each on one scale, with one legend. */
function deviceRows(run, findings) {
  const longest = Math.max(...findings.devices.map((device) => device.window_ns));
  const used = new Map();
  const rows = findings.devices.map((device) => {
    const parts = deviceParts(device, run.idle).filter((part) => part.ns > 0);
    parts.forEach((part) => used.set(part.class, part.title));
    const bar = partsBar(deviceName(device, true), parts, device.window_ns);
    bar.style.width = ((100 * device.window_ns) / longest).toFixed(2) + "%";
    return el("tr", null, el("th", { scope: "row" }, deviceName(device, true)),
              el("td", { class: "device-bar" }, bar), el("td", { class: "number" }, share(device.busy_ns, device.window_ns)),
              el("td", { class: "device-note" }, overlapText(overlapOf(run, device), device.window_ns)));
  });
  return el("div", { class: "breakdown" },
    el("h3", null, counted(rows.length, "device"), " ", el("span", { class: "dim" }, "at most " + time(longest) + ", from the first to the last event of each process")),
    legend([...used].sort(([a], [b]) => (a === "busy" ? -1 : b === "busy" ? 1 : +a.slice(5) - +b.slice(5)))),
    el("div", { class: "scroll" }, el("table", { class: "device-rows" },
      el("thead", null, el("tr", null, ["Device", "Time", "Busy", "Communication"].map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", null, rows))));
}

function timeSection(run, findings, rows) {
  const bars = findings.devices.length > COMPACT_DEVICES ? [deviceRows(run, findings)] : findings.devices.map((device) =>
    breakdown(deviceName(device, findings.devices.length > 1) + (device.name ? ", " + plain(device.name) : ""),
              deviceParts(device, run.idle), device.window_ns, "from the first to the last event"));
  const overlap = findings.devices.length === 1 && overlapOf(run, findings.devices[0]);
  if (overlap) bars.push(el("p", null, "The device communicated for " + overlapText(overlap, findings.devices[0].window_ns) + "."));
  if (run.self_cuda_total_ns > 0)
    bars.push(breakdown("Device work", kindParts(rows, "self_cuda", run.self_cuda_total_ns), run.self_cuda_total_ns,
                        "summed over streams"));
  if (run.self_cpu_total_ns > 0)
    bars.push(breakdown("CPU time of threads", kindParts(rows, "self_cpu", run.self_cpu_total_ns), run.self_cpu_total_ns,
                        "in ranges and calls"));
  const host = el("div", null, bars.length ? bars : el("p", { class: "none" }, "Nothing was recorded."));
  section("time", "Where the time went", host);
  const whole = [...host.childNodes];
  stretchFollowers.push((stretch) => host.replaceChildren(...(stretch ? stretchBars(run, stretch) : whole)));
}

/* The same of chosen steps. */
function stretchBars(run, stretch) {
  const parts = stretch.parts.map((ns, part) => ({ title: stepPartTitle(run, part), ns, class: stepPartClass(part) }));
  const { rows, totals } = stretch.sums, bars = [breakdown(stretch.title, parts, stretch.ns, "of " + deviceName(stretch, run.processes.length > 1))];
  if (totals.self_cuda > 0)
    bars.push(breakdown("Device work", kindParts(rows, "self_cuda", totals.self_cuda), totals.self_cuda, "launched in it, summed over streams"));
  if (totals.self_cpu > 0)
    bars.push(breakdown("CPU time of threads", kindParts(rows, "self_cpu", totals.self_cpu), totals.self_cpu, "in ranges and calls that began in it"));
  return bars;
}

/* ---- over time ---- */

function legend(entries) {
  return el("ul", { class: "legend" }, entries.map(([className, title]) =>
    el("li", null, el("span", { class: "swatch " + className }), el("span", null, title))));
}

function useOf(usage, device, gaps, look) {
  const host = el("div", { class: "wide" }), strip = gapStrip(usage, gaps);
  responsive(host, (width) => clear(host).append(drawUse(usage, device, width, look)));
  return el("div", { class: "use-row" }, look.title && el("h3", null, device.title), host, strip);
}

/* How much of each part a device was busy, as the strength of a colour. */
function useMatrix(usage) {
  const host = el("div", { class: "wide" });
  responsive(host, (width) => {
    const inner = width - LEFT - RIGHT, part = inner / usage.parts, height = usage.devices.length * MATRIX_PX;
    const plot = svg("svg", { class: "plot use", width, height: height + 20, role: "img", "aria-label": "use of " + usage.devices.length + " devices over time" });
    timeAxis(plot, width, height, usage.part_ns * usage.parts);
    usage.devices.forEach((device, row) => {
      const paths = Array(HEAT_LEVELS + 1).fill("");
      device.busy.forEach((busy, index) => (paths[Math.ceil((busy / 1000) * HEAT_LEVELS)] +=
        "M" + (LEFT + index * part).toFixed(1) + " " + row * MATRIX_PX + "h" + (part + 0.2).toFixed(2) + "v" + (MATRIX_PX - 2) + "h-" + (part + 0.2).toFixed(2) + "z"));
      paths.forEach((d, level) => level && d && plot.append(svg("path", { class: "kernel", "fill-opacity": level / HEAT_LEVELS, d })));
      plot.append(svg("text", { class: "tick", x: LEFT - 6, y: row * MATRIX_PX + 9, "text-anchor": "end" }, processTitle(device)));
    });
    follow(plot, usage, height, usage.parts, (index) => usage.devices.slice(0, 12).map((device) => device.title + ": busy " + share(device.busy[index], 1000)));
    clear(host).append(plot);
  });
  return host;
}

function usageSection(run, findings, gaps) {
  const usage = run.usage, several = usage.devices.length > 1, matrix = usage.devices.length > MATRIX_DEVICES;
  if (!usage.devices.length) return;
  usage.parts = usage.devices[0].busy.length;
  usage.devices.forEach((device) => (device.title = deviceName(device, several)));
  const causes = [...new Set(gaps.map((gap) => gap.cause))].sort((a, b) => a - b);
  const look = usage.devices.length > COMPACT_DEVICES ? { height: 40, title: false } : { height: USE_HEIGHT, title: true };
  const rows = () => usage.devices.map((device, index) => {
    const place = findings.devices.findIndex((one) => isSameDevice(one, device));
    return useOf(usage, device, gaps.filter((gap) => gap.device === place),
                 { ...look, axis: look.title || index === usage.devices.length - 1 });
  });
  section("usage", "GPU utilisation over time",
    legend(matrix ? [["kernel", "busy (darker: more)"]] : [["busy", "busy"], ["kernel", "kernels"], ["copy-line", "copies and sets"],
            ...causes.map((cause) => ["cause" + cause, "idle: " + run.idle.causes[cause][1]])]),
    matrix ? useMatrix(usage) : rows(),
    usage.devices_left_out > 0 && el("p", { class: "note" }, count(usage.devices_left_out) + " more devices are not drawn."));
}
