/* table_tree.h - the ranges as a tree. */
#ifndef PROF_TABLE_TREE_H
#define PROF_TABLE_TREE_H

#include "write.h"

/* Of averages by name and path: a line per path of ranges, indented, with its calls, CPU and CUDA
 * time, and its share of the range around it (of an outermost one: of all outermost ranges) in
 * CUDA total where there is device data, else in CPU total. Children are in the order of the rows,
 * options->rows limits the lines, options->depth how deep they go. False: no memory. */
bool table_tree_print(const struct key_averages *averages, const struct write_options *options,
                      FILE *stream);

#endif
