# What was recorded, for programs: ticks, metadata, allocations and values
cp "$TRACES"/*.et* .
profdump executorch blocks --format json --raw run.etdp | tee raw.json
python3 -m json.tool raw.json >/dev/null && echo strict
profdump executorch blocks --compat --format json --raw execute.etprof | head -2
# a counter of 32 bits that began anew, and an event that did not end
python3 - wrap.etprof <<'PYTHON'
import struct, sys
name = lambda text: text.encode().ljust(32, b"\0")
event = lambda text, start, end: struct.pack("<32siIQQ", name(text), -1, 0, start, end)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<32s8I", name("block"), 1, 2, 2, 0, 0, 0, 0, 0))
    file.write(event("wraps", 2**32 - 1000, 2000) + event("stays open", 10000, 0))
PYTHON
profdump executorch blocks --compat --format json --raw --wrap32 wrap.etprof
profdump executorch blocks --compat --format json --raw wrap.etprof
# what differs is in the answer: no words are needed
profdump executorch blocks --format json --raw differ_name.etprof | grep -c iterations
