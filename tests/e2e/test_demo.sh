#!/usr/bin/env bash
# docs/first-profile.md, "A run", shows what ./dev demo prints: the same commands, lines and rows. Numbers may differ, and so may rows of calls
# that put nothing on the device, which are sorted by their times.
. "$(dirname "$0")/common.sh"
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"

for example in demo demo_ranges; do
    [[ -x $BUILD_DIR/examples/$example ]] || skip "$example is not built"
done
[[ ! -e /dev/nvidiactl && ! -e /dev/dxg ]] || skip "there is a GPU: the page shows the simulated one"

# Uses the existing build.
mkdir build stubs
ln -s "$PROF_BIN" build/bin
ln -s "$BUILD_DIR/examples" build/examples
cp "$SOURCE_DIR/dev" .
printf '#!/bin/sh\n' >stubs/cmake
chmod +x stubs/cmake
export TERM=dumb
unset PROF_TABLE SIM_LIB
PATH=$here/stubs:$PATH python3 "$e2e_directory/in_terminal.py" 100 ./dev --yes demo >shown.txt || fail "$(cat shown.txt)"
sed '/^dev: /d' shown.txt >demo.txt
(($(awk '{ if (length($0) > most) most = length($0) } END { print most }' demo.txt) <= 120)) || fail "too wide: $(cat demo.txt)"
same "the last three lines" "Report: Timeline: In words:" "$(tail -n 3 demo.txt | sed -E 's/^([A-Za-z ]+:).*/\1/' | paste -sd' ')"
for file in demo demo_ranges; do
    [[ -s $file.prof && -s $file.json && -s $file.html ]] || fail "$file was not written"
done
"$PROF_BIN/profdump" explain demo_ranges.prof | found 'Simulated GPU' || fail "explain has nothing to say"

cat >shape.py <<'PYTHON'
import re
import sys


def shape(lines):
    """Lines without their numbers: folded ones joined, rows of the table only if they have device time."""
    rule, seen = 0, []
    for line in lines:
        line = line.rstrip()
        if line.startswith('---'):
            rule += 1
            line = '---'
        elif rule % 3 == 2:  # after a heading's rules, until the last
            cells = re.split('  +', line.strip())
            line = f'{cells[0][:16]} {len(cells)}' if not cells[-2].startswith('0.000us') else f'(call) {len(cells)}'
        elif line.startswith('    ') and rule % 3 == 0 and seen:
            seen[-1] += ' ' + line.strip()
            continue
        seen.append(line)
    text = '\n'.join(re.sub('pid .*', 'pid', re.sub(' +', ' ', line)) for line in seen if line).strip()
    return re.sub(r'[0-9.]+ ?(us|ms|s|%|[KMG]?i?B)?', '#', text).splitlines()


def page(path):
    """The section's indented lines up to the last that the command prints."""
    section = open(path, encoding='utf-8').read().split('\n## A run\n')[1].split('\n## ')[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith('    ') or not line]
    last = next(i for i, line in enumerate(lines) if line.startswith('In words:'))
    return lines[:last + 1]


for line in shape(page(sys.argv[1]) if sys.argv[1].endswith('.md') else open(sys.argv[1])):
    print(line)
PYTHON
python3 shape.py "$SOURCE_DIR/docs/first-profile.md" >page.shape
python3 shape.py demo.txt >demo.shape
diff -u page.shape demo.shape || fail "docs/first-profile.md shows something else"
