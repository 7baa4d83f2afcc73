#!/usr/bin/env bash
# The tables of the demo programs, as golden files: which rows there are, how often, and every time of the device, which
# the simulation's model makes the same each time. REFRESH=1 writes the files anew.
. "$(dirname "$0")/cuda_common.sh"

golden=$e2e_directory/golden
examples=$e2e_directory/../../examples

# normalised FILE: the table, sorted by name, without what differs from run to run: times of the CPU, numbers of
# processes, versions. The accounts of the device must add up.
normalised() {
    "$PROF_BIN/profdump" --verbose --sort name --rows 1000 "$1" | python3 -c '
import os, re, sys
uncounted = os.environ.get("SIM_CUPTI_LAYOUT") in ("11.0", "11.2") # does not tell the nodes of graphs
for line in sys.stdin.read().splitlines():
    cells = re.split(r"  +", line.strip())
    if len(cells) == 11 and cells[1].endswith("%"):
        cells[1:6] = ["#"] * 5
    elif line.startswith(("Program:", "Recorded:", "Self CPU")):
        cells = [re.split(r"[: ]", line)[0] + " #"]
    elif line.startswith("GPU mode:"):
        cells = [re.split(r";", line)[0].replace(", beside other tools", "")]
    elif re.match(r"Device \d+: self device time", line): # to the nanosecond, and it adds up
        total, busy, overlap, busy_again, idle, window = [
            int(number.replace(".", "")) for number in re.findall(r"([0-9.]+)[mu]?s", line)]
        assert total == busy + overlap and busy == busy_again and busy + idle == window, line
        cells = [f"{line.split(chr(58))[0]}: self {total} = busy {busy} + overlap {overlap}"]
    elif line.startswith("libprof cost"):
        continue
    elif uncounted and line.startswith("Ledger:"): # the simulation loses nothing
        cells = [line.replace("no loss is known, but some losses would not show:", "nothing lost")]
    elif uncounted and line.startswith("  unjudged "):
        continue
    print(" | ".join(cells))
'
}

# The C programs are built here: they make the same calls on every machine.
for name in demo demo_ranges; do
    "$CC" -std=gnu17 -O1 -I"$include" "$examples/$name.c" -o $name -L"$SIM_LIB" -l:libcudart.so.13
    simulate $name.prof ./$name >/dev/null
    normalised $name.prof >$name.txt
    if [[ -n ${REFRESH:-} ]]; then
        mkdir -p "$golden" && cp $name.txt "$golden/$name.txt"
    fi
    diff -u "$golden/$name.txt" $name.txt || fail "the table of $name is not the golden one (REFRESH=1 makes it so)"
done
no_violations "libprof in the demo programs"

# What nvcc makes of the CUDA sources does the same work on the device.
if [[ -n ${CUDA_NVCC:-} && -x ${EXAMPLES_DIR:-}/demo_ranges ]]; then
    for name in demo demo_ranges; do
        simulate nvcc-$name.prof "$EXAMPLES_DIR/$name" >/dev/null
        for file in $name nvcc-$name; do
            normalised $file.prof | grep -E '^(void|Mem(cpy|set)|argmax)' | grep -v cuda >$file.device.txt || true
        done
        [[ -s $name.device.txt ]] || fail "no work on the device"
        diff -u $name.device.txt nvcc-$name.device.txt || fail "$name.cu and $name.c differ on the device"
    done
    expect_cuda nvcc-*.prof -- "loss['launched'] == loss['recorded'] and facts['mode'] == 'cupti'"
fi
