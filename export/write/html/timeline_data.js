/* timeline_data.js - the boxes of the timeline: unpacked, searched, added up. Times are nanoseconds from its start.
 *
 * A Level has columns: start[], end[], name[] (an index, -1 none), kind[], count[], busy[], detail[] (an index, -1 none)
 * and of device operations thread[] (a track, -1 unknown), depth[] and launch[] (a time).
 */

const TRACK_KINDS = ["thread", "python", "stream"];
const BOX_KINDS = ["range", "call", "kernel", "copy", "set", "graph", "communication", "function"];
const CALL_KIND = 1, FIRST_DEVICE_KIND = 2, LAST_DEVICE_KIND = 6;

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

  texts(count) {
    const decoder = new TextDecoder();
    return Array.from({ length: count }, () => {
      const size = this.uint();
      this.at += size;
      return decoder.decode(this.bytes.subarray(this.at - size, this.at));
    });
  }
}

async function unpack(data, packing) {
  const text = atob(data), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  if (packing === "none") return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
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

  /* The first from `low` on whose value is at least `value`. */
  lower(column, value, low = 0) {
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
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
    data.names = reader.texts(block.names);
    data.details = reader.texts(block.details);
    data.numbers = new Map(data.names.map((name, index) => [name, index]));
    return data;
  }

  nameOf(level, index) {
    return level.name[index] < 0 ? "" : this.names[level.name[index]];
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
    const number = this.numbers.get(name), found = [];
    for (const track of number === undefined ? [] : this.tracks)
      track.levels.forEach((level, depth) => {
        for (let index = 0; index < level.size; index++) if (level.name[index] === number) found.push({ track, depth, level, index });
      });
    return found;
  }

  /* The longest box of a name, of some tracks. */
  longest(name, tracks = this.tracks) {
    const number = this.numbers.get(name);
    let best = null;
    for (const track of number === undefined ? [] : tracks)
      track.levels.forEach((level, depth) => {
        for (let index = 0; index < level.size; index++)
          if (level.name[index] === number && (!best || level.busy[index] > best.level.busy[best.index]))
            best = { track, depth, level, index };
      });
    return best;
  }

  /* Sums by name of what lies between two times: { name, kind, count, ns }; what reaches out counts with the part inside. */
  sums(tracks, from, to) {
    const sums = new Map();
    for (const track of tracks)
      for (const level of track.levels)
        for (let i = level.lower(level.end, from); i < level.size && level.start[i] < to; i++)
          addTo(sums, level, i, this.names, Math.max(0, Math.min(level.end[i], to) - Math.max(level.start[i], from)));
    return [...sums.values()].sort((a, b) => b.ns - a.ns);
  }
}

function addTo(sums, level, index, names, inside) {
  const key = level.name[index] * 8 + level.kind[index], whole = level.end[index] - level.start[index];
  let sum = sums.get(key);
  if (!sum) sums.set(key, (sum = { name: names[level.name[index]] || "", kind: level.kind[index], count: 0, ns: 0 }));
  sum.count += level.count[index];
  sum.ns += level.count[index] > 1 && whole > 0 ? level.busy[index] * (inside / whole) : inside;
}
