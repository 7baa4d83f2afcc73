#!/usr/bin/env bash
# Traces are private, overwrite nothing, and are never made by privileged programs.
. "$(dirname "$0")/common.sh"

compile ranges
export PROF_LOG=0

(umask 0 && record mode.prof ./ranges)
same "mode of a trace" 600 "$(stat -c %a mode.prof)"

echo precious >existing.prof
record existing.prof ./ranges
same "an existing file" precious "$(cat existing.prof)"
others=(existing-*.prof)
expect "${others[0]}" 'count["outer"] == 1'
same "files beside it" 1 ${#others[@]}

ln -s target.prof link.prof
record link.prof ./ranges
[[ ! -e target.prof ]] || fail "a symbolic link was followed"
same "traces beside a link" 1 "$(find . -name 'link-*.prof' | wc -l)"

# %n takes the lowest number that is free.
for _ in 1 2 3; do record run%n.prof ./ranges; done
same "numbered traces" "run1.prof run2.prof run3.prof" "$(echo run?.prof)"

# No variable's value leaves the directory.
EVIL=../../evil record 'safe-%q{EVIL}.prof' ./ranges
expect safe-.._.._evil.prof 'count["outer"] == 1'

# PROF_SESSION_FILE is only ever appended to, never made, and no link is followed.
: >session
for _ in 1 2; do PROF_SESSION_FILE=$here/session record session%n.prof ./ranges; done
same "announced files" "$here/session1.prof $here/session2.prof" "$(paste -sd' ' session)"
PROF_SESSION_FILE=$here/no_session record other.prof ./ranges
[[ ! -e no_session ]] || fail "a session file was made"
ln -s session linked
PROF_SESSION_FILE=$here/linked record third.prof ./ranges
same "lines of the session file" 2 "$(wc -l <session)"

# In a set-user-id program a linked library is inert.
if ((EUID == 0)) && command -v setpriv >/dev/null; then
    cp -P "$PROF_LIB"/libprof.so* . # the build may lie where an ordinary user may not enter
    compile ranges -DPROF_LINKED -L. -lprof -Wl,-rpath,"$here"
    PROF_START=now PROF_OUTPUT=ordinary.prof ./ranges
    expect ordinary.prof 'count["outer"] == 1'
    chmod 755 "$here" && chmod 4755 ranges && mkdir -m 777 drop
    cd drop
    if ! findmnt -no OPTIONS -T . 2>/dev/null | found nosuid; then
        PROF_START=now PROF_OUTPUT=set_uid.prof setpriv --reuid=54321 --clear-groups ../ranges ||
            fail "a set-user-id program failed"
        same "files of a set-user-id program" "" "$(ls -A)"
    fi
else
    echo "note: not root, without a set-user-id program"
fi
