#include "trace/schedule.h"

#include "trace/kind_table.h"
#include "trace/quoted_word.h"

void schedule_init(struct schedule *s)
{
    *s = (struct schedule){0};
    names_init(&s->names);
}

void schedule_release(struct schedule *s)
{
    names_release(&s->names);
    vec_release(&s->command);
    vec_release(&s->faults);
    vec_release(&s->constraints);
    vec_release(&s->without);
    vec_release(&s->ignored);
    vec_release(&s->contents);
    vec_release(&s->content_bytes);
    vec_release(&s->choices);
}

void schedule_add_content(struct schedule *s, const struct message_name *message, const void *bytes,
                          size_t size)
{
    must(size <= SCHEDULE_CONTENT_MAX);
    must(s->content_bytes.count <= SCHEDULE_CONTENTS_MAX - size);
    vec_push(&s->contents, (struct content){.message = *message,
                                            .offset = (uint32_t)s->content_bytes.count,
                                            .size = (uint32_t)size});
    for (size_t i = 0; i < size; i++) {
        vec_push(&s->content_bytes, ((const uint8_t *)bytes)[i]);
    }
}

int schedule_check_steps(const struct schedule *s, struct err *e)
{
    uint32_t step = 0;
    vec_each (&s->choices, c) {
        const uint32_t before = step;
        step = c->step != 0 ? c->step : before + 1;
        if (step <= before) {
            return err_set(e, "line %u: at=%u does not come after step %u", c->line, c->step,
                           before);
        }
        if (s->steps != 0 && step > s->steps) {
            return err_set(e, "line %u: a choice is at step %u, and there %s %u", c->line, step,
                           s->steps == 1 ? "is" : "are", s->steps);
        }
    }
    return 0;
}

static void print_name(const struct schedule *s, uint32_t name, struct out *out)
{
    word_print(out, names_text(&s->names, name), names_size(&s->names, name));
}

static void print_operation(const struct schedule *s, const struct operation *o, struct out *out)
{
    const struct kind *kind = kind_of(o->kind);
    must(kind != NULL);
    out_char(out, ' ');
    print_name(s, o->task, out);
    if (o->node != 0) {
        out_char(out, '@');
        print_name(s, o->node, out);
    }
    out_format(out, " %s ", kind->name);
    print_name(s, o->object, out);
    out_format(out, " #%u", o->occurrence);
}

static void print_message(const struct schedule *s, const struct message_name *m, struct out *out)
{
    const struct {
        char before;
        uint32_t name;
    } parts[] = {{' ', m->source}, {'>', m->destination}, {'/', m->type}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint32_t name = parts[i].name;
        out_char(out, parts[i].before);
        word_print_part(out, ">/", names_text(&s->names, name), names_size(&s->names, name));
    }
    out_format(out, "#%u", m->occurrence);
    if (m->has_fingerprint) {
        out_format(out, " fp=%llx", (unsigned long long)m->fingerprint);
    }
}

void schedule_print_choice(const struct schedule *s, const struct choice *c, struct out *out)
{
    out_text(out, mode_name(MODES_CHOICE, c->kind));
    switch (c->kind) {
    case CHOICE_TASK:
    case CHOICE_TIMER: print_operation(s, &c->operation, out); break;
    case CHOICE_MESSAGE: print_message(s, &c->message, out); break;
    case CHOICE_FAULT:
        out_format(out, " %s ", mode_name(MODES_FAULT, c->fault));
        print_name(s, c->target, out);
        break;
    case CHOICE_RANDOM:
    case CHOICE_SHORT_COUNT:
    case CHOICE_READY_ORDER:
    case CHOICE_LOAD_VALUE:
        print_operation(s, &c->operation, out);
        out_text(out, " value=");
        out_i64(out, c->value);
        break;
    default: bug("kind of choice");
    }
    if (c->step != 0) {
        out_format(out, " at=%u", c->step);
    }
    out_char(out, '\n');
}

void schedule_print_constraint(const struct schedule *s, const struct constraint *c,
                               struct out *out)
{
    out_text(out, c->is_negated ? "forbid" : "require");
    print_operation(s, &c->first, out);
    out_text(out, c->kind == CONSTRAINT_BEFORE ? " before" : " from");
    if (c->is_from_start) {
        out_text(out, " start");
    } else {
        print_operation(s, &c->second, out);
    }
    out_char(out, '\n');
}

static void print_content(const struct schedule *s, const struct content *c, struct out *out)
{
    out_text(out, "content");
    print_message(s, &c->message, out);
    out_char(out, ' ');
    if (c->size == 0) {
        out_char(out, '-');
    }
    for (uint32_t i = 0; i < c->size; i++) {
        out_format(out, "%02x", s->content_bytes.at[c->offset + i]);
    }
    out_char(out, '\n');
}

static void print_named(const struct schedule *s, const char *key, uint32_t name, struct out *out)
{
    if (name != 0) {
        out_text(out, key);
        print_name(s, name, out);
        out_char(out, '\n');
    }
}

static void print_header(const struct schedule *s, struct out *out)
{
    out_format(out, "clew-schedule %d\n", SCHEDULE_VERSION);
    print_named(s, "system ", s->system, out);
    if (s->command.count > 0) {
        out_text(out, "command");
        vec_each (&s->command, argument) {
            out_char(out, ' ');
            print_name(s, *argument, out);
        }
        out_char(out, '\n');
    }
    print_named(s, "build ", s->build, out);
    print_named(s, "world ", s->world, out);
    print_named(s, "net ", s->net, out);
    print_named(s, "with ", s->with, out);
    if (s->faults.count > 0) {
        out_text(out, "faults");
        vec_each (&s->faults, fault) {
            out_format(out, " %s", mode_name(MODES_FAULT, *fault));
        }
        out_char(out, '\n');
    }
    out_format(out, "seed %llu\n", (unsigned long long)s->seed);
    if (s->without.count > 0) {
        out_text(out, "without");
        vec_each (&s->without, event) {
            out_format(out, " %u", *event);
        }
        out_char(out, '\n');
    }
    if (s->ignored.count > 0) {
        out_text(out, "ignore");
        vec_each (&s->ignored, key) {
            out_char(out, ' ');
            print_name(s, *key, out);
        }
        out_char(out, '\n');
    }
    out_text(out, "then ");
    if (s->then == 0) {
        out_text(out, "stop");
    } else {
        print_name(s, s->then, out);
    }
    out_char(out, '\n');
    if (s->steps != 0) {
        out_format(out, "steps %u\n", s->steps);
    }
    if (s->hash != 0) {
        out_format(out, "hash %016llx\n", (unsigned long long)s->hash);
    }
}

void schedule_print(const struct schedule *s, struct out *out)
{
    print_header(s, out);
    vec_each (&s->constraints, constraint) {
        schedule_print_constraint(s, constraint, out);
    }
    vec_each (&s->contents, content) {
        print_content(s, content, out);
    }
    vec_each (&s->choices, choice) {
        schedule_print_choice(s, choice, out);
    }
}
