#include "proc/record/collect.h"

#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "proc/record/collector.h"
#include "proc/record/reached_code.h"
#include "trace/kind_table.h"
#include "wire/must.h"

/* Functions that were to be handlers and were none. */
static void note_handlers(struct collector *c)
{
    const uint32_t count = c->page.handler_count < RECORDING_HANDLERS_MAX ? c->page.handler_count
                                                                          : RECORDING_HANDLERS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        struct recording_handler *handler = &c->page.handlers[i];
        handler->name[sizeof handler->name - 1] = 0;
        if (atomic_load(&handler->is_found) == 0) {
            notes_add(c->notes, "",
                      "--handler %s: no recorded program has such a function (or it is inlined "
                      "everywhere)",
                      handler->name);
        } else if (atomic_load(&handler->begin_count) == 0) {
            notes_add(c->notes, "",
                      "--handler %s: the function was never entered, or was not built with clew cc",
                      handler->name);
        }
    }
}

/* The order of a folder is the file system's; rows go by process and task. */
static int compare_sources(const void *left, const void *right,
                           __attribute__((unused)) const void *context)
{
    const struct row *a = &((const struct source *)left)->row;
    const struct row *b = &((const struct source *)right)->row;
    const uint64_t x = map_pair(a->process, a->task);
    const uint64_t y = map_pair(b->process, b->task);
    return (x > y) - (x < y);
}

static void sort_sources(struct collector *c)
{
    sort_stable(c->sources.at, c->sources.count, sizeof *c->sources.at, compare_sources, NULL);
    for (uint32_t i = 0; i < c->sources.count; i++) {
        const struct row *row = &c->sources.at[i].row;
        must(i == 0 || compare_sources(&c->sources.at[i - 1], &c->sources.at[i], NULL) < 0);
        map_put(&c->row_of, map_pair(row->process, row->task), i);
    }
}

/* Takes the row's front record and the unstamped ones behind it; then the row waits for its next
 * stamp. */
static int advance(struct collector *c, struct source *s, struct err *e)
{
    do {
        if (translate_record(c, s, e) < 0 || translate_late(c, s, e) < 0 ||
            row_next(&s->row, c->notes, e) < 0) {
            return -1;
        }
    } while (s->row.has_record && s->row.stamp == 0);
    must(!s->row.has_record || s->row.stamp != 0);
    s->stamp = s->row.has_record ? s->row.stamp : UINT64_MAX;
    return s->row.has_record ? 0 : translate_end(c, s, e);
}

/* Reads all accesses before any of them gets a name. This finds the parts that each word is divided
 * into, and accesses that one task recorded for another. */
static void take_access(struct collector *c, const struct source *finder)
{
    const struct record *record = finder->row.record;
    if (record->kind != EVENT_LOST) {
        c->access_count++;
        pieces_see(&finder->process->pieces, record->object, record_access_size(record));
    }
    if (!row_is_late(&finder->row)) {
        return;
    }
    const struct record_late late = record->late;
    const uint32_t *owner = map_get(&c->row_of, map_pair(finder->row.process, late.task));
    if (owner != NULL) {
        vec_push(&c->sources.at[*owner].late,
                 (struct late){.epoch = late.epoch, .record = *record});
    }
}

static int compare_late(const void *left, const void *right,
                        __attribute__((unused)) const void *context)
{
    const uint32_t a = ((const struct late *)left)->epoch;
    const uint32_t b = ((const struct late *)right)->epoch;
    return (a > b) - (a < b);
}

/* Everything that names something, before the first event that needs the name. */
static int read_notes(struct collector *c, struct err *e)
{
    vec_each (&c->sources, s) {
        if (row_open(&s->row, c->notes, e) < 0) {
            return -1;
        }
        if (s->row.has_record) {
            s->process = collector_process(c, s->row.segment);
        }
        while (s->row.has_record) {
            if (kind_of(s->row.record->kind) == NULL) {
                translate_note(c, s);
            } else if (record_is_access(s->row.record)) {
                take_access(c, s);
            }
            sync_objects_see(&s->process->sync_objects, s->row.task, s->row.record);
            if (row_next(&s->row, c->notes, e) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int begin_rows(struct collector *c, struct err *e)
{
    for (uint32_t i = 0; i < c->sources.count; i++) {
        struct source *s = &c->sources.at[i];
        row_rewind(&s->row);
        sort_stable(s->late.at, s->late.count, sizeof *s->late.at, compare_late, NULL);
        if (row_open(&s->row, c->notes, e) < 0) {
            return -1;
        }
        if (s->row.has_record) {
            collector_begin(c, i);
            collector_push(c, i);
            row_rest(&s->row);
        }
    }
    return 0;
}

static int merge(struct collector *c, struct err *e)
{
    while (c->heap.count > 0) {
        const uint32_t least = collector_pop(c);
        struct source *s = &c->sources.at[least];
        if (row_wake(&s->row, e) < 0 || advance(c, s, e) < 0) {
            return -1;
        }
        if (s->row.has_record) {
            collector_push(c, least);
        }
        if (s->row.has_record && s->epoch == 0) {
            row_rest(&s->row); /* only notes came, and its task begins later */
        }
    }
    return 0;
}

/* Adds the coverage of processes that a signal ended. */
static int tell_coverage_of_killed(struct collector *c, struct err *e)
{
    vec_each (&c->sources, s) {
        if (s->process != NULL && !s->row.is_finished && coverage_tell(c, s, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The number of memory accesses that the tasks made. A killed task may have recorded a few that it
 * had not counted yet. */
static uint64_t accesses_made(const struct collector *c)
{
    uint64_t made = 0;
    vec_each (&c->sources, s) {
        made += s->row.access_count;
    }
    return made > c->access_count ? made : c->access_count;
}

/* Writes into the header which kinds of events the recording lacks. */
static void describe(struct collector *c)
{
    const unsigned long long made = accesses_made(c);
    char text[400] = "clew record";
    if (c->sources.count == 0) {
        (void)snprintf(text, sizeof text,
                       "clew record (nothing was recorded: the program is static, setuid, or "
                       "preloads no libraries)");
    } else if ((c->page.flags & RECORDING_ALL_ACCESSES) != 0) {
        (void)snprintf(text, sizeof text, "clew record --all-accesses");
    } else if (made > 0) {
        (void)snprintf(
            text, sizeof text,
            "clew record (%llu of %llu memory accesses: to shared words one per place and epoch, "
            "so that races by place lose nothing; from before that, accesses under a lock, and "
            "each "
            "task's last read and last write of every byte; with threads also the first %u of each "
            "place)",
            (unsigned long long)c->access_count, made, c->page.first_accesses);
    }
    c->tables->source = names_intern_text(&c->tables->names, text);
}

/* Programs that a task became or spawned and that began no row: a task has one row more than
 * recorded programs it became. */
static uint64_t uncontrolled(const struct collector *c)
{
    uint64_t begun = 0;
    uint64_t wanted = 0;
    vec_each (&c->exec_count.entries, execs) {
        wanted += execs->value + 1;
    }
    vec_each (&c->sources, s) {
        begun += s->process != NULL && map_get(&c->exec_count, s->task) != NULL;
    }
    return c->spawn_unseen_count + (wanted > begun ? wanted - begun : 0);
}

static void count(struct collector *c, struct collect_stats *stats)
{
    *stats = (struct collect_stats){.processes = c->processes.count, .events = c->event_count};
    stats->handlers = c->handler_count;
    stats->accesses = accesses_made(c);
    must(stats->accesses >= c->access_count);
    stats->filtered = stats->accesses - c->access_count;
    stats->dropped = atomic_load(&c->page.dropped);
    stats->messages_matched = c->traffic.matched;
    stats->messages_unmatched = c->traffic.unmatched;
    stats->messages_external = c->traffic.external;
    stats->uncontrolled = uncontrolled(c);
    stats->blocks = c->block_count;
    vec_each (&c->sources, s) {
        stats->threads += s->process != NULL;
        stats->bytes += s->row.size_total;
        stats->unfinished += s->process != NULL && !s->row.is_finished;
    }
}

int collect(const char *folder, struct tables *t, struct writer *w, struct collect_stats *stats,
            struct notes *n, struct err *e)
{
    struct collector c = {.folder = folder, .tables = t, .writer = w, .notes = n};
    collector_init(&c);
    note_handlers(&c);
    int result = collector_find(&c, e);
    if (result == 0) {
        sort_sources(&c);
        result = read_notes(&c, e);
    }
    if (result == 0) {
        describe(&c);
        translate_ends(&c);
        collector_divide_shared(&c);
        result = begin_rows(&c, e);
    }
    if (result == 0) {
        result = merge(&c, e);
    }
    if (result == 0) {
        result = tell_coverage_of_killed(&c, e);
    }
    if (result == 0) {
        result = translate_flush(&c, e);
    }
    count(&c, stats);
    collector_release(&c);
    return result;
}
