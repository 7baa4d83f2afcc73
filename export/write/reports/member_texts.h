/* member_texts.h - the files in members/, as embed_texts.cmake writes them. */
#ifndef PROF_MEMBER_TEXTS_H
#define PROF_MEMBER_TEXTS_H

struct member_text {
    const char *name; /* of the command; NULL ends the array */
    const char *lines;
};

extern const struct member_text member_texts[];

#endif
