#!/usr/bin/env bash
# Clients that others built: the `nvtx` package for Python, and version 2's library (libnvToolsExt.so.1), which a
# program calls as an ordinary library. Both are fetched once into the build directory.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/nvtx_common.sh"
. "$(dirname "$0")/packages_common.sh"

checked=0

if fetch nvtx nvtx --no-deps; then
    cat >annotate.py <<'PYTHON'
import nvtx

@nvtx.annotate("decorated", color="green", domain="py", category="cat")
def work():
    with nvtx.annotate("with", payload=7):
        pass

for _ in range(50):
    work()
nvtx.push_range("pushed", domain="py")
nvtx.pop_range(domain="py")
nvtx.end_range(nvtx.start_range("started", color="blue"))
nvtx.mark("marked", domain="py")
PYTHON
    PYTHONPATH=$packages/nvtx record python.prof python3 annotate.py
    nvtx python.prof 'sum(raw.loss) == 0 and unopened == 0' \
        'count["py", "decorated"] == 50 and of("decorated").category == "cat" and of("decorated").color & 0xffffff == 0x008000' \
        '[each.attributes for each in ranges if each.name == "with"] == [{"payload": 7}] * 50' \
        'count["py", "pushed"] == 1 and any(each.name == "started" and each.ended for each in ranges)' \
        'of("marked").domain == "py"'
    checked=1
fi

if fetch nvtx_version2 nvidia-nvtx-cu12==12.4.127 --no-deps; then
    library=$(find "$packages/nvtx_version2" -name libnvToolsExt.so.1)
    cat >version2.c <<'C'
#include <stdint.h>
int nvtxRangePushA(const char *message);
int nvtxRangePop(void);
void nvtxMarkA(const char *message);
uint64_t nvtxRangeStartA(const char *message);
void nvtxRangeEnd(uint64_t id);
int main(void)
{
    for (int i = 0; i < 10; i++) {
        if (nvtxRangePushA("version 2") != 0 || nvtxRangePop() != 0)
            return 1;
    }
    nvtxMarkA("mark");
    nvtxRangeEnd(nvtxRangeStartA("started"));
    return 0;
}
C
    "$CC" version2.c -o version2 "$library" -Wl,-rpath,"$(dirname "$library")"
    record version2.prof ./version2
    nvtx version2.prof 'count["", "version 2"] == 10 and count["", "started"] == 1 and of("mark") and sum(raw.loss) == 0'
    NVTX_INJECTION64_PATH=$lib PROF_OUTPUT=injected2.prof ./version2
    nvtx injected2.prof 'count["", "version 2"] == 10 and raw.closed'
    checked=1
fi

((checked)) || skip "neither package could be fetched: $(tail -n 1 fetch.txt)"
