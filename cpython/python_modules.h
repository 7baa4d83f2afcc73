/* python_modules.h - calls of PyTorch's modules: "nn.Module: Linear_0" in place of torch/nn/modules/module.py, as in
 * PyTorch's profiler.
 *
 * Every call of a torch.nn.Module begins in one function; which module it is of, is its argument `self`. Modules of a
 * class are numbered in the order in which their first calls are recorded, and keep their numbers until the process
 * ends. Called with the GIL held.
 */
#ifndef PROF_PYTHON_MODULES_H
#define PROF_PYTHON_MODULES_H

#include "python_api.h"

/* Whether this is the name (python_names.h) of the function in which calls of modules begin. */
bool python_modules_is_call(const char *name, size_t size);

/* The id of the name of the module that a frame of that function is a call of; 0: it is not known. Clears exceptions
 * of its own; there is none when it is called. */
uint32_t python_modules_name(const struct python_api *api, PyObject *frame);

#endif
