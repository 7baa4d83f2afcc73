/* emitter.h - forwarding of prof.h's ranges to another tool, as they are recorded.
 *
 * The recorder does not know to whom: entry hands it an emitter, which is asked only where
 * PROF_EMIT_NVTX or prof_options.emit_nvtx wants it. While it is wanted, no thread takes the hot
 * path (thread_enter_epoch), so that path does not look here.
 */
#ifndef PROF_EMITTER_H
#define PROF_EMITTER_H

#include <stdbool.h>
#include <stdint.h>

/* Called on the thread that records, after its log is ready. `name` is NUL-terminated and may be
 * gone after the call. None may change errno. */
struct emitter {
    void (*push)(const char *name);
    void (*push_int)(const char *name, const char *key, int64_t value);
    void (*pop)(void);
    void (*begin)(uint64_t id, const char *name);
    void (*end)(uint64_t id);
    void (*mark)(const char *name);
};

/* Before recording begins; lives as long as the process. */
void emitter_use(const struct emitter *emitter);

/* The emitter if forwarding is wanted, else NULL. */
const struct emitter *emitter_active(void);

/* Does nothing where forwarding is not wanted. */
#define emitter_forward(member, ...)                      \
    do {                                                  \
        const struct emitter *emitter = emitter_active(); \
        if (emitter)                                      \
            emitter->member(__VA_ARGS__);                 \
    } while (false)

#endif
