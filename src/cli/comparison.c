#include "cli/comparison.h"

#include <stdio.h>
#include <string.h>

#include "base/in.h"
#include "cli/one_hash.h"
#include "cli/reading.h"
#include "cli/schedule_file.h"
#include "cli/schedule_world.h"
#include "explore/replay.h"
#include "order/cause.h"
#include "pick/name.h"
#include "trace/kind.h"
#include "trace/schedule.h"
#include "world/recipe.h"

enum { TEXT_SIZE = 1000 };

/* The node that a choice happens on: of a message, and of a fault on one, where it goes; where
 * there are no nodes, the task. */
static void strand_of(const struct schedule *s, const struct choice *c, char *text, size_t size)
{
    const char *target = names_text(&s->names, c->target);
    const char *arrow = strchr(target, '>');
    if (c->kind == CHOICE_MESSAGE) {
        (void)snprintf(text, size, "%s", names_text(&s->names, c->message.destination));
    } else if (c->kind != CHOICE_FAULT) {
        const uint32_t name = c->operation.node == 0 ? c->operation.task : c->operation.node;
        (void)snprintf(text, size, "%s", names_text(&s->names, name));
    } else {
        const char *node = arrow == NULL ? target : arrow + 1;
        (void)snprintf(text, size, "%.*s", (int)strcspn(node, "/+"), node);
    }
}

/* Names of messages count them (n1>n2/vote#3); where one is missing, those behind it have other
 * numbers and are the same all the same. */
static size_t size_without_number(const char *text)
{
    const char *number = strrchr(text, '#');
    const bool is_number = number != NULL && number[1] != '\0' &&
                           strspn(number + 1, "0123456789") == strlen(number + 1);
    return is_number ? (size_t)(number - text) : strlen(text);
}

/* What the request brings by the schedule's own word; NULL when it says nothing. */
static const struct content *content_of(const struct schedule *s, const struct message_name *m)
{
    vec_each (&s->contents, content) {
        const struct message_name *of = &content->message;
        if (of->source == m->source && of->destination == m->destination && of->type == m->type &&
            of->occurrence == m->occurrence) {
            return content;
        }
    }
    return NULL;
}

static void request_text(const struct schedule *s, const struct message_name *m, char *text,
                         size_t size)
{
    (void)snprintf(text, size, "%s>%s/%s#%u", names_text(&s->names, m->source),
                   names_text(&s->names, m->destination), names_text(&s->names, m->type),
                   m->occurrence);
}

enum { BYTES_SHOWN_MAX = 64 };

static void print_content(const struct schedule *s, const struct content *content, struct out *out)
{
    const uint8_t *bytes = s->content_bytes.at + content->offset;
    out_text(out, content->size == 0 ? " bringing nothing" : " bringing ");
    if (content->size > BYTES_SHOWN_MAX) {
        out_format(out, "%u bytes, hash %016llx", content->size,
                   (unsigned long long)name_text((const char *)bytes, content->size));
        return;
    }
    for (uint32_t i = 0; i < content->size; i++) {
        out_format(out, "%02x", bytes[i]);
    }
}

/* What it does, whichever time it is, and what it brings if the schedule says that. */
static void choice_text(const struct schedule *s, const struct choice *c, struct out *out)
{
    struct choice any = *c;
    any.step = 0;
    any.message.has_fingerprint = false;
    out->used = 0;
    schedule_print_choice(s, &any, out);
    const char *number = memrchr(out->buffer, '#', out->used);
    out->used = number == NULL ? out->used - 1 : (size_t)(number - out->buffer);
    while (out->used > 0 && out->buffer[out->used - 1] == ' ') {
        out->used--;
    }
    const struct content *content = c->kind == CHOICE_MESSAGE ? content_of(s, &c->message) : NULL;
    if (content != NULL) {
        print_content(s, content, out);
    }
    out_char(out, '\0');
}

static uint32_t command_name(struct names *names, const struct schedule *s)
{
    struct out out;
    out_open_memory(&out);
    for (size_t i = 0; i < s->command.count; i++) {
        out_format(&out, "%s%s", i == 0 ? "" : " ", names_text(&s->names, s->command.at[i]));
    }
    const uint32_t name = names_intern(names, out.buffer, out.used);
    out_abandon(&out);
    return name;
}

static void note_about(struct comparison *c, enum align_side side, const struct schedule *s)
{
    struct names *names = &c->alignment.names;
    c->about[ABOUT_SYSTEM][side] = names_intern_text(names, names_text(&s->names, s->system));
    c->about[ABOUT_COMMAND][side] = command_name(names, s);
    c->about[ABOUT_WORLD][side] = names_intern_text(names, names_text(&s->names, s->world));
    c->about[ABOUT_NET][side] = names_intern_text(names, names_text(&s->names, s->net));
    c->about[ABOUT_WITH][side] = names_intern_text(names, names_text(&s->names, s->with));
}

/* The choices of a schedule. Of a run, which is what all of them came to, a message came of the
 * step that sent it; x is NULL where none is known. */
static void add_choices(struct comparison *c, enum align_side side, const struct schedule *s,
                        const struct execution *x)
{
    struct out what;
    uint32_t step = 0;
    out_open_memory(&what);
    for (uint32_t i = 0; i < s->choices.count; i++) {
        char strand[TEXT_SIZE];
        const struct choice *choice = &s->choices.at[i];
        strand_of(s, choice, strand, sizeof strand);
        choice_text(s, choice, &what);
        const struct step *taken = x == NULL ? NULL : &x->steps.at[i];
        const bool has_cause = taken != NULL && taken->operation.kind == EVENT_RECV &&
                               !taken->operation.is_external && taken->cause != STEP_NONE;
        alignment_add(&c->alignment, side,
                      &(struct act_made){.strand = strand,
                                         .what = what.buffer,
                                         .index = i,
                                         .has_cause = has_cause,
                                         .cause = has_cause ? taken->cause : 0});
        step = choice->step == 0 ? step + 1 : choice->step;
        vec_push(&c->step_of[side], step);
    }
    out_abandon(&what);
}

static bool is_replayed(const struct comparison *c)
{
    return c->session->input_count > 2;
}

/* All steps of the run that the schedule makes in the world. */
static int add_run(struct comparison *c, enum align_side side, const struct schedule *s,
                   struct world *w, struct err *e)
{
    struct replayed r = {0};
    struct recipe recipe = {0};
    int result = replay(w, s, &(struct replay_options){0}, &r, e);
    if (result == 0 && r.divergence[0] != '\0') {
        result = err_set(e,
                         "cannot be followed: %s (of a search with --config compare traces, clew "
                         "replay --trace)",
                         r.divergence);
    }
    if (result == 0) {
        result = recipe_parse(&recipe, s, e);
    }
    if (result == 0) {
        struct schedule whole;
        schedule_init(&whole);
        recipe_write_whole(&whole, w, &recipe.plan, &r.execution);
        must(whole.choices.count == r.execution.steps.count);
        add_choices(c, side, &whole, &r.execution);
        schedule_release(&whole);
    }
    recipe_release(&recipe);
    replayed_release(&r);
    return result < 0 ? err_wrap(e, "%s", c->session->inputs[side]) : 0;
}

static int add_replayed(struct comparison *c, enum align_side side, const struct schedule *s,
                        struct err *e)
{
    struct world *w = NULL;
    const struct schedule_world of = {.schedule = c->session->inputs[side],
                                      .system = c->session->inputs[2],
                                      .program = "compare traces (clew replay --trace)"};
    if (schedule_world_open(&w, s, &of, e) < 0) {
        return -1;
    }
    const int result = add_run(c, side, s, w, e);
    world_close(w);
    return result;
}

static void say_what_is_not_named(const struct comparison *c, enum align_side side,
                                  const struct schedule *s)
{
    const char *const *inputs = c->session->inputs;
    const bool is_said = side == ALIGN_SECOND && strcmp(inputs[0], inputs[1]) == 0;
    if (s->steps > s->choices.count && !is_replayed(c) && !is_said && !c->session->common->quiet) {
        session_say("%s: names %zu of its %u steps, the others are the default: %scompare traces "
                    "(clew replay --trace)",
                    inputs[side], s->choices.count, s->steps,
                    strcmp(names_text(&s->names, s->world), "sim") != 0
                        ? ""
                        : "name the system too (clew diff A B SYSTEM.so), or ");
    }
}

static int add_schedule(struct comparison *c, enum align_side side, struct err *e)
{
    struct schedule *s = &c->schedule[side];
    const char *path = c->session->inputs[side];
    if (schedule_file_read(s, path, e) < 0) {
        return -1;
    }
    if (schedule_check_steps(s, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    note_about(c, side, s);
    c->names_all = c->names_all && s->steps <= s->choices.count;
    say_what_is_not_named(c, side, s);
    if (is_replayed(c)) {
        return add_replayed(c, side, s, e);
    }
    add_choices(c, side, s, NULL);
    return 0;
}

static void task_text(const struct trace *t, uint32_t number, char *text, size_t size)
{
    const struct task *task = &t->tables.tasks.at[number];
    (void)snprintf(text, size, "%s%s%s", trace_name(t, task->name), task->node == 0 ? "" : "@",
                   trace_name(t, task->node));
}

/* What it does, whichever time it is. */
static void event_text(const struct trace *t, const struct event *event, char *text, size_t size)
{
    char peer[TEXT_SIZE / 4] = "";
    if ((event->has & HAS_PEER) != 0) {
        task_text(t, event->peer, peer, sizeof peer);
    }
    const char *rest = (event->has & HAS_PEER) != 0 ? peer : trace_name(t, event->message);
    const char *object = trace_name(t, event->object);
    (void)snprintf(text, size, "%s%s%s%s%.*s", kind_of(event->kind)->name, *object == 0 ? "" : " ",
                   object, *rest == 0 ? "" : " ", (int)size_without_number(rest), rest);
}

/* Whether it makes a difference which of two such events of one object comes first. Accesses of a
 * recording are not in the order they had. */
static bool is_order_known(const struct trace *t, const struct event *event)
{
    switch (event->kind) {
    case EVENT_LOCK:
    case EVENT_WAIT_BEGIN:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
    case EVENT_SEM_POST:
    case EVENT_SEM_WAIT:
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW: return true;
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_FREE: return t->tables.order != ORDER_STAMPED;
    default: return false;
    }
}

static bool is_read(const struct event *event)
{
    return event->kind == EVENT_READ || event->kind == EVENT_ATOMIC_LOAD ||
           (event->kind == EVENT_LOCK && lock_mode_is_shared(event->mode));
}

/* Whose the object is, too: names are those of a node, but for locks of several processes. */
static void object_text(const struct trace *t, const struct event *event, char *text, size_t size)
{
    const bool is_everywhere =
        event->kind == EVENT_LOCK && lock_mode_is_across_processes(event->mode);
    (void)snprintf(text, size, "%s@%s", trace_name(t, event->object),
                   is_everywhere ? "" : trace_name(t, trace_node_of(t, event)));
}

static void add_events(struct comparison *c, enum align_side side, const struct trace *t)
{
    struct arena arena = {0};
    const event_id *cause_of = causes_build(t, &arena);
    for (uint32_t i = 0; i < t->events.count; i++) {
        const struct event *event = &t->events.at[i];
        char strand[TEXT_SIZE];
        char what[TEXT_SIZE];
        char object[TEXT_SIZE];
        task_text(t, event->task, strand, sizeof strand);
        event_text(t, event, what, sizeof what);
        object_text(t, event, object, sizeof object);
        alignment_add(&c->alignment, side,
                      &(struct act_made){.strand = strand,
                                         .what = what,
                                         .index = i,
                                         .has_cause = cause_of[i] != EVENT_NONE,
                                         .cause = cause_of[i],
                                         .object = is_order_known(t, event) ? object : NULL,
                                         .is_read = is_read(event)});
    }
    arena_release(&arena);
}

static int add_trace(struct comparison *c, enum align_side side, struct err *e)
{
    struct reading r;
    int result = reading_open_one(&r, c->session, side, e);
    if (result < 0) {
        return result;
    }
    result = reading_load(&r, e);
    if (result == 0) {
        add_events(c, side, &r.trace);
        reading_warn(&r);
    }
    c->is_cut |= r.is_cut;
    reading_close(&r);
    return result;
}

static const char schedule_begin[] = "clew-schedule ";

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Whether the file is a schedule; standard input, which can be read once, is not looked at. Fails
 * when it cannot be read. */
static int look_whether_schedule(const char *path, bool *is_one, struct err *e)
{
    struct in in;
    *is_one = false;
    if (is_standard_input(path)) {
        return 0;
    }
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const size_t size = sizeof schedule_begin - 1;
    const ssize_t got = in_fill(&in, size, e);
    *is_one = got >= (ssize_t)size && memcmp(in.at, schedule_begin, size) == 0;
    in_close(&in);
    return got < 0 ? err_wrap(e, "%s", path) : 0;
}

/* Standard input is of the kind of the other. */
static int look_of_which_kind(struct comparison *c, struct err *e)
{
    const char *const *inputs = c->session->inputs;
    bool first = false;
    bool second = false;
    if (look_whether_schedule(inputs[0], &first, e) < 0 ||
        look_whether_schedule(inputs[1], &second, e) < 0) {
        return -1;
    }
    if (is_standard_input(inputs[0])) {
        first = second;
    } else if (is_standard_input(inputs[1])) {
        second = first;
    }
    if (first != second) {
        return err_set(e, "%s is a schedule and %s is not: two of a kind are compared",
                       inputs[first ? 0 : 1], inputs[first ? 1 : 0]);
    }
    c->are_schedules = first;
    if (!first && is_replayed(c)) {
        return err_set(e, "%s is no schedule: traces are compared without a system", inputs[0]);
    }
    return 0;
}

static void collect_requests(struct names *requests, const struct schedule *s)
{
    vec_each (&s->choices, c) {
        if (c->kind == CHOICE_MESSAGE) {
            char text[TEXT_SIZE];
            request_text(s, &c->message, text, sizeof text);
            (void)names_intern_text(requests, text);
        }
    }
}

/* What the schedule says that requests bring, without those that choices name: these tell it. */
static uint32_t contents_name(struct names *names, const struct schedule *s,
                              const struct names *named)
{
    struct out out;
    out_open_memory(&out);
    vec_each (&s->contents, content) {
        char text[TEXT_SIZE];
        request_text(s, &content->message, text, sizeof text);
        if (names_find(named, text, strlen(text)) == 0) {
            out_format(&out, "%s%s", out.used == 0 ? "" : ", ", text);
            print_content(s, content, &out);
        }
    }
    const uint32_t name = names_intern(names, out.buffer, out.used);
    out_abandon(&out);
    return name;
}

/* A request that comes by default on both sides may bring other bytes on each. */
static void compare_contents(struct comparison *c)
{
    struct names named;
    names_init(&named);
    collect_requests(&named, &c->schedule[ALIGN_FIRST]);
    collect_requests(&named, &c->schedule[ALIGN_SECOND]);
    for (int side = ALIGN_FIRST; side <= ALIGN_SECOND; side++) {
        c->about[ABOUT_CONTENT][side] =
            contents_name(&c->alignment.names, &c->schedule[side], &named);
    }
    names_release(&named);
}

/* Schedules that name not all of their steps cannot be told apart by them, but may be known to be
 * of one execution: by the hash, as far as nothing they say is against it. */
static void compare_hashes(struct comparison *c)
{
    const struct schedule *s = c->schedule;
    if (!c->are_schedules || is_replayed(c)) {
        return;
    }
    compare_contents(c);
    if (s[0].hash != 0 && s[0].hash == s[1].hash && !comparison_is_of_two_systems(c)) {
        one_hash_doubt(&s[0], &s[1], c->doubt, sizeof c->doubt);
        c->is_same_run = !c->names_all && c->doubt[0] == '\0';
    }
}

int comparison_make(struct comparison *c, struct session *s, struct err *e)
{
    *c = (struct comparison){.session = s, .names_all = true};
    alignment_init(&c->alignment);
    schedule_init(&c->schedule[ALIGN_FIRST]);
    schedule_init(&c->schedule[ALIGN_SECOND]);
    int result = look_of_which_kind(c, e);
    for (int side = ALIGN_FIRST; side <= ALIGN_SECOND && result == 0; side++) {
        result = c->are_schedules ? add_schedule(c, (enum align_side)side, e)
                                  : add_trace(c, (enum align_side)side, e);
    }
    if (result == 0) {
        compare_hashes(c);
    }
    if (result == 0 && !c->is_same_run) {
        alignment_find(&c->alignment);
    }
    return result;
}

void comparison_release(struct comparison *c)
{
    for (int side = ALIGN_FIRST; side <= ALIGN_SECOND; side++) {
        vec_release(&c->step_of[side]);
        schedule_release(&c->schedule[side]);
    }
    alignment_release(&c->alignment);
}

const char *about_name(enum about about)
{
    static const char *const names[] = {
        [ABOUT_SYSTEM] = "system", [ABOUT_COMMAND] = "command", [ABOUT_WORLD] = "world",
        [ABOUT_NET] = "net",       [ABOUT_WITH] = "with",       [ABOUT_CONTENT] = "content"};
    return names[about];
}

bool comparison_is_about_same(const struct comparison *c, enum about about)
{
    return c->about[about][ALIGN_FIRST] == c->about[about][ALIGN_SECOND];
}

bool comparison_is_of_two_systems(const struct comparison *c)
{
    const bool is_named_alike = comparison_is_about_same(c, ABOUT_SYSTEM) &&
                                comparison_is_about_same(c, ABOUT_COMMAND) &&
                                comparison_is_about_same(c, ABOUT_WORLD);
    return !is_named_alike;
}
