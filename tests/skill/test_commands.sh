#!/usr/bin/env bash
# Every command of the skill works, and `profdump skill` prints its files.
. "$(dirname "$0")/../e2e/cuda_common.sh"
. "$e2e_directory/packages_common.sh"

skill=$SOURCE_DIR/skill
tests=$SOURCE_DIR/tests/skill
export PYTHONDONTWRITEBYTECODE=1
[[ -e $EXAMPLES_DIR/demo_ranges ]] || skip "the examples are not built"

# The files are embedded as they are.
"$PROF_BIN/profdump" skill | cmp - "$skill/SKILL.md" || fail "profdump skill prints something else"
for path in "$skill"/references/*.md; do
    name=$(basename "$path" .md)
    "$PROF_BIN/profdump" skill "$name" | cmp - "$path" || fail "profdump skill $name prints something else"
    "$PROF_BIN/profdump" skill --help | tr '\n' ' ' | found -w "$name" || fail "the help of skill does not name $name"
done

# What commands name. Without a GPU, profrun simulates one.
mkdir -p tools files/ranks
printf '#!/bin/sh\nexec "%s" --sim "$@"\n' "$PROF_BIN/profrun" >tools/profrun
ln -s "$PROF_BIN/profdump" tools/profdump
chmod +x tools/profrun
export PATH=$here/tools:$PATH LIBPROF_BIN=$PROF_BIN LIBPROF_LIBRARY=$lib
cp "$EXAMPLES_DIR/demo_ranges" files/app
(cd files && for name in run before after; do
    profrun -q -o $name.prof -- ./app >/dev/null
done)
"$PROF_BIN/../test/make_job" ranks=4 steps=4 fault=slow_gpu files/ranks

fleet=--without-fleet
if fetch duckdb duckdb; then
    fleet=
    export PYTHONPATH=$SOURCE_DIR/python_shim:$packages/duckdb
else
    echo "DuckDB could not be fetched, so commands of fleet are left out: $(tail -n 1 fetch.txt)"
fi
run() { python3 "$tests/commands.py" "$1" "$2" files ${3-$fleet}; }

# A skill with a mistake fails, for that mistake.
# wrong WHAT SENTENCE LINE...: with this block at its end
wrong() {
    rm -rf wrong wrong_run
    cp -r "$skill" wrong
    printf '%s\n' "${@:3}" >>wrong/references/memory.md
    ! run wrong wrong_run --without-fleet >wrong.txt || fail "a skill with $1 passes"
    found -F "$2" <wrong.txt || fail "a skill with $1: $(cat wrong.txt)"
}
wrong "an unknown command" "exited with status 2" '```sh' '# What?' 'profdump expalin run.prof' '```'
wrong "an unknown option" "exited with status 2" '```sh' '# What?' 'profdump memory --no-such-option run.prof' '```'
wrong "a command that prints text" "printed no JSON" '```sh' '# What?' 'echo --json' '```'
wrong "a command without a question" "without a question" '```sh' 'profdump memory run.prof' '```'
wrong "a block that nothing runs" "not of sh" '```console' '$ profdump memory run.prof' '```'
wrong "an unknown command in the text" 'there is no `profdump expalin`' 'Use `profdump expalin`.'
wrong "an unknown option in the text" 'there is no `profrun --no-such-option`' 'Use `profrun --no-such-option`.'
wrong "a link to nothing" "there is no nothing.md" '[nothing](nothing.md)'
wrong "too many lines" "not fewer than 60" "$(seq 60)"

status=0
run "$skill" skill_run || status=$?
no_violations "a command of the skill"
exit $status
