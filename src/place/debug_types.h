/* Types in debug information: what the files of this module that walk them share. */
#ifndef CLEW_PLACE_DEBUG_TYPES_H
#define CLEW_PLACE_DEBUG_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { TYPE_DIMENSIONS_MAX = 8 };

/* Follows DW_AT_type, past names and qualifiers. False: it is void. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);

/* The number that an attribute says, 0 and false when it is not there. */
bool type_number(Dwarf_Die *die, unsigned attribute, uint64_t *number);

/* Whether it is a struct, class or union. */
bool type_is_record(Dwarf_Die *type);

/* Elements along each dimension of an array, 0 where that is not said; how many dimensions there
 * are. */
uint32_t type_dimensions(Dwarf_Die *array, uint64_t counts[static TYPE_DIMENSIONS_MAX]);

#endif
