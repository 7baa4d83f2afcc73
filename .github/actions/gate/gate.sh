#!/usr/bin/env bash
# gate.sh - the step of action.yml: records a command, compares it with the base branch, and comments on the pull request.
#
# The variables GATE_* are the action's inputs. A pull request is compared with the recording of its base branch. A push replaces
# that recording, and so does a pull request if there is none yet.
#
# Exits with the program's status if that is not 0; with 4 if it became slower; with 5 if the result is open and GATE_FAIL_IF_INCONCLUSIVE
# is true; with 2 if an input is wrong, 1 if the comparison fails, else with 0.
set -euo pipefail

fail() {
    echo "::error title=libprof gate::$2"
    exit "$1"
}

output() { printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"; }

[[ -n ${GATE_COMMAND:-} ]] || fail 2 "there is no command"
[[ ${GATE_RUNS:=1} =~ ^[1-9][0-9]{0,2}$ ]] || fail 2 "runs must be a number from 1 to 999"
[[ ${GATE_NAME:=gate} =~ ^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$ ]] ||
    fail 2 "name may have 40 letters, digits, dots, hyphens and underscores, and begins with a letter or digit"
[[ ${GATE_FAIL_IF_INCONCLUSIVE:=false} =~ ^(true|false)$ ]] || fail 2 "fail-if-inconclusive must be true or false"
for program in profrun profdump; do
    command -v "$program" >/dev/null || fail 2 "$program is not in PATH: install libprof in an earlier step"
done
base=${GITHUB_BASE_REF:-} # empty unless it is a pull request
branch=${base:-${GITHUB_REF_NAME:?}}
baselines=${GATE_BASELINE:-${RUNNER_TOOL_CACHE:?}/libprof-gate}
# The name of a branch may have any characters and be long; the checksum tells apart those that look the same when cut.
baseline=${branch//[^A-Za-z0-9._-]/_}
baseline=$GATE_NAME-${baseline:0:40}-$(printf '%s' "$branch" | cksum | cut -d' ' -f1)
work=$(mktemp -d "${RUNNER_TEMP:-/tmp}/libprof-gate.XXXXXX")
output directory "$work"
mkdir "$work/runs"

record() {
    local options=() run status
    read -ra options <<<"${GATE_PROFRUN_OPTIONS:-}"
    for ((run = 1; run <= GATE_RUNS; run++)); do
        status=0
        env -u GH_TOKEN profrun -q "${options[@]}" -o "$work/runs/$run-%p.prof" -- bash -c "$GATE_COMMAND" || status=$?
        if ((status)); then
            output verdict program-failed
            fail "$status" "the command failed with status $status; nothing was compared"
        fi
    done
}

save() {
    mkdir -p "$baselines"
    profdump baseline save --force --baselines "$baselines" "$baseline" "$work/runs" >"$work/errors.txt" 2>&1 ||
        fail 1 "profdump baseline save: $(head -n 1 "$work/errors.txt")"
}

# Whether nothing was lost.
is_complete() { profdump check --ledger --fail-on-loss "$work/runs" >"$work/ledger.txt" 2>&1; }

# GitHub links people, issues and pull requests even where a backslash precedes the character. A comment ends such a word.
inert() {
    awk '/^```/ { fence = !fence }
        !fence { gsub(/@/, "@<!-- -->"); gsub(/\\#/, "\\#<!-- -->"); gsub(/GH-/, "GH<!-- -->-") }
        { print }'
}

# Sets verdict and title, and writes comparison.md.
compare() {
    local status=0
    profdump diff --format markdown --rows "${GATE_ROWS:-5}" --names "base,this run" --fail-if-slower "${GATE_LIMIT:-5%}" \
        --judge "${GATE_JUDGE:-auto}" --baselines "$baselines" --baseline "$baseline" "$work/runs" >"$work/comparison.md" 2>"$work/errors.txt" || status=$?
    case $status in
    0) verdict=passed title="passed: not slower than the base branch" ;;
    4) verdict=failed title="FAILED: slower than the base branch" ;;
    5) verdict=inconclusive title="inconclusive: noise or missing data leave it open" ;;
    *) fail "$status" "profdump diff: $(head -n 1 "$work/errors.txt")" ;;
    esac
}

# write_comment FILE: at most 60,000 bytes of it, of 65,536 that GitHub accepts.
marker="<!-- libprof-gate $GATE_NAME -->"
write_comment() {
    printf '%s\n### libprof %s: %s\n\n' "$marker" "$GATE_NAME" "$title"
    if (($(wc -c <"$1") > 60000)); then
        head -c 60000 "$1" | sed '$d'
        printf '\n(Cut: set rows to a smaller number.)\n'
    else
        cat "$1"
    fi
}

# Replaces the comment of an earlier run, if there is one.
comment() {
    local repository=repos/${GITHUB_REPOSITORY:?} id
    id=$(gh api --paginate "$repository/issues/$GATE_PULL_REQUEST/comments" \
        --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | tail -n 1) || return
    if [[ -n $id ]]; then
        gh api --silent --method PATCH "$repository/issues/comments/$id" --field "body=@$work/comment.md"
    else
        gh api --silent --method POST "$repository/issues/$GATE_PULL_REQUEST/comments" --field "body=@$work/comment.md"
    fi
}

record
: >"$work/comparison.md"
if ! is_complete; then
    verdict=inconclusive title="inconclusive: the recording is not complete"
    { echo '```'; cat "$work/ledger.txt"; echo '```'; } >"$work/comparison.md"
elif [[ -z $base ]]; then
    verdict=saved title="this run is the new recording of the branch"
    save
elif [[ ! -d $baselines/$baseline ]]; then
    verdict=saved title="passed: there was no recording of the base branch"
    echo "This run is what later pull requests are compared with, until a push to the base branch replaces it." >"$work/comparison.md"
    save
else
    compare
fi
inert <"$work/comparison.md" >"$work/inert.md"
write_comment "$work/inert.md" >"$work/comment.md"
cat "$work/comment.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
token=libprof-$RANDOM$RANDOM$RANDOM # no name of the recording is a command of the workflow
printf '%s\n' "::stop-commands::$token"
cat "$work/comparison.md"
printf '%s\n' "::$token::"
output verdict "$verdict"

if [[ ${GATE_COMMENT:-true} == true && ${GATE_PULL_REQUEST:-} =~ ^[0-9]+$ ]]; then
    if ! command -v gh >/dev/null; then
        echo "::warning title=libprof gate::there is no comment, since gh is not in PATH; the job's summary has the table"
    elif ! comment; then
        echo "::warning title=libprof gate::the comment could not be written; the job's summary has the table"
    fi
fi

case $verdict in
failed) fail 4 "$title" ;;
inconclusive)
    [[ $GATE_FAIL_IF_INCONCLUSIVE == false ]] || fail 5 "$title"
    echo "::warning title=libprof gate::$title"
    ;;
*) echo "::notice title=libprof gate::$title" ;;
esac
