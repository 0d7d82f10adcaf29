#include "import/lost_fields.h"

#include <stdio.h>

#include "trace/kind_table.h"

uint32_t lost_fields_of(const struct event *e)
{
    const bool has_peer = (e->has & HAS_PEER) != 0;
    return (e->object != 0 ? LOST_BIT(LOST_OBJECT) : 0) |
           (e->location != 0 ? LOST_BIT(LOST_LOCATION) : 0) |
           (!has_peer && e->message != 0 ? LOST_BIT(LOST_MESSAGE) : 0) |
           (has_peer ? LOST_BIT(LOST_PEER) : 0) | (e->text != 0 ? LOST_BIT(LOST_TEXT) : 0) |
           ((e->has & HAS_COUNT) != 0 ? LOST_BIT(LOST_COUNT) : 0) |
           ((e->has & HAS_SIZE) != 0 ? LOST_BIT(LOST_SIZE) : 0) |
           ((e->has & HAS_VALUE) != 0 ? LOST_BIT(LOST_VALUE) : 0) |
           ((e->has & HAS_TIME) != 0 ? LOST_BIT(LOST_TIME) : 0) |
           ((e->has & HAS_HLC) != 0 ? LOST_BIT(LOST_HLC) : 0) |
           (e->mode != 0 ? LOST_BIT(LOST_MODE) : 0);
}

void lost_add(struct lost *l, uint32_t things)
{
    for (; things != 0; things &= things - 1) {
        l->things[__builtin_ctz(things)]++;
    }
}

void lost_note(const struct lost *l, struct notes *n, const char *format)
{
    static const char *const meanings[] = {
#define LOST(id, meaning) meaning,
        LOST_LIST(LOST)
#undef LOST
    };
    char text[160];
    for (uint32_t kind = 0; kind < KIND_LIMIT; kind++) {
        if (l->events[kind] > 0) {
            (void)snprintf(text, sizeof text, "%s cannot hold events of kind %s: left out", format,
                           kind_of(kind)->name);
            notes_add_many(n, l->events[kind], "", text);
        }
    }
    for (int thing = 0; thing < LOST_COUNT_OF_THINGS; thing++) {
        (void)snprintf(text, sizeof text, "%s cannot hold %s", format, meanings[thing]);
        notes_add_many(n, l->things[thing], "", text);
    }
}
