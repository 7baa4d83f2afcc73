/* findings.js - what to do: findings in groups of those about the same time, each with a bar for what it saves at most. */

const GROUPS_SHOWN = 4, FINDINGS_SHOWN = 3;
const STACK_TITLES = { call: "called from", "next call": "next GPU call, which ended the gap", "last call": "last GPU call, before the gap" };

/* The cause of most of the idle time that a finding is about; null: it is about none. */
function mainCause(finding) {
  const causes = Object.entries(finding.idle).sort(([, a], [, b]) => b - a);
  return causes.length ? causes[0][0] : null;
}

/* Findings that share idle time are a group. Those of one rule and place, on several devices or ranks, are one with others
 * beside it. */
function groupFindings(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const cause = mainCause(finding), key = finding.rule + "\n" + finding.path.join("\n");
    if (!groups.has(cause)) groups.set(cause, new Map());
    const places = groups.get(cause);
    if (!places.has(key)) places.set(key, []);
    places.get(key).push(finding);
  }
  return [...groups].map(([cause, places]) => ({ cause, items: [...places.values()].sort(byOwnerAndSaved) }))
    .sort((a, b) => byOwnerAndSaved(a.items[0], b.items[0]));
}

/* What names a range, a call or a call stack comes first. */
function byOwnerAndSaved([a], [b]) {
  const owned = (finding) => finding.path.length > 0 || finding.stack.length > 0;
  return owned(b) - owned(a) || (b.saved_ns || 0) - (a.saved_ns || 0);
}

/* ---- the same of chosen steps ---- */

/* Idle time of the device that idled least, of those that the process has, in some steps. */
function leastIdle(devices, process, numbers) {
  const idle = devices.filter((device) => device.process === process).map((device) => device.steps.filter((step) => numbers.has(step.number))
    .reduce((sum, step) => sum + step.parts.slice(STEP_WORK.length).reduce((all, ns) => all + ns, 0), 0));
  return idle.length ? Math.min(...idle) : Infinity;
}

/* What steps have of each finding: { count, cost, saved, most, idle: by cause }, by its number. */
function findingParts(run, numbers) {
  const parts = new Map();
  const partOf = (number) => {
    if (!parts.has(number)) parts.set(number, { count: 0, cost: 0, saved: 0, most: 0, idle: {} });
    return parts.get(number);
  };
  findingSums.each(numbers, (number, [count, cost, saved, most]) => {
    const part = partOf(number);
    part.count += count, part.cost += cost, part.saved += saved, part.most += most;
  });
  findingIdleSums.each(numbers, (item, [ns]) => {
    const { idle } = partOf(Math.floor(item / run.idle.causes.length)), cause = run.idle.causes[item % run.idle.causes.length][0];
    idle[cause] = (idle[cause] || 0) + ns;
  });
  return parts;
}

/* As the whole finding's follows from its sums. */
function savingOfPart(run, finding, part, numbers) {
  if (finding.saved_ns === null) return null;
  const kind = run.finding_savings[finding.number];
  return Math.max(0, kind === "sum" ? part.saved : Math.min(part.cost, kind === "idle" ? leastIdle(run.stepDevices, finding.process, numbers) : part.most));
}

/* Findings as the steps have them; those of which nothing is known by step stay as they are if they concern the steps. */
function narrowFindings(run, findings, stretch, rows) {
  const parts = findingParts(run, stretch.numbers);
  return new Map(findings.map((finding) => {
    const part = parts.get(finding.number), mine = finding.process === null || finding.process === stretch.process;
    if (finding.number >= findingSums.items || run.finding_savings[finding.number] === null)
      return [finding, mine && (!finding.path.length || occursIn(stretch, rows, finding.path[finding.path.length - 1])) ? finding : null];
    if (!mine || !part || part.cost <= 0) return [finding, null];
    return [finding, { ...finding, count: part.count, cost_ns: part.cost, saved_ns: savingOfPart(run, finding, part, stretch.numbers), part: part.idle }];
  }));
}

/* ---- cards ---- */

/* `whole`: how long what is shown takes. */
function savingOf(finding, whole, words) {
  if (finding.saved_ns === null) return el("p", { class: "saving dim" }, "savings unknown");
  const bar = el("span", { class: "fill" });
  bar.style.width = Math.min(100, (100 * finding.saved_ns) / (whole || 1)).toFixed(1) + "%";
  return el("div", { class: "saving" }, el("b", null, time(finding.saved_ns)), " ",
            el("span", { class: "dim" }, "saved at most, " + share(finding.saved_ns, whole) + " of " + words),
            el("span", { class: "track thick" }, bar));
}

/* The longest gap whose time the finding is about, else the longest call of its innermost range. */
function findingLink(finding, gaps, devices) {
  const device = devices.findIndex((one) => isSameDevice(one, finding)), cause = mainCause(finding);
  const path = finding.path.join("\n");
  const gap = gaps.filter((one) => (device < 0 || one.device === device) && one.causeName === cause)
    .filter((one) => !path || one.path.join("\n").startsWith(path) || one.blocker.join("\n").startsWith(path))[0];
  if (gap) return linkButton("Show the longest gap", () => showGap(gap));
  const name = finding.path[finding.path.length - 1];
  return name === undefined ? null : linkButton("Show it in the timeline", () => {
    const box = pageTimeline && pageTimeline.data.longest(name);
    if (box) pageTimeline.revealBox(box);
  });
}

function sameElsewhere(others, wall) {
  if (!others.length) return null;
  return el("details", null, el("summary", null, others.length === 1 ? "1 more like this" : count(others.length) + " more like this"),
            el("ul", null, others.map((one) => el("li", null, plain(one.sentence, 800), " ",
              el("span", { class: "dim" }, one.saved_ns === null ? "" : "saves at most " + time(one.saved_ns) + " (" + share(one.saved_ns, wall) + ")")))));
}

/* The cause is the whole finding's, so that it stays in its group. */
function sharedIdle(finding) {
  const cause = mainCause(finding);
  return cause === null ? null : el("p", { class: "dim" }, "about " + time((finding.part || finding.idle)[cause] || 0) + " of this idle time");
}

function inSteps(finding, stretch) {
  return finding.part ? [el("b", null, "In " + stretch.title + ": " + time(finding.cost_ns) + (finding.count > 0 ? ", " + count(finding.count) + "\u00d7" : "") + ". "),
                         el("span", { class: "dim" }, "In the whole run: ")] : wholeRun();
}

function findingCard([finding, ...others], findings, gaps, stretch) {
  const whole = stretch && finding.part ? stretch.ns : findings.wall_ns, words = stretch && finding.part ? stretch.title : "the wall time";
  return [
    el("div", { class: "finding-text" }, el("h4", null, plain(finding.title)),
       el("p", null, stretch && inSteps(finding, stretch), plain(finding.sentence, 800)), finding.also.map((one) => el("p", null, plain(one.sentence, 800))),
       [finding, ...finding.also].map((one) => el("p", { class: "remedy" }, plain(one.remedy, 800))),
       finding.stack.length > 0 && el("details", null, el("summary", null, STACK_TITLES[finding.stack_of]),
                                      el("ol", { class: "stack" }, finding.stack.map((frame) => el("li", null, plain(frame, 400))))),
       sameElsewhere(others, whole)),
    el("div", { class: "finding-side" }, savingOf(finding, whole, words),
       finding.path.length
        ? el("p", { class: "dim" }, "in ", el("code", null, pathText(finding.path)))
        : el("p", { class: "dim" }, "outside any range, or in several"),
       sharedIdle(finding),
       el("p", { class: "dim" }, (finding.also.length ? "rules " : "rule ") + [finding, ...finding.also].map((one) => one.rule).join(", "), " ", findingLink(finding, gaps, findings.devices))),
  ];
}

class FindingGroup {
  constructor(group, run, findings, gaps) {
    Object.assign(this, group, { idle: run.idle, findings });
    this.title = el("h3");
    this.number = run.idle.causes.findIndex(([name]) => name === this.cause);
    this.cards = group.items.map((same) => ({ same, node: el("li", { class: "finding" }) }));
    this.fill = (node, same, stretch) => node.replaceChildren(...findingCard(same, findings, gaps, stretch));
    this.first = el("ul", { class: "findings" }), this.rest = el("ul", { class: "findings" }), this.more = el("summary");
    this.folded = el("details", null, this.more, this.rest);
    this.node = el("div", { class: "finding-group" }, this.title, this.first, this.folded);
  }

  /* The idle time of the cause, of all devices or of the chosen steps of one. */
  idleNs(stretch) {
    return stretch ? stretch.parts[STEP_WORK.length + this.number] : this.findings.devices.reduce((sum, device) => sum + device.idle[this.cause], 0);
  }

  titleOf(stretch, shown) {
    if (this.number < 0) return ["Not about idle time"];
    return [el("span", { class: "swatch cause" + this.number }), "GPU idle: " + this.idle.causes[this.number][1] + " ",
            el("span", { class: "dim" }, time(this.idleNs(stretch)) + (stretch ? " in " + stretch.title : "") +
              (shown > 1 ? "; these findings share this idle time, so their savings do not add up" : ""))];
  }

  /* `narrowed`: of each finding what the chosen steps have, null for nothing; null: the whole recording is shown. */
  show(stretch, narrowed) {
    const shown = this.cards.map(({ same, node }) => ({ node, same: narrowed ? same.map((one) => narrowed.get(one)).filter(Boolean).sort((a, b) => byOwnerAndSaved([a], [b])) : same }))
      .filter(({ same }) => same.length).sort((a, b) => byOwnerAndSaved(a.same, b.same));
    for (const { node, same } of shown) this.fill(node, same, stretch);
    const nodes = shown.map(({ node }) => node);
    this.first.replaceChildren(...nodes.slice(0, FINDINGS_SHOWN)), this.rest.replaceChildren(...nodes.slice(FINDINGS_SHOWN));
    this.more.textContent = count(nodes.length - FINDINGS_SHOWN) + " more of this kind";
    this.folded.hidden = nodes.length <= FINDINGS_SHOWN;
    clear(this.title).append(...this.titleOf(stretch, shown.length));
    this.node.hidden = shown.length === 0;
  }
}

function findingsSection(run, findings, gaps, rows) {
  findings.findings.forEach((finding, number) => (finding.number = number));
  const groups = groupFindings(findings.findings).map((group) => new FindingGroup(group, run, findings, gaps));
  const rest = groups.slice(GROUPS_SHOWN), notes = findings.notes.map((note) => el("li", null, plain(note.sentence, 800)));
  section("findings", "Findings",
    groups.length ? groups.slice(0, GROUPS_SHOWN).map((group) => group.node) : el("p", { class: "none" }, "No finding exceeds the reporting thresholds."),
    rest.length > 0 && el("details", null, el("summary", null, rest.length === 1 ? "1 more group" : count(rest.length) + " more groups"), rest.map((group) => group.node)),
    findings.below.length > 0 && el("details", null, el("summary", null, "Found, but below the limits"),
                                    el("ul", null, findings.below.map((one) => el("li", null, one.rule + ": " + one.sentence)))),
    notes.length > 0 && el("details", null, el("summary", null, "What was not examined"), el("ul", null, notes)));
  const show = (stretch) => {
    const narrowed = stretch && narrowFindings(run, findings.findings, stretch, rows);
    groups.forEach((group) => group.show(stretch, narrowed));
  };
  stretchFollowers.push(show);
  show(null);
}
