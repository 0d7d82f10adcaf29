/* Where memory was allocated, in the words of the program. */
#include <dwarf.h>
#include <string.h>

#include "base/mem.h"
#include "place/state.h"
#include "place/type.h"

/* Libraries whose own lines mean nothing to the user of a program: names up to a suffix. */
static bool is_system_module(const char *path)
{
    static const char *const names[] = {"libc.so",     "libc-",      "ld-linux",   "ld-",
                                        "libstdc++.",  "libgcc_s.",  "libpthread", "libdl.",
                                        "libclew_rt.", "libclew_co", "libm."};
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(base, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_system_header(const char *file)
{
    return strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0 ||
           strstr(file, "/include/c++/") != NULL || strstr(file, "/bits/") != NULL;
}

/* Functions that stand between a program and malloc under names that many programs use. */
static bool is_wrapper(const char *function)
{
    static const char *const names[] = {
        "xmalloc",       "xcalloc",     "xrealloc",     "xzalloc",       "xstrdup", "xmemdup",
        "g_malloc",      "g_malloc0",   "g_realloc",    "g_strdup",      "zmalloc", "zcalloc",
        "zrealloc",      "safe_malloc", "safe_calloc",  "emalloc",       "ecalloc", "erealloc",
        "checked_alloc", "allocate",    "operator new", "operator new[]"};
    for (size_t i = 0; function != NULL && i < sizeof names / sizeof *names; i++) {
        if (strcmp(function, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct source_line {
    const char *file;
    int number;
};

/* Where an inlined function is called. */
static struct source_line call_of(Dwarf_Die *unit, Dwarf_Die *inlined)
{
    uint64_t file = 0;
    uint64_t line = 0;
    Dwarf_Files *files = NULL;
    if (!type_number(inlined, DW_AT_call_file, &file) ||
        !type_number(inlined, DW_AT_call_line, &line) ||
        dwarf_getsrcfiles(unit, &files, NULL) != 0) {
        return (struct source_line){0};
    }
    return (struct source_line){.file = dwarf_filesrc(files, file, NULL, NULL),
                                .number = (int)line};
}

/* Goes out of inlined functions for as long as the line is none of the program's. */
static struct source_line line_of_program(Dwfl_Module *module, uint64_t address)
{
    struct source_line line = {0};
    line.file = places_line(module, address, &line.number);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = places_unit(module, address, &bias);
    Dwarf_Die *scopes = NULL;
    const int count = unit == NULL ? 0 : places_scopes(unit, address - bias, &scopes);
    for (int i = 0; i < count && line.file != NULL; i++) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) {
            continue;
        }
        if (!is_system_header(line.file) && !is_wrapper(dwarf_diename(&scopes[i]))) {
            break;
        }
        const struct source_line outer = call_of(unit, &scopes[i]);
        line = outer.file != NULL ? outer : line;
    }
    mem_free(scopes);
    return line;
}

bool places_print_allocation(struct places *p, uint64_t address, struct out *out)
{
    const uint64_t inside = address == 0 ? 0 : address - 1;
    Dwfl_Module *module = places_module(p, inside);
    if (module == NULL) {
        return false;
    }
    const char *path = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    if (is_system_module(path)) {
        const char *slash = strrchr(path, '/');
        const char *function = dwfl_module_addrname(module, inside);
        out_text(out, slash == NULL ? path : slash + 1);
        if (function != NULL) {
            out_format(out, "!%s", function);
        }
        return true;
    }
    const struct source_line line = line_of_program(module, inside);
    if (line.file == NULL) {
        return places_print_source(p, address, out);
    }
    const char *slash = strrchr(line.file, '/');
    out_format(out, "%s:%d", slash == NULL ? line.file : slash + 1, line.number);
    return true;
}
