/* How a run ended, in words. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "pick/pick.h"
#include "proc/control/program_state.h"
#include "trace/kind_table.h"

enum { CALLS_SHOWN = 4, KEY_SIZE = sizeof((struct execution *)0)->key };

/* Sentence and key from what was put together. */
static void set_violation(struct execution *x, enum outcome outcome, const struct out *what,
                          const struct out *key)
{
    x->outcome = outcome;
    (void)snprintf(x->what, sizeof x->what, "%.*s", (int)what->used, what->buffer);
    (void)snprintf(x->key, KEY_SIZE, "%s: %.*s", outcome_name(outcome), (int)key->used,
                   key->buffer);
}

/* Whether the call is in a function that clew cc put around one of libc's. */
static bool is_wrapper(struct controlled *c, uint64_t place)
{
    static const char prefix[] = "__wrap_";
    struct out functions;
    out_open_memory(&functions);
    const bool is_found = places_print_functions(c->places, place, &functions) &&
                          functions.used >= sizeof prefix - 1 &&
                          memcmp(functions.buffer, prefix, sizeof prefix - 1) == 0;
    out_abandon(&functions);
    return is_found;
}

/* Of the calls, innermost first, the first one that the program's own code is in: those inside of a
 * wrapper are clew's. */
static uint32_t first_own_call(struct controlled *c, const uint64_t *calls, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        first = is_wrapper(c, calls[i]) ? i + 1 : first;
    }
    return first;
}

/* The calls that led to it: "deposit < work bank.c:30 < ...". Those of the system's libraries below
 * the program's own are of no interest. */
static void print_stack(struct controlled *c, struct out *out)
{
    const struct control_result *r = &c->page->result;
    const uint32_t count = r->stack_count < CONTROL_STACK_MAX ? r->stack_count : CONTROL_STACK_MAX;
    const uint32_t first = first_own_call(c, r->stack, count);
    for (uint32_t i = first; i < count && i - first < CALLS_SHOWN; i++) {
        out_text(out, i == first ? " at " : ", called at ");
        name_print_line(c, r->stack[i], out);
        struct out functions;
        out_open_memory(&functions);
        if (places_print_functions(c->places, r->stack[i], &functions)) {
            const char *end = memchr(functions.buffer, ' ', functions.used);
            out_text(out, " in ");
            out_bytes(out, functions.buffer,
                      end == NULL ? functions.used : (size_t)(end - functions.buffer));
        }
        out_abandon(&functions);
    }
}

/* Stacks */

/* "inner bank.c:12 < outer bank.c:30": the call, and what it was inlined into. */
static void print_call(struct controlled *c, uint64_t place, struct out *out)
{
    struct out functions;
    out_open_memory(&functions);
    (void)places_print_functions(c->places, place, &functions);
    const char *end = functions.used == 0 ? NULL : memchr(functions.buffer, ' ', functions.used);
    const size_t first = end == NULL ? functions.used : (size_t)(end - functions.buffer);
    if (first > 0) {
        out_bytes(out, functions.buffer, first);
        out_char(out, ' ');
    }
    name_print_line(c, place, out);
    if (end != NULL) {
        out_bytes(out, end, functions.used - first);
    }
    out_abandon(&functions);
}

static void print_more_calls(struct controlled *c, const uint64_t *calls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        out_text(&c->text, " < ");
        print_call(c, calls[i], &c->text);
    }
    out_char(&c->text, '\n');
}

static void print_calls(struct controlled *c, uint32_t task, const uint64_t *calls, uint32_t count)
{
    const uint32_t first = first_own_call(c, calls, count);
    out_format(&c->text, "%s: ", name_task(c, task));
    print_call(c, calls[first], &c->text);
    print_more_calls(c, calls + first + 1, count - first - 1);
}

/* "main/1 freed it: drop list.c:12 < work list.c:30": what the verdict says without calls. */
static void print_block_calls(struct controlled *c)
{
    const struct control_result *r = &c->page->result;
    if (r->end != CONTROL_MISUSED) {
        return;
    }
    if (r->block.freed_call_count > 0 && r->block.freed_call_count <= CONTROL_CALLS_MAX) {
        out_format(&c->text, "%s freed it: ", name_task(c, r->block.freer));
        print_call(c, r->block.freed_place, &c->text);
        print_more_calls(c, r->block.freed_calls, r->block.freed_call_count);
    }
    if (r->block.call_count > 0 && r->block.call_count <= CONTROL_CALLS_MAX) {
        out_format(&c->text, "%s allocated it: ", name_task(c, r->block.owner));
        print_call(c, r->block.place, &c->text);
        print_more_calls(c, r->block.calls, r->block.call_count);
    }
}

size_t verdict_taken(const struct controlled *c, const struct control_stand *stand)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const uint64_t most = CONTROL_STEPS_SIZE / sizeof *steps;
    uint64_t at = c->page->result.step_count < most ? c->page->result.step_count : most;
    if (stand->holder == UINT32_MAX || stand->kind == EVENT_THREAD_JOIN) {
        return SIZE_MAX;
    }
    while (at-- > 0) {
        const struct control_step *s = &steps[at];
        if (s->task == stand->holder && s->key == stand->object && s->owner == stand->owner &&
            s->ordinal == stand->ordinal && s->offset == stand->offset) {
            return at;
        }
    }
    return SIZE_MAX;
}

/* "main/2 took forks+40 at dining.c:21". */
static void print_taken(struct controlled *c, const struct control_stand *s)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const size_t taken = verdict_taken(c, s);
    if (taken != SIZE_MAX) {
        out_format(&c->text, "%s took ", name_task(c, s->holder));
        name_print(c, (struct named){s->object, s->ordinal, s->offset, s->owner}, &c->text);
        out_text(&c->text, " at ");
        name_print_place(c, steps[taken].place, &c->text);
        out_char(&c->text, '\n');
    }
}

void verdict_calls(struct world *w, struct out *out)
{
    struct controlled *c = (struct controlled *)w;
    const struct control_result *r = &c->page->result;
    c->text.used = 0;
    if (c->report_broken != 0) {
        return; /* the run is cut before its end */
    }
    /* What the verdict has no room for. */
    if (r->stack_count > CALLS_SHOWN && r->stack_count <= CONTROL_STACK_MAX) {
        print_calls(c, r->task, r->stack, r->stack_count);
    }
    print_block_calls(c);
    for (uint32_t i = 0; i < r->stand_count && i < CONTROL_STANDS_MAX; i++) {
        const struct control_stand *s = &r->stands[i];
        if (s->call_count > 0 && s->call_count <= CONTROL_CALLS_MAX) {
            print_calls(c, s->task, s->calls, s->call_count);
            print_taken(c, s);
        }
    }
    out_bytes(out, c->text.buffer, c->text.used);
}

/* The life of the block of memory that was misused. */
static void print_block(struct controlled *c, struct out *out)
{
    const struct control_result *r = &c->page->result;
    if (r->block.place != 0) {
        out_format(out, "; its %llu bytes were allocated at ", (unsigned long long)r->block.size);
        name_print_place(c, r->block.place, out);
        out_format(out, " by %s", name_task(c, r->block.owner));
    }
    if (r->block.freed_place != 0) {
        out_text(out, " and freed at ");
        name_print_place(c, r->block.freed_place, out);
        out_format(out, " by %s", name_task(c, r->block.freer));
    }
}

/* What broke, where, who did it. */
static void read_fault(struct controlled *c, struct execution *x, enum outcome outcome,
                       const char *fault)
{
    const struct control_result *r = &c->page->result;
    struct out what;
    struct out key;
    out_open_memory(&what);
    out_open_memory(&key);
    out_format(&what, "%s: %s", name_task(c, r->task), fault);
    print_stack(c, &what);
    if (r->end == CONTROL_MISUSED) {
        print_block(c, &what);
    }
    /* What a sanitizer says has values in it, which are not always the same. */
    out_bytes(&key, fault, outcome == OUTCOME_SANITIZER ? strcspn(fault, ":") : strlen(fault));
    if (r->stack_count > 0) {
        out_text(&key, " at ");
        const uint32_t count =
            r->stack_count < CONTROL_STACK_MAX ? r->stack_count : CONTROL_STACK_MAX;
        name_print_place(c, r->stack[first_own_call(c, r->stack, count)], &key);
    }
    set_violation(x, outcome, &what, &key);
    out_abandon(&what);
    out_abandon(&key);
}

/* Deadlocks */

/* "lock a, held by main/1": what the task waits for. */
static void print_wait(struct controlled *c, const struct control_stand *s, struct out *out)
{
    const struct kind *kind = kind_of(s->kind);
    out_format(out, "%s ", kind == NULL ? "go on" : kind->name);
    name_print(c, (struct named){s->object, s->ordinal, s->offset, s->owner}, out);
}

struct line {
    char text[KEY_SIZE];
};

static int compare_lines(const void *left, const void *right, const void *context)
{
    (void)context;
    return strcmp(((const struct line *)left)->text, ((const struct line *)right)->text);
}

/* Whoever waits for the end of one who waits adds nothing, unless all wait for ends. */
static bool is_of_key(const struct control_result *r, uint32_t stand)
{
    bool has_others = false;
    for (uint32_t i = 0; i < r->stand_count && i < CONTROL_STANDS_MAX; i++) {
        has_others = has_others || r->stands[i].kind != EVENT_THREAD_JOIN;
    }
    return !has_others || r->stands[stand].kind != EVENT_THREAD_JOIN;
}

/* The waits, whoever waits, in the order of their texts: the same for the same deadlock. */
static void print_deadlock_key(struct controlled *c, struct out *key)
{
    const struct control_result *r = &c->page->result;
    struct line lines[CONTROL_STANDS_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < r->stand_count && i < CONTROL_STANDS_MAX; i++) {
        if (!is_of_key(r, i)) {
            continue;
        }
        c->text.used = 0;
        print_wait(c, &r->stands[i], &c->text);
        (void)snprintf(lines[count++].text, KEY_SIZE, "%.*s", (int)c->text.used, c->text.buffer);
    }
    sort_stable(lines, count, sizeof *lines, compare_lines, NULL);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(lines[i].text, lines[i - 1].text) != 0) {
            out_format(key, "%s%s", i == 0 ? "" : ", ", lines[i].text);
        }
    }
}

/* How one waits, as people say it. */
static const char *waiting_word(uint16_t kind)
{
    switch (kind) {
    case EVENT_LOCK: return "waits to lock ";
    case EVENT_THREAD_JOIN: return "waits for the end of ";
    case EVENT_WAIT_END: return "waits for a signal of ";
    case EVENT_SEM_WAIT: return "waits for the semaphore ";
    case EVENT_BARRIER_EXIT: return "waits at the barrier ";
    case EVENT_ONCE: return "waits for the initialization of ";
    case EVENT_RECV: return "waits to read from ";
    case EVENT_SEND: return "waits to write to ";
    case EVENT_ACCEPT: return "waits for a connection to ";
    case EVENT_FILE_WRITE: return "waits for a lock of ";
    default: return "waits for ";
    }
}

/* wait() has no object: it names no child. */
static void print_awaited(struct controlled *c, const struct control_stand *s, struct out *out)
{
    if (s->kind == EVENT_THREAD_JOIN && s->object == 0) {
        out_text(out, "waits for the end of a child process");
        return;
    }
    out_text(out, waiting_word(s->kind));
    name_print(c, (struct named){s->object, s->ordinal, s->offset, s->owner}, out);
}

/* Where a task stands: what it waits for, what it would do next, or that it runs. */
static void print_stand(struct controlled *c, const struct control_stand *s, struct out *out,
                        bool is_deadlock)
{
    const uint64_t place = s->place != 0 ? s->place : s->call_count > 0 ? s->calls[0] : 0;
    out_format(out, "%s ", name_task(c, s->task));
    if (s->is_waiting || is_deadlock) {
        print_awaited(c, s, out);
    } else if (s->is_running) {
        out_text(out, "runs without a scheduling point");
    } else {
        out_text(out, "goes on to ");
        print_wait(c, s, out);
    }
    if (s->holder != UINT32_MAX && s->kind != EVENT_THREAD_JOIN) {
        out_format(out, " held by %s", name_task(c, s->holder));
    }
    if (place != 0) {
        out_text(out, " at ");
        name_print_place(c, place, out);
    }
}

static void print_stands(struct controlled *c, struct out *out, bool is_deadlock)
{
    const struct control_result *r = &c->page->result;
    for (uint32_t i = 0; i < r->stand_count && i < CONTROL_STANDS_MAX; i++) {
        out_text(out, i == 0 ? "" : "; ");
        print_stand(c, &r->stands[i], out, is_deadlock);
    }
}

/* Where each task stands: in a deadlock all of them wait. */
static void read_stand(struct controlled *c, struct execution *x, enum outcome outcome)
{
    struct out what;
    struct out key;
    out_open_memory(&what);
    out_open_memory(&key);
    print_stands(c, &what, outcome == OUTCOME_DEADLOCK);
    print_deadlock_key(c, &key);
    set_violation(x, outcome, &what, &key);
    out_abandon(&what);
    out_abandon(&key);
}

/* The rest */

static void read_exit(struct controlled *c, struct execution *x)
{
    const int status = c->page->result.value & 0xff;
    char text[60];
    (void)snprintf(text, sizeof text, "the program ends with status %d", status);
    if (status != 0 && c->options.fails_on_exit) {
        struct out what;
        out_open_memory(&what);
        out_text(&what, text);
        set_violation(x, OUTCOME_EXIT, &what, &what);
        out_abandon(&what);
        return;
    }
    execution_end(x, OUTCOME_PASSED, text);
}

static void read_stop(const struct controlled *c, struct execution *x)
{
    const struct control_result *r = &c->page->result;
    execution_end(x, OUTCOME_LIMIT, "nothing was chosen");
    execution_stop(x, r->value, r->where);
}

static void read_misuse(struct controlled *c, struct execution *x)
{
    static const enum outcome outcomes[] = {
        [CONTROL_USE_AFTER_FREE] = OUTCOME_USE_AFTER_FREE,
        [CONTROL_DOUBLE_FREE] = OUTCOME_DOUBLE_FREE,
        [CONTROL_OVERFLOW] = OUTCOME_OVERFLOW,
        [CONTROL_UNDEFINED] = OUTCOME_SANITIZER,
    };
    const int value = c->page->result.value;
    const bool is_known = value >= 0 && value < (int)(sizeof outcomes / sizeof *outcomes);
    read_fault(c, x, is_known ? outcomes[value] : OUTCOME_SANITIZER, c->page->result.text);
}

/* A run that was ended because it took too long: where each task stands. It may have gone on
 * later, so this is a note. */
static void read_hang(struct controlled *c, struct execution *x)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const struct control_result *r = &c->page->result;
    struct out what;
    struct out key;
    out_open_memory(&what);
    out_open_memory(&key);
    out_text(&key, r->end != CONTROL_WAITED ? "the run did not end"
                   : r->has_listened != 0   ? "the program waited for connections"
                                            : "the program waited for input from outside");
    out_bytes(&what, key.buffer, key.used);
    out_format(&what,
               r->end == CONTROL_WAITED ? ", and nothing came within %llu s" : " within %llu s",
               (unsigned long long)(process_limit_ns(c) / UINT64_C(1000000000)));
    if (x->steps.count > 0) {
        out_text(&key, " after ");
        name_print_place(c, steps[x->steps.count - 1].place, &key);
    }
    out_text(&what, r->stand_count > 0 ? ": " : "");
    print_stands(c, &what, false);
    set_violation(x, OUTCOME_HANG, &what, &key);
    x->severity = SEVERITY_NOTE;
    out_abandon(&what);
    out_abandon(&key);
}

/* A program of a cluster ended otherwise than it should. What it printed last may have values that
 * are not always the same. */
static void read_failure(const struct controlled *c, struct execution *x)
{
    const struct control_result *r = &c->page->result;
    struct out what;
    struct out key;
    out_open_memory(&what);
    out_open_memory(&key);
    out_text(&what, r->text);
    out_bytes(&key, r->text, strcspn(r->text, ";"));
    set_violation(x, r->value == 1 ? OUTCOME_ASSERTION : OUTCOME_EXIT, &what, &key);
    out_abandon(&what);
    out_abandon(&key);
}

static int read_end(struct controlled *c, struct execution *x, struct err *e)
{
    struct control_result *r = &c->page->result;
    char text[80];
    r->text[CONTROL_TEXT_SIZE - 1] = '\0';
    switch ((enum control_end)r->end) {
    case CONTROL_EXITED: read_exit(c, x); return 0;
    case CONTROL_STOPPED: read_stop(c, x); return 0;
    case CONTROL_LIMITED:
        execution_end(x, OUTCOME_LIMIT, "the limit of steps was reached");
        return 0;
    case CONTROL_DEADLOCKED: read_stand(c, x, OUTCOME_DEADLOCK); return 0;
    case CONTROL_LIVELOCKED: read_stand(c, x, OUTCOME_LIVELOCK); return 0;
    case CONTROL_CRASHED: {
        const char *name = sigabbrev_np(r->value);
        (void)snprintf(text, sizeof text, "signal SIG%s", name == NULL ? "?" : name);
        read_fault(c, x, OUTCOME_CRASH, text);
        return 0;
    }
    case CONTROL_ASSERTED: read_fault(c, x, OUTCOME_ASSERTION, r->text); return 0;
    case CONTROL_MISUSED: read_misuse(c, x); return 0;
    case CONTROL_FAILED: read_failure(c, x); return 0;
    case CONTROL_HUNG:
    case CONTROL_WAITED: read_hang(c, x); return 0;
    case CONTROL_UNENDED: read_exit(c, x); return 0;
    case CONTROL_FORKED: /* program.c has made the run again */
    case CONTROL_REFUSED: break;
    }
    return err_set(e, "%s: cannot be controlled: %s", c->options.command[0], r->text);
}

int verdict_read(struct controlled *c, const struct plan *p, struct execution *x, struct err *e)
{
    const struct control_result *r = &c->page->result;
    if (read_end(c, x, e) < 0) {
        return -1;
    }
    if (x->outcome == OUTCOME_PASSED && r->constraint_left < p->pick.constraint_count) {
        x->where = r->constraint_left;
        execution_end(x, OUTCOME_UNSATISFIED, "operations of a constraint never came");
    }
    return 0;
}
