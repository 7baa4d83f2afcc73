#!/usr/bin/env bash
# docs/ranks.md ends with what 'profdump fleet schema' prints. DuckDB is not needed for that.
. "$(dirname "$0")/../e2e/common.sh"

command -v python3 >/dev/null || skip "needs python3"
export PYTHONPATH=$e2e_directory/../../python_shim PYTHONDONTWRITEBYTECODE=1
python3 -m libprof fleet schema >schema.md
diff <(sed -n '/^### ranks$/,$p' "$e2e_directory/../../docs/ranks.md") <(sed -e '$ { /^$/d }' schema.md) ||
    fail "docs/ranks.md has other tables than 'profdump fleet schema'"

# The C program runs the package's commands, or says what is missing. What lies in the working directory is not the package.
"$PROF_BIN/profdump" fleet schema | diff schema.md - || fail "profdump fleet schema"
mkdir -p elsewhere/libprof alone
echo 'raise SystemExit("code of the working directory was run")' >elsewhere/libprof/__init__.py
cd elsewhere
PYTHONPATH='' "$PROF_BIN/profdump" fleet schema | diff ../schema.md - || fail "profdump fleet schema without an installed package"
said=$(PYTHONPATH='' "$PROF_BIN/profdump" snapshot none 2>&1) && fail "a snapshot that is not there"
[[ $said == "profdump: "*"No such file or directory: 'none'" ]] || fail "profdump snapshot: $said"
cp "$PROF_BIN/profdump" ../alone
if ! (cd / && PYTHONPATH='' python3 -c 'import libprof' 2>/dev/null); then
    said=$(PYTHONPATH='' LD_LIBRARY_PATH=$PROF_LIB ../alone/profdump fleet schema 2>&1) && fail "no error without the package"
    [[ $said == "profdump: 'fleet' needs libprof's Python package, which is not on any package index: build it with './dev wheel'"* ]] || fail "$said"
fi
cd "$here"
