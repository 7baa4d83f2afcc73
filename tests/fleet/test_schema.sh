#!/usr/bin/env bash
# docs/ranks.md ends with what 'profdump fleet schema' prints. DuckDB is not needed for that.
. "$(dirname "$0")/../e2e/common.sh"

command -v python3 >/dev/null || skip "needs python3"
export PYTHONPATH=$e2e_directory/../../python_shim PYTHONDONTWRITEBYTECODE=1
python3 -m libprof fleet schema >schema.md
diff <(sed -n '/^### ranks$/,$p' "$e2e_directory/../../docs/ranks.md") <(sed -e '$ { /^$/d }' schema.md) ||
    fail "docs/ranks.md has other tables than 'profdump fleet schema'"

# The C program runs the package's commands, or says what is missing.
"$PROF_BIN/profdump" fleet schema | diff schema.md - || fail "profdump fleet schema"
cd / # where no package lies beside the program
if ! PYTHONPATH='' python3 -c 'import libprof' 2>/dev/null; then
    said=$(PYTHONPATH='' "$PROF_BIN/profdump" fleet schema 2>&1) && fail "no error without the package"
    [[ $said == "profdump: 'fleet' needs the Python package: pip install 'libprof[fleet]'"* ]] || fail "$said"
fi
cd "$here"
