/* steps.js - what devices did in each step, as stacked bars; a click on one shows that step everywhere. */

const STEP_WORK = [["kernel", "computing"], ["box-communication", "communicating"], ["kind-memcpy", "moving memory"]];
const MATRIX_DEVICES = 8, STEP_PX = 110, OUTLIER_DEVIATIONS = 4, OUTLIER_SHARE = 0.05, STRAGGLER_SHARE = 0.03;

/* ---- one step, everywhere ---- */

const stretchFollowers = [];

let shownStretch = null;

/* null: the whole recording again. */
function showStretch(stretch) {
  shownStretch = stretch;
  for (const follow of stretchFollowers) follow(stretch);
  document.querySelectorAll(".plot .stretch").forEach((band) => band.place());
}

/* The part of a plot over time that the page shows. */
function stretchBand(plot, usage, width, height) {
  const band = svg("rect", { class: "stretch", y: 0, height }), inner = width - LEFT - RIGHT, whole = usage.part_ns * usage.parts;
  band.place = () => {
    const { from, to } = shownStretch || { from: usage.start_ns, to: usage.start_ns };
    band.setAttribute("x", LEFT + ((from - usage.start_ns) / whole) * inner);
    band.setAttribute("width", ((to - from) / whole) * inner);
  };
  band.place();
  plot.append(band);
}

/* ---- numbers ---- */

function median(values) {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function readSteps(run) {
  return run.steps.map(({ pid, rank, device, left_out, steps }) => ({
    pid, rank, device, leftOut: left_out,
    steps: steps.map(([name, start, end, ...parts]) => ({ name, start, end, ns: end - start, parts, device, pid })) }));
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
function stepBar(run, step, most) {
  const bar = withTip(el("button", { type: "button", class: "step" + (step.outlier ? " outlier" : ""), "aria-label": stepLines(run, step).join("; "),
                                     onclick: () => showStretch({ from: step.start, to: step.end, title: stepTitle(step) }) }),
                      () => stepLines(run, step));
  step.parts.forEach((ns, part) => {
    if (ns <= 0) return;
    const piece = el("span", { class: stepPartClass(part) });
    piece.style.height = ((STEP_PX * ns) / most).toFixed(2) + "px";
    bar.prepend(piece);
  });
  return bar;
}

function stepChart(run, device, most, several) {
  const longest = Math.max(...device.steps.map((step) => step.ns));
  return el("div", { class: "step-chart" },
    el("h3", null, deviceName(device, several), " ", el("span", { class: "dim" }, spreadText(device.steps))),
    el("div", { class: "step-scale dim" }, el("span", null, time(longest))),
    el("div", { class: "steps-row" }, device.steps.map((step) => stepBar(run, step, most))));
}

function spreadText(steps) {
  const lengths = steps.map((step) => step.ns).sort((a, b) => a - b), outliers = steps.filter((step) => step.outlier).length;
  return counted(steps.length, "step") + ", median " + time(median(lengths)) + ", from " + time(lengths[0]) + " to " +
         time(lengths[lengths.length - 1]) + (outliers ? "; " + counted(outliers, "outlier") : "");
}

/* A row for each device, a cell for each step: how much longer it computed than the devices did as a rule. */
function stepMatrix(run, devices) {
  const steps = Math.max(...devices.map((device) => device.steps.length));
  const usual = Array.from({ length: steps }, (_, index) => median(devices.filter((one) => one.steps[index]).map((one) => one.steps[index].parts[0])));
  const rows = devices.map((device) => el("div", { class: "matrix-row" },
    el("span", { class: "matrix-title dim" }, deviceName(device, true)),
    el("span", { class: "matrix-cells" }, device.steps.map((step, index) => {
      const more = usual[index] > 0 ? step.parts[0] / usual[index] - 1 : 0;
      const cell = withTip(el("button", { type: "button", class: "cell " + (more >= 0 ? "more-than" : "less-than"), "aria-label": stepLines(run, step).join("; "),
                                          onclick: () => showStretch({ from: step.start, to: step.end, title: stepTitle(step) }) }),
                           () => [deviceName(device, true), ...stepLines(run, step), "computes " + share(Math.abs(more), 1) + (more < 0 ? " less" : " more") + " than the median"]);
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

function stepsSection(run) {
  const devices = readSteps(run).filter((device) => device.steps.length > 1);
  if (!devices.length) return;
  devices.forEach((device) => markOutliers(device.steps));
  const most = Math.max(...devices.flatMap((device) => device.steps.map((step) => step.ns)));
  const used = [...new Set(devices.flatMap((device) => device.steps.flatMap((step) => step.parts.map((ns, part) => (ns > 0 ? part : -1)))))]
    .filter((part) => part >= 0).sort((a, b) => a - b);
  const only = el("p", { class: "only", role: "status" });
  stretchFollowers.push((stretch) => clear(only).append(...(stretch
    ? ["Timeline, sums and gaps show " + stretch.title + "; the table has the rows that occur in it, summed over the run. ", linkButton("Show the whole recording", () => showStretch(null))] : [])));
  const matrix = devices.length > MATRIX_DEVICES, several = devices.length > 1;
  section("steps", "Steps", el("p", { class: "note" }, "Click a step to show it in the timeline, with sums and its gaps."), only,
    several && el("p", null, stragglerText(devices)),
    !matrix && legend(used.map((part) => [stepPartClass(part), stepPartTitle(run, part)])),
    matrix ? stepMatrix(run, devices) : el("div", { class: "charts" }, devices.map((device) => stepChart(run, device, most, several))),
    devices.some((device) => device.leftOut) && el("p", { class: "note" },
      "Showing the first " + count(devices[0].steps.length) + " steps of each device; " + count(devices[0].leftOut) + " more are in the recording."));
}
