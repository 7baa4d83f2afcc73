/* key_calls.c - pieces are listed in order, so the last one listed of a call is its last. */
#include "key_calls.h"

#include <stdlib.h>

static struct key_call *call_of(struct key_calls *calls, uint32_t *count,
                                const struct tl_piece *piece)
{
    uint32_t call = keymap_find(&calls->of_slice, piece->first);
    if (call == KEYMAP_NONE) {
        call = (*count)++;
        if (!keymap_set(&calls->of_slice, piece->first, call))
            return NULL;
        calls->at[call] = (struct key_call){
            .row = UINT32_MAX, .shape = TL_NONE, .stack = TL_NONE, .device = KEY_SPAN_EMPTY};
    }
    return keymap_set(&calls->of_slice, piece->slice, call) ? &calls->at[call] : NULL;
}

bool key_calls_init(struct key_calls *calls, const struct timeline *timeline)
{
    uint32_t count = 0;
    *calls = (struct key_calls){0};
    if (timeline->pieces.count == 0)
        return true;
    calls->at = malloc(timeline->pieces.count * sizeof *calls->at);
    for (uint32_t i = 0; i < timeline->pieces.count && calls->at; i++) {
        struct key_call *call = call_of(calls, &count, &timeline->pieces.at[i]);
        if (!call) {
            key_calls_fini(calls);
            return false;
        }
        call->last = timeline->pieces.at[i].slice;
    }
    return calls->at != NULL;
}

void key_calls_fini(struct key_calls *calls)
{
    free(calls->at);
    keymap_fini(&calls->of_slice);
    *calls = (struct key_calls){0};
}
