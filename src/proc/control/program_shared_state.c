/* What the runs of a controlled program have shown, told by every process of a search into one
 * piece of memory, so that nothing of it is lost when several search. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fault_injection.h"
#include "proc/control/program_state.h"

int shown_open(struct controlled *c, struct err *e)
{
    void *shared = seam_fails() ? MAP_FAILED
                                : mmap(NULL, sizeof *c->shown, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return err_set(e, "no memory to share with other processes of the search");
    }
    c->shown = shared;
    return 0;
}

void shown_close(struct controlled *c)
{
    if (c->shown != NULL) {
        (void)munmap(c->shown, sizeof *c->shown);
    }
}

/* Pairs with the release in give(): what the last one wrote is there. */
static struct shown *take(struct controlled *c)
{
    while (atomic_flag_test_and_set_explicit(&c->shown->is_taken, memory_order_acquire)) {
        (void)sched_yield();
    }
    return c->shown;
}

static void give(struct shown *s)
{
    atomic_flag_clear_explicit(&s->is_taken, memory_order_release);
}

/* Calls that went past control, by name, each once. */
static void add_outside(struct shown *s, const char *name)
{
    for (uint32_t i = 0; i < s->outside_count; i++) {
        if (strncmp(s->outside[i], name, CONTROL_OUTSIDE_SIZE) == 0) {
            return;
        }
    }
    if (s->outside_count < SHOWN_OUTSIDE_MAX) {
        (void)snprintf(s->outside[s->outside_count++], CONTROL_OUTSIDE_SIZE, "%.*s",
                       CONTROL_OUTSIDE_SIZE - 1, name);
    }
}

void shown_add(struct controlled *c, const struct execution *x)
{
    const struct control_result *r = &c->page->result;
    char preempted[sizeof c->shown->preempted] = "";
    if (r->has_preempted != 0) {
        c->text.used = 0;
        name_print_line(c, r->preempted, &c->text);
        (void)snprintf(preempted, sizeof preempted, "%.*s", (int)c->text.used, c->text.buffer);
    }
    const char *left = c->files == NULL ? NULL : private_files_left(c->files);
    struct shown *s = take(c);
    if (left != NULL && s->left[0] == '\0') {
        (void)snprintf(s->left, sizeof s->left, "%s", left);
    }
    for (uint32_t i = 0; i < r->outside_count && i < CONTROL_OUTSIDES_MAX; i++) {
        add_outside(s, r->outside[i]);
    }
    if (r->end == CONTROL_UNENDED) {
        add_outside(s, "end of the process");
    }
    s->has_idled |= r->has_idled != 0;
    s->has_looked |= r->has_looked != 0;
    s->has_drawn |= r->has_drawn != 0;
    s->has_waited |= r->has_waited != 0;
    s->has_weak_order |= r->has_weak_order != 0;
    s->has_listened |= r->has_listened != 0;
    s->has_accepted |= r->has_accepted != 0;
    s->has_passed |= x->outcome == OUTCOME_PASSED;
    s->cut += outcome_is_cut(x->outcome, x->severity);
    if (preempted[0] != '\0' && s->preempted[0] == '\0') {
        memcpy(s->preempted, preempted, sizeof preempted);
    }
    give(s);
}

void shown_add_verified(struct controlled *c, const char *difference)
{
    struct shown *s = take(c);
    s->verified++;
    if (difference != NULL && s->unlike++ == 0) {
        (void)snprintf(s->difference, sizeof s->difference, "%s", difference);
    }
    give(s);
}
