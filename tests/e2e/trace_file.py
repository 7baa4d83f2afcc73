"""Reads a trace file by the words of format.h alone: a second opinion beside profdump.

    trace = TraceFile("run.prof")
    trace.names, trace.threads, trace.logs ...

Events are read when something asks for them: Python takes seconds for a million.
"""
import collections
import functools
import struct

CHUNK = 65536
PUSH, POP, MARK, EXT, HOLE, NVTX_PUSH, NVTX_POP = range(1, 8)
THREAD, THREAD_END, PUSH_WIDE, MARK_WIDE, RANGE_BEGIN, RANGE_END, COUNTER, ATTR, STEP = range(1, 10)
RANGE = 22
PART = 27
EPOCH = 12
NAME, INFO, CLOCK, THREAD_INFO, CONTROL = 64, 65, 66, 67, 71
EVENT_NAME, DOMAIN, CATEGORY, RESOURCE = 73, 74, 75, 76

Event = collections.namedtuple("Event", "kind name ticks words")
NvtxRange = collections.namedtuple("NvtxRange", "thread domain name category color depth attributes ended")
Clock = collections.namedtuple("Clock", "ticks monotonic realtime width")


class TraceFile:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        (magic, self.version, order, header_bytes, chunk_bytes, self.pid, self.parent_pid, self.clock_kind,
         self.state) = struct.unpack_from("<8s8I", self.data, 0)
        assert magic == b"\x89PROF\r\n\x1a", magic
        assert (order, header_bytes, chunk_bytes) == (0x01020304, 4096, CHUNK)
        self.closed = self.state == 2
        self.flags, self.rank, self.local_rank, self.world_size = struct.unpack_from("<I3i", self.data, 84)
        self.chunk_count, = struct.unpack_from("<Q", self.data, 104)
        self.loss = struct.unpack_from("<64Q", self.data, 256)
        self.names, self.full_bytes, self.infos, self.named_threads = {}, {}, {}, {}
        self.clocks, self.controls = [], []
        self.event_names, self.domains, self.categories, self.resources = {}, {}, {}, {}
        self.thread_infos = 0
        self.meta = []
        chains = collections.defaultdict(list)
        for number in range((len(self.data) + CHUNK - 1) // CHUNK):
            self._chunk(number, chains)
        self.logs = {log: sorted(chain) for log, chain in chains.items()}
        self.gaps = sum(1 for chain in self.logs.values() for place, entry in enumerate(chain)
                        if entry[0] != place)

    def _chunk(self, number, chains):
        start = number * CHUNK
        if number == 0:
            return self._meta(4096, CHUNK)
        magic, kind, _, log, _, sequence, base, _, _, _, part = struct.unpack_from("<IHHIIQQQIII", self.data, start)
        if magic != 0x4B484350:
            return
        if kind == 1:
            self._meta(start + 64, start + CHUNK)
        elif kind == 2:
            chains[log].append((sequence, start + 64, start + CHUNK, base))
        else:
            self._parts(start, part, base, chains)

    def _parts(self, start, part, base, chains):
        """Each part that is in use begins with a record that names its log and thread."""
        for at in range(start, start + CHUNK, part):
            begin = at + 64 if at == start else at
            header, log, _, sequence = struct.unpack_from("<QIIQ", self.data, begin)
            if header:
                assert header & 15 == EXT and header >> 4 & 0xFF == PART, (begin, hex(header))
                chains[log].append((sequence, begin + 8 * (header >> 12 & 0xFFF), at + part, base))

    def _words(self, start, end):
        """Each record or hole as (offset, header, kind, words)."""
        at = start
        end = min(end, len(self.data))
        while at < end:
            header, = struct.unpack_from("<Q", self.data, at)
            kind = header & 15
            size = header >> 12 & 0xFFF if kind in (EXT, HOLE) else 1
            if header:
                assert PUSH <= kind <= NVTX_POP and size, (at, hex(header))
                yield at, header, kind, size
            at += 8 * size

    def _meta(self, start, end):
        self.meta.append((start, end))
        for at, header, kind, _ in self._words(start, end):
            if kind == HOLE:
                continue
            assert kind == EXT, (at, kind)
            kind = header >> 4 & 0xFF
            if kind == NAME:
                name, size, full, _ = struct.unpack_from("<4I", self.data, at + 8)
                self.names[name] = self.data[at + 24:at + 24 + size]
                self.full_bytes[name] = full
            elif kind == INFO:
                key, size = struct.unpack_from("<2I", self.data, at + 8)
                self.infos[key] = self.data[at + 16:at + 16 + size]
            elif kind == CLOCK:
                self.clocks.append(Clock(*struct.unpack_from("<4Q", self.data, at + 8)))
            elif kind == THREAD_INFO:
                thread, tid, size, flags = struct.unpack_from("<4I", self.data, at + 8)
                self.thread_infos += 1
                self.named_threads[thread] = (tid, self.data[at + 24:at + 24 + size].decode(), flags)
            elif kind == EVENT_NAME:
                event, *rest = struct.unpack_from("<6I", self.data, at + 8)
                self.event_names[event] = rest
            elif kind == DOMAIN:
                domain, name = struct.unpack_from("<2I", self.data, at + 8)
                self.domains[domain] = name
            elif kind == CATEGORY:
                domain, category, name = struct.unpack_from("<3I", self.data, at + 8)
                self.categories[domain, category] = name
            elif kind == RESOURCE:
                handle, domain, type_, name, _ = struct.unpack_from("<Q4I", self.data, at + 8)
                self.resources[domain, type_, handle] = name
            elif kind == CONTROL:
                self.controls.append(struct.unpack_from("<Q2I", self.data, at + 8))

    def holes(self):
        """How many there are in META and in the logs."""
        logs = [(start, end) for chain in self.logs.values() for _, start, end, _ in chain]
        return sum(kind == HOLE for place in self.meta + logs for _, _, kind, _ in self._words(*place))

    def events(self):
        """(thread, Event) of every log in order; for EXT the kind is 16 + its type."""
        for chain in self.logs.values():
            thread = 0
            for _, start, end, base in chain:
                for at, header, kind, size in self._words(start, end):
                    if kind == HOLE:
                        continue
                    if kind != EXT:
                        yield thread, Event(kind, header >> 4 & 0xFFFFF, base + (header >> 24), ())
                        continue
                    words = struct.unpack_from(f"<{size - 1}Q", self.data, at + 8)
                    if header >> 4 & 0xFF == THREAD:
                        thread = words[0] & 0xFFFFFFFF
                    yield thread, Event(16 + (header >> 4 & 0xFF), 0, base + (header >> 24), words)

    @functools.cached_property
    def threads(self):
        """{thread: (tid, name, flags)}, by what META says, or else their logs."""
        told = {}
        for _, event in self.events():
            if event.kind == 16 + THREAD and len(event.words) > 1:
                thread, size = event.words[0] & 0xFFFFFFFF, event.words[1] & 0xFFFFFFFF
                text = struct.pack(f"<{len(event.words) - 2}Q", *event.words[2:])[:size]
                told[thread] = (event.words[0] >> 32, text.decode(), event.words[1] >> 32)
        return {**told, **self.named_threads}

    def pairs(self):
        """Completed push+pop pairs as {(thread, name): count}, unmatched pops, ranges left open."""
        counts, stacks = collections.Counter(), collections.defaultdict(list)
        unmatched = 0
        unfinished = 0
        for thread, event in self.events():
            if event.kind == PUSH:
                stacks[thread].append(event.name)
            elif event.kind == 16 + PUSH_WIDE:
                stacks[thread].append(event.words[0])
            elif event.kind == POP and stacks[thread]:
                counts[thread, self.names.get(stacks[thread].pop())] += 1
            elif event.kind == POP:
                unmatched += 1
            elif event.kind == 16 + EPOCH:
                unfinished += len(stacks[thread])
                stacks[thread].clear()
        return counts, unmatched, unfinished + sum(map(len, stacks.values()))

    # ---- NVTX ----

    def text(self, name):
        return self.names[name].decode() if name else ""

    def said(self, event):
        """What a name id or event name id says: (domain, name, category, colour or None)."""
        if event in self.event_names:
            name, domain, category, color, flags = self.event_names[event]
            return (self.text(self.domains.get(domain, 0)), self.text(name),
                    self.text(self.categories.get((domain, category), 0)) or category, color if flags & 1 else None)
        return "", self.text(event), 0, None

    def domain_of(self, event):
        return self.event_names[event][1] if event in self.event_names else 0

    def value(self, kind, bits):
        if kind == 3:
            return self.text(bits)
        return struct.unpack({1: "<q", 2: "<d"}.get(kind, "<Q"), struct.pack("<Q", bits))[0]

    def nvtx(self):
        """Ranges (in the order of their begin) and marks of NVTX, and its pops and ends without a beginning."""
        ranges, marks, unopened = [], [], 0
        stacks, opened, latest, begun = collections.defaultdict(list), collections.defaultdict(list), {}, {}
        order = sorted(enumerate(self.events()), key=lambda each: (each[1][1].ticks, each[0]))
        for _, (thread, event) in order:
            kind, words = event.kind, event.words
            if kind == NVTX_PUSH or kind == 16 + 14:
                name = event.name if kind == NVTX_PUSH else words[0]
                entry = NvtxRange(thread, *self.said(name), len(stacks[thread, self.domain_of(name)]), {}, [])
                ranges.append(entry)
                stacks[thread, self.domain_of(name)].append(entry)
                opened[thread].append(entry)
            elif kind == PUSH or kind == 16 + PUSH_WIDE:
                stacks[thread, "prof.h"].append(NvtxRange(thread, "prof.h", event.name, 0, None, 0, {}, []))
                opened[thread].append(stacks[thread, "prof.h"][-1])
            elif kind == POP and stacks[thread, "prof.h"]:
                entry = stacks[thread, "prof.h"].pop()
                opened[thread] = [each for each in opened[thread] if each is not entry]
            elif kind == NVTX_POP and not stacks[thread, event.name]:
                unopened += 1
            elif kind == NVTX_POP:
                entry = stacks[thread, event.name].pop()
                entry.ended.append(thread)
                opened[thread] = [each for each in opened[thread] if each is not entry]
            elif kind == MARK:
                marks.append(NvtxRange(thread, *self.said(event.name), 0, {}, []))
                latest[thread] = marks[-1]
            elif kind == 16 + RANGE_BEGIN:
                begun[words[1]] = NvtxRange(thread, *self.said(words[0]), 0, {}, [])
                ranges.append(begun[words[1]])
            elif kind == 16 + RANGE:
                ranges.append(NvtxRange(thread, *self.said(words[0]), 0, {}, [thread]))
            elif kind == 16 + RANGE_END and words[0] in begun:
                begun[words[0]].ended.append(thread)
            elif kind == 16 + RANGE_END:
                unopened += 1
            elif kind == 16 + ATTR:
                target = words[2] if len(words) > 2 else 0
                about = opened[thread][-1] if target == 0 else latest[thread] if target == 1 else begun[target]
                about.attributes[self.text(words[0] & 0xFFFFFFFF)] = self.value(words[0] >> 32, words[1])
        return ranges, marks, unopened
