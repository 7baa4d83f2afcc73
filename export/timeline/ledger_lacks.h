/* ledger_lacks.h - the operations that the ledger finds in no record, call by call, while it is made. */
#ifndef PROF_LEDGER_LACKS_H
#define PROF_LEDGER_LACKS_H

#include "ledger_rows.h"

/* Of one process. Until they are explained, lacks[].place is a row. */
struct ledger_lacks {
    struct timeline *timeline;
    uint32_t first; /* into lacks[] */
    bool failed;    /* no memory */
};

/* `cause` TL_LACK_MISSING: the row will say. */
void ledger_lacks_add(struct ledger_lacks *lacks, uint32_t slice, uint32_t row, uint64_t count,
                      uint32_t cause);

/* Once the rows say why operations are in no record: gives each its cause. False: no memory. */
bool ledger_lacks_explain(struct ledger_lacks *lacks, const struct ledger_rows *rows);

#endif
