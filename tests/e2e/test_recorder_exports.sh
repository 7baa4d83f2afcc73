#!/usr/bin/env bash
# libprof.so exports what is listed, nothing else; what it has of cuBLAS is found by nobody who was not linked with it.
. "$(dirname "$0")/common.sh"

PROF_LIB=$PROF_LIB bash "$e2e_directory/exports.sh" || fail "exports are not those listed (wanted <, there >)"

# Each function of another library has a row in the table of libprof/entry/README.md, with its contract and its tests.
libc=$(ldd /bin/true | awk '$1 ~ /^libc\.so/ { print $3 }')
nm -D --defined-only "$lib" | awk '$2 != "A" { print $3 }' >exported.txt
nm -D --defined-only "$libc" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >libc.txt
{
    grep -v @ exported.txt | sort | comm -12 - libc.txt
    sed -n 's/@.*//p' exported.txt | sort -u
} >interposed.txt
same "functions of all kinds" 3 "$(grep -cxE 'fork|cuptiFinalize|cublasSgemm_v2' interposed.txt)"
python3 - "$e2e_directory/../.." interposed.txt exported.txt <<'CHECK' || fail "see above"
import fnmatch, pathlib, re, sys
root, (interposed, exported) = pathlib.Path(sys.argv[1]), (open(name).read().split() for name in sys.argv[2:])
readme = (root / "libprof/entry/README.md").read_text().split("## Interposed functions")[1]
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in readme.splitlines() if line.startswith("| `")]
rows = [[row[0].strip("`"), *row[1:]] for row in rows]
names = [row[0] for row in rows]
bad = [f"{name}: no row in libprof/entry/README.md" for name in interposed
       if not any(fnmatch.fnmatch(name, row) for row in names)]
bad += [f"{row}: a row, but not exported" for row in names if not fnmatch.filter((e.split("@")[0] for e in exported), row)]
bad += [f"{name}: a pattern, but only cuBLAS's functions are listed by pattern" for name in names
        if "*" in name and not name.startswith("cublas")]
for name, contract, idle, tests in rows:
    files = re.findall(r"`(\S+\.sh)`", tests)
    bad += [f"{name}: no contract, or no test"] * (not contract or not idle or not files)
    bad += [f"{name}: there is no tests/e2e/{file}" for file in files if not (root / "tests/e2e" / file).exists()]
    if "test_recorder_contracts.sh" in files and f"{name}(" not in (root / "tests/programs/contracts.c").read_text():
        bad.append(f"{name}: tests/programs/contracts.c does not call it")
print(*bad, sep="\n", end="\n" if bad else "")
sys.exit(bool(bad))
CHECK

cat >present.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
extern int cublasSgemm_v2(void) __attribute__((weak));
extern int cublasLtMatmul(void) __attribute__((weak));
int main(void)
{
    printf("%d%d%d%d%d\n", cublasSgemm_v2 != NULL, cublasLtMatmul != NULL,
           dlsym(RTLD_DEFAULT, "cublasSgemm_v2") != NULL, dlsym(RTLD_DEFAULT, "cublasLtMatmul") != NULL,
           dlvsym(RTLD_DEFAULT, "cublasSgemm_v2", "libcublas.so.13") != NULL);
    return 0;
}
C
"$CC" -fPIE -pie present.c -o present -ldl
same "a program that looks whether cuBLAS is there" 00000 "$(./present)"
same "the same under libprof, where only the exact version is found" 00001 "$(record x.prof ./present)"

# Who links with libprof does not get cuBLAS's functions from it.
echo 'int cublasSgemm_v2(void); int main(void) { return cublasSgemm_v2(); }' >linked.c
if "$CC" linked.c -o linked -L"$PROF_LIB" -lprof 2>link.txt; then
    fail "the linker takes cublasSgemm_v2 from libprof"
fi
found cublasSgemm_v2 link.txt <link.txt
