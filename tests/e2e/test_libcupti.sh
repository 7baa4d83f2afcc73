#!/usr/bin/env bash
# NVIDIA's own libcupti, of CUDA 11.7 to 13.5, on a machine without a driver: what it says of its record sizes is what the
# tables say; libprof asks it for no more than it can give, the program runs to its end, and the trace says why there are no
# times. The libraries are fetched once into the build directory; the toolkit's is used where there is one.
# long: it fetches thirteen libraries
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/packages_common.sh"

cupti=$e2e_directory/../../cupti
ldconfig=$(PATH=$PATH:/sbin:/usr/sbin command -v ldconfig || true)
[[ -z $ldconfig || -z $("$ldconfig" -p | grep 'libcuda\.so\.1') ]] || skip "there is a CUDA driver here"

# cupti_part REQUIREMENT DIRECTORY: leaves DIRECTORY/libcupti.so*, and the headers in include.
cupti_part() {
    rm -rf "$2.all" && pip_target "$1" --no-deps "$2.all" && mkdir "$2" && find "$2.all" -name 'libcupti.so*' -exec cp -t "$2" {} + &&
        cp -r "$(dirname "$(find "$2.all" -name cupti_activity.h)")" "$2/include" && rm -r "$2.all"
}

"$CC" -std=gnu17 -I"$cupti" -Wall "$programs/cupti_sizes.c" "$cupti/oracle.c" -o cupti_sizes -ldl
compile injected -ldl
kinds='1 2 3 8 9 10 22 25 37 38 49 50'

# sizes LIBRARY VERSION SIZE...: of the kinds in $kinds; "-" for one that it does not know.
sizes() {
    local library=$1 wanted=$2 got
    shift 2
    ./cupti_sizes "$library" >sizes.txt
    same "$library: version" "version 0 $wanted" "$(head -n 1 sizes.txt)"
    got=$(for kind in $kinds; do awk -v kind="$kind" 'NR > 1 && $1 == kind { bytes = $2 } END { print bytes ? bytes : "-" }' sizes.txt; done)
    same "$library: sizes" "$*" "$(echo $got)"
}

# politely LIBRARY WORDS: the program runs to its end, with one line on stderr; the trace has both ranges and WORDS.
politely() {
    local file=$((++number)).prof
    PROF_GPU=cupti PROF_CUPTI=$1 record "$file" ./injected >stdout.txt 2>stderr.txt || fail "$1: status $?"$'\n'"$(cat stderr.txt)"
    same "$1: stdout" OK "$(cat stdout.txt)"
    same "$1: lines" 1 "$(wc -l <stderr.txt)"
    grep -q "^libprof: no GPU times: .*$2" stderr.txt || fail "$1: $(cat stderr.txt)"
    "$PROF_BIN/profdump" "$file" >table.txt
    grep -q "^GPU mode: .*unavailable.*$2" table.txt || fail "$1: $(cat table.txt)"
    expect "$file" "count['before'] == 1 and count['after'] == 1"
}
# agrees VERSION: what cupti/abi*.h state of the records and of the v2 API is what that version's headers say.
agrees() {
    [[ -e /usr/local/cuda/include/cuda.h ]] || return 0
    "$CC" -std=gnu17 -fsyntax-only -Wall -I"$include" -isystem "$packages/cupti_$1/include" -isystem /usr/local/cuda/include \
        "$cupti/abi_check_records.c" >agrees.txt 2>&1 || fail "headers of $1: $(head -n 20 agrees.txt)"
}

number=0
checked=0

# Up to 13.1 they answer without a driver. What is of 13.2 ends the process at any call (SIGSEGV), so nothing of it may be
# called; from 13.3 on all they say is 999.
while read -r version requirement api bytes; do
    fetch_by "cupti_$version" cupti_part "$requirement" || continue
    library=$(find "$packages/cupti_$version" -name 'libcupti.so*' | head -n 1)
    agrees "$version"
    case $version in
    13.2) politely "$library" 'no usable CUDA driver' ;;
    13.[3-9])
        same "$version: version" "version 999 0" "$(./cupti_sizes "$library")"
        politely "$library" 'no usable CUDA driver'
        ;;
    *)
        # shellcheck disable=SC2086 # a list
        sizes "$library" "$api" $bytes
        politely "$library" 'no usable CUDA driver'
        ;;
    esac
    checked=$((checked + 1))
done <<'TABLE'
11.7 nvidia-cuda-cupti-cu11==11.7.101 17 88 88 176 176 16 176 96 64 24 40 120 72
11.8 nvidia-cuda-cupti-cu11==11.8.87 18 88 88 200 176 16 200 96 64 24 40 120 72
12.1 nvidia-cuda-cupti-cu12==12.1.105 18 88 88 208 176 16 208 96 64 24 40 120 72
12.3 nvidia-cuda-cupti-cu12==12.3.101 21 88 88 208 184 16 208 96 64 24 40 120 72
12.4 nvidia-cuda-cupti-cu12==12.4.127 22 88 88 208 184 24 208 96 64 24 40 120 72
12.6 nvidia-cuda-cupti-cu12==12.6.80 24 88 88 208 184 32 208 96 64 24 40 128 72
12.9 nvidia-cuda-cupti-cu12==12.9.79 28 96 88 208 184 32 208 96 104 24 56 128 72
13.0 nvidia-cuda-cupti==13.0.85 130001 96 88 216 184 32 216 96 104 24 56 128 80
13.1 nvidia-cuda-cupti==13.1.115 130101 96 88 224 184 40 224 96 104 24 56 128 80
13.2 nvidia-cuda-cupti==13.2.86
13.3 nvidia-cuda-cupti==13.3.75
13.4 nvidia-cuda-cupti==13.4.92
13.5 nvidia-cuda-cupti==13.5.25
TABLE

toolkit=/usr/local/cuda/lib64/libcupti.so.13
if [[ -e $toolkit ]] && ./cupti_sizes "$toolkit" | found '^version 0 13000'; then
    sizes "$toolkit" "$(./cupti_sizes "$toolkit" | awk 'NR == 1 { print $3 }')" 96 88 216 184 32 216 96 104 24 56 128 80
    politely "$toolkit" 'no usable CUDA driver'
    checked=$((checked + 1))
fi

((checked > 0)) || skip "no libcupti can be fetched here, and no toolkit has one"
echo "$checked libraries"
