/* A node counts the messages that reach it, in a place that KEEP names, and breaks when the third
 * comes. Whatever the place is, it is part of the state: searches see it, and runs begin without
 * it. */
#include <clew/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IN_MALLOC,
    IN_CALLOC,
    IN_REALLOC,
    IN_ALIGNED,
    IN_MEMALIGN,
    IN_STRDUP,
    IN_ASPRINTF,
    IN_ARCHIVE,
    IN_THREAD_LOCAL,
    IN_SETUP
};
#ifndef KEEP
#define KEEP IN_MALLOC
#endif

static const char *const messages[] = {"hi", NULL};

/* counts_archive.c */
int *archive_counter(void);

struct node {
    char *place; /* holds the count as an int, or as the length of a text */
};

static _Thread_local int thread_count;
static int *setup_count;

static void take_place(struct node *n)
{
    switch (KEEP) {
    case IN_MALLOC: memset(n->place = malloc(sizeof(int)), 0, sizeof(int)); break;
    case IN_CALLOC: n->place = calloc(1, sizeof(int)); break;
    case IN_ALIGNED: memset(n->place = aligned_alloc(64, 64), 0, 64); break;
    case IN_MEMALIGN:
        if (posix_memalign((void **)&n->place, 256, sizeof(int)) == 0) {
            memset(n->place, 0, sizeof(int));
        }
        break;
    case IN_STRDUP: n->place = strdup(""); break;
    case IN_THREAD_LOCAL: n->place = (char *)&thread_count; break;
    case IN_SETUP: n->place = (char *)setup_count; break;
#ifdef HAS_ARCHIVE
    case IN_ARCHIVE: n->place = (char *)archive_counter(); break;
#endif
    default: break;
    }
}

static int count_of(const struct node *n)
{
    return n->place == NULL ? 0
           : KEEP == IN_STRDUP || KEEP == IN_ASPRINTF || KEEP == IN_REALLOC
               ? (int)strlen(n->place)
               : *(const int *)(const void *)n->place;
}

static void grow_text(struct node *n)
{
    char *longer = NULL;
    const size_t size = n->place == NULL ? 0 : strlen(n->place);
    if (KEEP == IN_REALLOC) {
        n->place = realloc(n->place, size + 2);
        n->place[size] = 'x';
        n->place[size + 1] = '\0';
        return;
    }
    if (asprintf(&longer, "%sx", n->place == NULL ? "" : n->place) > 0) {
        free(n->place);
        n->place = KEEP == IN_STRDUP ? strdup(longer) : longer;
        if (KEEP == IN_STRDUP) {
            free(longer);
        }
    }
}

static void setup(void)
{
    setup_count = calloc(1, sizeof *setup_count);
    for (int i = 0; i < 3; i++) {
        clew_request(0, 0, NULL, 0);
    }
}

static void start(void *state)
{
    take_place(state);
}

static void message(void *state, const struct clew_message *m)
{
    struct node *n = state;
    (void)m;
    if (KEEP == IN_STRDUP || KEEP == IN_ASPRINTF || KEEP == IN_REALLOC) {
        grow_text(n);
    } else {
        ++*(int *)(void *)n->place;
    }
}

static bool is_few(const struct clew_view *view)
{
    const struct node *n = view->states[0];
    char *text = strdup("a property may take memory, too");
    const bool holds = n == NULL || count_of(n) < 3;
    free(text);
    return holds || clew_broken(view, "%d messages", count_of(n));
}

static const struct clew_property properties[] = {{.name = "few", .holds = is_few}, {0}};

CLEW_SYSTEM(.name = "counts", .node_count = 1, .messages = messages,
            .state_size = sizeof(struct node), .setup = setup, .start = start, .message = message,
            .properties = properties);
