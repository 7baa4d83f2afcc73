/* build_losses.c - device records that came and could not be kept, and whose they were. */
#include "builder.h"

static void take_lost(void *user, uint32_t correlation, const struct prof_rec_lost *record)
{
    struct builder *builder = user;
    if (builder->failed)
        return;
    struct build_lost *lost = ARRAY_ADD(&builder->losts);
    if (lost)
        *lost = (struct build_lost){*record, correlation, TL_NONE, TL_NONE};
    else
        builder->failed = true;
    build_stream(builder, record->context, record->stream, build_ordinal(record->device));
}

static void take_stream_loss(void *user, const struct prof_rec_stream_loss *record)
{
    struct builder *builder = user;
    if (builder->failed)
        return;
    struct prof_rec_stream_loss *loss = ARRAY_ADD(&builder->stream_losses);
    if (loss)
        *loss = *record;
    else
        builder->failed = true;
    build_stream(builder, record->context, record->stream, build_ordinal(record->device));
}

void build_losses_connect(struct read_sink *sink)
{
    sink->lost = take_lost;
    sink->stream_loss = take_stream_loss;
}
