#!/usr/bin/env bash
# On a terminal, ./dev lists missing packages and asks before it installs them as root. Scripts have no terminal, or say --yes.
. "$(dirname "$0")/common.sh"
: "${SOURCE_DIR:?}"

# A PATH without a CMake, until apt-get installs one that "builds".
mkdir tools installed
for tool in bash cp env dirname readlink nproc mkdir rm sleep sed tail head awk cat df find grep wc ln chmod; do
    ln -s "$(type -P $tool)" tools/
done
for tool in gcc make g++; do
    printf '#!/bin/sh\n' >tools/$tool
done
printf '#!/bin/sh\necho 0\n' >tools/id
cat >tools/apt-get <<STUB
#!/bin/sh
echo "\$*" >>"$here/apt.log"
[ "\$1" != install ] || cp "$here/cmake" "$here/installed/cmake"
STUB
cat >cmake <<'STUB'
#!/bin/sh
mkdir -p build/bin
printf '#!/bin/sh\n' >build/bin/profdump
chmod +x build/bin/profdump
STUB
chmod +x cmake
chmod +x tools/*
cp "$SOURCE_DIR/dev" .
export TERM=dumb

# on_terminal ANSWER ARGUMENT...: what ./dev shows on a terminal where somebody types the answer.
on_terminal() {
    rm -rf apt.log build installed/cmake
    touch apt.log
    status=0
    ANSWER=$1 timeout 60 python3 "$e2e_directory/in_terminal.py" 100 env PATH="$here/tools:$here/installed" "${@:2}" >shown.txt 2>&1 ||
        status=$?
}

on_terminal n ./dev build
same "a declined installation" 1 "$status"
found 'missing: .*cmake' <shown.txt || fail "what it would install is not listed: $(cat shown.txt)"
found -F 'as root? [Y/n]' <shown.txt || fail "it did not ask: $(cat shown.txt)"
found 'run as root: apt-get update && apt-get install .*cmake' <shown.txt || fail "no command: $(cat shown.txt)"
same "what was installed without consent" "" "$(cat apt.log)"

for answer in '' y; do
    on_terminal "$answer" ./dev build
    same "after the answer '$answer'" 0 "$status"
    found '^install .*cmake' <apt.log || fail "answer '$answer': nothing was installed: $(cat shown.txt)"
done

for words in '--yes build' 'build -y'; do
    # shellcheck disable=SC2086 # two words
    on_terminal n ./dev $words
    same "./dev $words" 0 "$status"
    found '^install .*cmake' <apt.log || fail "$words: nothing was installed: $(cat shown.txt)"
    ! found '\[Y/n\]' <shown.txt || fail "$words asked: $(cat shown.txt)"
done

rm -rf apt.log build installed/cmake
timeout 600 env PATH="$here/tools:$here/installed" ./dev build </dev/null >shown.txt 2>&1 || fail "without a terminal: $(cat shown.txt)"
found '^install .*cmake' <apt.log || fail "without a terminal: nothing was installed: $(cat shown.txt)"
