/* An NVTX tool that writes what it is told to the file that FAKE_TOOL_LOG names: what an attached profiler
 * would see. Built with NVIDIA's headers as a shared library. */
#include <nvtx3/nvToolsExt.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *what, const char *text)
{
    char line[8192];
    int size = snprintf(line, sizeof line, "%s%s%s\n", what, *text ? " " : "", text);
    int fd = open(getenv("FAKE_TOOL_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(fd, line, (size_t)size) != size)
        abort();
    close(fd);
}

static int depth;

static int push(const char *text)
{
    say("push", text);
    return depth++;
}

static int pop(void)
{
    say("pop", "");
    return --depth;
}

static nvtxRangeId_t start(const char *text)
{
    say("start", text);
    return 4711;
}

static void end(nvtxRangeId_t id)
{
    say(id == 4711 ? "end" : "end of an unknown range", "");
}

static void mark(const char *text)
{
    say("mark", text);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
    const NvtxExportTableVersionInfo *version = get(NVTX_ETID_VERSIONINFO);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (!callbacks || callbacks->struct_size < sizeof *callbacks || version->version != 3 ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) ||
        size < NVTX_CBID_CORE_SIZE ||
        callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_SIZE, &table, &size) ||
        get(NVTX_ETID_SIZE))
        return 0;
    version->SetInjectionNvtxVersion(3);
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
    if (getenv("FAKE_TOOL_FEW"))
        return 1;
    *table[NVTX_CBID_CORE_RangeStartA] = (NvtxFunctionPointer)start;
    *table[NVTX_CBID_CORE_RangeEnd] = (NvtxFunctionPointer)end;
    *table[NVTX_CBID_CORE_MarkA] = (NvtxFunctionPointer)mark;
    say("attached", "");
    return 1;
}
