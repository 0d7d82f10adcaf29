#include "race/observed/observed_report.h"

#include <string.h>

#include "race/access_classes.h"
#include "race/allocation_class.h"
#include "trace/kind_table.h"

static const char *copied(struct findings *f, const struct tables *t, uint32_t name)
{
    return arena_text(&f->arena, names_text(&t->names, name), names_size(&t->names, name));
}

static struct finding_event described(struct findings *f, const struct tables *t,
                                      const struct observed_event *e, uint32_t object)
{
    const struct task *task = &t->tasks.at[e->task];
    return (struct finding_event){
        .index = e->index,
        .offset = UINT64_MAX,
        .node = copied(f, t, task->node),
        .task = copied(f, t, task->name),
        .access = e->kind == EVENT_READ    ? "R"
                  : e->kind == EVENT_WRITE ? "W"
                                           : kind_of(e->kind)->name,
        .object = copied(f, t, object),
        .location = copied(f, t, e->location),
    };
}

static const char *who(struct findings *f, const struct finding_event *e)
{
    return findings_text(f, "%s%s%s", e->task, e->node[0] == '\0' ? "" : "@", e->node);
}

static const char *where(struct findings *f, const struct finding_event *e)
{
    return e->location[0] == '\0' ? "" : findings_text(f, " at %s", e->location);
}

/* A descriptor is used and closed. */
static const char *verb_of(const struct observed_event *e, const char *object)
{
    const bool is_descriptor = strncmp(object, "descriptor:", strlen("descriptor:")) == 0;
    return !is_descriptor ? access_verb(e->kind) : e->kind == EVENT_WRITE ? "closed" : "used";
}

static const char *say(struct findings *f, const struct observed_race *race,
                       const struct finding_event events[2])
{
    if (race->is_message) {
        return findings_text(
            f, "the message sent%s by %s may be there before the one that %s receives%s",
            where(f, &events[0]), who(f, &events[0]), who(f, &events[1]), where(f, &events[1]));
    }
    return findings_text(
        f, "%s is %s%s by %s and %s%s by %s, and nothing observed orders them", events[0].object,
        verb_of(&race->first, events[0].object), where(f, &events[0]), who(f, &events[0]),
        verb_of(&race->second, events[0].object), where(f, &events[1]), who(f, &events[1]));
}

/* The same key as the other models give the same pair of places. */
static const char *key_of(struct findings *f, const struct observed_race *race,
                          const struct finding_event events[2])
{
    const char *a = events[0].location[0] == '\0' ? "?" : events[0].location;
    const char *b = events[1].location[0] == '\0' ? "?" : events[1].location;
    const bool is_sorted = strcmp(a, b) <= 0;
    const enum finding_kind kind = race->is_message ? FINDING_MESSAGE_RACE : FINDING_DATA_RACE;
    const char *variable = race->is_message ? "" : events[0].object;
    return findings_text(f, "%s|%s|%s%s%.*s", finding_kind_name(kind), is_sorted ? a : b,
                         is_sorted ? b : a, race->is_message ? "" : "|",
                         (int)alike_size(variable, strlen(variable)), variable);
}

void observed_tell(struct findings *f, const struct tables *tables,
                   const struct observed_race *race, uint32_t input)
{
    struct finding_event *events = arena_array(&f->arena, struct finding_event, 2);
    const uint32_t object = race->is_message ? 0 : race->object;
    events[0] = described(f, tables, &race->first, object);
    events[1] = described(f, tables, &race->second, object);
    events[0].input = events[1].input = input;
    findings_add(f, &(struct finding){
                        .kind = race->is_message ? FINDING_MESSAGE_RACE : FINDING_DATA_RACE,
                        .status = STATUS_PREDICTED,
                        .grade = GRADE_NONE,
                        .severity = race->is_message ? SEVERITY_WARNING : SEVERITY_ERROR,
                        .what = say(f, race, events),
                        .why = "",
                        .key = key_of(f, race, events),
                        .events = events,
                        .event_count = 2,
                        .pair_count = race->pair_count == 0 ? 1 : race->pair_count,
                    });
}
