#include "kernel_class.h"

#include <string.h>
#include <strings.h>

/* Words of libraries and collectives by their first letter, each list ended by NULL. RCCL's
 * kernels have NCCL's names. */
static const char *const kernel_class_words[26][9] = {
    ['a' - 'a'] = {"all_reduce", "allreduce", "all_gather", "allgather", "all_to_all", "alltoall",
                   "a2adispatch",          /* TensorRT-LLM, FlashInfer: moeA2ADispatchKernel */
                   "a2acombine"},          /* the same: moeA2ACombineKernel */
    ['c' - 'a'] = {"cross_device_reduce"}, /* vLLM, SGLang, aiter: cross_device_reduce_2stage */
    ['d' - 'a'] = {"deep_ep"},             /* DeepEP: deep_ep::internode_ll::dispatch */
    ['h' - 'a'] = {"hccl"},                /* Huawei's */
    ['m' - 'a'] = {"mscclpp",              /* MSCCL++ */
                   "multimem_"},           /* PyTorch: multimem_one_shot_reduce_kernel */
    ['n' - 'a'] = {"nccl", /* NCCL, RCCL: ncclDevKernel_AllReduce_Sum_f32_RING_LL, NVLS, SHARP */
                   "nvshmem"},           /* NVSHMEM */
    ['o' - 'a'] = {"on_stream_kernel"},  /* NVSHMEM: barrier_on_stream_kernel_threadgroup */
    ['p' - 'a'] = {"put_signal_kernel"}, /* PyTorch */
    ['r' - 'a'] = {"rccl",               /* RCCL: rccl_main_kernel */
                   "reduce_scatter", "reducescatter"},
    ['s' - 'a'] = {"symmetric_memory"}, /* PyTorch: c10d::symmetric_memory::barrier_kernel */
    ['u' - 'a'] = {"userbuffers"}, /* Transformer Engine, for Megatron: kuserbuffers_pushrecv */
    ['w' - 'a'] = {"wait_signal_kernel"}, /* PyTorch */
};

static char kernel_class_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool kernel_class_holds(const char *name, size_t bytes, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= bytes; i++)
        if (kernel_class_lower(name[i]) == part[0] && strncasecmp(name + i, part, length) == 0)
            return true;
    return false;
}

/* A mangled name, as the Itanium C++ ABI has it: "_Z", perhaps "N" and qualifiers, then each
 * identifier after its length. */
static size_t kernel_class_mangled_function(const char *name, size_t bytes)
{
    size_t at = 2;
    while (at < bytes && strchr("NKVrLS", name[at]))
        at++;
    if (at < bytes && name[at] == 't') /* "St": std */
        at++;
    while (at < bytes && name[at] >= '0' && name[at] <= '9') {
        size_t length = 0;
        while (at < bytes && name[at] >= '0' && name[at] <= '9' && length < bytes)
            length = length * 10 + (size_t)(name[at++] - '0');
        if (length > bytes - at)
            return bytes; /* the name was cut off */
        at += length;
        while (at < bytes && name[at] == 'L') /* before one of internal linkage */
            at++;
    }
    return at;
}

size_t kernel_class_function(const char *name, size_t bytes)
{
    static const char anonymous[] = "(anonymous namespace)";
    if (bytes > 2 && name[0] == '_' && name[1] == 'Z')
        return kernel_class_mangled_function(name, bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (name[i] == '<')
            return i;
        if (name[i] != '(')
            continue;
        if (bytes - i < sizeof anonymous - 1 ||
            memcmp(name + i, anonymous, sizeof anonymous - 1) != 0)
            return i;
        i += sizeof anonymous - 2;
    }
    return bytes;
}

/* TorchInductor names a kernel after the operators that it fuses, as in
 * "triton_poi_fused_add_all_reduce_wait_tensor_3": it processes a collective's result, but is not a
 * collective. */
static bool kernel_class_is_fused(const char *name, size_t bytes)
{
    static const char triton[] = "triton_";
    return bytes > sizeof triton && memcmp(name, triton, sizeof triton - 1) == 0 &&
           kernel_class_holds(name, bytes, "_fused_");
}

static bool kernel_class_word_at(const char *text, size_t bytes)
{
    const char letter = kernel_class_lower(*text);
    if (letter < 'a' || letter > 'z')
        return false;
    for (const char *const *word = kernel_class_words[letter - 'a']; *word; word++)
        if (strlen(*word) <= bytes && strncasecmp(text, *word, strlen(*word)) == 0)
            return true;
    return false;
}

bool kernel_class_communicates(const char *name, size_t bytes)
{
    const size_t function = kernel_class_function(name, bytes);
    for (size_t i = 0; i < function; i++)
        if (kernel_class_word_at(name + i, function - i))
            return !kernel_class_is_fused(name, function);
    return false;
}
