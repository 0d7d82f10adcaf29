#include "place/place.h"

#include <dwarf.h>
#include <string.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "place/module_state.h"
#include "wire/must.h"

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct places *places_new(void)
{
    struct places *p = mem_zero(1, sizeof *p);
    p->dwfl = seam_fails() ? NULL : dwfl_begin(&callbacks);
    return p;
}

void places_free(struct places *p)
{
    if (p == NULL) {
        return;
    }
    if (p->dwfl != NULL) {
        dwfl_end(p->dwfl);
    }
    map_release(&p->known);
    map_release(&p->collected);
    vec_release(&p->variables);
    map_release(&p->frames_of);
    vec_release(&p->frames);
    map_release(&p->function_of);
    vec_release(&p->functions);
    map_release(&p->uses_result);
    map_release(&p->tests_result);
    map_release(&p->compares_read);
    map_release(&p->asserts_read);
    map_release(&p->plain_update_of);
    map_release(&p->ignores_result);
    vec_release(&p->plain_updates);
    map_release(&p->constant_of);
    vec_release(&p->constants);
    mem_free(p);
}

void places_add_module(struct places *p, const char *path, uint64_t bias)
{
    bool is_new = false;
    (void)map_slot(&p->known, bias, 0, &is_new);
    if (p->dwfl == NULL || !is_new) {
        return;
    }
    map_clear(&p->function_of);
    vec_clear(&p->functions);
    if (!p->is_reporting) {
        dwfl_report_begin_add(p->dwfl);
        p->is_reporting = true;
    }
    (void)dwfl_report_elf(p->dwfl, path, path, -1, bias, true);
}

bool places_settle(struct places *p)
{
    if (p->dwfl != NULL && p->is_reporting) {
        (void)dwfl_report_end(p->dwfl, NULL, NULL);
        p->is_reporting = false;
    }
    return p->dwfl != NULL;
}

Dwfl_Module *places_module(struct places *p, uint64_t address)
{
    return places_settle(p) ? dwfl_addrmodule(p->dwfl, address) : NULL;
}

/* The unit that covers an address. libdw looks it up through .debug_aranges, which clang does not
 * write: it then finds none, or the unit of another compiler whose ranges lie around the address.
 */
Dwarf_Die *places_unit(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit != NULL && dwarf_haspc(unit, address - *bias) > 0) {
        return unit;
    }
    unit = NULL;
    while ((unit = dwfl_module_nextcu(module, unit, bias)) != NULL) {
        if (dwarf_haspc(unit, address - *bias) > 0) {
            return unit;
        }
    }
    return NULL;
}

/* The innermost scope of an address, as its offset in the debug information; 0: none. */
static Dwarf_Off scope_of(Dwarf_Die *unit, uint64_t address)
{
    Dwarf_Die *scopes = NULL;
    const int count = dwarf_getscopes(unit, address, &scopes);
    const Dwarf_Off offset = count > 0 ? dwarf_dieoffset(&scopes[0]) : 0;
    mem_free(scopes);
    return offset;
}

/* The row of the line table that covers an address. O(log rows). */
static size_t row_of(Dwarf_Lines *lines, size_t count, uint64_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        Dwarf_Addr start = 0;
        (void)dwarf_lineaddr(dwarf_onesrcline(lines, middle), &start);
        low = start <= address ? middle : low;
        high = start <= address ? high : middle;
    }
    must(count == 0 || low < count);
    return low;
}

/* An instruction that the compiler merged from two lines, as clang merges the first and the next
 * read of a list, has line 0. Its line is then the nearest one of the same scope, first behind it.
 */
static Dwarf_Line *nearest_line(Dwarf_Die *unit, uint64_t address)
{
    enum { ROWS_MAX = 16 };
    Dwarf_Lines *lines = NULL;
    size_t count = 0;
    if (dwarf_getsrclines(unit, &lines, &count) != 0 || count == 0) {
        return NULL;
    }
    const size_t row = row_of(lines, count, address);
    const Dwarf_Off scope = scope_of(unit, address);
    for (size_t i = 0; scope != 0 && i < (size_t)2 * ROWS_MAX; i++) {
        const bool is_behind = i < ROWS_MAX;
        const size_t away = i % ROWS_MAX + 1;
        Dwarf_Line *line = is_behind     ? dwarf_onesrcline(lines, row + away)
                           : away <= row ? dwarf_onesrcline(lines, row - away)
                                         : NULL;
        Dwarf_Addr start = 0;
        int number = 0;
        if (line != NULL && dwarf_lineno(line, &number) == 0 && number != 0 &&
            dwarf_lineaddr(line, &start) == 0 && scope_of(unit, start) == scope) {
            return line;
        }
    }
    return NULL;
}

/* The row of the unit's line table that says the line of an address; NULL: none. */
static Dwarf_Line *line_of(Dwarf_Die *unit, uint64_t address)
{
    Dwarf_Line *found = dwarf_getsrc_die(unit, address);
    int number = 0;
    Dwarf_Line *nearest = found != NULL && dwarf_lineno(found, &number) == 0 && number == 0
                              ? nearest_line(unit, address)
                              : NULL;
    return nearest != NULL ? nearest : found;
}

/* The line of an address. */
const char *places_line(Dwfl_Module *module, uint64_t address, int *number)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = places_unit(module, address, &bias);
    Dwarf_Line *found = unit == NULL ? NULL : line_of(unit, address - bias);
    return found == NULL || dwarf_lineno(found, number) < 0 ? NULL
                                                            : dwarf_linesrc(found, NULL, NULL);
}

/* Where an inlined function is called: " bank.c:30". */
static void print_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct out *out)
{
    const char *file = NULL;
    const int line = places_call(unit, inlined, &file);
    if (line >= 0) {
        out_format(out, " %s:%d", file == NULL ? "?" : places_base_name(file), line);
    }
}

enum { SCOPES_MAX = 64 };

/* Whether functions may be declared in it, though it has no addresses of its own. */
static bool is_space(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_union_type;
}

/* The child that covers the address, directly or in a namespace; false: none does. */
static bool find_child(Dwarf_Die *parent, uint64_t address, Dwarf_Die *found)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0) {
        return false;
    }
    do {
        const int tag = dwarf_tag(&child);
        if (is_space(tag) ? find_child(&child, address, found) : dwarf_haspc(&child, address) > 0) {
            *found = is_space(tag) ? *found : child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* The function that covers the address and belongs to a class in another function, as gcc has those
 * of lambdas: the function around it does not cover the address. */
static bool find_local(Dwarf_Die *parent, uint64_t address, Dwarf_Die *found)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0) {
        return false;
    }
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram && dwarf_haspc(&child, address) > 0) {
            *found = child;
            return true;
        }
        if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || is_space(tag)) &&
            find_local(&child, address, found)) {
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* The scopes of an address, from the innermost to the unit; returns their number. libdw's function
 * for an address continues from an inlined function to the scopes around its source, not to its
 * callers. libdw's function for a scope searches the whole unit. */
int places_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
    Dwarf_Die path[SCOPES_MAX] = {*unit};
    int count = 1;
    if (find_child(unit, address, &path[1]) || find_local(unit, address, &path[1])) {
        count++;
    }
    while (count > 1 && count < SCOPES_MAX && find_child(&path[count - 1], address, &path[count])) {
        count++;
    }
    if (count == 1) {
        return 0;
    }
    must(count <= SCOPES_MAX);
    *scopes = mem_zero((size_t)count, sizeof **scopes);
    for (int i = 0; i < count; i++) {
        (*scopes)[i] = path[count - 1 - i];
    }
    return count;
}

/* From debug information. Of each inlined function the place of its call belongs to the function
 * that comes next. */
static bool print_scopes(Dwfl_Module *module, uint64_t address, struct out *out)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = places_unit(module, address, &bias);
    Dwarf_Die *scopes = NULL;
    const int count = unit == NULL ? 0 : places_scopes(unit, address - bias, &scopes);
    Dwarf_Die *called = NULL; /* the inlined function before */
    bool is_first = true;
    for (int i = 0; i < count; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        const char *name = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram
                               ? dwarf_diename(&scopes[i])
                               : NULL;
        if (name == NULL) {
            continue;
        }
        out_text(out, is_first ? "" : " < ");
        out_text(out, name);
        if (called != NULL) {
            print_call(unit, called, out);
        }
        is_first = false;
        if (tag == DW_TAG_subprogram) {
            break;
        }
        called = &scopes[i];
    }
    mem_free(scopes);
    return !is_first;
}

bool places_print_functions(struct places *p, uint64_t address, struct out *out)
{
    const uint64_t inside = address == 0 ? 0 : address - 1;
    Dwfl_Module *module = places_module(p, inside);
    if (module == NULL) {
        return false;
    }
    if (print_scopes(module, inside, out)) {
        return true;
    }
    const char *function = dwfl_module_addrname(module, inside);
    if (function != NULL) {
        out_text(out, function);
    }
    return function != NULL;
}

bool places_is_in(struct places *p, uint64_t address, const char *path_end)
{
    const uint64_t inside = address == 0 ? 0 : address - 1;
    Dwfl_Module *module = places_module(p, inside);
    int number = 0;
    const char *file = module == NULL ? NULL : places_line(module, inside, &number);
    const size_t size = file == NULL ? 0 : strlen(file);
    const size_t end_size = strlen(path_end);
    return size >= end_size && strcmp(file + size - end_size, path_end) == 0;
}

bool places_object(struct places *p, uint64_t address, struct place_object *object)
{
    Dwfl_Module *module = places_module(p, address);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name =
        module == NULL ? NULL
                       : dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (name == NULL || (symbol.st_size > 0 && offset >= symbol.st_size)) {
        return false;
    }
    must(offset <= address);
    *object = (struct place_object){.name = name,
                                    .start = address - offset,
                                    .size = offset < symbol.st_size ? symbol.st_size : offset + 1};
    return true;
}
