#!/usr/bin/env bash
# Numbers in what libprof writes have a decimal point, whatever locale the program has chosen.
. "$(dirname "$0")/common.sh"

# ---- no function that follows the locale prints a fraction in libprof.so, but number.c ----
source=$e2e_directory/../..
printed=$(cd "$source" && grep -rnE '"[^"]*%[-+ #0-9.*]*l?[efgaEFGA]([^a-zA-Z%][^"]*)?"' libprof/src libprof/entry cupti nvtx itt nccl cublas cpython --include=*.c |
    grep -vE '^libprof/src/common/(number|config)\.c:' || true)
same "fractions that follow the locale" "" "$printed"

# ---- a hang ----
compile fractions
mkdir locales
for locale in de_DE ps_AF; do # a comma; two bytes
    localedef -i $locale -f UTF-8 locales/$locale.UTF-8 >/dev/null 2>&1 || skip "no localedef, or no sources of locales"
done
for locale in C de_DE.UTF-8 ps_AF.UTF-8; do
    mkdir $locale
    (cd $locale && mkdir metrics && PROF_LOG=1 PROF_HANG=300ms PROF_PROMETHEUS=metrics \
        record f.prof env LOCPATH="$here/locales" LC_ALL=$locale ../fractions >half.txt 2>said.txt) || fail "$locale: $?"
    "$PROF_BIN/profdump" check $locale/f.prof >check.txt || fail "$locale: $(cat check.txt)"
    env LOCPATH="$here/locales" LC_ALL=$locale "$PROF_BIN/profdump" hang --json $locale/f.prof >$locale/hang.json
    env LOCPATH="$here/locales" LC_ALL=$locale "$PROF_BIN/profdump" -o $locale/f.json $locale/f.prof
done
same "the program's own point" "0,5" "$(cat de_DE.UTF-8/half.txt)"

# Without what differs from run to run: times, numbers of processes, addresses.
shape() { sed -E 's/[0-9]{3,}|0x[0-9a-f]+/N/g; s/(seconds|silent|after)=[0-9]+\.[0-9]/\1=N.N/g' "$1" | grep -E '^(hang|open|resumed) '; }
for locale in de_DE.UTF-8 ps_AF.UTF-8; do
    same "the text in $locale" "$(shape C/f.prof.hang.txt)" "$(shape $locale/f.prof.hang.txt)"
    same "the messages in $locale" "$(sed 's/[0-9.]* s[:;]/N s/' C/said.txt)" \
        "$(sed "s/[0-9.]* s[:;]/N s/; s/$locale/C/" $locale/said.txt)"
    grep -E '[0-9],[0-9]' $locale/metrics/* && fail "$locale: metrics"
    python3 - C/f.json $locale/f.json <<'EOF' || fail "$locale: attributes"
import json, sys
def of(path):
    return [event["args"] for event in json.load(open(path))["traceEvents"] if event.get("name") in ("stuck", "load")]
assert of(sys.argv[1]) == of(sys.argv[2]) != [], (of(sys.argv[1]), of(sys.argv[2]))
EOF
    python3 -m json.tool $locale/hang.json >/dev/null || fail "$locale: JSON"
done
grep -q '"weight"=2\.75' C/f.prof.hang.txt || fail "no attribute: $(cat C/f.prof.hang.txt)"
