/* The schedules that clew diff compares: their choices, or all steps of the runs that they make. */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "cli/input/schedule_file.h"
#include "cli/input/schedule_world.h"
#include "cli/verbs/diff_parts.h"
#include "cli/verbs/diff_same_hash.h"
#include "explore/replay.h"
#include "pick/operation_name.h"
#include "world/recipe.h"

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

static void print_choice(const struct schedule *s, const struct choice *c, struct out *out)
{
    struct choice any = *c;
    any.step = 0;
    any.message.has_fingerprint = false;
    out->used = 0;
    schedule_print_choice(s, &any, out);
    out->used--; /* the end of the line */
}

/* Appends the content, if it is compared and the schedule has it. */
static void end_with_content(const struct schedule *s, const struct choice *c, bool is_told,
                             struct out *out)
{
    const struct content *content =
        is_told && c->kind == CHOICE_MESSAGE ? one_hash_content(s, s, &c->message) : NULL;
    if (content != NULL) {
        print_content(s, content, out);
    }
    out_char(out, '\0');
}

static void print_shown(const struct schedule *s, const struct choice *c, struct out *out)
{
    print_choice(s, c, out);
    end_with_content(s, c, true, out);
}

/* Its operation without its number. */
static void print_what(const struct schedule *s, const struct choice *c, bool has_content,
                       struct out *out)
{
    print_choice(s, c, out);
    char *number = memrchr(out->buffer, '#', out->used);
    if (number != NULL) {
        const char *end = out->buffer + out->used;
        const char *rest = number + 1;
        while (rest < end && *rest >= '0' && *rest <= '9') {
            rest++;
        }
        number -= number > out->buffer && number[-1] == ' ';
        memmove(number, rest, (size_t)(end - rest));
        out->used = (size_t)(number + (end - rest) - out->buffer);
    }
    end_with_content(s, c, has_content, out);
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

static int compare_texts(const void *left, const void *right, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The choices of a system, in a canonical order: "b,a" is "a,b". */
static uint32_t with_name(struct names *names, const char *with)
{
    enum { CHOSEN_MAX = 64 };
    char text[TEXT_SIZE];
    char *chosen[CHOSEN_MAX];
    size_t count = 0;
    (void)snprintf(text, sizeof text, "%s", with);
    char *rest = text;
    for (char *item; count < CHOSEN_MAX && (item = strsep(&rest, ",")) != NULL;) {
        chosen[count++] = item;
    }
    sort_stable(chosen, count, sizeof *chosen, compare_texts, NULL);
    struct out out;
    out_open_memory(&out);
    for (size_t i = 0; i < count; i++) {
        out_format(&out, "%s%s", i == 0 ? "" : ",", chosen[i]);
    }
    const uint32_t name = names_intern(names, out.buffer, out.used);
    out_abandon(&out);
    return name;
}

static uint32_t without_name(struct names *names, const struct schedule *s)
{
    struct out out;
    out_open_memory(&out);
    vec_each (&s->without, event) {
        out_format(&out, "%s%u", out.used == 0 ? "" : " ", *event);
    }
    const uint32_t name = names_intern(names, out.buffer, out.used);
    out_abandon(&out);
    return name;
}

static uint32_t constraints_name(struct names *names, const struct schedule *s)
{
    struct out out;
    out_open_memory(&out);
    vec_each (&s->constraints, constraint) {
        out_text(&out, out.used == 0 ? "" : ", ");
        schedule_print_constraint(s, constraint, &out);
        out.used--; /* the end of the line */
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
    c->about[ABOUT_WITH][side] = with_name(names, names_text(&s->names, s->with));
    if (!comparison_is_replayed(c)) { /* their runs are compared then */
        char seed[32];
        (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
        c->about[ABOUT_SEED][side] = names_intern_text(names, seed);
        c->about[ABOUT_THEN][side] =
            names_intern_text(names, s->then == 0 ? "stop" : names_text(&s->names, s->then));
        c->about[ABOUT_WITHOUT][side] = without_name(names, s);
        c->about[ABOUT_CONSTRAINTS][side] = constraints_name(names, s);
    }
}

void comparison_note_hash(struct comparison *c, enum align_side side)
{
    char hash[32];
    (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->schedule[side].hash);
    c->about[ABOUT_HASH][side] = names_intern_text(&c->alignment.names, hash);
}

/* Whether both schedules have the content of the request. A line in only one may be the default
 * content. */
static bool is_content_said(const struct comparison *c, const struct schedule *s,
                            const struct choice *choice)
{
    return choice->kind == CHOICE_MESSAGE &&
           one_hash_content(&c->schedule[ALIGN_FIRST], s, &choice->message) != NULL &&
           one_hash_content(&c->schedule[ALIGN_SECOND], s, &choice->message) != NULL;
}

/* The cause of a step: of a message the step that sent it; a request has no cause. */
static void add_what_is_known(const struct step *step, struct act_made *made)
{
    const struct pick_operation *o = &step->operation;
    made->has_cause = o->kind == EVENT_RECV && !o->is_external && step->cause != STEP_NONE;
    made->cause = made->has_cause ? step->cause : 0;
    made->content = o->is_external ? o->content : 0;
}

/* The choices of a schedule, and the run of all of them; NULL: unknown. */
static void add_choices(struct comparison *c, enum align_side side, const struct schedule *s,
                        const struct execution *x)
{
    struct out what;
    struct out shown;
    uint32_t step = 0;
    out_open_memory(&what);
    out_open_memory(&shown);
    for (uint32_t i = 0; i < s->choices.count; i++) {
        char strand[TEXT_SIZE];
        const struct choice *choice = &s->choices.at[i];
        strand_of(s, choice, strand, sizeof strand);
        print_shown(s, choice, &shown);
        print_what(s, choice, x == NULL && is_content_said(c, s, choice), &what);
        struct act_made made = {
            .strand = strand, .what = what.buffer, .shown = shown.buffer, .index = i};
        if (x != NULL) {
            add_what_is_known(&x->steps.at[i], &made);
        }
        alignment_add(&c->alignment, side, &made);
        step = choice->step == 0 ? step + 1 : choice->step;
        vec_push(&c->step_of[side], step);
    }
    out_abandon(&what);
    out_abandon(&shown);
}

/* The violation of the run, without values; and that it differs from the schedule's own run. */
static void note_run(struct comparison *c, enum align_side side, const struct schedule *s,
                     const struct execution *x)
{
    char shows[sizeof x->what + 64];
    const bool is_violation = outcome_is_violation(x->outcome);
    const int size = x->values == 0 ? (int)sizeof x->what : (int)x->values;
    (void)snprintf(shows, sizeof shows, "%s%s%.*s", is_violation ? outcome_name(x->outcome) : "",
                   is_violation ? ": " : "no violation", is_violation ? size : 0, x->what);
    c->about[ABOUT_SHOWS][side] = names_intern_text(&c->alignment.names, shows);
    if (s->hash != 0 && s->hash != x->hash && !c->session->common->quiet) {
        session_say("%s: its run is not as recorded (hash %016llx, and the schedule has %016llx)",
                    c->session->inputs[side], (unsigned long long)x->hash,
                    (unsigned long long)s->hash);
    }
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
        note_run(c, side, s, &r.execution);
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
    if (s->steps > s->choices.count && !comparison_is_replayed(c) && !is_said &&
        !c->session->common->quiet) {
        session_say("%s: names %zu of its %u steps, the others are the default: %scompare traces "
                    "(clew replay --trace)",
                    inputs[side], s->choices.count, s->steps,
                    strcmp(names_text(&s->names, s->world), "sim") != 0
                        ? ""
                        : "name the system too (clew diff A B SYSTEM.so), or ");
    }
}

int comparison_read_schedule(struct comparison *c, enum align_side side, struct err *e)
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
    return 0;
}

int comparison_add_schedule(struct comparison *c, enum align_side side, struct err *e)
{
    const struct schedule *s = &c->schedule[side];
    if (comparison_is_replayed(c)) {
        const int result = add_replayed(c, side, s, e);
        c->is_cut = c->is_cut || limit_is_spent(&c->session->budget, 0);
        return result;
    }
    add_choices(c, side, s, NULL);
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

/* The content lines of the schedule, without those of requests that a choice names where both
 * schedules have the line. */
static uint32_t contents_name(struct comparison *c, enum align_side side, const struct names *named)
{
    const struct schedule *s = &c->schedule[side];
    struct out out;
    out_open_memory(&out);
    vec_each (&s->contents, content) {
        char text[TEXT_SIZE];
        request_text(s, &content->message, text, sizeof text);
        const bool is_said = one_hash_content(&c->schedule[!side], s, &content->message) != NULL;
        if (!is_said || names_find(named, text, strlen(text)) == 0) {
            out_format(&out, "%s%s", out.used == 0 ? "" : ", ", text);
            print_content(s, content, &out);
        }
        c->is_content_unsaid = c->is_content_unsaid || !is_said;
    }
    const uint32_t name = names_intern(&c->alignment.names, out.buffer, out.used);
    out_abandon(&out);
    return name;
}

void comparison_compare_contents(struct comparison *c)
{
    struct names named;
    names_init(&named);
    collect_requests(&named, &c->schedule[ALIGN_FIRST]);
    collect_requests(&named, &c->schedule[ALIGN_SECOND]);
    for (int side = ALIGN_FIRST; side <= ALIGN_SECOND; side++) {
        c->about[ABOUT_CONTENT][side] = contents_name(c, (enum align_side)side, &named);
    }
    names_release(&named);
}
