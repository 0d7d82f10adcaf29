/* Helpers: tasks beside a node's own, each one step that nothing interrupts (DEMi, section 4:
 * atomic blocks of threads that the framework does not run). */
#include "sim/helper_tasks.h"

#include <string.h>

#include "pick/operation_name.h"
#include "sim/handler_guard.h"
#include "sim/pending.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"

enum { HELPS_MAX = 256 }; /* of a node at once */

void help_start(struct sim *s, uint32_t node, const struct help *what, const void *bytes)
{
    struct node *n = &s->core->nodes[node];
    pending_forget(s);
    uint32_t count = 0;
    struct help **last = &n->helps;
    for (; *last != NULL; last = &(*last)->next) {
        count++;
    }
    struct help *h = count >= HELPS_MAX ? NULL : heap_take(&s->core->heap, sizeof *h + what->size);
    if (h == NULL) {
        guard_end(s, OUTCOME_HANG, "helpers pile up",
                  "%u helpers of %s have not run, and there is no room for more", count,
                  s->names.node_texts[node]);
    }
    *h = *what;
    must(what->helper < s->helper_count);
    h->cause = s->run.now;
    h->occurrence = ++n->help_counts[what->helper];
    if (what->size > 0) {
        memcpy(h->bytes, bytes, what->size);
    }
    *last = h;
}

void help_end(struct sim *s, struct node *n, struct help *h)
{
    struct help **at = &n->helps;
    while (*at != h) {
        at = &(*at)->next;
    }
    *at = h->next;
    heap_give(&s->core->heap, h);
}

void help_list(struct sim *s)
{
    for (uint32_t i = 0; s->helper_count > 0 && i < s->node_count; i++) {
        for (struct help *h = s->core->nodes[i].helps; h != NULL; h = h->next) {
            const uint64_t what = s->names.helpers[i][h->helper];
            pending_add(s,
                        &(struct pick_operation){.name = name_occurrence(what, h->occurrence),
                                                 .action = what,
                                                 .content = name_text(h->bytes, h->size),
                                                 .occurrence = h->occurrence,
                                                 .task = pending_help_task(s, i),
                                                 .is_overtaking = true,
                                                 .kind = EVENT_HANDLER_BEGIN},
                        &(struct origin){.node = i, .cause = h->cause, .help = h});
        }
    }
}
