#!/usr/bin/env bash
# Matrix products of cuBLAS and cuBLASLt: each call a range with its sizes, types and work, its kernel in it; arguments,
# results and whoever is not concerned are left alone.
. "$(dirname "$0")/cuda_common.sh"

[[ -e $SIM_LIB/libcublas.so.13 ]] || skip "the simulated cuBLAS is not built"
compile_cuda gemms -l:libcublas.so.13 -l:libcublasLt.so.13
"$CC" -shared -fPIC "$cuda_programs/gemms_plugin.c" -o plugin.so -L"$SIM_LIB" -l:libcublas.so.13
"$CC" "$cuda_programs/gemms_opens.c" -o opens -pthread

# gemms FILE WAY...: what it prints; what reached cuBLAS is in FILE.txt, and is what reaches it without libprof.
gemms() {
    local file=$1
    shift
    rm -f "$file.bare" "$file.txt"
    SIM_GEMMS=$file.bare bare ./gemms "$@" >bare.out
    SIM_GEMMS=$file.txt simulate "$file.prof" ./gemms "$@"
    cmp <(sort "$file.bare") <(sort "$file.txt") || fail "$1: other arguments or results reached cuBLAS"
    [[ -s $file.txt ]] || fail "$1: nothing reached cuBLAS"
}

# Every function, arguments on the stack and of 64 bits included: 3 x 5 x 7, transposed B; batches of 2; groups of 1 and 2.
cat >every.py <<'PYTHON'
SIZES = {"H": 2, "S": 4, "D": 8, "C": 8, "Z": 16}
TYPES = {"H": "float16", "S": "float32", "D": "float64", "C": "complex64", "Z": "complex128"}


def wanted(function):
    """The attributes of a function of gemms.c, told by its name."""
    name = function.replace("_64", "").replace("_v2", "").replace("cublas", "")
    letter = name[0] if "gemm" in name else ""
    element, result, kind = SIZES.get(letter, 2), SIZES.get(letter, 4), TYPES.get(letter, "float16")
    if name.endswith("gemmEx") or name.endswith("gemm3mEx"):
        element, result, kind = 2, 4, "bfloat16"
    factor = 8 if kind.startswith("complex") else 2
    if "Grouped" in name:
        flops, count = factor * (3 * 5 * 7 + 2 * 3 * 6 * 7), 3
        moved = element * (21 + 35) + result * 15 + 2 * (element * (21 + 42) + result * 18)
        return dict(m={3}, k={7}, batch={count}, flops={flops}, bytes={moved}, type={kind}, op={"NT"})
    count = 2 if "Batched" in name else 1
    all_of = dict(m={3}, n={5}, k={7}, flops={factor * 105 * count}, type={kind}, op={"NT"},
                  bytes={count * (element * (21 + 35) + result * 15)})
    return all_of | ({"batch": {count}} if count > 1 else {})


def good(args, functions):
    bad = [(name, dict(args("user_annotation", name))) for name in functions
           if dict(args("user_annotation", name)) != wanted(name)]
    if bad:
        print(*bad[0], "wanted", wanted(bad[0][0]))
    return not bad
PYTHON
functions=$(sed -n 's/^    X(\(cublas[A-Za-z0-9_]*\), .*/\1 \1_64/p' "$SOURCE_DIR/collect/cublas/cublas_abi.h" | tr '\n' ' ')
export PYTHONPATH=$here
same "statuses" "" "$(gemms every every)"
expect_cuda every.prof -- "__import__('every').good(args, '$functions'.split())" \
    "len('$functions'.split()) == 56 and all(count[name] == 1 for name in '$functions'.split())" \
    "count['cublasLtMatmul'] == 1" "args('user_annotation', 'cublasLtMatmul')['m'] == {3}" \
    "dict(args('user_annotation', 'cublasLtMatmul')) == dict(m={3}, n={5}, k={7}, flops={210}, bytes={4 * 71}, type={'float32'}, op={'TN'})" \
    "sum(n for name, n in ops.items() if 'gemm' in name) == 57" \
    "type(count)(innermost(s) for s, f in arrows() if 'gemm' in f['name']) == count" \
    "under('cublasDgemm_v2') == rows['range', 'cublasDgemm_v2']['cuda_total_ns'] > 0" \
    "loss['nested'] == loss['full'] == 0" 2>every.out || fail "$(cat every.out)"
no_violations "every function"

# One record of 48 bytes for the attributes of a product, beside the 16 of its range.
expect_cuda every.prof -- "type(count)(len(e.words) + 1 for _, e in raw.events() if e.kind == 16 + 21) == {6: 23, 7: 34}"

# More rows than 32 bits hold.
same "statuses" "" "$(gemms big big)"
expect_cuda big.prof -- "dict(args('user_annotation', 'cublasSgemm_v2_64')) == dict(m={5 << 30}, n={1}, k={2}, flops={20 << 30}, bytes={4 * ((15 << 30) + 2)}, type={'float32'}, op={'NN'})"

# What float32 is multiplied as; a product that goes through cublasLtMatmul counts once; what a batch shares is read once.
same "statuses" "" "$(gemms modes modes)"
expect_cuda modes.prof -- "args('user_annotation', 'cublasSgemm_v2')['type'] == {'float32', 'tf32'}" \
    "[e['args']['type'] for e in x('user_annotation', 'cublasSgemm_v2') if e['args']['m'] == 4] == ['tf32']" \
    "args('user_annotation', 'cublasGemmEx')['type'] == {'tf32', 'int8'}" \
    "args('user_annotation', 'cublasGemmEx')['op'] == {'TC', 'TN'}" \
    "count['cublasLtMatmul'] == 1 and count['cublasGemmEx'] == 2" \
    "args('user_annotation', 'cublasSgemmStridedBatched')['bytes'] == {4 * (4 + 40 + 40)}" \
    "dict(args('user_annotation', 'cublasLtMatmul')) == dict(m={3}, n={5}, k={7}, batch={4}, flops={840}, bytes={4 * (84 + 35 + 60)}, type={'tf32'}, op={'NN'})"
found 'cublasLtMatmul.*types 3 3 10' modes.txt <modes.txt

# What cuBLAS refuses is refused, errno stays, and a call that says nothing good has no numbers.
gemms bad bad >bad.out
same "what is refused" "$(cat bare.out)" "$(cat bad.out)"
same "the same, by number" "1 7 7 1 7 15" "$(sed 's/.*: //' bad.out | tr '\n' ' ' | sed 's/ $//')"
expect_cuda bad.prof -- "count['cublasSgemm_v2'] == 4 and not args('user_annotation', 'cublasLtMatmul')" \
    "args('user_annotation', 'cublasSgemm_v2')['m'] == {1, 9}" "not args('user_annotation', 'cublasSgemmGroupedBatched')" \
    "dict(args('user_annotation', 'cublasGemmEx')) == dict(m={1}, n={1}, k={1}, op={'NN'})"

# Captured, launched twice: the kernel's range is that of its capture.
same "statuses" "" "$(gemms captured captured)"
expect_cuda captured.prof -- "count['cublasSgemm_v2'] == 1" "sum(n for name, n in ops.items() if 'gemm' in name) == 2"
"$PROF_BIN/profdump" graphs captured.prof | found 'capture > cublasSgemm_v2 > cuLaunchKernel'

# Off and on again; on threads; in a forked child, whose file says anew what the values mean.
same "statuses" "" "$(gemms switched switched)"
expect_cuda switched.prof -- "count['cublasSgemm_v2'] == 2" "args('user_annotation', 'cublasSgemm_v2')['m'] == {1, 3}"
PROF_START=api gemms off every >off.out
same "before the first start: statuses, files" "" "$(cat off.out)$(ls off.prof 2>/dev/null)"
same "statuses" "" "$(gemms threads threads 4)"
expect_cuda threads.prof -- "count['cublasSgemm_v2'] == 400 and len(args('user_annotation', 'cublasSgemm_v2')['m']) == 1" \
    "set(innermost(s) for s, f in arrows() if 'gemm' in f['name']) == {'cublasSgemm_v2'}"
mkdir fork && cd fork
LD_LIBRARY_PATH=$SIM_LIB LD_PRELOAD=$lib PROF_OUTPUT=%p.prof ../gemms fork >out.txt
same "files of a parent and its child" 2 "$(find . -name '*.prof' | wc -l)"
for file in *.prof; do
    expect "$file" "count['cublasSgemm_v2'] == 1"
    "$PROF_BIN/profdump" --chrome out.json "$file" && found '"cublasSgemm_v2".*"flops"' out.json <out.json
done
cd ..

# A library opened with RTLD_LOCAL, twice, by a program that has no cuBLAS.
same "without libprof" "" "$(bare ./opens ./plugin.so)"
same "with it" "" "$(simulate plugin.prof ./opens ./plugin.so)"
expect_cuda plugin.prof -- "count['cublasSgemm_v2'] == 40 == len(x('kernel'))" "args('user_annotation', 'cublasSgemm_v2')['flops'] == {48}"

# Two versions at once: each call goes to its own.
cat >fake.c <<'C'
int cublasSgemm_v2(void) { return 1200; }
C
echo 'libcublas.so.12 { global: *; };' >fake.map
"$CC" -shared -fPIC fake.c -o libcublas.so.12 -Wl,-soname,libcublas.so.12 -Wl,--version-script=fake.map
cat >twelve.c <<'C'
int cublasSgemm_v2(void *, int, int, int, int, int, void *, void *, int, void *, int, void *, void *, int);
int plugin_multiply(int times);
int plugin_multiply(int times) { return cublasSgemm_v2(0, 0, 0, times, 2, 3, 0, 0, 1, 0, 1, 0, 0, 1) - 1200; }
C
"$CC" -shared -fPIC twelve.c -o twelve.so -L. -l:libcublas.so.12 -Wl,-rpath,"$here"
cat >both.c <<'C'
#include <dlfcn.h>
int main(void)
{
    void *one = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL), *two = dlopen("./twelve.so", RTLD_NOW | RTLD_LOCAL);
    int (*first)(int) = (int (*)(int))dlsym(one, "plugin_multiply"), (*second)(int) = (int (*)(int))dlsym(two, "plugin_multiply");
    return first(1) || second(7) || first(1) || second(7);
}
C
"$CC" both.c -o both
simulate both.prof ./both || fail "two versions: a call went to the wrong one"
expect_cuda both.prof -- "count['cublasSgemm_v2'] == 4 and args('user_annotation', 'cublasSgemm_v2')['m'] == {2, 7} and len(x('kernel')) == 2"

# Switched off; opened by its handle, as JAX does: nothing is seen, and nothing is wrong.
PROF_CUBLAS=0 gemms none every >none.out
same "statuses" "" "$(cat none.out)"
expect_cuda none.prof -- "not any(name.startswith('cublas') for name in count) and sum(n for name, n in ops.items() if 'gemm' in name) == 57"
# Injected alone, libprof does not stand before cuBLAS.
env LD_LIBRARY_PATH="$SIM_LIB" CUDA_INJECTION64_PATH="$lib" PROF_OUTPUT=injected.prof ./gemms every
expect_cuda injected.prof -- "not any(name.startswith('cublas') for name in count) and sum(n for name, n in ops.items() if 'gemm' in name) == 57"

# Killed inside: what was there is there.
env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT=killed.prof ./gemms forever &
killed=$!
until [[ -s killed.prof ]] && "$PROF_BIN/profdump" killed.prof 2>/dev/null | grep cublasSgemm_v2 >/dev/null; do
    kill -0 "$killed" || fail "it ended by itself"
    sleep 0.05
done
kill -9 "$killed"
wait "$killed" 2>wait.txt || true
expect_cuda killed.prof -- "not process['closed'] and count['cublasSgemm_v2'] > 0 and args('user_annotation', 'cublasSgemm_v2')['flops'] == {2 * 16 ** 3}"
no_violations "all of it"
