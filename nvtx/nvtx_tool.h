/* nvtx_tool.h - loads another NVTX tool and gets its functions. */
#ifndef PROF_NVTX_TOOL_H
#define PROF_NVTX_TOOL_H

#include <stdint.h>

/* NULL members: the tool does not want to know. */
struct nvtx_tool {
    int (*push)(const char *name);
    int (*pop)(void);
    uint64_t (*start)(const char *name);
    void (*end)(uint64_t id);
    void (*mark)(const char *name);
};

/* The tool, loaded by the first call. NULL: there is none (said once), or it is being loaded. Keeps
 * errno. */
const struct nvtx_tool *nvtx_tool_get(void);

#endif
