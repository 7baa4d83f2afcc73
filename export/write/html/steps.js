/* steps.js - what devices did in each step, as stacked bars; a click on one narrows the page to it, Shift-click to several. */

const STEP_WORK = [["kernel", "computing"], ["box-communication", "communicating"], ["kind-memcpy", "moving memory"]];
const MATRIX_DEVICES = 8, STEP_PX = 110, OUTLIER_DEVIATIONS = 4, OUTLIER_SHARE = 0.05, STRAGGLER_SHARE = 0.03;

/* ---- the chosen steps, everywhere ---- */

/* A stretch has from, to, title, ns and parts (sums of the steps), process, device, and numbers: those of the steps; sums: see
 * sumRows(). */
const stretchFollowers = [];

let shownStretch = null;

/* null: the whole recording again. */
function showStretch(stretch) {
  shownStretch = stretch;
  document.documentElement.toggleAttribute("data-narrowed", Boolean(stretch));
  for (const follow of stretchFollowers) follow(stretch);
  document.querySelectorAll(".plot .stretch").forEach((band) => band.place());
}

/* The part of a plot over time that the page shows. */
function stretchBand(plot, usage, width, height) {
  const band = svg("rect", { class: "stretch", y: 0, height }), inner = width - LEFT - RIGHT, whole = usage.part_ns * usage.parts;
  band.place = () => {
    const { from, to } = shownStretch || { from: usage.start_ns, to: usage.start_ns };
    band.classList.toggle("shown", shownStretch !== null);
    band.setAttribute("x", LEFT + ((from - usage.start_ns) / whole) * inner);
    band.setAttribute("width", ((to - from) / whole) * inner);
  };
  band.place();
  plot.append(band);
}

/* ---- sums by step: of each row of the table, and of each node of a flame graph ---- */

class StepSums {
  static async read(block) {
    const reader = new Reader(await unpack(block.data, block.packing)), { count } = block, sums = new StepSums();
    sums.items = block.items;
    sums.item = new Int32Array(count), sums.step = new Int32Array(count);
    for (let i = 0, item = 0; i < count; i++) sums.item[i] = item += reader.uint();
    for (let i = 0, step = 0; i < count; i++) sums.step[i] = step += reader.int();
    sums.values = Array.from({ length: block.values }, () => Float64Array.from({ length: count }, () => reader.int()));
    return sums;
  }

  /* Calls `use(item, values)` for each item of each of the steps. */
  each(numbers, use) {
    for (let i = 0; i < this.item.length; i++)
      if (numbers.has(this.step[i])) use(this.item[i], this.values.map((column) => column[i]));
  }
}

let rowSums = null; /* of the table: item 0 is the step itself, 1 + i row i */
let findingSums = null, findingIdleSums = null, rooflineSums = null; /* see html_page.h */

async function readStepSums(run) {
  rowSums = await StepSums.read(run.row_steps);
  [findingSums, findingIdleSums, rooflineSums] = await Promise.all([run.finding_steps, run.finding_idle_steps, run.roofline_steps].map((block) => StepSums.read(block)));
  for (const flame of run.flames) flame.sums = flame.steps && (await StepSums.read(flame.steps));
}

/* Adds what one step has to a row: see html_rows() for the values. */
function addStepRow(row, [calls, cpu, lessCpu, cuda, lessCuda, more, p50, p99, longest]) {
  const first = row.count === 0, sum = more + (isDeviceKind(row.kind) ? cuda : cpu), mean = Math.trunc(sum / calls);
  row.count += calls, row.durations += sum;
  row.cpu_total += cpu, row.self_cpu += cpu - lessCpu;
  row.cuda_total += cuda, row.self_cuda += cuda - lessCuda;
  row.mean = row.durations / row.count;
  row.p50 = first ? mean + p50 : null, row.p99 = first ? mean + p99 : null;
  row.max = Math.max(row.max, mean + longest);
}

/* The rows of the table that steps have, with their numbers: { rows, totals: { rows, self_cpu, self_cuda } }. */
function sumRows(rows, numbers) {
  const sums = new Map(), totals = { rows: 0, self_cpu: 0, self_cuda: 0 };
  rowSums.each(numbers, (item, values) => {
    if (item === 0) {
      totals.rows = Math.max(totals.rows, values[0]), totals.self_cpu += values[1], totals.self_cuda += values[3];
      return;
    }
    const zero = { count: 0, durations: 0, cpu_total: 0, self_cpu: 0, cuda_total: 0, self_cuda: 0, max: 0, bars: null };
    if (!sums.has(item)) sums.set(item, { ...rows[item - 1], ...zero });
    addStepRow(sums.get(item), values);
  });
  return { rows: [...sums.values()], totals };
}

/* Whether a name may occur in the steps: those of rows that found no room are not known. */
function occursIn(stretch, rows, name) {
  stretch.names = stretch.names || new Set([...stretch.sums.rows, ...rows.slice(rowSums.items - 1)].map((row) => row.name));
  return stretch.names.has(name) || !rows.some((row) => row.name === name);
}

/* ---- numbers ---- */

function median(values) {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function readSteps(run) {
  return run.steps.map(({ process, device, first, left_out, steps }) => ({
    process, device, leftOut: left_out,
    steps: steps.map(([name, start, end, ...parts], index) => ({ name, start, end, ns: end - start, parts, number: first + index })) }));
}

/* A step of a device, or those from one to another. */
function stretchOf(rows, device, first, last) {
  const steps = device.steps.slice(Math.min(first, last), Math.max(first, last) + 1);
  const numbers = new Set(steps.map((step) => step.number));
  const title = steps.length === 1 ? stepTitle(steps[0])
                                   : stepTitle(steps[0]) + " to " + stepTitle(steps[steps.length - 1]).replace(/^step /, "");
  return { from: steps[0].start, to: steps[steps.length - 1].end, title, process: device.process, device: device.device, numbers,
           ns: steps.reduce((sum, step) => sum + step.ns, 0), parts: steps[0].parts.map((_, part) => steps.reduce((sum, step) => sum + step.parts[part], 0)),
           sums: sumRows(rows, numbers) };
}

/* Chooses a step of a device; with Shift all from the one that was chosen before. */
class StepChooser {
  constructor(rows) {
    this.rows = rows;
  }

  choose(device, index, extends_) {
    if (!rowSums) return;
    const from = extends_ && this.device === device ? this.index : index;
    if (!extends_ || this.device !== device) Object.assign(this, { device, index });
    showStretch(stretchOf(this.rows, device, from, index));
  }

  /* What a step's button does. */
  attributes(run, device, index) {
    return { type: "button", "aria-label": stepLines(run, device.steps[index]).join("; "),
             onclick: (event) => this.choose(device, index, event.shiftKey) };
  }
}

/* Far from the median, as steps of this run differ. */
function markOutliers(steps) {
  const middle = median(steps.map((step) => step.ns));
  const deviation = 1.4826 * median(steps.map((step) => Math.abs(step.ns - middle)));
  for (const step of steps) step.outlier = Math.abs(step.ns - middle) > Math.max(OUTLIER_DEVIATIONS * deviation, OUTLIER_SHARE * middle);
}

function stepPartClass(part) {
  return part < STEP_WORK.length ? STEP_WORK[part][0] : "cause" + (part - STEP_WORK.length);
}

function stepPartTitle(run, part) {
  return part < STEP_WORK.length ? STEP_WORK[part][1] : "idle: " + run.idle.causes[part - STEP_WORK.length][1];
}

function stepTitle(step) {
  return plain(step.name.replace(/^ProfilerStep#/, "step "), 60);
}

function stepLines(run, step) {
  return [stepTitle(step) + ", " + time(step.ns) + (step.outlier ? ", an outlier" : ""),
          ...step.parts.map((ns, part) => [ns, part]).filter(([ns]) => ns > 0)
            .map(([ns, part]) => stepPartTitle(run, part) + " " + time(ns) + ", " + share(ns, step.ns))];
}

/* ---- bars ---- */

function withTip(node, lines) {
  node.addEventListener("pointermove", (event) => showTip(event, lines()));
  node.addEventListener("pointerleave", hideTip);
  return node;
}

/* Computing at the bottom, idle time on top. */
function stepBar(run, chooser, device, index, most) {
  const step = device.steps[index];
  const bar = withTip(el("button", { class: "step" + (step.outlier ? " outlier" : ""), ...chooser.attributes(run, device, index) }),
                      () => stepLines(run, step));
  step.button = bar;
  step.parts.forEach((ns, part) => {
    if (ns <= 0) return;
    const piece = el("span", { class: stepPartClass(part) });
    piece.style.height = ((STEP_PX * ns) / most).toFixed(2) + "px";
    bar.prepend(piece);
  });
  return bar;
}

function stepChart(run, chooser, device, most, several) {
  const longest = Math.max(...device.steps.map((step) => step.ns));
  return el("div", { class: "step-chart" },
    el("h3", null, deviceName(device, several), " ", el("span", { class: "dim" }, spreadText(device.steps))),
    el("div", { class: "step-scale dim" }, el("span", null, time(longest))),
    el("div", { class: "steps-row" }, device.steps.map((_, index) => stepBar(run, chooser, device, index, most))));
}

function spreadText(steps) {
  const lengths = steps.map((step) => step.ns).sort((a, b) => a - b), outliers = steps.filter((step) => step.outlier).length;
  return counted(steps.length, "step") + ", median " + time(median(lengths)) + ", from " + time(lengths[0]) + " to " +
         time(lengths[lengths.length - 1]) + (outliers ? "; " + counted(outliers, "outlier") : "");
}

/* A row for each device, a cell for each step: how much longer it computed than the devices did as a rule. */
function stepMatrix(run, chooser, devices) {
  const steps = Math.max(...devices.map((device) => device.steps.length));
  const usual = Array.from({ length: steps }, (_, index) => median(devices.filter((one) => one.steps[index]).map((one) => one.steps[index].parts[0])));
  const rows = devices.map((device) => el("div", { class: "matrix-row" },
    el("span", { class: "matrix-title dim" }, deviceName(device, true)),
    el("span", { class: "matrix-cells" }, device.steps.map((step, index) => {
      const more = usual[index] > 0 ? step.parts[0] / usual[index] - 1 : 0;
      const cell = withTip(el("button", { class: "cell " + (more >= 0 ? "more-than" : "less-than"), ...chooser.attributes(run, device, index) }),
                           () => [deviceName(device, true), ...stepLines(run, step), "computes " + share(Math.abs(more), 1) + (more < 0 ? " less" : " more") + " than the median"]);
      step.button = cell;
      cell.style.setProperty("--heat", Math.min(1, Math.abs(more) * 4).toFixed(3));
      return cell;
    }))));
  return el("div", { class: "matrix" }, rows,
            el("p", { class: "note" }, "Red: more compute in that step than the median device (full colour: 25 % or more). Blue: less."));
}

/* Which device computes longest, step by step. */
function stragglerText(devices) {
  const steps = Math.min(...devices.map((device) => device.steps.length)), times = devices.map(() => 0);
  let excess = devices.map(() => 0);
  for (let index = 0; index < steps; index++) {
    const computed = devices.map((device) => device.steps[index].parts[0]), usual = median(computed), longest = Math.max(...computed);
    if (longest < usual * (1 + STRAGGLER_SHARE)) continue;
    const which = computed.indexOf(longest);
    times[which]++;
    excess[which] += longest - usual;
  }
  const which = times.indexOf(Math.max(...times));
  if (devices.length < 2 || times[which] * 2 < steps) return "No device computes longest in most steps.";
  return deviceName(devices[which], true) + " computes longest in " + count(times[which]) + " of " + count(steps) + " steps: " +
         time(excess[which] / times[which]) + " more than the median of the devices. Others wait for it where they communicate.";
}

/* What is chosen, and a way back. */
function stretchNote(stretch, several) {
  return ["The page shows " + stretch.title + (several ? " of " + deviceName(stretch, true) : "") + ". Parts marked \u201cof the whole run\u201d are not narrowed. ",
          linkButton("Show the whole recording", () => showStretch(null))];
}

function stepsSection(run, rows) {
  run.stepDevices = readSteps(run);
  const devices = run.stepDevices.filter((device) => device.steps.length > 1);
  if (!devices.length) return;
  devices.forEach((device) => markOutliers(device.steps));
  const most = Math.max(...devices.flatMap((device) => device.steps.map((step) => step.ns)));
  const used = [...new Set(devices.flatMap((device) => device.steps.flatMap((step) => step.parts.map((ns, part) => (ns > 0 ? part : -1)))))]
    .filter((part) => part >= 0).sort((a, b) => a - b);
  const only = el("p", { class: "only", role: "status" });
  const several = devices.length > 1, chooser = new StepChooser(rows);
  stretchFollowers.push((stretch) => {
    clear(only).append(...(stretch ? stretchNote(stretch, several) : []));
    for (const device of devices)
      for (const step of device.steps)
        step.button.setAttribute("aria-pressed", String(Boolean(stretch) && isSameDevice(device, stretch) && stretch.numbers.has(step.number)));
  });
  const matrix = devices.length > MATRIX_DEVICES;
  section("steps", "Steps", el("p", { class: "note" }, "Click a step to narrow the page to it. Shift-click another to select the steps between."), only,
    several && el("p", null, stragglerText(devices)),
    !matrix && legend(used.map((part) => [stepPartClass(part), stepPartTitle(run, part)])),
    matrix ? stepMatrix(run, chooser, devices) : el("div", { class: "charts" }, devices.map((device) => stepChart(run, chooser, device, most, several))),
    devices.some((device) => device.leftOut) && el("p", { class: "note" },
      "Showing the first " + count(devices[0].steps.length) + " steps of each device; " + count(devices[0].leftOut) + " more are in the recording."));
}
