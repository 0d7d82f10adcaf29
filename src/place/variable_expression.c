#include "place/variable_expression.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "place/debug_types.h"
#include "place/module_state.h"
#include "wire/must.h"

enum { NAME_SIZE = 128, NESTED_MAX = 8 };

/* The state of the parser: the text, and the path found so far. */
struct reading {
    const char *whole, *at;
    struct err *e;
    Dwarf_Die type;   /* of the expression read so far, without typedefs and qualifiers */
    uint32_t indexed; /* of an array of several dimensions: how many are taken */
    struct variable_path *path;
};

/* Words */

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

static int take_name(struct reading *r, char name[static NAME_SIZE])
{
    size_t size = 0;
    while (is_of_name(r->at[size])) {
        size++;
    }
    if (size == 0 || size >= NAME_SIZE || (r->at[0] >= '0' && r->at[0] <= '9')) {
        return err_set(r->e, "\"%s\": expected a name at \"%s\"", r->whole, r->at);
    }
    must(size < NAME_SIZE);
    memcpy(name, r->at, size);
    name[size] = '\0';
    r->at += size;
    return 0;
}

static bool take(struct reading *r, const char *word)
{
    const bool is_there = strncmp(r->at, word, strlen(word)) == 0;
    r->at += is_there ? strlen(word) : 0;
    return is_there;
}

/* Types */

/* A type that is only declared here is whole in another unit. */
static const char *type_name(Dwarf_Die *type)
{
    const char *name = dwarf_diename(type);
    return name == NULL ? "something without a name" : name;
}

/* Finds the field in the record, in those without a name in it and in those it inherits. */
static bool field_of(Dwarf_Die *record, const char *name, Dwarf_Die *field, uint64_t *offset,
                     int depth)
{
    Dwarf_Die child;
    for (int more = dwarf_child(record, &child); more == 0;
         more = dwarf_siblingof(&child, &child)) {
        const int tag = dwarf_tag(&child);
        const char *own = dwarf_diename(&child);
        uint64_t at = 0;
        Dwarf_Die inner;
        (void)type_number(&child, DW_AT_data_member_location, &at);
        if (tag == DW_TAG_member && own != NULL && strcmp(own, name) == 0) {
            *field = child;
            *offset += at;
            return true;
        }
        const bool is_part = tag == DW_TAG_inheritance || (tag == DW_TAG_member && own == NULL);
        uint64_t further = *offset + at;
        if (is_part && depth < NESTED_MAX && type_of(&child, &inner) && type_is_record(&inner) &&
            field_of(&inner, name, field, &further, depth + 1)) {
            *offset = further;
            return true;
        }
    }
    return false;
}

static int take_field(struct reading *r)
{
    char name[NAME_SIZE];
    Dwarf_Die field;
    uint64_t offset = 0;
    uint64_t bits = 0;
    if (take_name(r, name) < 0) {
        return -1;
    }
    if (!type_is_record(&r->type)) {
        return err_set(r->e, "\"%s\": the value before \".%s\" is no struct, class or union",
                       r->whole, name);
    }
    if (!field_of(&r->type, name, &field, &offset, 0) || !type_of(&field, &r->type)) {
        return err_set(r->e, "\"%s\": %s has no field %s", r->whole, type_name(&r->type), name);
    }
    if (type_number(&field, DW_AT_bit_size, &bits)) {
        return err_set(r->e, "\"%s\": %s is a bit-field, which cannot be watched", r->whole, name);
    }
    must(r->path->hop_count <= VARIABLE_HOPS_MAX);
    r->path->offset[r->path->hop_count] += (int64_t)offset;
    return 0;
}

/* Follows the pointer. */
static int follow(struct reading *r, const char *how)
{
    Dwarf_Die target;
    const int tag = dwarf_tag(&r->type);
    if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type) {
        return err_set(r->e, "\"%s\": the value before \"%s\" is no pointer", r->whole, how);
    }
    if (r->path->hop_count == VARIABLE_HOPS_MAX) {
        return err_set(r->e, "\"%s\": follows more than %d pointers", r->whole, VARIABLE_HOPS_MAX);
    }
    if (!type_of(&r->type, &target)) {
        return err_set(r->e, "\"%s\": the pointer before \"%s\" has no known type", r->whole, how);
    }
    r->type = target;
    r->path->hop_count++;
    must(r->path->hop_count <= VARIABLE_HOPS_MAX);
    return 0;
}

static int index_array(struct reading *r, uint64_t index)
{
    uint64_t counts[TYPE_DIMENSIONS_MAX] = {0};
    const uint32_t dimensions = type_dimensions(&r->type, counts);
    Dwarf_Die element;
    Dwarf_Word size = 0;
    if (r->indexed >= dimensions || !type_of(&r->type, &element) ||
        dwarf_aggregate_size(&element, &size) < 0) {
        return err_set(r->e, "\"%s\": the size of its elements is not known", r->whole);
    }
    if (counts[r->indexed] > 0 && index >= counts[r->indexed]) {
        return err_set(r->e, "\"%s\": there are %llu elements, counted from 0", r->whole,
                       (unsigned long long)counts[r->indexed]);
    }
    for (uint32_t i = r->indexed + 1; i < dimensions; i++) {
        size *= counts[i];
    }
    r->path->offset[r->path->hop_count] += (int64_t)(index * size);
    r->indexed++;
    if (r->indexed == dimensions) {
        r->type = element;
        r->indexed = 0;
    }
    return 0;
}

static int index_pointer(struct reading *r, uint64_t index)
{
    Dwarf_Word size = 0;
    if (follow(r, "[") < 0) {
        return -1;
    }
    if (dwarf_aggregate_size(&r->type, &size) < 0) {
        return err_set(r->e, "\"%s\": the size of its elements is not known", r->whole);
    }
    r->path->offset[r->path->hop_count] += (int64_t)(index * size);
    return 0;
}

static int take_index(struct reading *r)
{
    char *end = NULL;
    const bool is_number = r->at[0] >= '0' && r->at[0] <= '9';
    const unsigned long long index = is_number ? strtoull(r->at, &end, 10) : 0;
    if (!is_number || *end != ']' || index > INT32_MAX) {
        return err_set(r->e, "\"%s\": expected a number and \"]\" at \"%s\"", r->whole, r->at);
    }
    r->at = end + 1;
    return dwarf_tag(&r->type) == DW_TAG_array_type ? index_array(r, index)
                                                    : index_pointer(r, index);
}

/* Variables */

struct search {
    char names[NESTED_MAX][NAME_SIZE]; /* a::b::c */
    int count;
    int module_count;
    bool has_units;  /* the program itself, which is the first module, has debug information */
    bool is_removed; /* it is in the source, and not in memory */
    bool is_found;
    Dwarf_Die die;
    Dwarf_Addr bias;
    const char *except;
};

/* A variable may be declared in one place and be in another. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

static bool search_in(struct search *s, Dwarf_Die *scope, int at)
{
    Dwarf_Die child;
    for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        const int tag = dwarf_tag(&child);
        const bool is_last = at == s->count - 1;
        const bool is_scope = tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
                              tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
        const char *name = tag == DW_TAG_variable || is_scope ? name_of(&child) : NULL;
        if (tag == DW_TAG_variable && is_last && name != NULL && strcmp(name, s->names[at]) == 0) {
            s->die = child;
            s->is_removed = s->is_removed || !dwarf_hasattr(&child, DW_AT_declaration);
            if (dwarf_hasattr(&child, DW_AT_location)) {
                return true;
            }
        }
        if (is_scope && !is_last && name != NULL && strcmp(name, s->names[at]) == 0 &&
            search_in(s, &child, at + 1)) {
            return true;
        }
        /* Names in unnamed namespaces, and in blocks of a function, are visible without a prefix.
         */
        const bool is_open =
            (tag == DW_TAG_namespace && name == NULL) || (tag == DW_TAG_lexical_block && at > 0);
        if (is_open && search_in(s, &child, at)) {
            return true;
        }
    }
    return false;
}

static int search_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
                         void *context)
{
    struct search *s = context;
    Dwarf_Die *unit = NULL;
    const size_t size = strlen(name);
    const size_t except = strlen(s->except);
    (void)user;
    (void)start;
    if (size >= except && strcmp(name + size - except, s->except) == 0) {
        return DWARF_CB_OK;
    }
    const bool is_program = s->module_count++ == 0;
    while (!s->is_found && (unit = dwfl_module_nextcu(module, unit, &s->bias)) != NULL) {
        s->has_units = s->has_units || is_program;
        s->is_found = search_in(s, unit, 0);
    }
    return s->is_found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* The address of the variable. Fails unless it has one address as long as the program runs. */
static int locate(struct reading *r, struct search *s)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operations = NULL;
    size_t count = 0;
    Dwarf_Attribute indexed;
    Dwarf_Addr address = 0;
    const bool is_known = dwarf_getlocation(dwarf_attr(&s->die, DW_AT_location, &attribute),
                                            &operations, &count) == 0 &&
                          count == 1;
    if (is_known && operations[0].atom == DW_OP_addr) {
        address = operations[0].number;
    } else if (!is_known || operations[0].atom != DW_OP_addrx ||
               dwarf_getlocation_attr(&attribute, &operations[0], &indexed) < 0 ||
               dwarf_formaddr(&indexed, &address) < 0) {
        return err_set(r->e,
                       "\"%s\": its place is not fixed (it is of a thread or on a stack), and "
                       "cannot be watched",
                       r->whole);
    }
    r->path->address = address + s->bias;
    return type_of(&s->die, &r->type) ? 0 : err_set(r->e, "\"%s\": has no type", r->whole);
}

static int take_variable(struct reading *r, struct places *p, const char *except)
{
    struct search s = {.except = except};
    do {
        if (s.count == NESTED_MAX) {
            return err_set(r->e, "\"%s\": names are nested more than 8 deep", r->whole);
        }
        if (take_name(r, s.names[s.count++]) < 0) {
            return -1;
        }
    } while (take(r, "::"));
    if (places_settle(p)) {
        (void)dwfl_getmodules(p->dwfl, search_module, &s, 0);
    }
    if (!s.is_found && !s.has_units) {
        return err_set(r->e, "\"%s\": the program has no debug information; compile it with -g",
                       r->whole);
    }
    if (!s.is_found && s.is_removed) {
        return err_set(r->e,
                       "\"%s\": the compiler removed %s; compile with -O0 or make it volatile",
                       r->whole, s.names[s.count - 1]);
    }
    if (!s.is_found) {
        return err_set(
            r->e, "\"%s\": no variable %s outside of functions is known; code without -g has none",
            r->whole, s.names[s.count - 1]);
    }
    return locate(r, &s);
}

/* Values */

static int finish(struct reading *r)
{
    Dwarf_Word size = 0;
    uint64_t encoding = 0;
    const int tag = dwarf_tag(&r->type);
    struct variable_path *path = r->path;
    if (type_is_record(&r->type) || tag == DW_TAG_array_type) {
        return err_set(r->e, "\"%s\": is %s, not a number; name a part of it", r->whole,
                       tag == DW_TAG_array_type ? "an array" : type_name(&r->type));
    }
    (void)type_number(&r->type, DW_AT_encoding, &encoding);
    path->is_pointer = tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type;
    const bool is_number =
        tag == DW_TAG_enumeration_type ||
        (tag == DW_TAG_base_type && encoding != DW_ATE_float && encoding != DW_ATE_complex_float);
    if ((!is_number && !path->is_pointer) || dwarf_aggregate_size(&r->type, &size) < 0 ||
        size == 0 || size > sizeof(int64_t)) {
        return err_set(r->e, "\"%s\": is no integer, enumeration or pointer", r->whole);
    }
    path->size = (uint32_t)size;
    path->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
                      (tag == DW_TAG_enumeration_type && encoding == 0);
    return 0;
}

static int take_rest(struct reading *r)
{
    while (*r->at != '\0') {
        int result = 0;
        if (take(r, "->")) {
            result = follow(r, "->") < 0 ? -1 : take_field(r);
        } else if (take(r, ".")) {
            result = take_field(r);
        } else if (take(r, "[")) {
            result = take_index(r);
        } else {
            result =
                err_set(r->e, "\"%s\": expected \".\", \"->\" or \"[\" at \"%s\"", r->whole, r->at);
        }
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

int variable_find(struct places *p, const char *expression, const char *except,
                  struct variable_path *path, struct err *e)
{
    struct reading r = {.whole = expression, .at = expression, .e = e, .path = path};
    *path = (struct variable_path){0};
    return take_variable(&r, p, except) < 0 || take_rest(&r) < 0 ? -1 : finish(&r);
}
