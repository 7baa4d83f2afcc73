/* What nvcc's generated code calls: fat binaries, functions, variables, call configurations. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim_core.h"
#include "sim_memory.h"
#include "sim_module.h"
#include "sim_rt.h"

/* --- an address-keyed map, filled by static constructors -------------------------------------- */

struct entry {
    const void *key; /* a host stub, or a variable's shadow */
    struct sim_function *function;
    void *memory; /* of a variable */
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct entry *entries;                            /* sorted by key */
static size_t count, capacity;

static size_t lower_bound(const void *key)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)entries[middle].key < (uintptr_t)key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool find(const void *key, struct entry *found)
{
    pthread_mutex_lock(&lock);
    const size_t at = lower_bound(key);
    const bool is = at < count && entries[at].key == key;
    if (is)
        *found = entries[at];
    pthread_mutex_unlock(&lock);
    return is;
}

static void insert_locked(const struct entry *entry)
{
    const size_t at = lower_bound(entry->key);
    if (at < count && entries[at].key == entry->key) {
        entries[at] = *entry;
        return;
    }
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 256;
        entries = realloc(entries, capacity * sizeof *entries);
        if (!entries)
            abort(); /* a simulation out of memory has nothing left to simulate */
    }
    memmove(&entries[at + 1], &entries[at], (count - at) * sizeof *entries);
    entries[at] = *entry;
    count++;
}

static void insert(const struct entry *entry)
{
    pthread_mutex_lock(&lock);
    insert_locked(entry);
    pthread_mutex_unlock(&lock);
}

struct sim_function *sim_rt_function(const void *stub)
{
    struct entry entry;
    if (stub && find(stub, &entry) && entry.function)
        return entry.function;
    return sim_function_of(stub);
}

const char *sim_rt_function_name(const void *stub)
{
    const struct sim_function *function = sim_rt_function(stub);
    return function ? function->name : NULL;
}

int sim_rt_symbol(const void *symbol, void **address, size_t *bytes)
{
    struct entry entry;
    if (!symbol || !find(symbol, &entry) || !entry.memory)
        return SIM_INVALID_SYMBOL;
    if (address)
        *address = entry.memory;
    if (bytes)
        *bytes = entry.bytes;
    return SIM_OK;
}

/* --- registration ----------------------------------------------------------------------------- */

/* The fat binary's handle: the program treats it as void ** and may read its first word. */
struct fat_binary {
    const void *image;
    struct sim_module *module;
    struct fat_binary *next;
};

static struct fat_binary *binaries; /* lock */

SIM_EXPORT void **__cudaRegisterFatBinary(const void *image);
SIM_EXPORT void **__cudaRegisterFatBinary(const void *image)
{
    struct fat_binary *binary = calloc(1, sizeof *binary);
    if (!binary)
        abort();
    binary->image = image;
    binary->module = sim_module_create(NULL);
    pthread_mutex_lock(&lock);
    binary->next = binaries;
    binaries = binary;
    pthread_mutex_unlock(&lock);
    return (void **)binary;
}

SIM_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
SIM_EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Functions stay known: the program's own exit handlers may still ask for names. */
SIM_EXPORT void __cudaUnregisterFatBinary(void **handle);
SIM_EXPORT void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

SIM_EXPORT char __cudaInitModule(void **handle);
SIM_EXPORT char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

SIM_EXPORT void __cudaRegisterUnifiedTable(void **handle, const void *table);
SIM_EXPORT void __cudaRegisterUnifiedTable(void **handle, const void *table)
{
    (void)handle, (void)table;
}

SIM_EXPORT void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                                       const char *name, int thread_limit, void *tid, void *bid,
                                       void *block, void *grid, int *warp);
SIM_EXPORT void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                                       const char *name, int thread_limit, void *tid, void *bid,
                                       void *block, void *grid, int *warp)
{
    const struct fat_binary *binary = (const struct fat_binary *)(void *)handle;
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid,
        (void)warp;
    insert(&(struct entry){.key = stub, .function = sim_module_function(binary->module, name)});
}

static void *variable_memory(size_t bytes, const char *name, enum sim_memory_type type)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        abort();
    sim_memory_register(type, 0, memory, bytes, 0, name);
    return memory;
}

SIM_EXPORT void __cudaRegisterVar(void **handle, char *shadow, char *address, const char *name,
                                  int ext, size_t bytes, int constant, int global);
SIM_EXPORT void __cudaRegisterVar(void **handle, char *shadow, char *address, const char *name,
                                  int ext, size_t bytes, int constant, int global)
{
    (void)handle, (void)address, (void)ext, (void)constant, (void)global;
    insert(&(struct entry){
        .key = shadow, .bytes = bytes, .memory = variable_memory(bytes, name, SIM_MEMORY_DEVICE)});
}

SIM_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *shadow, size_t bytes);
SIM_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *shadow, size_t bytes)
{
    (void)handle, (void)name;
    insert(&(struct entry){.key = shadow, .bytes = bytes, .memory = shadow});
}

/* The program reaches a managed variable through the pointer at shadow. */
SIM_EXPORT void __cudaRegisterManagedVar(void **handle, void **shadow, char *address,
                                         const char *name, int ext, size_t bytes, int constant,
                                         int global);
SIM_EXPORT void __cudaRegisterManagedVar(void **handle, void **shadow, char *address,
                                         const char *name, int ext, size_t bytes, int constant,
                                         int global)
{
    (void)handle, (void)address, (void)ext, (void)constant, (void)global;
    *shadow = variable_memory(bytes, name, SIM_MEMORY_MANAGED);
    insert(&(struct entry){.key = shadow, .bytes = bytes, .memory = *shadow});
}

/* --- call configurations: what <<<>>> pushes and the stub pops -------------------------------- */

struct configuration {
    struct sim_dim3 grid, block;
    size_t dynamic_shared;
    void *stream;
};

enum { MAX_CONFIGURATIONS = 16 };

static _Thread_local struct configuration configurations[MAX_CONFIGURATIONS];
static _Thread_local int depth;

SIM_EXPORT unsigned __cudaPushCallConfiguration(struct sim_dim3 grid, struct sim_dim3 block,
                                                size_t dynamic_shared, void *stream);
SIM_EXPORT unsigned __cudaPushCallConfiguration(struct sim_dim3 grid, struct sim_dim3 block,
                                                size_t dynamic_shared, void *stream)
{
    if (depth == MAX_CONFIGURATIONS)
        return SIM_INVALID_CONFIGURATION;
    configurations[depth++] = (struct configuration){grid, block, dynamic_shared, stream};
    return SIM_OK;
}

SIM_EXPORT int __cudaPopCallConfiguration(struct sim_dim3 *grid, struct sim_dim3 *block,
                                          size_t *dynamic_shared, void **stream);
SIM_EXPORT int __cudaPopCallConfiguration(struct sim_dim3 *grid, struct sim_dim3 *block,
                                          size_t *dynamic_shared, void **stream)
{
    if (!depth)
        return SIM_INVALID_CONFIGURATION;
    const struct configuration *configuration = &configurations[--depth];
    *grid = configuration->grid;
    *block = configuration->block;
    *dynamic_shared = configuration->dynamic_shared;
    *stream = configuration->stream;
    return SIM_OK;
}

/* Called once per kernel by the stub before its first launch; needs no driver. */
SIM_EXPORT int __cudaGetKernel(void **kernel, const void *stub);
SIM_EXPORT int __cudaGetKernel(void **kernel, const void *stub)
{
    struct sim_function *function = sim_rt_function(stub);
    if (!function)
        return SIM_INVALID_DEVICE_FUNCTION;
    *kernel = function;
    return SIM_OK;
}
