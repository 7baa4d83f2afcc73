#!/usr/bin/env bash
# Runs one file of the Python package's tests with the build's library and programs. $PYTHON, or python3, or Debian's
# python3 must have pytest; where none has, pip is asked for it once, into the build directory.
#
# A line "# packages: pandas pyarrow" in the file has pip fetch what is named and not there already; where pip cannot,
# the tests that want it find that out by pytest.importorskip. "# bare packages: lightning" is without what these need,
# such as a PyTorch of some GB; what they use of it is named, too.
set -euo pipefail

. "$SOURCE_DIR/tests/e2e/packages_common.sh"

has_pytest() { command -v "$1" >/dev/null && PYTHONPATH=$packages/pytest "$1" -c 'import pytest' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
        if has_pytest "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

# has_package REQUIREMENT: a name, NAME==VERSION or NAME>=NUMBER.
has_package() {
    "$python" - "$1" <<'PYTHON'
import re, sys
from importlib.metadata import PackageNotFoundError, version

name, relation, wanted = re.fullmatch(r"([\w-]+)(?:(==|>=)(.+))?", sys.argv[1]).groups()
try:
    found = version(name)
except PackageNotFoundError:
    sys.exit(1)
if relation == "==" and found != wanted or relation == ">=" and int(found.split(".")[0]) < int(wanted):
    sys.exit(1)
PYTHON
}

if ! python=$(find_python); then
    if ! fetch pytest pytest || ! python=$(find_python); then
        echo "SKIP: no python3 here has pytest (Debian: python3-pytest)"
        exit 77
    fi
fi

export LIBPROF_LIBRARY=$LIB_DIR/libprof.so.0 LIBPROF_BIN=$BIN_DIR PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$SOURCE_DIR/python_shim:$packages/pytest
# want FILE KIND OPTION...: the packages that a line of the file names.
want() {
    local package name wanted
    read -ra wanted <<<"$(sed -n "s/^# $2: //p" "$1")"
    for package in "${wanted[@]}"; do
        name=${package%%[=<>+]*}
        if has_package "$package"; then
            continue
        elif fetch "$name" "${@:3}" "$package"; then
            PYTHONPATH=$PYTHONPATH:$packages/$name
        else
            echo "pip cannot install $package: $(tail -n 1 fetch.txt)"
        fi
    done
}

want "$1" packages
want "$1" "bare packages" --no-deps
export -n PROF_BIN PROF_LIB # libprof warns of PROF_ variables it does not know

status=0
"$python" -m pytest -c "$SOURCE_DIR/python_shim/pyproject.toml" --rootdir "$SOURCE_DIR" -rs "$1" 2>&1 | tee pytest.txt ||
    status=$?
if [ "$status" -eq 5 ] && ! grep -qE '^[0-9]+ skipped' pytest.txt; then
    status=1 # no test was found
elif [ "$status" -eq 5 ] || { [ "$status" -eq 0 ] && ! grep -qE '^[0-9]+ passed' pytest.txt; }; then
    status=77
fi
exit "$status"
