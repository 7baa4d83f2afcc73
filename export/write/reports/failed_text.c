/* failed_text.c - see failed_text.h. */
#include "failed_text.h"

#include "failed_calls.h"
#include "text.h"
#include "units.h"

#define NAME_COLUMNS 60u
#define RANGES_SHOWN 6u

static void print_text(FILE *stream, struct text text)
{
    char shown[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    bool rest;
    show_text(text, NAME_COLUMNS, shown, &rest);
    fprintf(stream, "%s%s", shown, rest ? "..." : "");
}

static void print_ranges(FILE *stream, const struct timeline *timeline, uint32_t slice)
{
    uint32_t ranges[RANGES_SHOWN];
    uint32_t count = failed_calls_ranges(timeline, slice, ranges, RANGES_SHOWN);
    fputs(count == 0 ? " outside of ranges" : count > RANGES_SHOWN ? " in .../" : " in ", stream);
    for (uint32_t i = 0; i < count && i < RANGES_SHOWN; i++) {
        const struct tl_slice *range = &timeline->slices.at[ranges[i]];
        fputs(i ? "/" : "", stream);
        print_text(stream, timeline->names.at[tl_shown_name(timeline, range->name, range->label)]);
    }
}

/* In the time of its process, as the summary's. */
static int64_t time_of(const struct timeline *timeline, uint32_t slice)
{
    const struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[slice].thread];
    return timeline->slices.at[slice].start_ns - timeline->processes.at[thread->process].start_ns;
}

void failed_text_line(FILE *stream, const struct timeline *timeline, const struct failed_call *call)
{
    const char *error = cuda_error_name((enum prof_api_domain)call->domain, call->result);
    char at[TIME_TEXT_BYTES];
    time_text((double)time_of(timeline, call->first), at);
    fputs("  ", stream);
    print_text(stream, timeline->names.at[call->name]);
    fprintf(stream, ": %s%s%d%s x %llu, first at %s", error ? error : "error", error ? " (" : " ",
            call->result, error ? ")" : "", (unsigned long long)call->count, at);
    print_ranges(stream, timeline, call->first);
    fputc('\n', stream);
}

bool failed_text(FILE *stream, const struct timeline *timeline, uint32_t most)
{
    struct failed_calls calls;
    if (!failed_calls_init(&calls, timeline))
        return false;
    if (calls.count)
        fputs("Failed CUDA calls:\n", stream);
    for (uint32_t i = 0; i < calls.count && i < most; i++)
        failed_text_line(stream, timeline, &calls.at[i]);
    if (calls.count > most)
        fprintf(stream, "  and %u more kinds\n", calls.count - most);
    failed_calls_fini(&calls);
    return true;
}
