#!/usr/bin/env bash
# The GitHub action: what its step does in a pull request and after a push, with a gh that writes down what it is asked for.
. "$(dirname "$0")/../e2e/cuda_common.sh"

action=$SOURCE_DIR/.github/actions/gate
tests=$SOURCE_DIR/tests/gate
[[ -e $EXAMPLES_DIR/demo_ranges ]] || skip "the examples are not built"
"$CC" -O1 -I"$include" "$tests/named.c" -o named

mkdir -p tools bare temporary comments
printf '#!/bin/sh\nexec "%s" --sim "$@"\n' "$PROF_BIN/profrun" >tools/profrun
cat >tools/gh <<'GH'
#!/usr/bin/env bash
# Answers the requests of gate.sh: a pull request whose comments are the files in comments/, each named after its number.
set -eu
echo "$*" >>gh.txt
[[ ! -e gh_fails ]] || exit 1
[[ $1 == api && -n $GH_TOKEN ]]
for word; do
    case $word in
    body=@*) body=${word#body=@} ;;
    */issues/7/comments) target=new ;;
    */issues/comments/*) target=${word##*/} ;;
    esac
done
case $* in
*"--method POST repos/us/app/issues/7/comments"*) cp "$body" comments/1001 ;;
*"--method PATCH repos/us/app/issues/comments/"*) cp "$body" "comments/$target" ;;
*"--paginate repos/us/app/issues/7/comments --jq"*) ls comments ;;
*) exit 2 ;;
esac
GH
ln -s "$PROF_BIN/profdump" tools/profdump
ln -s "$here/tools/profrun" "$PROF_BIN/profdump" bare
chmod +x tools/*
export PATH=$here/tools:$PATH

# gate [NAME=VALUE]...: runs the step as a pull request into main would; sets status. Output is in log.txt.
gate() {
    : >output.txt && : >summary.txt && rm -f gh.txt
    status=0
    env GITHUB_BASE_REF=main GITHUB_REF_NAME=7/merge GITHUB_REPOSITORY=us/app GATE_PULL_REQUEST=7 GH_TOKEN=secret \
        GITHUB_OUTPUT=output.txt GITHUB_STEP_SUMMARY=summary.txt RUNNER_TEMP="$here/temporary" GATE_BASELINE="$here/baselines" \
        GATE_JUDGE=device SIM_KERNEL_NS=5000 GATE_COMMAND="$EXAMPLES_DIR/demo_ranges" "$@" \
        bash "$action/gate.sh" >log.txt 2>&1 || status=$?
}
# ended STATUS VERDICT WHAT
ended() {
    [[ $status == "$1" ]] || fail "$3: ended with $status, not $1: $(cat log.txt)"
    found -x "verdict=$2" <output.txt || fail "$3: $(cat output.txt), not $2"
}
# says FILE TEXT
says() { found -F -- "$2" <"$1" || fail "$1 does not say '$2': $(cat "$1")"; }

# The inputs of the action are those of the script, and no expression gets into a line of the shell.
sed -n 's/^        \(GATE_[A-Z_]*\): .*/\1/p' "$action/action.yml" | sort >inputs.txt
grep -o 'GATE_[A-Z_]*' "$action/gate.sh" | grep -v '_$' | sort -u | diff inputs.txt - || fail "the action's variables differ from the script's"
! grep -E '^ +run:.*\{\{' "$action/action.yml" || fail "an expression is in a line of the shell"
! grep -E '^ +(- )?uses:' "$action/action.yml" || fail "the action uses another one"

# Without a recording of the base branch, this one is saved.
gate
ended 0 saved "the first run"
says log.txt "there was no recording of the base branch"
says comments/1001 "### libprof gate: passed: there was no recording of the base branch"
[[ $(ls baselines) == gate-main-* ]] || fail "no baseline: $(ls baselines)"

# The same again passes, and replaces the comment.
gate
ended 0 passed "the same run"
says gh.txt "--method PATCH repos/us/app/issues/comments/1001"
says comments/1001 "### libprof gate: passed"
says comments/1001 "### By kernel"
cmp comments/1001 summary.txt || fail "the summary is not the comment"
says output.txt "directory=$here/temporary/libprof-gate."

# Slower: it fails with the verdict.
gate SIM_KERNEL_NS=6000
ended 4 failed "a slower run"
says comments/1001 "### libprof gate: FAILED: slower than the base branch"
says comments/1001 "device time: slower by 8.6 %"
says comments/1001 "limit 5 %: FAILED"
says comments/1001 '| void layer\_forward\<float\>'
says log.txt "::error title=libprof gate::FAILED: slower"
gate SIM_KERNEL_NS=6000 GATE_LIMIT=10%
ended 0 passed "a run within the limit"

# Inconclusive: a run lacks what is judged.
gate GATE_COMMAND="./named load" GATE_JUDGE=auto GATE_NAME=cpu
ended 0 saved "the first run without a device"
gate GATE_COMMAND="./named load" GATE_NAME=cpu
ended 0 inconclusive "a run without what is judged"
says log.txt "::warning title=libprof gate::inconclusive"
says comments/1001 "### libprof cpu: inconclusive"
gate GATE_COMMAND="./named load" GATE_NAME=cpu GATE_FAIL_IF_INCONCLUSIVE=true
ended 5 inconclusive "a run without what is judged, where that fails"

# The program's failure is kept, and nothing is compared or saved.
ls -R baselines >before.txt
gate GATE_COMMAND="$EXAMPLES_DIR/demo_ranges && exit 42"
ended 42 program-failed "a command that fails"
[[ ! -e gh.txt ]] || fail "a command that fails writes a comment"
ls -R baselines | diff before.txt - || fail "a command that fails changes the baseline"
gate GATE_COMMAND='[[ -z ${GH_TOKEN:-} ]]'
((status == 0)) || fail "the command has the token: $(cat log.txt)"

# What lost events is not compared, and not saved.
gate PROF_MAX_MB=2 GATE_NAME=lossy GATE_COMMAND='for i in {1..3}; do ./named $(seq 60000); done'
ended 0 inconclusive "a run that lost events"
says comments/1001 "the recording is not complete"
[[ ! -e $(echo baselines/lossy-*) ]] || fail "a run that lost events is saved"

# A push replaces the recording of its branch, and comments nowhere.
gate GITHUB_BASE_REF= GITHUB_REF_NAME=main GATE_PULL_REQUEST= SIM_KERNEL_NS=6000
ended 0 saved "a push"
[[ ! -e gh.txt ]] || fail "a push writes a comment"
gate SIM_KERNEL_NS=6000
ended 0 passed "a run like the push"

# Several runs, and options of profrun.
gate GATE_RUNS=2 GATE_NAME=two GATE_PROFRUN_OPTIONS="--stacks --env A=B" GATE_COMMAND='[[ $A == B ]] && ./named x'
ended 0 saved "two runs"
[[ $(find baselines/two-* -name '1-*.prof' | wc -l) -gt 0 && $(find baselines/two-* -name '2-*.prof' | wc -l) -gt 0 ]] || fail "two runs: $(ls baselines/two-*)"

# Branches with any name have a directory of their own.
gate GITHUB_BASE_REF='../../a b' && gate GITHUB_BASE_REF='../..+a b'
ended 0 saved "a branch with another name"
[[ $(ls -d baselines/gate-.._.._a_b-* | wc -l) == 2 ]] || fail "branches: $(ls baselines)"

# Names of the recording are text: in the comment, and in the log, where lines that begin with :: are commands.
hostile=('@octocat' 'us/app@octocat' '#1' 'us/app#1' 'fixes GH-1' 'https://evil.example' 'www.evil.example' '![x](https://evil.example/x.png)'
    '<img src=x onerror=alert(1)>' '<!-- ' ' -->' '[a](javascript:alert(1))' '`code`' '```' '| a | b |' '::error::x' '**bold** _it_ ~~no~~' '&copy;' '$x$'
    $'two\nlines' $'\n## heading' $'\e[31mred' $'\u202egnp.exe' '{{ a }}' '\@octocat' '\\')
printf '%q ' ./named "${hostile[@]}" >command.txt
gate GATE_NAME=hostile GATE_ROWS=-1 GATE_COMMAND="$(cat command.txt)"
gate GATE_NAME=hostile GATE_ROWS=-1 GATE_COMMAND="$(cat command.txt)"
ended 0 inconclusive "hostile names"
python3 "$tests/inert.py" comments/1001 "${#hostile[@]}" || fail "names mean something in the comment: $(cat comments/1001)"
says comments/1001 'octocat'
sed -n '/^::stop-commands::libprof-/,/^::libprof-/p' log.txt | found octocat || fail "names are in the log where commands are: $(cat log.txt)"
# The judge sees what is not text.
for text in 'a @octocat' 'fixes \#1' 'a\*b* c' 'https://evil.example'; do
    printf '%s\n' '<!-- libprof-gate x -->' '### libprof x: passed' "| $text |" >wrong.md
    ! python3 "$tests/inert.py" wrong.md 1 2>wrong.txt || fail "this is taken for text: $text"
done

# A large table is cut to what GitHub accepts.
gate GATE_NAME=large GATE_COMMAND='./named $(seq 3000)' && gate GATE_NAME=large GATE_ROWS=-1 GATE_COMMAND='./named $(seq 3000)'
(($(wc -c <comments/1001) < 65536)) || fail "a comment of $(wc -c <comments/1001) bytes"
says comments/1001 "set rows to a smaller number"

# Without gh, or without its permission, the result counts, and the log says so.
touch gh_fails
gate SIM_KERNEL_NS=9000
ended 4 failed "a slower run without permission to comment"
says log.txt "the comment could not be written"
rm gh_fails tools/gh
if ! command -v gh >/dev/null; then
    gate SIM_KERNEL_NS=6000
    ended 0 passed "a run without gh"
    says log.txt "gh is not in PATH"
fi

# Wrong inputs.
for wrong in GATE_COMMAND= GATE_RUNS=0 GATE_NAME='a/b' GATE_FAIL_IF_INCONCLUSIVE=maybe GATE_LIMIT=much GATE_JUDGE=luck; do
    gate "$wrong"
    ((status == 2)) || fail "$wrong: ended with $status: $(cat log.txt)"
    says log.txt "::error title=libprof gate::"
done
no_violations "the gate"
