#!/usr/bin/env bash
# Every command of the skill works, and `profdump skill` prints its files.
. "$(dirname "$0")/skill_common.sh"

# The files are embedded as they are.
"$PROF_BIN/profdump" skill | cmp - "$skill/SKILL.md" || fail "profdump skill prints something else"
for path in "$skill"/references/*.md; do
    name=$(basename "$path" .md)
    "$PROF_BIN/profdump" skill "$name" | cmp - "$path" || fail "profdump skill $name prints something else"
    "$PROF_BIN/profdump" skill --help | tr '\n' ' ' | found -w "$name" || fail "the help of skill does not name $name"
done

# What commands name.
mkdir -p files/recordings
cp "$EXAMPLES_DIR/demo_ranges" files/app
(cd files && for name in run before after; do
    profrun -q -o $name.prof -- ./app >/dev/null
done)
"$PROF_BIN/../test/make_job" ranks=4 steps=4 fault=slow_gpu files/recordings

run() { python3 "$tests/commands.py" "$1" "$2" files $fleet; }

# A skill with a mistake fails, for that mistake.
mkdir -p right/references
printf '%s\n' '---' 'name: right' 'description: what is right' '---' '[memory](references/memory.md)' >right/SKILL.md
printf '%s\n' '```sh' '# What was allocated?' 'profdump memory --json run.prof' '```' 'Use `profdump memory`, `profrun --sample 99`.' >right/references/memory.md
run right right_run || fail "a skill without a mistake fails"
# wrong WHAT SENTENCE LINE...: with these lines at its end
wrong() {
    rm -rf wrong wrong_run
    cp -r right wrong
    printf '%s\n' "${@:3}" >>wrong/references/memory.md
    ! run wrong wrong_run >wrong.txt || fail "a skill with $1 passes"
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
