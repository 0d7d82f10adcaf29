#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void notes_add_many(struct notes *n, uint64_t count, const char *place, const char *text)
{
    if (count == 0) {
        return;
    }
    struct note fresh = {.count = count};
    (void)snprintf(fresh.text, sizeof fresh.text, "%s", text);
    (void)snprintf(fresh.place, sizeof fresh.place, "%s", place);
    vec_each (&n->list, note) {
        if (strcmp(note->text, fresh.text) == 0) {
            note->count += count;
            return;
        }
    }
    vec_push(&n->list, fresh);
}

void notes_add(struct notes *n, const char *place, const char *format, ...)
{
    char text[sizeof(((struct note *)0)->text)];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    notes_add_many(n, 1, place, text);
}

void notes_release(struct notes *n)
{
    vec_release(&n->list);
}
