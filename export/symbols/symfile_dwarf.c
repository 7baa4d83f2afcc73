/* symfile_dwarf.c - elfutils' libdw reads the file, the debug information beside it or under
 * /usr/lib/debug (found by build-id), and debuginfod if the environment names a server. */
#include "symfile.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

struct symfile {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr bias; /* from addresses of the file to libdw's */
};

static char debug_path[] = ":.debug:/usr/lib/debug", *debug_path_at = debug_path;

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debug_path_at,
};

bool symfile_has_lines(void)
{
    return true;
}

struct symfile *symfile_open_path(const char *path)
{
    struct symfile *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->dwfl = dwfl_begin(&callbacks);
    if (file->dwfl) {
        dwfl_report_begin(file->dwfl);
        file->module = dwfl_report_offline(file->dwfl, path, path, -1);
        dwfl_report_end(file->dwfl, NULL, NULL);
    }
    if (file->module && dwfl_module_getelf(file->module, &file->bias))
        return file;
    symfile_close(file);
    return NULL;
}

uint32_t symfile_build_id(const struct symfile *file, const uint8_t **build_id)
{
    GElf_Addr address;
    int bytes = dwfl_module_build_id(file->module, build_id, &address);
    return bytes > 0 ? (uint32_t)bytes : 0;
}

void symfile_close(struct symfile *file)
{
    if (file && file->dwfl)
        dwfl_end(file->dwfl);
    free(file);
}

/* ---- one address ---- */

/* The name that the linker sees tells overloads apart. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return dwarf_diename(die);
}

static void find_line(Dwfl_Module *module, GElf_Addr address, struct symfile_frame *frame)
{
    int line = 0;
    Dwfl_Line *at = dwfl_module_getsrc(module, address);
    frame->file = at ? dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
    frame->line = line > 0 ? (uint32_t)line : 0;
}

/* Where an inlined function was called. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct symfile_frame *frame)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Files *files;
    frame->file = NULL;
    frame->line = 0;
    if (dwarf_getsrcfiles(unit, &files, NULL) == 0 &&
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) == 0)
        frame->file = dwarf_filesrc(files, number, NULL, NULL);
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
        frame->line = (uint32_t)number;
}

/* The innermost function or block at the address, and what it physically lies in, outwards. */
static int find_scopes(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Addr bias;
    Dwarf_Die innermost;
    int count = dwarf_getscopes(unit, address, scopes);
    if (count <= 0)
        return 0;
    Dwarf_Off offset = dwarf_dieoffset(&(*scopes)[0]);
    free(*scopes);
    *scopes = NULL;
    if (!dwarf_offdie(dwfl_module_getdwarf(module, &bias), offset, &innermost))
        return 0;
    return dwarf_getscopes_die(&innermost, scopes);
}

/* False: no function of the debug information covers the address. */
static bool tell_scopes(Dwarf_Die *unit, Dwarf_Die *scopes, int count, struct symfile_frame frame,
                        symfile_found found, void *user)
{
    const char *symbol = frame.function;
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        frame.function = name_of(&scopes[i]);
        frame.inlined = tag == DW_TAG_inlined_subroutine;
        if (!frame.function && !frame.inlined)
            frame.function = symbol;
        found(user, &frame);
        if (!frame.inlined)
            return true;
        find_call(unit, &scopes[i], &frame);
    }
    return false;
}

bool symfile_find(struct symfile *file, uint64_t address, symfile_found found, void *user)
{
    Dwarf_Die *scopes = NULL;
    Dwarf_Addr bias = 0;
    GElf_Addr at = address + file->bias;
    struct symfile_frame frame = {.function = dwfl_module_addrname(file->module, at)};
    find_line(file->module, at, &frame);
    Dwarf_Die *unit = dwfl_module_addrdie(file->module, at, &bias);
    int count = unit ? find_scopes(file->module, unit, at - bias, &scopes) : 0;
    bool told = count > 0 && tell_scopes(unit, scopes, count, frame, found, user);
    free(scopes);
    if (!told && frame.function)
        found(user, &frame);
    return told || frame.function;
}
