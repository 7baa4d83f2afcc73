/* write_version.h - the version that outputs carry: the build sets one of the macros. */
#ifndef PROF_WRITE_VERSION_H
#define PROF_WRITE_VERSION_H

#ifndef PROF_VERSION
#ifdef PROF_VERSION_TEXT
#define PROF_VERSION PROF_VERSION_TEXT
#else
#define PROF_VERSION "0.0.0-dev"
#endif
#endif

#endif
