/* loss.h - counting what was not recorded; see recorder.h for loss_add() and loss_get(). */
#ifndef PROF_LOSS_H
#define PROF_LOSS_H

#include "recorder.h"

/* A file was made: what was counted before belongs into its header, which is not published yet. */
void loss_move_to_file(struct prof_file_header *header);

#endif
