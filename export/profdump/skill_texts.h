/* skill_texts.h - the skill for assistants, from skill/: the build embeds the files. */
#ifndef PROF_SKILL_TEXTS_H
#define PROF_SKILL_TEXTS_H

struct skill_text {
    const char *name; /* of the file, without .md */
    const char *text; /* the whole file */
};

/* SKILL first, then the references by name; ends with a NULL name. */
extern const struct skill_text skill_texts[];

#endif
