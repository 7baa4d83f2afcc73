#!/usr/bin/env bash
# The first hour of somebody who profiles a CUDA program of their own, with an answer checked at each step: a default build by nvcc
# under --sim, the first table, explain, five questions in SQL, the report in a browser, a program linked by find_package and by
# FetchContent, a regression and its fix.
# long: it compiles the library as a part of another project, and draws a page in a browser
. "$(dirname "$0")/cuda_common.sh"
: "${SOURCE_DIR:?}" "${BUILD_DIR:?}" "${CMAKE:?}"
. "$SOURCE_DIR/tests/install/install_common.sh"
unset PROF_TABLE
PATH=$PROF_BIN:$PATH
source=$cuda_programs/first_hour.cu

# ---- an own program ----

if [[ -n ${CUDA_NVCC:-} ]]; then
    "$CUDA_NVCC" -I"$include" "$source" -o app # the default: the run-time library is inside of the program
    status=0
    profrun --sim -o default.prof -- ./app >shown.txt 2>&1 || status=$?
    same "the status of a default build under --sim" 125 "$status"
    found 'build it with .nvcc -cudart shared' <shown.txt || fail "a default build has no remedy: $(cat shown.txt)"
    [[ ! -e default.prof ]] || fail "a default build was run"
    "$CUDA_NVCC" -cudart shared -I"$include" "$source" -o app
else
    echo "note: nvcc is missing; the program is C code"
    "$CC" -x c -std=gnu17 -I"$include" -I"$SOURCE_DIR/examples" "$source" -o app -L"$SIM_LIB" -l:libcudart.so.13 -l:libcuda.so.1
fi

# ---- the first table, and what explains it ----

profrun --sim -o run.prof -- ./app 20 5 >shown.txt 2>&1 || fail "the first run: $(cat shown.txt)"
for row in 'filter .* 20$' 'decode .* 20$' 'blur\(float\*, float const\*\) .* 40$' '(__)?cudaLaunchKernel .* 40$'; do
    found -E " $row" <shown.txt || fail "the table has no row '$row': $(cat shown.txt)"
done
found 'Ledger: .*nothing lost' <shown.txt || fail "the ledger: $(cat shown.txt)"
profdump explain run.prof >explained.txt
awk '/where .*decode/ { here = 1 } /^ *[0-9]+[.] / { here = 0 } here && /gpu-idle-cpu-bound/ { found = 1 } END { exit !found }' explained.txt ||
    fail "explain does not say that the GPU waited for 'decode': $(cat explained.txt)"

# ---- five questions ----

# answer WANTED STATEMENT
answer() { same "$2" "$1" "$(profdump query --csv "$2" run.prof | tail -n +2 | paste -sd' ')"; }
if profdump --version | found 'without sqlite'; then
    echo "note: this profdump was built without SQLite, no questions asked"
else
    answer 40 "SELECT count(*) FROM kernels WHERE name LIKE 'blur%'"
    answer $((20 * 65536 * 4)) "SELECT sum(bytes) FROM memcpys WHERE kind = 'HtoD'"
    answer filter "SELECT name FROM ranges WHERE kind = 'range' GROUP BY name ORDER BY sum(device) DESC LIMIT 1"
    answer 40,blur "SELECT count(*), min(substr(k.name, 1, 4)) FROM kernels AS k JOIN calls AS c ON c.id = k.slice WHERE c.name LIKE '%LaunchKernel'"
    answer 60,60,0 "SELECT sum(launched), sum(recorded), sum(lost) FROM ledger"
fi

# ---- the report ----

profdump -o report.html run.prof
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -n $chromium ]]; then
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE_DIR/tests/html python3 "$SOURCE_DIR/tests/html/first_hour_page.py" \
        "$chromium" profile report.html 1400 400 || fail "the report"
else
    echo "note: there is no Chromium, the report was not looked at"
fi

# ---- a regression and its fix ----

profrun --sim -o slow.prof -- ./app 20 25 >shown.txt 2>&1 || fail "the slow run: $(cat shown.txt)"
status=0
profdump diff --fail-if-slower 10% run.prof slow.prof >diff.txt || status=$?
((status != 0)) || fail "a regression passes: $(cat diff.txt)"
profdump diff --fail-if-slower 10% slow.prof run.prof >diff.txt || fail "a fix does not pass: $(cat diff.txt)"

# ---- linked: as an installed package, and as a part of the project ----

install_into "$here/prefix"
cp "$source" app.c
cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.22)
project(first_hour LANGUAGES C)
if(WAY STREQUAL "find_package")
    find_package(prof REQUIRED)
else()
    include(FetchContent)
    FetchContent_Declare(libprof SOURCE_DIR "${LIBPROF}")
    FetchContent_MakeAvailable(libprof)
endif()
foreach(part IN ITEMS headers prof)
    add_executable(with_${part} app.c)
    target_include_directories(with_${part} PRIVATE "${LIBPROF}/examples") # cuda_by_hand.h
    target_link_libraries(with_${part} PRIVATE prof::${part} "${SIM_LIB}/libcudart.so.13" "${SIM_LIB}/libcuda.so.1")
endforeach()
PROJECT

for way in find_package FetchContent; do
    "$CMAKE" -S . -B $way -DWAY=$way -DLIBPROF="$SOURCE_DIR" -DSIM_LIB="$SIM_LIB" -DCMAKE_PREFIX_PATH="$here/prefix" >$way.log 2>&1 ||
        fail "configuring with $way: $(cat $way.log)"
    found "to record a program, run 'profrun" <$way.log || fail "$way does not say how to record: $(cat $way.log)"
    "$CMAKE" --build $way --parallel 2 >$way.log 2>&1 || fail "building with $way: $(tail -n 40 $way.log)"

    profrun --sim -o $way-headers.prof -- $way/with_headers >shown.txt 2>&1 || fail "$way, prof::headers: $(cat shown.txt)"
    found -E ' filter .* 20$' <shown.txt || fail "$way, prof::headers: no ranges: $(cat shown.txt)"
    env LD_LIBRARY_PATH="$SIM_LIB" PROF_START=now PROF_OUTPUT="$here/$way.prof" $way/with_prof || fail "$way: the linked program"
    same "$way: rows of a linked program" "filter 20 decode 20" "$(profdump --csv --kind ranges $way.prof |
        awk -F, '$1 == "filter" || $1 == "decode" { printf "%s%s %s", n++ ? " " : "", $1, $NF }')"
done
