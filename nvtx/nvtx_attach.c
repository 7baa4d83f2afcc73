#include "nvtx_attach.h"

#include "nvtx_calls.h"

#define NVTX_SLOT(index, function) [index] = (nvtx_slot)(function)

static const nvtx_slot nvtx_attach_core[NVTX_CORE_COUNT] = {
    NVTX_SLOT(NVTX_CORE_MARK_EX, nvtx_mark_ex),
    NVTX_SLOT(NVTX_CORE_MARK_A, nvtx_mark_a),
    NVTX_SLOT(NVTX_CORE_MARK_W, nvtx_mark_w),
    NVTX_SLOT(NVTX_CORE_START_EX, nvtx_range_start_ex),
    NVTX_SLOT(NVTX_CORE_START_A, nvtx_range_start_a),
    NVTX_SLOT(NVTX_CORE_START_W, nvtx_range_start_w),
    NVTX_SLOT(NVTX_CORE_END, nvtx_range_end),
    NVTX_SLOT(NVTX_CORE_PUSH_EX, nvtx_range_push_ex),
    NVTX_SLOT(NVTX_CORE_PUSH_A, nvtx_range_push_a),
    NVTX_SLOT(NVTX_CORE_PUSH_W, nvtx_range_push_w),
    NVTX_SLOT(NVTX_CORE_POP, nvtx_range_pop),
    NVTX_SLOT(NVTX_CORE_CATEGORY_A, nvtx_category_a),
    NVTX_SLOT(NVTX_CORE_CATEGORY_W, nvtx_category_w),
    NVTX_SLOT(NVTX_CORE_THREAD_A, nvtx_thread_a),
    NVTX_SLOT(NVTX_CORE_THREAD_W, nvtx_thread_w),
};

static const nvtx_slot nvtx_attach_core2[NVTX_CORE2_COUNT] = {
    NVTX_SLOT(NVTX_CORE2_MARK_EX, nvtx_domain_mark_ex),
    NVTX_SLOT(NVTX_CORE2_START_EX, nvtx_domain_range_start_ex),
    NVTX_SLOT(NVTX_CORE2_END, nvtx_domain_range_end),
    NVTX_SLOT(NVTX_CORE2_PUSH_EX, nvtx_domain_range_push_ex),
    NVTX_SLOT(NVTX_CORE2_POP, nvtx_domain_range_pop),
    NVTX_SLOT(NVTX_CORE2_RESOURCE_CREATE, nvtx_resource_create),
    NVTX_SLOT(NVTX_CORE2_RESOURCE_DESTROY, nvtx_resource_destroy),
    NVTX_SLOT(NVTX_CORE2_CATEGORY_A, nvtx_domain_category_a),
    NVTX_SLOT(NVTX_CORE2_CATEGORY_W, nvtx_domain_category_w),
    NVTX_SLOT(NVTX_CORE2_STRING_A, nvtx_domain_string_a),
    NVTX_SLOT(NVTX_CORE2_STRING_W, nvtx_domain_string_w),
    NVTX_SLOT(NVTX_CORE2_DOMAIN_A, nvtx_domain_create_a),
    NVTX_SLOT(NVTX_CORE2_DOMAIN_W, nvtx_domain_create_w),
    NVTX_SLOT(NVTX_CORE2_DOMAIN_DESTROY, nvtx_domain_destroy),
    NVTX_SLOT(NVTX_CORE2_INITIALIZE, nvtx_initialize),
};

static const nvtx_slot nvtx_attach_cuda[NVTX_CUDA_COUNT] = {
    NVTX_SLOT(NVTX_CUDA_DEVICE_A, nvtx_cu_device_a),
    NVTX_SLOT(NVTX_CUDA_DEVICE_W, nvtx_cu_device_w),
    NVTX_SLOT(NVTX_CUDA_CONTEXT_A, nvtx_cu_context_a),
    NVTX_SLOT(NVTX_CUDA_CONTEXT_W, nvtx_cu_context_w),
    NVTX_SLOT(NVTX_CUDA_STREAM_A, nvtx_cu_stream_a),
    NVTX_SLOT(NVTX_CUDA_STREAM_W, nvtx_cu_stream_w),
    NVTX_SLOT(NVTX_CUDA_EVENT_A, nvtx_cu_event_a),
    NVTX_SLOT(NVTX_CUDA_EVENT_W, nvtx_cu_event_w),
};

static const nvtx_slot nvtx_attach_cudart[NVTX_CUDART_COUNT] = {
    NVTX_SLOT(NVTX_CUDART_DEVICE_A, nvtx_cuda_device_a),
    NVTX_SLOT(NVTX_CUDART_DEVICE_W, nvtx_cuda_device_w),
    NVTX_SLOT(NVTX_CUDART_STREAM_A, nvtx_cuda_stream_a),
    NVTX_SLOT(NVTX_CUDART_STREAM_W, nvtx_cuda_stream_w),
    NVTX_SLOT(NVTX_CUDART_EVENT_A, nvtx_cuda_event_a),
    NVTX_SLOT(NVTX_CUDART_EVENT_W, nvtx_cuda_event_w),
};

static const nvtx_slot nvtx_attach_sync[NVTX_SYNC_COUNT] = {
    NVTX_SLOT(NVTX_SYNC_CREATE, nvtx_sync_create),
    NVTX_SLOT(NVTX_SYNC_DESTROY, nvtx_sync_ignore),
    NVTX_SLOT(NVTX_SYNC_ACQUIRE_START, nvtx_sync_ignore),
    NVTX_SLOT(NVTX_SYNC_ACQUIRE_FAILED, nvtx_sync_ignore),
    NVTX_SLOT(NVTX_SYNC_ACQUIRE_SUCCESS, nvtx_sync_ignore),
    NVTX_SLOT(NVTX_SYNC_RELEASING, nvtx_sync_ignore),
};

/* Modules that are not here keep their empty slots: their calls do nothing. */
static const struct nvtx_attach_module {
    int module;
    const nvtx_slot *functions;
    unsigned count;
} nvtx_attach_modules[] = {
    {NVTX_MODULE_CORE, nvtx_attach_core, NVTX_CORE_COUNT},
    {NVTX_MODULE_CORE2, nvtx_attach_core2, NVTX_CORE2_COUNT},
    {NVTX_MODULE_CUDA, nvtx_attach_cuda, NVTX_CUDA_COUNT},
    {NVTX_MODULE_CUDART, nvtx_attach_cudart, NVTX_CUDART_COUNT},
    {NVTX_MODULE_SYNC, nvtx_attach_sync, NVTX_SYNC_COUNT},
};

static bool nvtx_attach_one(const struct nvtx_callbacks *callbacks,
                            const struct nvtx_attach_module *module)
{
    nvtx_slot **slots = NULL;
    unsigned count = 0;
    if (!callbacks->get_module(module->module, &slots, &count) || !slots)
        return false;
    for (unsigned i = 1; i < count && i < module->count; i++)
        if (slots[i])
            *slots[i] = module->functions[i];
    return true;
}

static void nvtx_attach_log_version(nvtx_get_export_table get)
{
    const struct nvtx_version_info *info = get(NVTX_TABLE_VERSION);
    if (info && info->size_bytes >= sizeof *info && info->set_tool_version)
        info->set_tool_version(NVTX_CLIENT_VERSION);
}

bool nvtx_attach(nvtx_get_export_table get)
{
    const struct nvtx_callbacks *callbacks = get ? get(NVTX_TABLE_CALLBACKS) : NULL;
    if (!callbacks || callbacks->size_bytes < sizeof *callbacks || !callbacks->get_module)
        return false;
    nvtx_attach_log_version(get);
    bool attached = false;
    for (size_t i = 0; i < sizeof nvtx_attach_modules / sizeof *nvtx_attach_modules; i++)
        attached |= nvtx_attach_one(callbacks, &nvtx_attach_modules[i]);
    return attached;
}

/* ---- extensions ---- */

static const intptr_t *nvtx_attach_payload_functions(unsigned *count)
{
    static const nvtx_slot functions[] = {
        NVTX_SLOT(NVTX_EXTENSION_SCHEMA_REGISTER, nvtx_extension_schema),
        NVTX_SLOT(NVTX_EXTENSION_ENUM_REGISTER, nvtx_extension_enum),
        NVTX_SLOT(NVTX_EXTENSION_MARK, nvtx_extension_mark),
        NVTX_SLOT(NVTX_EXTENSION_PUSH, nvtx_extension_push),
        NVTX_SLOT(NVTX_EXTENSION_POP, nvtx_extension_pop),
        NVTX_SLOT(NVTX_EXTENSION_START, nvtx_extension_start),
        NVTX_SLOT(NVTX_EXTENSION_END, nvtx_extension_end),
        NVTX_SLOT(NVTX_EXTENSION_IS_ENABLED, nvtx_extension_is_enabled),
    };
    _Static_assert(sizeof *functions == sizeof(intptr_t), "a slot holds a function's address");
    *count = sizeof functions / sizeof *functions;
    return (const intptr_t *)(const void *)functions;
}

bool nvtx_attach_extension(const struct nvtx_extension *extension)
{
    if (!extension || extension->size < offsetof(struct nvtx_extension, get_export) ||
        extension->module != NVTX_EXTENSION_PAYLOAD || extension->segment_count == 0 ||
        !extension->segments || !extension->segments->slots)
        return false;
    unsigned count;
    const intptr_t *functions = nvtx_attach_payload_functions(&count);
    const struct nvtx_extension_segment *segment = extension->segments;
    for (unsigned i = 0; i < count && i < segment->slot_count; i++)
        segment->slots[i] = functions[i];
    return true;
}

/* ---- PyTorch ----
 *
 * The functions that measure devices are stubs: PyTorch reads their results for CUDA only. */

static void nvtx_torch_name(const void *self, const char *name)
{
    (void)self;
    (void)nvtx_range_push_a(name);
}

static void nvtx_torch_pop(const void *self)
{
    (void)self;
    (void)nvtx_range_pop();
}

static void nvtx_torch_mark(const void *self, const char *name)
{
    (void)self;
    nvtx_mark_a(name);
}

static bool nvtx_torch_enabled(const void *self)
{
    (void)self;
    return true;
}

static float nvtx_torch_elapsed(const void *self)
{
    (void)self;
    return 0;
}

static void nvtx_torch_ignore(const void *self)
{
    (void)self;
}

const void *libprof_torch_stubs(void)
{
    typedef void (*function)(void);
    /* In the C++ ABI, offset-to-top and type info precede an object's functions. */
    static const function table[] = {
        NULL,
        NULL,
        (function)nvtx_torch_ignore, /* record */
        (function)nvtx_torch_elapsed,
        (function)nvtx_torch_mark,
        (function)nvtx_torch_name, /* rangePush */
        (function)nvtx_torch_pop,
        (function)nvtx_torch_enabled,
        (function)nvtx_torch_ignore, /* onEachDevice */
        (function)nvtx_torch_ignore, /* synchronize */
        (function)nvtx_torch_ignore, /* two destructors */
        (function)nvtx_torch_ignore,
    };
    static const struct {
        const function *functions;
    } object = {table + 2};
    return &object;
}
