#!/usr/bin/env bash
# The table of docs/metrics.md is that of prof/prometheus.h.
. "$(dirname "$0")/common.sh"

cat >table.c <<'END'
#include <prof/prometheus.h>
#include <stdio.h>

#define LIVE "a running process"
#define BOTH "both"
#define ROW(symbol, name, type, who, labels, help) \
    printf("| `libprof_%s` | %s | %s%s%s | %s | %s |\n", name, type, *labels ? "`" : "", labels, *labels ? "`" : "", who, help);

int main(void)
{
    puts("| metric | type | labels of its own | written from | meaning |\n|---|---|---|---|---|");
    PROF_METRICS(ROW)
    return 0;
}
END
"$CC" -std=c17 -I"$include" table.c -o table
./table >expected.txt
sed -n '/^| metric | type/,/^$/p' "$e2e_directory/../../docs/metrics.md" | sed '/^$/d' >found.txt
diff found.txt expected.txt >differs.txt || fail "docs/metrics.md: the table is not that of prof/prometheus.h:
$(cat differs.txt)"
