/* property.h - properties of a system or program, as functions in C.
 *
 *     static bool one_leader(const struct clew_view *view)
 *     {
 *         int leaders = 0;
 *         for (uint32_t i = 0; i < view->node_count; i++) {
 *             const struct node *node = view->states[i];
 *             leaders += node != NULL && node->is_leader;
 *         }
 *         return leaders <= 1 || clew_broken(view, "%d nodes lead", leaders);
 *     }
 *
 *     static const struct clew_property properties[] = {
 *         {.name = "one leader", .holds = one_leader},
 *         {0},
 *     };
 *
 * A property only reads: it changes no state, and calls only the functions of this header. A
 * property with variables of its own depends on the order of steps; clew notes that. C and C++.
 *
 * Of a program (clew explore --property FILE.c -- ./program) properties see the variables that it
 * reports, as those of node 0, and nothing else; the list is called clew_properties:
 *
 *     static bool none_lost(const struct clew_view *view)
 *     {
 *         const int64_t *sent = clew_value(view, 0, "sent");
 *         const int64_t *received = clew_value(view, 0, "received");
 *         return sent == NULL || received == NULL || *received <= *sent;
 *     }
 *
 *     const struct clew_property clew_properties[] = {
 *         {.name = "none lost", .holds = none_lost},
 *         {0},
 *     };
 *
 * A property that reads a variable which does not exist yet counts as skipped, whatever it returns.
 */
#ifndef CLEW_PROPERTY_H
#define CLEW_PROPERTY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The whole system between two steps. */
struct clew_view {
    uint32_t node_count;
    const void *const *states; /* of each node; NULL while it is down */
    /* For clew_step, clew_broken and clew_value. */
    uint64_t (*step)(const struct clew_view *view);
    __attribute__((format(printf, 2, 3))) bool (*broken)(const struct clew_view *view,
                                                         const char *format, ...);
    const int64_t *(*value)(const struct clew_view *view, uint32_t node, const char *variable);
};

/* How bad it is when a property does not hold. */
enum clew_severity { CLEW_ERROR, CLEW_WARNING, CLEW_NOTE };

struct clew_property {
    const char *name; /* NULL ends a list */
    bool (*holds)(const struct clew_view *view);
    bool is_at_rest;  /* evaluated only when no step is possible any more; else after each step */
    uint8_t severity; /* enum clew_severity */
};

/* The list of a file that is given to --property. */
__attribute__((visibility("default"))) extern const struct clew_property clew_properties[];

/* How many steps have been taken. A property that asks sees more than where the system is, namely
 * how it came there: a search that leaves out orders of steps then leaves out none. */
static inline uint64_t clew_step(const struct clew_view *view)
{
    return view->step(view);
}

/* Says with which values a property is broken, as printf does; is always false. */
#define clew_broken(view, ...) ((view)->broken((view), __VA_ARGS__))

/* The value a node last reported with clew_variable(), NULL when it has not. */
static inline const int64_t *clew_value(const struct clew_view *view, uint32_t node,
                                        const char *variable)
{
    return view->value(view, node, variable);
}

#ifdef __cplusplus
}
#endif

#endif
