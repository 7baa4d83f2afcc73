/* cmd_ledger.c - profdump ledger FILE...: what was launched, on which stream, and where it is. */
#include "profdump.h"

int cmd_ledger(const struct profdump_options *options, const struct timeline *timeline)
{
    bool written = options->json ? write_ledger_json(timeline, &options->write, stdout)
                                 : write_ledger(timeline, &options->write, stdout);
    return finish(options, timeline, written);
}
