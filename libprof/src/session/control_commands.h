/* control_commands.h - what profdump ctl asks of this process, as prof/control.h has it. */
#ifndef PROF_CONTROL_COMMANDS_H
#define PROF_CONTROL_COMMANDS_H

#include <stddef.h>

/* Does what the command says and writes the answer, at most `answer_bytes`. Returns its size. */
size_t control_commands_run(const char *command, char *answer, size_t answer_bytes);

#endif
