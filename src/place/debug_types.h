/* Types in debug information (DWARF): helpers for the files of this module that walk them. */
#ifndef CLEW_PLACE_DEBUG_TYPES_H
#define CLEW_PLACE_DEBUG_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { TYPE_DIMENSIONS_MAX = 8 };

/* Follows DW_AT_type, past names and qualifiers. False: it is void. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);

/* The value of a numeric attribute; 0 and false if the entry does not have it. */
bool type_number(Dwarf_Die *die, unsigned attribute, uint64_t *number);

/* Whether it is a struct, class or union. */
bool type_is_record(Dwarf_Die *type);

/* Stores the number of elements along each dimension of an array, 0 if it is unknown. Returns the
 * number of dimensions. */
uint32_t type_dimensions(Dwarf_Die *array, uint64_t counts[static TYPE_DIMENSIONS_MAX]);

#endif
