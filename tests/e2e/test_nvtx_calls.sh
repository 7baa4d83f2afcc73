#!/usr/bin/env bash
# Every NVTX call that libprof records, as programs built with NVIDIA's headers make it.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/nvtx_common.sh"

need_nvtx
compile_nvtx nvtx_calls
record calls.prof ./nvtx_calls

nvtx calls.prof \
    'sum(raw.loss) == 0 and raw.closed' \
    'count["", "outer"] == 3 and count["", "inner"] == 3 and count["", "wïde 😀"] == 3' \
    'of("outer").depth == 0 and of("inner").depth == 1 and of("wïde 😀").depth == 2' \
    '[mark.name for mark in marks[:2]] == ["ascii mark", "wide mark"]' \
    'unopened == 2' \
    'count["one", "registered"] == 8 and count["two", "plain in two"] == 5 and count["", "default"] == 4' \
    'of("registered").category == "seven" and of("registered").color == 0xff00ff00' \
    'of("plain in two").category == 0 and of("plain in two").color is None' \
    'of("in default seven").category == "default seven"' \
    'sorted(raw.text(name) for name in raw.domains.values()) == ["extended", "one", "two"]'

# Payloads of every type, on ranges and on marks.
nvtx calls.prof \
    '[of(name).attributes["payload"] for name in ("u64", "i64", "double", "u32", "i32", "float")] ==
     [2**64 - 1, -5, -2.5, 2**31, -1, 0.5]' \
    '[mark.attributes["payload"] for mark in marks if mark.name == "mark with payload"] ==
     [2**64 - 1, -5, -2.5, 2**31, -1, 0.5]'

# Ranges that any thread may end.
nvtx calls.prof \
    'count["", "first"] == 1 and count["", "second"] == 1 and count["one", "in one, elsewhere"] == 1' \
    'of("in one, elsewhere").attributes == {"payload": 11}' \
    'of("in one, elsewhere").ended != [of("in one, elsewhere").thread]'

# PyTorch's names: one row for an operator, what differs in attributes; nothing of it fills the name table.
nvtx calls.prof \
    'count["", "aten::mm"] == 100 and count["", "MmBackward"] == 1 and count["", "looks, seq = like it"] == 1' \
    '[each.attributes for each in ranges if each.name == "aten::mm"][42] == {"seq": 42, "op_id": 84,
     "sizes": "[[2, 3], [3, 4]]", "input_op_ids": "[(41,0)]"}' \
    'of("MmBackward").attributes == {"stashed_seq": 5}' \
    'not any(b"aten::mm," in name for name in raw.names.values())'

# Extended payloads.
nvtx calls.prof \
    'of("with blobs").attributes == {"bytes": 2**20, "small": -3, "part.scale": 1.5, "part.mode": "FAST",
     "dims": "[4, 5, 6]", "text": "from the payload", "payload": 77}' \
    '[each.attributes.get("payload") for each in ranges if each.name == "from the payload"] == [78, 78]' \
    '[each.attributes["part.mode"] for each in marks if each.name == "from the payload"] == ["FAST"]'

# Names of things; the same name again is not said again.
nvtx calls.prof \
    '{tid == raw.pid: name for tid, name, flags in raw.threads.values() if not flags} ==
     {True: "the main thread", False: "ender"}' \
    'raw.thread_infos < 10' \
    '{(type_, handle): raw.text(name) for (_, type_, handle), name in raw.resources.items()} ==
     {(0, 0xabc0): "a pool", (3, 0xabc1): "copy stream"}'
