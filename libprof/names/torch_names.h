/* torch_names.h - names as PyTorch's emit_nvtx writes them: the operator's name, then what is
 * different in each call:
 *
 *     aten::mm, seq = 12, op_id = 5, sizes = [[2, 3], [3, 4]], input_op_ids = [(1,0), (2,0)]
 *     aten::mm, seq=12
 *     aten::mm, stashed seq=12
 *
 * As one name each call would be a row of its own and the name table would be full soon.
 */
#ifndef PROF_TORCH_NAMES_H
#define PROF_TORCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TORCH_NAMES_PARTS_MAX 5

struct torch_names_part {
    const char *key;  /* "seq", "stashed_seq", "op_id": integers; "sizes", "input_op_ids": text */
    const char *text; /* of a text: within the name; NULL: it is an integer */
    size_t bytes;     /* of the text */
    uint64_t integer; /* as int64_t */
};

struct torch_names {
    size_t base_bytes; /* of the operator's name */
    size_t count;
    struct torch_names_part parts[TORCH_NAMES_PARTS_MAX];
};

/* Takes a name apart. False: it is no such name, to the last character; it stays whole. */
bool torch_names_parse(const char *name, size_t bytes, struct torch_names *torch);

#ifdef __cplusplus
}
#endif
#endif
