#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/sort.h"
#include "import/http/http_log.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

enum { BARRIER_WORD_SIZE = sizeof "barrier " - 1 };

static const char *const tally_texts[] = {
#define TALLY(id, text) text,
    HTTP_TALLY_LIST(TALLY)
#undef TALLY
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Orders each tracking id's requests by their beginning; ties keep the listed order. */
static int by_task(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct http_record *a = left;
    const struct http_record *b = right;
    const int task = compare(a->task, b->task);
    return task != 0 ? task : compare(a->start_ns, b->start_ns);
}

static int by_moment(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct http_record *a = left;
    const struct http_record *b = right;
    const int moment = compare(a->moment, b->moment);
    return moment != 0 ? moment : compare(a->sequence, b->sequence);
}

static bool record_locks(const struct http_log *l, const struct http_record *r)
{
    for (uint32_t i = 0; i < r->access_count; i++) {
        if (l->accesses.at[r->access_first + i].kind == EVENT_LOCK) {
            return true;
        }
    }
    return false;
}

/* Records are sorted by task: sets the moment of each, never before that of its predecessor. */
static void set_moments(struct http_log *l)
{
    const struct http_record *last = NULL;
    int64_t end_max = INT64_MIN;
    vec_each (&l->records, r) {
        must(last == NULL || last->task <= r->task);
        r->moment = record_locks(l, r) ? r->end_ns : r->start_ns;
        if (last == NULL || last->task != r->task) {
            end_max = INT64_MIN;
        } else {
            r->moment = r->moment > last->moment ? r->moment : last->moment;
            if (r->sequence < last->sequence) {
                http_log_count(l, HTTP_DISORDER, r->offset);
            }
        }
        if (r->has_time && r->start_ns < end_max) {
            http_log_count(l, HTTP_OVERLAP, r->offset);
        }
        end_max = r->has_time && r->end_ns > end_max ? r->end_ns : end_max;
        last = r;
    }
}

/* Drops requests of clients that their servers report too. */
static void drop_doubles(struct http_log *l)
{
    size_t kept = 0;
    vec_each (&l->records, r) {
        must(r->client == 0 || r->client < l->span_is_served.count);
        if (r->client != 0 && l->span_is_served.at[r->client]) {
            http_log_count(l, HTTP_DOUBLE, r->offset);
        } else {
            l->records.at[kept++] = *r;
        }
    }
    l->records.count = kept;
}

/* Within a moment, a tracking id's requests keep their current order. */
static void put_in_order(struct http_log *l)
{
    sort_stable(l->records.at, l->records.count, sizeof *l->records.at, by_task, NULL);
    set_moments(l);
    uint32_t sequence_max = 0;
    for (size_t i = 0; i < l->records.count; i++) {
        struct http_record *r = &l->records.at[i];
        const bool is_first = i == 0 || r[-1].task != r->task;
        sequence_max = is_first || r->sequence > sequence_max ? r->sequence : sequence_max;
        r->sequence = sequence_max;
    }
    sort_stable(l->records.at, l->records.count, sizeof *l->records.at, by_moment, NULL);
}

static bool is_barrier(const struct name *n)
{
    return n->size >= BARRIER_WORD_SIZE && memcmp(n->text, "barrier ", BARRIER_WORD_SIZE) == 0;
}

static struct piece host_of(const struct name *n)
{
    const struct piece name = {n->text, n->size};
    return (struct piece){n->text, is_barrier(n) ? 0 : piece_until(name, '/')};
}

/* Names without their host if there is only one, else "//host/path". */
static void name_resources(struct http_log *l)
{
    struct piece host = {0};
    bool has_several = false;
    vec_each (&l->resources.list, n) {
        const struct piece other = host_of(n);
        if (other.size > 0) {
            has_several = has_several || (host.size > 0 && !piece_equals(host, other));
            host = other;
        }
    }
    struct text name = {0};
    vec_each (&l->resources.list, n) {
        const struct piece whole = {n->text, n->size};
        const size_t host_size = host_of(n).size;
        text_clear(&name);
        if (host_size > 0 && has_several) {
            text_add(&name, piece_of("//"));
            text_add(&name, whole);
        } else {
            text_add(&name, piece_after(whole, host_size));
        }
        if (name.chars.count == 0 && n->size > 0) {
            text_add_char(&name, '/');
        }
        const struct piece final = text_piece(&name);
        vec_push(&l->object_of,
                 final.size == 0 ? 0 : names_intern(&l->tables->names, final.at, final.size));
    }
    must(l->object_of.count == l->resources.list.count);
    text_release(&name);
}

/* Whether a header such as `"a", "b"` names the version. */
static bool names_version(const char *sent, const char *known)
{
    const size_t size = strlen(known);
    const char *at = strstr(sent, known);
    return at != NULL && (at == sent || at[-1] == '"') && (at[size] == '\0' || at[size] == '"');
}

/* A write that requires a version is conditional if its task learnt this version last, or none. The
 * read that returned it then shows a version of the same kind. */
static void resolve_write(struct http_log *l, const struct http_record *r, struct http_access *a,
                          const struct http_known *k)
{
    const struct names *names = &l->tables->names;
    must(a->sent_by < HTTP_VERSION_KINDS);
    const uint32_t own = k->versions[a->sent_by];
    const bool is_own = own == a->sent || (own != 0 && names_version(names_text(names, a->sent),
                                                                     names_text(names, own)));
    a->text = is_own ? own : a->sent;
    a->is_conditional = is_own || own == 0;
    if (!a->is_conditional) {
        http_log_count(l, HTTP_STALE, r->offset);
    } else if (own != 0 && l->accesses.at[k->told_by[a->sent_by]].kind == EVENT_READ) {
        l->accesses.at[k->told_by[a->sent_by]].text = own;
    }
}

/* Sets the versions that the access shows, and learns those of its response. */
static void resolve_access(struct http_log *l, const struct http_record *r, uint32_t index)
{
    struct http_access *a = &l->accesses.at[index];
    must(a->object < l->resources.list.count);
    bool is_new = false;
    const uint32_t number = *map_slot(&l->version_known, map_pair(r->task, a->object),
                                      (uint32_t)l->known.count, &is_new);
    if (is_new) {
        vec_push(&l->known, (struct http_known){0});
    }
    struct http_known *k = &l->known.at[number];
    if (a->kind == EVENT_WRITE && a->sent != 0) {
        resolve_write(l, r, a, k);
    }
    for (size_t i = 0; i < HTTP_VERSION_KINDS; i++) {
        if (a->told[i] != 0) {
            k->versions[i] = a->told[i];
            k->told_by[i] = index;
        }
        if (a->kind == EVENT_READ && a->text == 0 && i != HTTP_PRESENCE) {
            a->text = a->told[i];
        }
    }
}

static void resolve_versions(struct http_log *l)
{
    vec_each (&l->records, r) {
        for (uint32_t i = r->access_first; i < r->access_first + r->access_count; i++) {
            const uint16_t kind = l->accesses.at[i].kind;
            if (kind == EVENT_READ || kind == EVENT_WRITE) {
                resolve_access(l, r, i);
            }
        }
    }
}

/* The remedy in a note, a rule for requests of this kind: "write POST STAR/orders/{id}". OPTIONS
 * and TRACE have no effect anywhere. */
static void print_remedy(const char *kind, char *text, size_t size)
{
    const size_t verb_size = strcspn(kind, " ");
    if (strncmp(kind, "OPTIONS ", 8) == 0 || strncmp(kind, "TRACE ", 6) == 0) {
        (void)snprintf(text, size, "no rule covers %.120s: no access", kind);
        return;
    }
    const char *path = strchr(kind, '/');
    (void)snprintf(text, size,
                   "no rule covers %.60s: no access; if it writes, a rules file says so: "
                   "write %.*s *%.60s",
                   kind, (int)verb_size, kind, path == NULL ? "" : path);
}

static void note_kinds(struct http_log *l, const struct http_kinds *k, bool is_uncovered)
{
    char place[160];
    char text[200];
    for (size_t i = 1; i < k->tallies.count; i++) {
        const struct http_tally *t = &k->tallies.at[i];
        const char *kind = k->names.list.at[i].text;
        (void)snprintf(place, sizeof place, "%s: byte %" PRIu64, l->path, t->offset);
        if (is_uncovered) {
            print_remedy(kind, text, sizeof text);
        } else {
            (void)snprintf(text, sizeof text, "without a tracking id: %.120s: skipped", kind);
        }
        notes_add_many(l->notes, t->count, place, text);
    }
}

static void note_tallies(struct http_log *l)
{
    char place[160];
    note_kinds(l, &l->untracked, false);
    note_kinds(l, &l->uncovered, true);
    for (size_t i = 0; i < HTTP_TALLY_COUNT; i++) {
        (void)snprintf(place, sizeof place, "%s: byte %" PRIu64, l->path, l->tallies[i].offset);
        notes_add_many(l->notes, l->tallies[i].count, place, tally_texts[i]);
    }
}

/* Fails with the reason why there are no events. */
static int fail_empty(const struct http_log *l, uint64_t offset, struct err *e)
{
    if (l->exchange_count == 0) {
        return err_set(e, "byte %" PRIu64 ": the input ends without a request in it", offset);
    }
    if (l->untracked.tallies.count > 1) {
        return err_set(e,
                       "byte %" PRIu64 ": none of the %" PRIu64
                       " requests has a tracking id; a rule "
                       "can say where it is: track header NAME (see clew rules --help)",
                       l->untracked.tallies.at[1].offset, l->exchange_count);
    }
    return err_set(e, "byte %" PRIu64 ": none of the %" PRIu64 " requests can be used", offset,
                   l->exchange_count);
}

/* Records stand in the order of their moments; their accesses are in range. */
static void log_check(const struct http_log *l)
{
    int64_t moment = INT64_MIN;
    vec_each (&l->records, r) {
        must(moment <= r->moment);
        must(r->access_first + r->access_count <= l->accesses.count);
        must(r->resource < l->object_of.count);
        moment = r->moment;
    }
    vec_each (&l->accesses, a) {
        must(a->object < l->object_of.count);
        must(a->template <l->object_of.count);
        must(!a->is_conditional || a->kind == EVENT_WRITE);
    }
}

int http_log_seal(struct http_log *l, const char *path, uint64_t offset, struct err *e)
{
    l->path = path;
    if (l->records.count == 0) {
        return fail_empty(l, offset, e);
    }
    drop_doubles(l);
    put_in_order(l);
    resolve_versions(l);
    name_resources(l);
    log_check(l);
    /* Messages of an input that was read into the same tables before have smaller numbers. */
    l->message_first =
        names_find(&l->tables->names, "request-1", 9) == 0 ? 1 : l->tables->names.list.count;
    l->events = mem_resize(NULL, mem_product(BATCH_MAX, sizeof *l->events));
    l->offsets = mem_resize(NULL, mem_product(BATCH_MAX, sizeof *l->offsets));
    return 0;
}

static struct event event_at(const struct http_record *r, uint16_t kind)
{
    struct event e = {.kind = kind, .task = r->task};
    if (r->has_time) {
        e.has |= HAS_TIME;
        e.time = r->moment;
    }
    return e;
}

static void give_access(struct http_log *l, const struct http_record *r,
                        const struct http_access *a, struct event *event)
{
    *event = event_at(r, a->kind);
    event->object = l->object_of.at[a->object];
    if (a->template != 0) {
        const char *verb = r->verb == 0 ? "" : mode_name(MODES_VERB, r->verb);
        const char *template = names_text(&l->tables->names, l->object_of.at[a->template]);
        text_set(&l->value, piece_of(verb));
        if (r->verb != 0) {
            text_add_char(&l->value, ' ');
        }
        text_add(&l->value, piece_of(template));
        const struct piece location = text_piece(&l->value);
        event->location = names_intern(&l->tables->names, location.at, location.size);
    }
    event->text = a->text;
    event->mode = a->is_conditional ? ACCESS_CONDITIONAL : MODE_UNSAID;
}

/* The part-th event of a request: its receive, its effects, and its response if there was one. */
static struct event give_part(struct http_log *l, const struct http_record *r, uint32_t part)
{
    must(part <= r->access_count + 1);
    struct event e = event_at(r, part == 0 ? EVENT_REQUEST : EVENT_RESPONSE);
    if (part > 0 && part <= r->access_count) {
        give_access(l, r, &l->accesses.at[r->access_first + part - 1], &e);
        return e;
    }
    char message[32];
    const int size = snprintf(message, sizeof message, "request-%zu", l->message_first + l->given);
    e.mode = r->verb;
    e.object = l->object_of.at[r->resource];
    e.message = names_intern(&l->tables->names, message, (size_t)size);
    if (part > 0) {
        e.has |= HAS_VALUE;
        e.value = r->status;
        e.text = r->is_conflict ? names_intern_text(&l->tables->names, "conflict") : 0;
    }
    return e;
}

bool http_log_batch(struct http_log *l, struct batch *b)
{
    size_t count = 0;
    while (l->given < l->records.count && count < BATCH_MAX) {
        const struct http_record *r = &l->records.at[l->given];
        l->offsets[count] = r->offset;
        l->events[count++] = give_part(l, r, l->given_part);
        if (l->given_part++ == r->access_count + (r->status != 0)) {
            l->given_part = 0;
            l->given++;
        }
    }
    must(l->given <= l->records.count);
    *b = (struct batch){.events = l->events, .offsets = l->offsets, .count = count};
    if (count == 0) {
        note_tallies(l);
    }
    return count > 0;
}
