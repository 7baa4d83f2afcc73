# What the tests of the skill share: sourced. Sets skill and tests, and `fleet` to --without-fleet where DuckDB cannot be had.
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/cuda_common.sh"
. "$e2e_directory/packages_common.sh"

skill=$SOURCE_DIR/skill
tests=$SOURCE_DIR/tests/skill
[[ -e $EXAMPLES_DIR/demo_ranges ]] || skip "the examples are not built"

# Without a GPU, profrun simulates one.
mkdir tools
printf '#!/bin/sh\nexec "%s" --sim "$@"\n' "$PROF_BIN/profrun" >tools/profrun
chmod +x tools/profrun
ln -s "$PROF_BIN/profdump" tools/profdump
export PATH=$here/tools:$PATH LIBPROF_BIN=$PROF_BIN LIBPROF_LIBRARY=$lib PYTHONDONTWRITEBYTECODE=1

fleet=--without-fleet
if fetch duckdb duckdb; then
    fleet=
    export PYTHONPATH=$SOURCE_DIR/python_shim:$packages/duckdb
else
    echo "DuckDB could not be fetched, so commands of fleet are left out: $(tail -n 1 fetch.txt)"
fi
