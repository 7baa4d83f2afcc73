/* export_endings.h - file name endings: profdump -o selects a format by them, profrun -o refuses
 * them. */
#ifndef PROF_EXPORT_ENDINGS_H
#define PROF_EXPORT_ENDINGS_H

#define EXPORT_ENDINGS_CHROME ".json .trace"
#define EXPORT_ENDINGS_HTML ".html .htm"
#define EXPORT_ENDINGS_PERFETTO ".pftrace .perfetto-trace"
#define EXPORT_ENDINGS_PPROF ".pb.gz .pprof"
#define EXPORT_ENDINGS_PROMETHEUS ".prom"
#define EXPORT_ENDINGS_SPEEDSCOPE ".speedscope.json .speedscope"
#define EXPORT_ENDINGS_ETPROF ".etprof"
#define EXPORT_ENDINGS_SVG ".svg"
#define EXPORT_ENDINGS_SQLITE ".sqlite .sqlite3 .db"
#define EXPORT_ENDINGS_ARROW ".arrow .feather"
#define EXPORT_ENDINGS_FOLDED ".folded"
#define EXPORT_ENDINGS_CSV ".csv .tsv .txt .md"

/* All of them. Compressed files have a further one of EXPORT_PACKINGS. */
#define EXPORT_ENDINGS                                                                    \
    EXPORT_ENDINGS_CHROME                                                                 \
    " " EXPORT_ENDINGS_HTML " " EXPORT_ENDINGS_PERFETTO " " EXPORT_ENDINGS_PPROF          \
    " " EXPORT_ENDINGS_PROMETHEUS " " EXPORT_ENDINGS_SPEEDSCOPE " " EXPORT_ENDINGS_ETPROF \
    " " EXPORT_ENDINGS_SVG " " EXPORT_ENDINGS_SQLITE " " EXPORT_ENDINGS_ARROW             \
    " " EXPORT_ENDINGS_FOLDED " " EXPORT_ENDINGS_CSV
#define EXPORT_PACKINGS ".gz", ".zst"

#endif
