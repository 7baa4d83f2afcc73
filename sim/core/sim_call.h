/* sim_call.h - the frame of each exported CUDA call: enter callback, fault check, body, exit
 * callback.
 *
 * A function is defined with its body following the macro:
 *
 *     SIM_API(cuMemFree_v2, void *, pointer)
 *     {
 *         return sim_memory_free(pointer);
 *     }
 *
 * The parameters also become a struct in declaration order, whose layout is by construction that of
 * the parameter structs CUPTI hands out as functionParams. The function's name and callback id come
 * from sim_api.def.
 */
#ifndef SIM_CALL_H
#define SIM_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_facts.h"
#include "sim_shared.h"

enum sim_api_id {
#define SIM_DRIVER_API(name, cbid) SIM_ID_##name,
#define SIM_RUNTIME_API(name, cbid, version) SIM_ID_##name,
#include "sim_api.def"
#undef SIM_DRIVER_API
#undef SIM_RUNTIME_API
    SIM_API_COUNT
};

struct sim_api {
    const char *name;
    const char *versioned; /* what cuptiGetCallbackName answers: cudaMalloc_v3020 */
    enum sim_domain domain;
    uint32_t cbid;
};

SIM_SHARED extern const struct sim_api sim_apis[SIM_API_COUNT];

struct sim_call {
    const struct sim_api *api;
    struct sim_call *parent; /* the runtime call this driver call serves; NULL: the program's own */
    const void *params;
    const char *symbol; /* the kernel's name for launches */
    int result;
    bool proceed;    /* the body shall run */
    bool hidden;     /* before cuInit, after exit: no tool sees it */
    bool per_thread; /* a _ptsz or _ptds entry: stream 0 is the thread's own */
    uint32_t correlation;
    uint64_t correlation_data; /* the tool's, from enter to exit */
    uint64_t start_ns;         /* the tool's */
};

/* Opens the frame; call->proceed says whether to run the body, else call->result is the result. */
SIM_SHARED void sim_call_enter(struct sim_call *call, enum sim_api_id id, const void *params,
                               uint64_t first_argument, const char *symbol, bool per_thread);

/* Closes the frame. Returns  result, which the exported function returns. */
SIM_SHARED int sim_call_exit(struct sim_call *call, int result);

/* The calling thread's innermost frame, NULL outside. */
SIM_SHARED struct sim_call *sim_call_top(void);

/* Runs a tool's or program's code outside of the current frame: calls it makes are its own. */
SIM_SHARED struct sim_call *sim_call_suspend(void);
SIM_SHARED void sim_call_resume(struct sim_call *call);

/* The correlation id work enqueued now carries; 0 outside of calls. */
SIM_SHARED uint32_t sim_call_correlation(void);

/* The runtime's last error of the calling thread. */
SIM_SHARED int *sim_call_last_error(void);

/* ---- the macros ---- */

#define SIM_CAT_(a, b) a##b
#define SIM_CAT(a, b) SIM_CAT_(a, b)
#define SIM_PAIRS_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, N, ...) N
#define SIM_PAIRS(...) \
    SIM_PAIRS_(__VA_ARGS__, 11, 11, 10, 10, 9, 9, 8, 8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0)

#define SIM_P1(T, a) T a
#define SIM_P2(T, a, ...) T a, SIM_P1(__VA_ARGS__)
#define SIM_P3(T, a, ...) T a, SIM_P2(__VA_ARGS__)
#define SIM_P4(T, a, ...) T a, SIM_P3(__VA_ARGS__)
#define SIM_P5(T, a, ...) T a, SIM_P4(__VA_ARGS__)
#define SIM_P6(T, a, ...) T a, SIM_P5(__VA_ARGS__)
#define SIM_P7(T, a, ...) T a, SIM_P6(__VA_ARGS__)
#define SIM_P8(T, a, ...) T a, SIM_P7(__VA_ARGS__)
#define SIM_P9(T, a, ...) T a, SIM_P8(__VA_ARGS__)
#define SIM_P10(T, a, ...) T a, SIM_P9(__VA_ARGS__)
#define SIM_P11(T, a, ...) T a, SIM_P10(__VA_ARGS__)
#define SIM_F1(T, a) T a;
#define SIM_F2(T, a, ...) \
    T a;                  \
    SIM_F1(__VA_ARGS__)
#define SIM_F3(T, a, ...) \
    T a;                  \
    SIM_F2(__VA_ARGS__)
#define SIM_F4(T, a, ...) \
    T a;                  \
    SIM_F3(__VA_ARGS__)
#define SIM_F5(T, a, ...) \
    T a;                  \
    SIM_F4(__VA_ARGS__)
#define SIM_F6(T, a, ...) \
    T a;                  \
    SIM_F5(__VA_ARGS__)
#define SIM_F7(T, a, ...) \
    T a;                  \
    SIM_F6(__VA_ARGS__)
#define SIM_F8(T, a, ...) \
    T a;                  \
    SIM_F7(__VA_ARGS__)
#define SIM_F9(T, a, ...) \
    T a;                  \
    SIM_F8(__VA_ARGS__)
#define SIM_F10(T, a, ...) \
    T a;                   \
    SIM_F9(__VA_ARGS__)
#define SIM_F11(T, a, ...) \
    T a;                   \
    SIM_F10(__VA_ARGS__)
#define SIM_A1(T, a) a
#define SIM_A2(T, a, ...) a, SIM_A1(__VA_ARGS__)
#define SIM_A3(T, a, ...) a, SIM_A2(__VA_ARGS__)
#define SIM_A4(T, a, ...) a, SIM_A3(__VA_ARGS__)
#define SIM_A5(T, a, ...) a, SIM_A4(__VA_ARGS__)
#define SIM_A6(T, a, ...) a, SIM_A5(__VA_ARGS__)
#define SIM_A7(T, a, ...) a, SIM_A6(__VA_ARGS__)
#define SIM_A8(T, a, ...) a, SIM_A7(__VA_ARGS__)
#define SIM_A9(T, a, ...) a, SIM_A8(__VA_ARGS__)
#define SIM_A10(T, a, ...) a, SIM_A9(__VA_ARGS__)
#define SIM_A11(T, a, ...) a, SIM_A10(__VA_ARGS__)

#define SIM_PARAMETERS(...) SIM_CAT(SIM_P, SIM_PAIRS(__VA_ARGS__))(__VA_ARGS__)
#define SIM_FIELDS(...) SIM_CAT(SIM_F, SIM_PAIRS(__VA_ARGS__))(__VA_ARGS__)
#define SIM_ARGUMENTS(...) SIM_CAT(SIM_A, SIM_PAIRS(__VA_ARGS__))(__VA_ARGS__)

/* The first field of a parameter struct as an integer, for SIM_FAIL's name(argument). */
static inline uint64_t sim_call_first(const void *params, size_t size)
{
    uint64_t value = 0;
    __builtin_memcpy(&value, params, size < 4 ? size : 4);
    return value;
}

#define SIM_WRAPPER(name, body, symbol, per_thread, ...)                                     \
    SIM_EXPORT int name(SIM_PARAMETERS(__VA_ARGS__));                                        \
    SIM_EXPORT int name(SIM_PARAMETERS(__VA_ARGS__))                                         \
    {                                                                                        \
        const struct {                                                                       \
            SIM_FIELDS(__VA_ARGS__)                                                          \
        } sim_params = {SIM_ARGUMENTS(__VA_ARGS__)};                                         \
        struct sim_call call;                                                                \
        sim_call_enter(&call, SIM_ID_##name, &sim_params,                                    \
                       sim_call_first(&sim_params, sizeof sim_params), symbol, per_thread);  \
        return sim_call_exit(&call,                                                          \
                             call.proceed ? body(SIM_ARGUMENTS(__VA_ARGS__)) : call.result); \
    }

/* One exported function. */
#define SIM_API(name, ...) SIM_API_NAMED(name, NULL, __VA_ARGS__)

/* One exported launch: symbol is an expression over the parameters giving the kernel's name. */
#define SIM_API_NAMED(name, symbol, ...)                       \
    static int name##_body(SIM_PARAMETERS(__VA_ARGS__));       \
    SIM_WRAPPER(name, name##_body, symbol, false, __VA_ARGS__) \
    static int name##_body(SIM_PARAMETERS(__VA_ARGS__))

/* One function exported twice, the second time (name##suffix) for --default-stream per-thread. */
#define SIM_API_TWIN(name, suffix, ...) SIM_API_TWIN_NAMED(name, suffix, NULL, __VA_ARGS__)
#define SIM_API_TWIN_NAMED(name, suffix, symbol, ...)                 \
    static int name##_body(SIM_PARAMETERS(__VA_ARGS__));              \
    SIM_WRAPPER(name, name##_body, symbol, false, __VA_ARGS__)        \
    SIM_WRAPPER(name##suffix, name##_body, symbol, true, __VA_ARGS__) \
    static int name##_body(SIM_PARAMETERS(__VA_ARGS__))

/* One exported function without parameters. */
#define SIM_API_VOID(name)                                                       \
    static int name##_body(void);                                                \
    SIM_EXPORT int name(void);                                                   \
    SIM_EXPORT int name(void)                                                    \
    {                                                                            \
        struct sim_call call;                                                    \
        sim_call_enter(&call, SIM_ID_##name, NULL, 0, NULL, false);              \
        return sim_call_exit(&call, call.proceed ? name##_body() : call.result); \
    }                                                                            \
    static int name##_body(void)

#endif
