/* timeline_data.js - the boxes of the timeline: unpacked, searched, added up. Times are nanoseconds from its start.
 *
 * A Level has columns: start[], end[], name[] (an index, -1 none), kind[], count[], busy[], detail[] (an index, -1 none)
 * and of device operations thread[] (a track, -1 unknown), depth[] and launch[] (a time).
 */

const TRACK_KINDS = ["thread", "python", "stream"];
const BOX_KINDS = ["range", "call", "kernel", "copy", "set", "graph", "communication", "function"];
const FIRST_DEVICE_KIND = 2, LAST_DEVICE_KIND = 6, NO_HUE = 255;

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  uint() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127, scale = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  }

  int() {
    const twice = this.uint();
    return twice % 2 ? -(twice + 1) / 2 : twice / 2;
  }
}

/* Many texts, after their sizes. A text is made when it is asked for: a million of them took a second. Where a letter is a
 * byte, which the names of programs mostly are, they are parts of one string. */
class Texts {
  constructor(reader, length) {
    const begin = reader.at;
    this.length = length;
    this.starts = new Uint32Array(length), this.ends = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      const size = reader.uint();
      this.starts[i] = reader.at - begin;
      this.ends[i] = this.starts[i] + size;
      reader.at += size;
    }
    this.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.bytes = reader.bytes.subarray(begin, reader.at);
    const whole = this.decoder.decode(this.bytes);
    this.whole = whole.length === this.bytes.length ? whole : null;
  }

  at(index) {
    const start = this.starts[index], end = this.ends[index];
    return this.whole !== null ? this.whole.slice(start, end) : this.decoder.decode(this.bytes.subarray(start, end));
  }

  /* Calls `use(index, place)` for each place of `part` within a text of `whole`; where it returns true, goes on with the next text. */
  each(whole, part, use) {
    for (let place = whole.indexOf(part), low = 0; place >= 0;) {
      let high = this.length; /* the last that begins before the place */
      while (low + 1 < high) {
        const middle = (low + high) >> 1;
        if (this.starts[middle] <= place) low = middle;
        else high = middle;
      }
      const inside = place >= this.starts[low] && place + part.length <= this.ends[low];
      place = whole.indexOf(part, inside && use(low, place) ? this.ends[low] : place + 1);
    }
  }

  /* -1: there is no such text. */
  indexOf(text) {
    let found = -1;
    if (this.whole === null || text === "") {
      for (let i = 0; i < this.length && found < 0; i++) if (this.at(i) === text) found = i;
      return found;
    }
    this.each(this.whole, text, (index, place) => {
      if (place === this.starts[index] && place + text.length === this.ends[index]) found = index;
      return found < 0;
    });
    return found;
  }

  /* A flag for each text: whether it has that part, in letters of any case. */
  search(part) {
    const flags = new Uint8Array(this.length);
    this.lower = this.lower || (this.whole !== null ? this.whole.toLowerCase() : Array.from(flags, (_, i) => this.at(i).toLowerCase()));
    if (this.whole !== null) this.each(this.lower, part, (index) => (flags[index] = 1));
    else this.lower.forEach((text, index) => (flags[index] = text.includes(part) ? 1 : 0));
    return flags;
  }
}

async function unpack(data, packing) {
  const text = atob(data), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  if (packing === "none") return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* The first of an ascending column of which no value is below. */
function lowerBound(column, value, size) {
  let low = 0, high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Level {
  constructor(size) {
    this.size = size;
    for (const column of ["start", "end", "busy", "launch"]) this[column] = new Float64Array(size);
    for (const column of ["name", "detail", "thread"]) this[column] = new Int32Array(size).fill(-1);
    this.count = new Uint32Array(size).fill(1);
    this.depth = new Uint16Array(size);
    this.kind = new Uint8Array(size);
  }

  read(reader) {
    const { size, start, end, count, kind, busy } = this;
    for (let i = 0; i < size; i++) {
      const head = reader.uint();
      kind[i] = head % 8;
      count[i] = (head - (head % 8)) / 8;
    }
    for (let i = 0, time = 0; i < size; i++) start[i] = time += reader.int();
    for (let i = 0; i < size; i++) {
      busy[i] = reader.uint();
      end[i] = start[i] + busy[i];
    }
    for (let i = 0; i < size; i++) this.name[i] = reader.uint() - 1;
    for (let i = 0; i < size; i++) if (count[i] > 1) busy[i] = reader.uint();
    this.readLaunches(reader);
    return this;
  }

  readLaunches(reader) {
    const { size, count, thread } = this;
    for (let i = 0; i < size; i++) if (count[i] === 1) thread[i] = reader.uint() - 1;
    for (let i = 0; i < size; i++) if (thread[i] >= 0) this.depth[i] = reader.uint();
    for (let i = 0; i < size; i++) if (thread[i] >= 0) this.launch[i] = this.start[i] - reader.int();
    for (let i = 0; i < size; i++) if (count[i] === 1) this.detail[i] = reader.uint() - 1;
  }

  lower(column, value) {
    return lowerBound(column, value, this.size);
  }

  /* The same, quick where it is near. */
  gallop(value, low) {
    const { start, size } = this;
    let step = 1;
    while (low + step < size && start[low + step] < value) step *= 2;
    let high = Math.min(size, low + step);
    low += step >> 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* The box at a time, or the one before it that reaches it; -1: none. */
  find(time) {
    let index = this.lower(this.start, time);
    if (index === this.size || this.start[index] > time) index--;
    return index >= 0 && this.end[index] >= time ? index : -1;
  }

  /* Those of `names` (a flag for each), as a level of their own. */
  only(names) {
    const chosen = [];
    for (let i = 0; i < this.size; i++) if (this.name[i] >= 0 && names[this.name[i]]) chosen.push(i);
    const level = new Level(chosen.length);
    for (const column of ["start", "end", "busy", "name", "count", "kind"])
      chosen.forEach((from, to) => (level[column][to] = this[column][from]));
    level.from = chosen;
    return level;
  }
}

class Track {
  constructor([process, kind, name, device, ...sizes], index) {
    Object.assign(this, { process, kind: TRACK_KINDS[kind], name, device, sizes, index });
  }
}

class TimelineData {
  static async read(block) {
    const reader = new Reader(await unpack(block.data, block.packing));
    const data = Object.assign(new TimelineData(), block);
    data.span = Math.max(1, block.end_ns - block.start_ns);
    data.tracks = block.tracks.map((track, index) => new Track(track, index));
    for (const track of data.tracks) track.levels = track.sizes.map((size) => new Level(size).read(reader));
    data.names = new Texts(reader, block.names);
    data.details = new Texts(reader, block.details);
    data.hues = new Uint8Array(block.names).fill(NO_HUE);
    return data;
  }

  nameOf(level, index) {
    return level.name[index] < 0 ? "" : this.names.at(level.name[index]);
  }

  hueOf(name) {
    if (name < 0) return 0;
    if (this.hues[name] === NO_HUE) this.hues[name] = hue(this.names.at(name));
    return this.hues[name];
  }

  /* Calls `use(level, index, track, depth)` for all device operations. */
  operations(use) {
    for (const track of this.tracks)
      if (track.kind === "stream")
        track.levels.forEach((level, depth) => {
          for (let i = 0; i < level.size; i++) use(level, i, track, depth);
        });
  }

  /* What was launched between two times of a thread: boxes, the longest first. */
  launchedIn(track, from, to, least = 0) {
    const found = [];
    this.operations((level, index, stream, depth) => {
      const launch = level.launch[index];
      if (level.thread[index] === track && launch >= from && launch <= to && level.depth[index] >= least)
        found.push({ track: stream, depth, level, index });
    });
    return found.sort((a, b) => b.level.busy[b.index] - a.level.busy[a.index]);
  }

  /* Ranges and calls of a thread at a time, outermost first, down to a level. */
  pathAt(track, time, depth) {
    const path = [];
    for (let i = 0; i <= depth && i < track.levels.length; i++) {
      const index = track.levels[i].find(time);
      if (index >= 0) path.push({ track, depth: i, level: track.levels[i], index });
    }
    return path;
  }

  /* All boxes of a name, in order of tracks and time. */
  all(name) {
    const number = this.names.indexOf(name), found = [];
    for (const track of number < 0 ? [] : this.tracks)
      track.levels.forEach((level, depth) => {
        for (let index = 0; index < level.size; index++) if (level.name[index] === number) found.push({ track, depth, level, index });
      });
    return found;
  }

  /* A name, or those that differ from it in numbers: "frame *", "ProfilerStep*". */
  numbersOf(name) {
    const number = this.names.indexOf(name);
    if (number >= 0 || !name.includes("*")) return new Set(number < 0 ? [] : [number]);
    const parts = name.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp("^" + parts.join("#?[0-9]+") + "$");
    return new Set(Array.from({ length: this.names.length }, (_, index) => index).filter((index) => pattern.test(this.names.at(index))));
  }

  /* The longest box of a name. */
  longest(name) {
    const numbers = this.numbersOf(name);
    let best = null;
    for (const track of numbers.size ? this.tracks : [])
      track.levels.forEach((level, depth) => {
        for (let index = 0; index < level.size; index++)
          if (numbers.has(level.name[index]) && (!best || level.busy[index] > best.level.busy[best.index]))
            best = { track, depth, level, index };
      });
    return best;
  }

  /* Sums by name of what lies between two times; what reaches out counts with the part inside. */
  sums(tracks, from, to, most) {
    const sums = new NameSums(this.names.length);
    for (const track of tracks)
      for (const { start, end, busy, count, kind, name, size } of track.levels)
        for (let i = lowerBound(end, from, size); i < size && start[i] < to; i++) {
          const inside = Math.max(0, Math.min(end[i], to) - Math.max(start[i], from)), whole = end[i] - start[i];
          sums.add(name[i], kind[i], count[i], count[i] > 1 && whole > 0 ? busy[i] * (inside / whole) : inside);
        }
    return sums.rows(this, most);
  }
}

/* Counts and times by name and kind, in arrays: a name has one kind, as a rule, and others are in a map. */
class NameSums {
  constructor(names) {
    this.ns = new Float64Array(names + 1), this.times = new Float64Array(names + 1); /* the last: without a name */
    this.kinds = new Uint8Array(names + 1);
    this.others = new Map();
    this.busy = 0; /* of devices */
  }

  add(name, kind, times, ns) {
    const at = name < 0 ? this.ns.length - 1 : name;
    if (kind >= FIRST_DEVICE_KIND && kind <= LAST_DEVICE_KIND) this.busy += ns;
    if (!this.times[at]) this.kinds[at] = kind;
    if (this.kinds[at] === kind) {
      this.times[at] += times, this.ns[at] += ns;
      return;
    }
    const key = at * 8 + kind, sum = this.others.get(key) || { at, kind, count: 0, ns: 0 };
    sum.count += times, sum.ns += ns;
    this.others.set(key, sum);
  }

  /* { rows: { name, kind, count, ns } of those with most time, all: how many there are, busy }. */
  rows(data, most) {
    const sums = [...this.others.values()], least = nthLargest(this.ns, most);
    let all = sums.length, equal = 0;
    for (let at = 0, { ns, times, kinds } = this; at < ns.length; at++) {
      if (!times[at]) continue;
      all++;
      if (ns[at] > least || (ns[at] === least && equal++ < most)) sums.push({ at, kind: kinds[at], count: times[at], ns: ns[at] });
    }
    const rows = sums.sort((a, b) => b.ns - a.ns).slice(0, most);
    for (const row of rows) row.name = row.at < data.names.length ? data.names.at(row.at) : "";
    return { rows, all, busy: this.busy };
  }
}

/* Without sorting them all; the least of fewer. */
function nthLargest(values, n) {
  if (values.length <= n) return 0;
  const left = Float64Array.from(values);
  let low = 0, high = left.length - 1;
  while (low < high) {
    const pivot = left[(low + high) >> 1];
    let i = low, j = high;
    while (i <= j) {
      while (left[i] > pivot) i++;
      while (left[j] < pivot) j--;
      if (i > j) break;
      const value = left[i];
      left[i++] = left[j], left[j--] = value;
    }
    if (n - 1 <= j) high = j;
    else if (n - 1 >= i) low = i;
    else break;
  }
  return left[n - 1];
}
