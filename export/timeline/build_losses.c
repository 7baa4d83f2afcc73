/* build_losses.c - device records that came and could not be kept, and whose they were. */
#include "build.h"

void timeline_append_lost(struct builder *builder, uint32_t correlation,
                          const struct read_lost *record)
{
    if (builder->failed)
        return;
    struct build_lost *lost = ARRAY_ADD(&builder->losts);
    if (lost)
        *lost = (struct build_lost){*record, correlation, TL_NONE, TL_NONE};
    else
        builder->failed = true;
    build_stream(builder, record->context, record->stream, build_ordinal(record->device));
}

void timeline_add_stream_loss(struct builder *builder, const struct read_stream_loss *record)
{
    if (builder->failed)
        return;
    struct read_stream_loss *loss = ARRAY_ADD(&builder->stream_losses);
    if (loss)
        *loss = *record;
    else
        builder->failed = true;
    build_stream(builder, record->of.context, record->of.stream, build_ordinal(record->of.device));
}
