# suite.sh - builds and runs the tests, and counts them: sourced by ../dev, whose functions it uses.
# shellcheck shell=bash
#
#   ./dev test              the tests of the release build, without those that are long (tests/CMakeLists.txt)
#   ./dev test NAME...      those with one of the names in theirs, long or not; a file of tests is a name, too
#   ./dev test all          all, and the unit tests under ASan+UBSan and TSan
#   ./dev test PRESET...    of these builds instead: release, debug, ci, asan, tsan; "all" or names may follow
#
# A result is a line of $LOGS/results-PRESET: passed, failed, skipped or again (it failed, and passed when it was run once
# more alone); the test's name; why it was skipped.

# Processor seconds that building and running take on a machine of 2023.
declare -A building_s=([release]=300 [ci]=300 [debug]=300 [asan]=500 [tsan]=300)
declare -A testing_s=([short]=750 [release]=1400 [ci]=1400 [debug]=1400 [asan]=370 [tsan]=300)

# Makes lines of results from what ctest printed and from its LastTest.log.
results_of() { # LOG LAST_TEST_LOG
    awk '
        FNR == 1 { file++ }
        file == 1 && /^[0-9]+\/[0-9]+ Test: / {
            name = $0
            sub(/^[^:]*: /, "", name)
            reason = ""
        }
        file == 1 && /^(skipped|SKIP): / {
            reason = $0
            sub(/^[^:]*: /, "", reason)
        }
        file == 1 && /^SKIPPED \[/ { # by pytest
            reason = $0
            sub(/^SKIPPED \[[0-9]+\] [^ ]* (Skipped: )?/, "", reason)
        }
        file == 1 && previous ~ /: Skipped$/ { reason = $0 } # by GoogleTest
        file == 1 {
            previous = $0
            reasons[name] = reason
        }
        file == 2 && /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
            status = $0 ~ /   Passed +[0-9.]+ sec/ ? "passed" : $0 ~ /\*\*\*Skipped +[0-9.]+ sec/ ? "skipped" : "failed"
            name = $0
            sub(/^[^:]*: /, "", name)
            sub(/ \.+.*$/, "", name)
            print status "\t" name "\t" (status == "skipped" ? reasons[name] : "")
        }' "$2" "$1"
}

# count STATUS FILE...
count() { cat "${@:2}" 2>/dev/null | grep -cE "^($1)"$'\t' || true; }

names_of() { cat "${@:2}" | sed -nE "s/^$1\t([^\t]*)\t.*/\1/p"; }

# The one line that others read: N passed, N failed, N skipped.
counts() {
    echo "$(count 'passed|again' "$@") passed, $(count failed "$@") failed, $(count skipped "$@") skipped"
}

# What the tests that failed had to say, each cut to its end.
show_failures() { # RESULTS LAST_TEST_LOG
    local test
    names_of failed "$1" | head -n 20 | while read -r test; do
        echo "---- $test"
        awk -v name="$test" '
            / Test: / { inside = substr($0, length($0) - length(name)) == " " name }
            /^Test time =/ { inside = 0 }
            inside' "$2" | tail -n 30
    done >&2
}

# run_tests PRESET NAME WHAT OPTION...: runs ctest with its output in $LOGS/test-PRESET-NAME.log, and appends to the results.
# What ctest could not run counts as one failure.
run_tests() {
    local preset=$1 name=test-$1-$2 status=0 last run=(ctest --preset "$1" --no-tests=ignore)
    last=$(build_directory "$preset")/Testing/Temporary/LastTest.log
    # The sanitizers of gcc 12 cannot live with the address randomisation of newer kernels.
    if [[ $preset == [at]san ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
        run=(setarch "$(uname -m)" -R "${run[@]}")
    fi
    rm -f "$last"
    watched "$name" "$preset: $3" "${run[@]}" -j "$JOBS" "${@:4}" || status=$?
    touch "$last"
    results_of "$LOGS/$name.log" "$last" >"$LOGS/part"
    if [ "$status" -ne 0 ] && [ "$(count failed "$LOGS/part")" -eq 0 ]; then # ctest did not run them
        tail -n 20 "$LOGS/$name.log" >&2
        printf 'failed\tctest (%s)\t\n' "$3" >>"$LOGS/part"
    fi
    show_failures "$LOGS/part" "$last"
    [ "$2" != again ] || sed -i 's/^passed/again/' "$LOGS/part"
    cat "$LOGS/part" >>"$LOGS/results-$preset"
}

# Tests of whole processes may fail on a machine that is busy with other work: what failed runs once more, alone. A test
# that passes then is named beside the summary, for it should be mended. More than three failures are final, and so are
# those under sanitizers and those of ctest itself.
test_again() {
    local results=$LOGS/results-$1 names
    mapfile -t names < <(names_of failed "$results")
    [[ $1 != [at]san && ${#names[@]} -gt 0 && ${#names[@]} -le 3 && ${names[*]} != *"ctest ("* ]] || return 0
    sed -i '/^failed\t/d' "$results"
    JOBS=1 run_tests "$1" again "what failed, alone" \
        -R "^($(printf '%s\n' "${names[@]}" | sed 's/[][\.|$(){}?+*^]/\\&/g' | paste -sd '|'))\$"
}

# What ctest takes for the names that a person gives: a test's name or a part of it, or a file of tests.
pattern_of() {
    local name file
    for name; do
        name=$(sed -E 's,^(\./)?tests/,,; s,\.(sh|py|cc)$,,' <<<"$name")
        echo "$name"
        for file in "tests/$name.cc" tests/*/"$name.cc"; do
            [ ! -e "$file" ] || sed -E 's,.*/([^/]*)/[^/]*,^\1/all$,' <<<"$file" # with sanitizers
            [ ! -e "$file" ] || sed -nE 's,^(TYPED_)?TEST(_[FP])?\(([A-Za-z0-9_]+)\,.*,/\3[.],p' "$file" | sort -u
        done
    done | paste -sd '|'
}

# test_preset PRESET HOW [NAME...]: unit tests come first, since they are quick to fail. Of the others, some mostly wait: one
# more than there are processors runs at once.
test_preset() {
    local preset=$1 how=$2 results=$LOGS/results-$1
    : >"$results"
    if ! configure "$preset" || ! build "$preset" all; then
        printf 'failed\tbuilding %s\t\n' "$preset" >"$results"
        return
    fi
    if [ $# -gt 2 ]; then
        run_tests "$preset" named "tests named ${*:3}" -R "$(pattern_of "${@:3}")"
        [ -s "$results" ] || say "no test of $preset has such a name; 'ctest --test-dir $(build_directory "$preset") -N' lists all"
    else
        run_tests "$preset" unit "unit tests" -L '^unit$'
        JOBS=$((JOBS + 1)) run_tests "$preset" other "other tests" -LE "^(unit$([ "$how" = long ] || echo '|long'))\$"
    fi
    test_again "$preset"
}

# say_duration HOW PRESET...: says beforehand how long it takes. HOW: short, or long.
say_duration() {
    local preset seconds=0 first=0
    for preset in "${@:2}"; do
        [ "$1" = short ] && [[ $preset != [at]san ]] && seconds=$((seconds + testing_s[short])) ||
            seconds=$((seconds + testing_s[$preset]))
        [ -e "$(build_directory "$preset")/test" ] || first=$((first + building_s[$preset]))
    done
    say "takes about $((seconds / JOBS / 60 + 1)) minutes on $JOBS processors$(
        [ "$first" -eq 0 ] || echo ", and $((first / JOBS / 60 + 1)) to build what is tested")"
}

# Why tests were skipped, and how many for each reason: many need traces that others published, each another one.
say_reasons() {
    cat "$@" | sed -n 's/^skipped\t[^\t]*\t//p' | sed 's|.*shared.*|no ../shared/data, or not all of it|' | sort | uniq -c | sort -rn | while read -r number reason; do
        say "skipped $number: ${reason:-no reason given}"
    done
}

# What `./dev test` does.
run_suite() {
    local word preset how=short presets=() names=() results=()
    for word; do
        case $word in
        all) how=long ;;
        release | debug | ci | asan | tsan) presets+=("$word") ;;
        *) names+=("$word") ;;
        esac
    done
    if [ ${#presets[@]} -eq 0 ]; then
        presets=(release)
        [ $how = short ] || presets+=(asan tsan)
    fi
    if [ ${#names[@]} -eq 0 ]; then
        say_duration $how "${presets[@]}"
    fi
    want_tests
    if [ $how = long ] || [ ${#names[@]} -gt 0 ]; then
        want chromium chromium # reports are opened in a browser
    fi
    install_missing
    fetch_nvtx
    fetch_prometheus
    fetch_pprof
    rm -f "$LOGS"/results-* "$LOGS/summary" build*/packages/*.failed
    for preset in "${presets[@]}"; do
        test_preset "$preset" $how "${names[@]}"
    done
    for preset in "${presets[@]}"; do
        results+=("$LOGS/results-$preset")
    done
    say_reasons "${results[@]}"
    for preset in "${presets[@]}"; do
        say "$preset: $(counts "$LOGS/results-$preset"); $LOGS/test-$preset-*.log"
    done
    names_of again "${results[@]}" | while read -r word; do
        say "passed only when run alone: $word"
    done
    names_of failed "${results[@]}" | while read -r word; do
        say "$word (Failed)"
    done
    counts "${results[@]}" | tee "$LOGS/summary"
    [ "$(count failed "${results[@]}")" -eq 0 ] && [ "$(count 'passed|again|skipped' "${results[@]}")" -gt 0 ]
}
