/* attach_request.h - what `profrun --attach` and the libprof.so that it loads into a running
 * process tell each other.
 *
 *     profrun                                     the process
 *       writes a request, starts a thread ------>   dlopen(".../././libprof.so"): the constructor
 *                                                   does nothing yet
 *                                                   libprof_attach(request): configures libprof,
 *                                                   starts recording
 *       reads state and text      <--------------   stores the answer
 *       stores `acknowledged`     -------------->   releases the memory of the request
 *
 * The request is memory of the process: profrun writes and reads it by ptrace, or Python's script
 * does.
 */
#ifndef PROF_ATTACH_REQUEST_H
#define PROF_ATTACH_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* In the path that libprof.so is loaded by: its constructor leaves everything to
 * libprof_attach(). */
#define ATTACH_MARK "/././"

enum { ATTACH_VERSION = 1, ATTACH_OPTIONS_BYTES = 16384, ATTACH_TEXT_BYTES = 4352 };

enum attach_state {
    ATTACH_WAITING,    /* nothing has happened yet */
    ATTACH_NOT_LOADED, /* dlopen() failed; the text says why */
    ATTACH_REFUSED,    /* libprof does not record; the text says why */
    ATTACH_RECORDING,  /* recording; the text is the path of the new file */
    ATTACH_RESUMED,    /* recording again, to the file that was there */
    ATTACH_ON_ALREADY, /* it was recording: nothing changed but the time at which it stops */
};

struct attach_request {
    uint32_t version;      /* ATTACH_VERSION */
    uint32_t state;        /* enum attach_state; the process releases -> profrun reads the rest */
    uint32_t acknowledged; /* profrun has read the answer */
    /* Of the thread that made libprof's; the kernel clears it when that has gone. 0: none */
    uint32_t thread;
    uint64_t for_ms; /* stop recording after this long; 0: never */
    uint64_t memory; /* address and size of what is released at the end; 0: nothing */
    uint64_t memory_bytes;
    /* Answer: address of a uint32_t that grows when a recording with `for_ms` has stopped */
    uint64_t stops_at;
    uint32_t stops; /* answer: its value at the start */
    uint32_t options_bytes;
    char text[ATTACH_TEXT_BYTES];       /* answer: a path or a sentence */
    char options[ATTACH_OPTIONS_BYTES]; /* NAME=VALUE, each terminated by a zero byte */
};

/* Starts or resumes recording as the request says, and stores the answer: a path or why not. Once
 * libprof is configured. Threads: one that is ours. */
void attach_request_run(struct attach_request *request);

void attach_request_refuse(struct attach_request *request, const char *reason);

#endif
