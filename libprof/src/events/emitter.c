#include "emitter.h"

#include "config.h"
#include "recorder.h"

#include <stddef.h>

static const struct emitter *emitter_in_use GUEST_DATA; /* entry writes, before recording begins */

void emitter_use(const struct emitter *emitter)
{
    emitter_in_use = emitter;
}

const struct emitter *emitter_active(void)
{
    return config_get()->emit_nvtx ? emitter_in_use : NULL;
}
