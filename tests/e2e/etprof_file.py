"""etprof_file.py FILE EXPRESSION...: a dump of prof buffers is sound, and each expression about it is true.

A reader of ExecuTorch's format version 1 of its own, stricter than theirs. An expression is Python and sees

    blocks   the blocks in order: .name .events .allocators {id: name} .allocations [(allocator's name, bytes)]
             an event: .name .chain .instruction .start .end
    names    {block's name: [names of its events]}, of its last iteration
    size     of the file in bytes

etprof_file.py --golden FILE GOLDEN.json: the reader agrees with what ExecuTorch's own parser answered.
"""
import collections
import json
import struct
import sys

HEADER = struct.Struct("@32s7I4x")
EVENT = struct.Struct("@32siIQQ")
ALLOCATOR = struct.Struct("@32sQ")
ALLOCATION = struct.Struct("@2I")
VERSION = 1

Header = collections.namedtuple("Header", "name version max_events events max_allocators allocators "
                                "max_allocations allocations")
Event = collections.namedtuple("Event", "name chain instruction start end")
Block = collections.namedtuple("Block", "header name events allocators allocations")


def text_of(field):
    name = field.rstrip(b"\0")
    assert b"\0" not in name, field
    return name.decode("utf-8")


def entries(layout, data, at, used, space):
    """The used entries of a table, and where it ends."""
    end = at + layout.size * space
    assert used <= space and end <= len(data), (used, space, end, len(data))
    return [layout.unpack_from(data, at + i * layout.size) for i in range(used)], end


def read(data):
    blocks, known, at = [], {}, 0
    while at < len(data):
        header = Header(*HEADER.unpack_from(data, at))
        assert header.version == VERSION, header
        events, at = entries(EVENT, data, at + HEADER.size, header.events, header.max_events)
        allocators, at = entries(ALLOCATOR, data, at, header.allocators, header.max_allocators)
        allocations, at = entries(ALLOCATION, data, at, header.allocations, header.max_allocations)
        own = {number: text_of(name) for name, number in allocators}
        known.update(own)
        blocks.append(Block(header, text_of(header.name), [Event(text_of(e[0]), *e[1:]) for e in events], own,
                            [(own.get(number, known.get(number)), size) for number, size in allocations]))
    return blocks


def check_ours(blocks):
    """What libprof promises beyond the format."""
    for block in blocks:
        header = block.header
        assert (header.max_events, header.max_allocators, header.max_allocations) == (
            header.events, header.allocators, header.allocations), header
        assert block.events or block.allocations, "an empty block"
        assert all(0 < event.start <= event.end for event in block.events), block.name
        assert all(a.start <= b.start for a, b in zip(block.events, block.events[1:])), block.name
        assert {name for name, _ in block.allocations} == set(block.allocators.values()), block
    one_table = {}
    for block in blocks:
        for number, name in block.allocators.items():
            assert one_table.setdefault(number, name) == name, (number, name, one_table)


def milliseconds(event):
    return round((event.end - event.start) / 1e6, 4)


def check_golden(blocks, golden):
    """Each block's events with the durations of all its iterations."""
    answer = collections.defaultdict(list)
    for block in blocks:
        answer[block.name].append([(e.name, e.chain, e.instruction, milliseconds(e)) for e in block.events])
    for name, rows in golden["profile"].items():
        ours = [(*first[:3], [one[3] for one in each]) for each in zip(*answer[name]) for first in each[:1]]
        theirs = [(row["name"], row["chain_idx"], row["instruction_idx"], row["duration"]) for row in rows]
        assert ours == theirs, (name, ours, theirs)


def main(path, *expressions):
    with open(path, "rb") as file:
        data = file.read()
    blocks = read(data)
    check_ours(blocks)
    facts = {"blocks": blocks, "names": {b.name: [e.name for e in b.events] for b in blocks}, "size": len(data)}
    for expression in expressions:
        if not eval(expression, dict(facts)):
            sys.exit(f"FAILED: {path}: {expression}\n{str(blocks)[:2000]}")


if __name__ == "__main__":
    if sys.argv[1] == "--golden":
        with open(sys.argv[2], "rb") as dump, open(sys.argv[3], encoding="utf-8") as answers:
            check_golden(read(dump.read()), json.load(answers))
    else:
        main(*sys.argv[1:])
