/* Names of operations as numbers: the same in every run, every process and every schedule, because
 * they are made of texts and counts and never of addresses. A schedule's line, a node of the
 * simulator and a thread of a controlled program that mean the same operation compute the same
 * number. Freestanding. */
#ifndef CLEW_PICK_OPERATION_NAME_H
#define CLEW_PICK_OPERATION_NAME_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t name_mix(uint64_t name, uint64_t part)
{
    uint64_t x = (name ^ part) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 29);
}

/* The name of a text: a node, a task, an object, a type of message. */
static inline uint64_t name_text(const char *text, size_t size)
{
    uint64_t name = 0xcbf29ce484222325u ^ size;
    for (size_t i = 0; i < size; i++) {
        name = (name ^ (unsigned char)text[i]) * 0x100000001b3u;
    }
    return name_mix(name, size);
}

/* The name of two, three or four parts, each a number from here. */
static inline uint64_t name_join(uint64_t first, uint64_t second)
{
    return name_mix(name_mix(1, first), second);
}

/* The name of an action, for all its occurrences: the occurrence-th of it (from 1) has
 * name_occurrence. */
static inline uint64_t name_of_messages(uint64_t source, uint64_t destination, uint64_t type)
{
    return name_mix(name_mix(name_mix(2, source), destination), type);
}

static inline uint64_t name_of_operations(uint64_t node, uint64_t task, uint16_t kind,
                                          uint64_t object)
{
    return name_mix(name_mix(name_mix(name_mix(3, node), task), kind), object);
}

static inline uint64_t name_occurrence(uint64_t what, uint32_t occurrence)
{
    return name_mix(what, occurrence);
}

/* A fault and its target: the name of a node, or of a message. */
static inline uint64_t name_fault(uint8_t fault, uint64_t target)
{
    return name_mix(name_mix(4, fault), target);
}

/* A place in the code and the kind of operation there. */
static inline uint64_t name_of_place(uint64_t place, uint16_t kind)
{
    return place == 0 ? 0 : name_mix(name_mix(5, place), kind);
}

#endif
