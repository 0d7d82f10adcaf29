/* Variables of modules by name, element and member: "queue.head", "table[3].count".
 *
 * The symbol table has the variable that covers an address; debug information has its type. The
 * first question about a module collects its variables from debug information: O(entries). Each
 * later one costs O(log variables). */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "place/debug_types.h"
#include "place/module_state.h"
#include "wire/must.h"

enum { NESTED_MAX = 16, SYMBOL_SIZE = 1000 };

/* ---- the variables of a module ---- */

/* An operation of a location that says a fixed address. */
static bool is_address(Dwarf_Attribute *location, Dwarf_Op *operation, uint64_t *address)
{
    Dwarf_Attribute indexed;
    Dwarf_Addr found = 0;
    if (operation->atom == DW_OP_addr) {
        found = operation->number;
    } else if (operation->atom != DW_OP_addrx ||
               dwarf_getlocation_attr(location, operation, &indexed) < 0 ||
               dwarf_formaddr(&indexed, &found) < 0) {
        return false;
    }
    *address = found;
    return true;
}

/* Adds a variable that lies at one place as long as the program runs, or the parts of one that the
 * compiler has split into several: each begins with its address, and ends with its size. */
static void add_variable(struct places *p, Dwarf_Die *variable, Dwarf_Addr bias,
                         const char *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operations = NULL;
    size_t count = 0;
    struct place_variable found = {.function = function, .die = *variable};
    bool is_begin = true;
    bool has_address = false;
    if (dwarf_getlocation(dwarf_attr(variable, DW_AT_location, &attribute), &operations, &count) !=
        0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_begin) {
            has_address = is_address(&attribute, &operations[i], &found.start);
            found.start += bias;
        }
        is_begin = operations[i].atom == DW_OP_piece;
        if (is_begin && has_address) {
            found.is_part = true;
            vec_push(&p->variables, found);
        }
        found.offset += is_begin ? operations[i].number : 0;
        has_address = has_address && !is_begin;
    }
    if (count == 1 && has_address) {
        vec_push(&p->variables, found);
    }
}

/* Statics of a function are called after it: "next_id::last". */
static void collect(struct places *p, Dwarf_Die *scope, Dwarf_Addr bias, const char *function,
                    int depth)
{
    Dwarf_Die child;
    for (int more = depth < NESTED_MAX ? dwarf_child(scope, &child) : 1; more == 0;
         more = dwarf_siblingof(&child, &child)) {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable) {
            add_variable(p, &child, bias, function);
        } else if (tag == DW_TAG_subprogram) {
            collect(p, &child, bias, dwarf_diename(&child), depth + 1);
        } else if (tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
                   tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
            collect(p, &child, bias, function, depth + 1);
        }
    }
}

static int compare_variables(const void *left, const void *right,
                             __attribute__((unused)) const void *context)
{
    const uint64_t a = ((const struct place_variable *)left)->start;
    const uint64_t b = ((const struct place_variable *)right)->start;
    return (a > b) - (a < b);
}

static void collect_module(struct places *p, Dwfl_Module *module)
{
    GElf_Addr start = 0;
    (void)dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    bool is_new = false;
    (void)map_slot(&p->collected, start, 0, &is_new);
    if (!is_new) {
        return;
    }
    Dwarf_Addr bias = 0;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL;) {
        collect(p, unit, bias, NULL, 0);
    }
    sort_stable(p->variables.at, p->variables.count, sizeof *p->variables.at, compare_variables,
                NULL);
}

/* The variable that begins there, NULL when none is known. */
static struct place_variable *variable_at(struct places *p, uint64_t start)
{
    size_t low = 0;
    size_t high = p->variables.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->variables.at[middle].start < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low <= p->variables.count);
    return low < p->variables.count && p->variables.at[low].start == start ? &p->variables.at[low]
                                                                           : NULL;
}

/* ---- members ---- */

/* A path into a type: the output, and the distance from the start of the part printed last. */
struct way {
    struct out *out;
    uint64_t offset; /* left */
    int depth;
};

static bool print_in(struct way *w, Dwarf_Die *type);

/* Where a member begins, in bytes, and how many it has: a bit field counts from the byte that it
 * begins in. */
static bool span_of(Dwarf_Die *member, Dwarf_Die *type, uint64_t *start, uint64_t *size)
{
    uint64_t bits = 0;
    uint64_t bit_size = 0;
    Dwarf_Word bytes = 0;
    *start = 0;
    if (type_number(member, DW_AT_data_bit_offset, &bits)) {
        (void)type_number(member, DW_AT_bit_size, &bit_size);
        *start = bits / 8;
        *size = (bits + bit_size + 7) / 8 - *start;
        return true;
    }
    (void)type_number(member, DW_AT_data_member_location, start);
    *size = dwarf_aggregate_size(type, &bytes) < 0 ? 0 : bytes;
    return *size > 0;
}

/* Names that the implementation keeps for itself are not shown: a mutex is a mutex. */
static bool is_reserved(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* Goes into the member if the rest of the way lies in it; true when it leads exactly there. */
static bool print_member(struct way *w, Dwarf_Die *member)
{
    Dwarf_Die type;
    uint64_t start = 0;
    uint64_t size = 0;
    if (!type_of(member, &type) || !span_of(member, &type, &start, &size) || w->offset < start ||
        w->offset - start >= size) {
        return false;
    }
    const char *name = dwarf_tag(member) == DW_TAG_inheritance ? NULL : dwarf_diename(member);
    if (name != NULL && is_reserved(name)) {
        return false;
    }
    const struct way before = *w;
    const size_t used = w->out->used;
    w->offset -= start;
    w->depth++;
    if (name != NULL) {
        out_char(w->out, '.');
        out_text(w->out, name);
    }
    if (print_in(w, &type)) {
        return true;
    }
    const bool is_kept = name != NULL || w->out->used > used;
    if (!is_kept) {
        *w = before;
    }
    return false;
}

/* Of several members that cover the place, as in a union, the first that begins there is taken,
 * else the first. */
static bool print_record(struct way *w, Dwarf_Die *record)
{
    const struct way start = *w;
    const size_t used = w->out->used;
    Dwarf_Die first;
    bool has_first = false;
    Dwarf_Die child;
    for (int more = dwarf_child(record, &child); more == 0;
         more = dwarf_siblingof(&child, &child)) {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) {
            continue;
        }
        if (print_member(w, &child)) {
            return true;
        }
        if (w->out->used > used && !has_first) {
            first = child;
            has_first = true;
        }
        w->out->used = used;
        *w = start;
    }
    return has_first && print_member(w, &first);
}

static bool print_element(struct way *w, Dwarf_Die *array)
{
    uint64_t counts[TYPE_DIMENSIONS_MAX] = {0};
    const uint32_t dimensions = type_dimensions(array, counts);
    Dwarf_Die element;
    Dwarf_Word size = 0;
    if (dimensions == 0 || !type_of(array, &element) || dwarf_aggregate_size(&element, &size) < 0 ||
        size == 0) {
        return w->offset == 0;
    }
    uint64_t stride = size;
    for (uint32_t i = 1; i < dimensions; i++) {
        stride *= counts[i] == 0 ? 1 : counts[i];
    }
    for (uint32_t i = 0; i < dimensions; i++) {
        out_format(w->out, "[%llu]", (unsigned long long)(w->offset / stride));
        w->offset %= stride;
        stride /= i + 1 < dimensions && counts[i + 1] > 0 ? counts[i + 1] : 1;
    }
    w->depth++;
    return print_in(w, &element);
}

/* Prints the path into a value of the type. True if it ends at the beginning of the part printed
 * last; else `offset` bytes are left. */
static bool print_in(struct way *w, Dwarf_Die *type)
{
    const int tag = dwarf_tag(type);
    if (w->depth >= NESTED_MAX) {
        return w->offset == 0;
    }
    if (tag == DW_TAG_array_type) {
        return print_element(w, type);
    }
    if (type_is_record(type)) {
        return print_record(w, type) || w->offset == 0;
    }
    return w->offset == 0;
}

/* The symbol of a part is that of the variable with ".N" behind it, perhaps more than once. */
static void print_symbol(const char *symbol, bool is_part, struct out *out)
{
    char name[SYMBOL_SIZE];
    size_t size = strlen(symbol);
    for (size_t i = size; is_part && i > 0; i--) {
        if (symbol[i - 1] == '.') {
            size = i - 1;
        } else if (symbol[i - 1] < '0' || symbol[i - 1] > '9') {
            break;
        }
    }
    const bool is_cut = size > 0 && size < strlen(symbol) && size < sizeof name;
    if (is_cut) {
        memcpy(name, symbol, size);
        name[size] = '\0';
    }
    places_print_symbol(is_cut ? name : symbol, out);
}

/* "closers[5]" is more than "closers+20"; where no type is known, the latter has to do. */
static void print_way(struct places *p, const struct place_object *object, uint64_t address,
                      struct out *out)
{
    struct place_variable *v = variable_at(p, object->start);
    struct way way = {.out = out, .offset = address - object->start + (v == NULL ? 0 : v->offset)};
    Dwarf_Die type;
    const char *name = v == NULL ? NULL : dwarf_diename(&v->die);
    const bool is_cxx = strncmp(object->name, "_Z", 2) == 0;
    if (v != NULL && v->function != NULL && name != NULL && !is_cxx) {
        out_format(out, "%s::%s", v->function, name);
    } else {
        print_symbol(object->name, v != NULL && v->is_part, out);
    }
    if (v != NULL && type_of(&v->die, &type)) {
        (void)print_in(&way, &type);
    }
    if (way.offset > 0) {
        out_format(out, "+%llu", (unsigned long long)way.offset);
    }
}

bool places_print_variable(struct places *p, uint64_t address, struct out *out)
{
    struct place_object object;
    if (!places_object(p, address, &object)) {
        return false;
    }
    collect_module(p, dwfl_addrmodule(p->dwfl, address));
    print_way(p, &object, address, out);
    return true;
}
