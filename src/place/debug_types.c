#include "place/debug_types.h"

#include <dwarf.h>
#include <stddef.h>

#include "wire/must.h"

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &named) == NULL) {
        return false;
    }
    return dwarf_peel_type(&named, type) == 0;
}

bool type_number(Dwarf_Die *die, unsigned name, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word = 0;
    const bool is_there = dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &word) == 0;
    *number = word;
    return is_there;
}

bool type_is_record(Dwarf_Die *type)
{
    const int tag = dwarf_tag(type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

uint32_t type_dimensions(Dwarf_Die *array, uint64_t counts[static TYPE_DIMENSIONS_MAX])
{
    Dwarf_Die child;
    uint32_t count = 0;
    for (int more = dwarf_child(array, &child); more == 0 && count < TYPE_DIMENSIONS_MAX;
         more = dwarf_siblingof(&child, &child)) {
        uint64_t number = 0;
        if (dwarf_tag(&child) != DW_TAG_subrange_type) {
            continue;
        }
        if (type_number(&child, DW_AT_count, &number)) {
            counts[count++] = number;
        } else {
            counts[count++] = type_number(&child, DW_AT_upper_bound, &number) ? number + 1 : 0;
        }
    }
    must(count <= TYPE_DIMENSIONS_MAX);
    return count;
}
