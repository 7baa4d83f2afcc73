#!/usr/bin/env bash
# Every relative link of the documentation leads somewhere, and a broken one is found.
set -euo pipefail

links() { python3 "$SOURCE_DIR/tests/e2e/links.py" "$1"; }

fail() {
    echo "FAILED: $*"
    exit 1
}

links "$SOURCE_DIR" || fail "broken links"

# finds PATTERN LINE: a page with this line is refused for that reason, and without it accepted.
finds() {
    rm -rf tree
    mkdir -p tree/docs
    printf '%s\n' '# Index' '' '[A](a.md)' >tree/docs/README.md
    printf '%s\n' '# A page' '' '[here](#a-page), [up](../docs/README.md#index), `[code](nowhere.md)`' >tree/docs/a.md
    links tree >out.txt || fail "good links were refused: $(cat out.txt)"
    printf '%s\n' '' "$2" >>tree/docs/a.md
    ! links tree >out.txt || fail "not found: $2"
    grep -q "$1" out.txt || fail "$2: $(cat out.txt)"
}

finds 'there is no such file' '[text](missing.md)'
finds 'there is no such file' "$(printf '[text over\ntwo lines](missing.md)')"
finds 'has no such heading' '[text](#missing)'
finds 'has no such heading' '[text](README.md#a-page)'
finds 'leads out of the tree' '[text](../../a.md)'

touch tree/docs/lonely.md
links tree >out.txt || true
grep -q 'no link to lonely.md' out.txt || fail "an unlinked page was not found: $(cat out.txt)"
printf '/* See docs/%s.md. */\n' gone >tree/a.c
links tree >out.txt || true
grep -q 'a.c: names docs/gone' out.txt || fail "a page named by a source was not found: $(cat out.txt)"
