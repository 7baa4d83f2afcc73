# What the tests of jobs of many ranks share: sourced. Sets the commands make_job and fleet; skips where DuckDB cannot be had.
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/common.sh"
. "$e2e_directory/packages_common.sh"

command -v python3 >/dev/null || skip "needs python3"
fetch duckdb duckdb || skip "DuckDB could not be fetched: $(tail -n 1 fetch.txt)"
fleet_directory=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PYTHONPATH=$e2e_directory/../../python_shim:$packages/duckdb:$fleet_directory
export LIBPROF_BIN=$PROF_BIN LIBPROF_LIBRARY=$lib PYTHONDONTWRITEBYTECODE=1

make_job() { "$PROF_BIN/../test/make_job" "$@"; }
fleet() { python3 -m libprof "$@"; }
