/* findings.js - what to do: findings in groups of those about the same time, each with a bar for what it saves at most. */

const GROUPS_SHOWN = 4, FINDINGS_SHOWN = 3;

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
  const most = (same) => same[0].saved_ns || 0;
  return [...groups].map(([cause, places]) => {
    const items = [...places.values()].sort((a, b) => most(b) - most(a));
    return { cause, items, saved_ns: most(items[0]) };
  }).sort((a, b) => b.saved_ns - a.saved_ns);
}

function savingOf(finding, wall) {
  if (finding.saved_ns === null) return el("p", { class: "saving dim" }, "savings unknown");
  const bar = el("span", { class: "fill" });
  bar.style.width = Math.min(100, (100 * finding.saved_ns) / (wall || 1)).toFixed(1) + "%";
  return el("div", { class: "saving" }, el("b", null, time(finding.saved_ns)), " ",
            el("span", { class: "dim" }, "saved at most, " + share(finding.saved_ns, wall) + " of the wall time"),
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

function sharedIdle(finding) {
  const cause = mainCause(finding);
  return cause === null ? null : el("p", { class: "dim" }, "about " + time(finding.idle[cause]) + " of this idle time");
}

function findingCard([finding, ...others], findings, gaps) {
  return [
    el("div", { class: "finding-text" }, el("h4", null, plain(finding.title)),
       el("p", null, plain(finding.sentence, 800)), el("p", { class: "remedy" }, plain(finding.remedy, 800)),
       finding.stack.length > 0 && el("details", null, el("summary", null, "called from"),
                                      el("ol", { class: "stack" }, finding.stack.map((frame) => el("li", null, plain(frame, 400))))),
       sameElsewhere(others, findings.wall_ns)),
    el("div", { class: "finding-side" }, savingOf(finding, findings.wall_ns),
       finding.path.length
        ? el("p", { class: "dim" }, "in ", el("code", null, pathText(finding.path)))
        : el("p", { class: "dim" }, "outside any range, or in several"),
       sharedIdle(finding),
       el("p", { class: "dim" }, "rule " + finding.rule, " ", findingLink(finding, gaps, findings.devices))),
  ];
}

class FindingGroup {
  constructor(group, run, findings, gaps) {
    Object.assign(this, group, { idle: run.idle, findings });
    this.title = el("h3");
    this.number = run.idle.causes.findIndex(([name]) => name === this.cause);
    this.cards = group.items.map((same) => ({ same, node: el("li", { class: "finding" }) }));
    this.fill = (node, same) => node.replaceChildren(...findingCard(same, findings, gaps));
    const nodes = this.cards.map((card) => card.node), rest = nodes.slice(FINDINGS_SHOWN);
    this.node = el("div", { class: "finding-group" }, this.title, el("ul", { class: "findings" }, nodes.slice(0, FINDINGS_SHOWN)),
      rest.length > 0 && el("details", null, el("summary", null, count(rest.length) + " more of this kind"), el("ul", { class: "findings" }, rest)));
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

  /* Leaves what concerns the chosen steps: their process, and ranges that occur in them. */
  show(stretch, rows) {
    const concerns = (finding) => !stretch || ((finding.process === null || finding.process === stretch.process) &&
      (!finding.path.length || occursIn(stretch, rows, finding.path[finding.path.length - 1])));
    for (const { same, node } of this.cards) {
      const left = same.filter(concerns);
      node.hidden = left.length === 0;
      if (left.length) this.fill(node, left);
    }
    const shown = this.cards.filter((card) => !card.node.hidden).length;
    clear(this.title).append(...this.titleOf(stretch, shown));
    this.node.hidden = shown === 0 || (stretch !== null && this.number >= 0 && this.idleNs(stretch) === 0);
  }
}

function findingsSection(run, findings, gaps, rows) {
  const groups = groupFindings(findings.findings).map((group) => new FindingGroup(group, run, findings, gaps));
  const rest = groups.slice(GROUPS_SHOWN), notes = findings.notes.map((note) => el("li", null, plain(note.sentence, 800)));
  section("findings", "Findings",
    groups.length ? groups.slice(0, GROUPS_SHOWN).map((group) => group.node) : el("p", { class: "none" }, "No finding exceeds the reporting thresholds."),
    rest.length > 0 && el("details", null, el("summary", null, rest.length === 1 ? "1 more group" : count(rest.length) + " more groups"), rest.map((group) => group.node)),
    notes.length > 0 && el("details", null, el("summary", null, "What was not examined"), el("ul", null, notes)));
  const show = (stretch) => groups.forEach((group) => group.show(stretch, rows));
  stretchFollowers.push(show);
  show(null);
}
