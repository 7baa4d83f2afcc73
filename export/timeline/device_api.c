#include "device_api.h"

#include <ctype.h>
#include <string.h>

enum tl_device_api device_api_of(const struct timeline *timeline)
{
    enum tl_device_api found = TL_API_CUDA;
    bool any = false, any_device = false;
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        const struct tl_process_info *info = &timeline->processes.at[i].info;
        bool has_device = info->gpu_mode != PROF_GPU_NONE;
        if (any && any_device > has_device)
            continue;
        bool differs = any && any_device == has_device && found != info->device_api;
        found = differs ? TL_API_OTHER : info->device_api;
        any = true;
        any_device = has_device;
        if (differs && has_device)
            break;
    }
    return found;
}

const char *device_api_name(enum tl_device_api api)
{
    static const char *const names[] = {
        [TL_API_CUDA] = "CUDA", [TL_API_HIP] = "HIP", [TL_API_OTHER] = "GPU"};
    return names[api];
}

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* How many characters at `at`, where a word begins, `with` replaces; 0: none. */
static size_t replaced(enum tl_device_api api, const char *at, const char **with)
{
    if (strncmp(at, "CUDA", 4) == 0 && !is_word_character(at[4]))
        *with = device_api_name(api);
    else if (api == TL_API_HIP && strncmp(at, "cuda", 4) == 0 && isupper((unsigned char)at[4]))
        *with = "hip";
    else
        return 0;
    return 4;
}

const char *device_api_words(enum tl_device_api api, const char *text, char *to, size_t to_bytes)
{
    size_t used = 0;
    if (api == TL_API_CUDA)
        return text;
    for (const char *at = text; *at && used + 1 < to_bytes;) {
        const char *with = NULL;
        bool begins = at == text || !is_word_character(at[-1]);
        size_t skipped = begins ? replaced(api, at, &with) : 0;
        if (!skipped) {
            to[used++] = *at++;
            continue;
        }
        for (; *with && used + 1 < to_bytes; with++)
            to[used++] = *with;
        at += skipped;
    }
    to[used] = '\0';
    return to;
}
