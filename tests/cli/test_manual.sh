#!/usr/bin/env bash
# Each command has a manual page, written from its declaration, which mandoc finds no fault with.
set -eu
rm -rf pages && mkdir pages
"$BIN_DIR/profdump" --write-manual pages
failed=0
while IFS=$'\t' read -r kind name state _; do
    if [[ $kind == command && $state == shown && $name != - && ! -s pages/profdump-${name// /-}.1 ]]; then
        echo "FAILED: $name has no page"
        failed=1
    fi
done < <("$BIN_DIR/profdump" --list-options)
grep -q 'Fl -fail-if-slower Ar LIMIT' pages/profdump-diff.1 || { echo "FAILED: an option is missing"; failed=1; }
if command -v mandoc >/dev/null; then
    for page in pages/*.1 "$SOURCE_DIR"/export/profdump/*.1; do
        mandoc -Tlint -W warning "$page" || failed=1
    done
fi
"$BIN_DIR/profdump" --write-manual no/such/folder 2>error.txt && failed=1
grep -q 'no/such/folder' error.txt || failed=1
exit $failed
