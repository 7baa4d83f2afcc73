#!/usr/bin/env bash
# What tests fetch: one of those that want it at once fetches, nobody sees a part, what was killed is begun anew, and what
# cannot be had is not asked for again and again.
. "$(dirname "$0")/common.sh"
BUILD_DIR=$here
. "$e2e_directory/packages_common.sh"

# ---- eight at once ----
slowly() {
    echo "$BASHPID" >>"$here/fetched"
    mkdir "$1"
    for part in {1..20}; do
        echo "$part" >"$1/$part"
        sleep 0.01
    done
}
one() {
    mkdir "$1"
    cd "$1"
    fetch_by whole slowly && ls "$packages/whole" | wc -l >seen
}
for number in {1..8}; do
    one "$number" &
done
wait
same "what each sees" "20 20 20 20 20 20 20 20" "$(cat [1-8]/seen | paste -sd' ')"
same "how often it was fetched" 1 "$(wc -l <fetched)"

# ---- killed within ----
half() {
    mkdir "$1"
    touch "$1/half"
    kill -KILL "$BASHPID"
}
fetch_by killed half 2>/dev/null && fail "what was killed is there"
[[ ! -e $packages/killed ]] || fail "a part is there"
fetch_by killed slowly || fail "after a kill: $(cat fetch.txt)"
same "after a kill" 20 "$(ls "$packages/killed" | wc -l)"

# ---- not to be had ----
refuse() {
    echo "$BASHPID" >>"$here/refused"
    mkdir "$1"
    echo "no such package"
    return 1
}
for time in first second; do
    rm -f fetch.txt
    fetch_by absent refuse && fail "the $time time: it is there"
    same "the reason, the $time time" "no such package" "$(tail -n 1 fetch.txt)"
done
same "how often it was asked for" 1 "$(wc -l <refused)"
touch -d '11 minutes ago' "$packages/absent.failed"
fetch_by absent refuse && fail "later: it is there"
same "how often it was asked for, later" 2 "$(wc -l <refused)"
fetch_by absent slowly && fail "it was asked for at once"
touch -d '11 minutes ago' "$packages/absent.failed"
fetch_by absent slowly || fail "it can be had again: $(cat fetch.txt)"
