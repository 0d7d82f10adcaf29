/* From records to events: addresses, descriptors and numbers become names. */
#include <stdio.h>
#include <string.h>

#include "proc/record/collector.h"
#include "proc/record/reached_code.h"
#include "trace/kind_table.h"

static bool is_event(const char *text, size_t size)
{
    return size > 8 && memcmp(text, "eventfd-", 8) == 0;
}

/* Ends that are named after an inode are known again only within one recording: they get ordinals.
 */
static uint32_t end_name(struct collector *c, const char *text)
{
    const char *dash = strchr(text, '-');
    const bool is_inode =
        dash != NULL && (strncmp(text, "pipe-", 5) == 0 || strncmp(text, "unix-", 5) == 0 ||
                         is_event(text, strlen(text)));
    if (!is_inode) {
        return names_intern_text(&c->tables->names, text);
    }
    if (strcmp(text, "unix-0") == 0) {
        return c->inode_none;
    }
    const uint32_t key = names_intern_text(&c->inodes, text);
    char named[32];
    (void)snprintf(named, sizeof named, "%.*s#%u", (int)(dash - text), text, key);
    return names_intern_text(&c->tables->names, named);
}

/* The bytes of an end pair: "own" 0 "peer". */
static struct ends take_ends(struct collector *c, const char *bytes, size_t size)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1),
                   bytes);
    const size_t own = strlen(text);
    struct ends ends = {.own = end_name(c, text)};
    (void)snprintf(text, sizeof text, "%.*s", (int)(size > own ? size - own - 1 : 0),
                   bytes + own + (size > own));
    ends.peer = end_name(c, text);
    return ends;
}

enum { FILE_NAME_SIZE = 1024 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_pid(const struct collector *c, uint64_t number)
{
    vec_each (&c->processes, p) {
        if ((*p)->pid == number) {
            return true;
        }
    }
    return false;
}

/* Copies a path; a number in it that is the pid of a recorded process becomes "PID", because the
 * next run has another one there. Returns the size of the copy, which is not longer than the path.
 */
static size_t without_pids(const struct collector *c, const char *path, size_t size,
                           char text[static FILE_NAME_SIZE])
{
    enum { DIGITS_MIN = 3, DIGITS_MAX = 10 };
    size_t used = 0;
    for (size_t at = 0, end = 0; at < size; at = end) {
        uint64_t number = 0;
        for (end = at; end < size && is_digit(path[end]); end++) {
            number = number * 10 + (uint64_t)(path[end] - '0');
        }
        const size_t digits = end - at;
        const bool is_replaced = digits >= DIGITS_MIN && digits <= DIGITS_MAX && is_pid(c, number);
        end += digits == 0;
        memcpy(text + used, is_replaced ? "PID" : path + at, is_replaced ? 3 : end - at);
        used += is_replaced ? 3 : end - at;
    }
    must(used <= size);
    return used;
}

/* A file's name is its path, relative to the folder where the recording began if it lies below. A
 * file that was removed while open keeps its name. */
static uint32_t file_name(struct collector *c, const char *path, size_t size)
{
    static const char gone[] = " (deleted)";
    const size_t gone_size = sizeof gone - 1;
    if (size > gone_size && memcmp(path + size - gone_size, gone, gone_size) == 0) {
        size -= gone_size;
    }
    const size_t base = strlen(c->page.folder);
    if (base > 0 && size > base + 1 && memcmp(path, c->page.folder, base) == 0 &&
        path[base] == '/') {
        path += base + 1;
        size -= base + 1;
    }
    char text[FILE_NAME_SIZE];
    return size >= sizeof text
               ? names_intern(&c->tables->names, path, size)
               : names_intern(&c->tables->names, text, without_pids(c, path, size, text));
}

/* The name of a descriptor that is no connection. */
static uint32_t named_file(struct collector *c, const char *name, size_t size)
{
    char text[64];
    if (size >= sizeof text || !is_event(name, size)) {
        return file_name(c, name, size);
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)size, name);
    return end_name(c, text);
}

/* The path of a mapped object, for people: POSIX shared memory and memfds by the names they were
 * created with. */
static uint32_t mapped_name(struct collector *c, const char *path, size_t size)
{
    static const char posix[] = "/dev/shm";
    static const char memfd[] = "/memfd:";
    if (size > sizeof posix && memcmp(path, posix, sizeof posix - 1) == 0) {
        path += sizeof posix - 1;
        size -= sizeof posix - 1;
    } else if (size > sizeof memfd && memcmp(path, memfd, sizeof memfd - 1) == 0) {
        path++;
        size--;
    }
    return size == 0 ? 0 : file_name(c, path, size);
}

/* The mapping of a RECORD_SHARED: "path" 0 "identity". False for a damaged record. */
static bool take_mapping(struct collector *c, struct source *s, struct naming_mapping *mapping)
{
    const struct row *row = &s->row;
    struct shared_range range;
    if (row->more == NULL || row->more->size < sizeof range) {
        return false;
    }
    memcpy(&range, row->bytes, sizeof range);
    const char *path = row->bytes + sizeof range;
    const size_t size = row->more->size - sizeof range;
    const char *end = memchr(path, 0, size);
    const size_t path_size = end == NULL ? size : (size_t)(end - path);
    const size_t skipped = end == NULL ? 0 : path_size + 1;
    const uint32_t object = shared_memory_object(&c->memory, path + skipped, size - skipped);
    struct shared_object *o = &c->memory.objects.at[object];
    if (o->path == 0) {
        o->path = mapped_name(c, path, path_size);
    }
    if (o->place == 0 && row->record->place != 0) {
        o->process = &s->process->naming;
        o->place = row->record->place;
    }
    *mapping = (struct naming_mapping){
        .start = row->record->object, .size = range.size, .offset = range.offset, .object = object};
    return mapping->start % 8 == 0 && range.offset % 8 == 0;
}

void translate_note(struct collector *c, struct source *s)
{
    const struct row *row = &s->row;
    const size_t size = row->more == NULL ? 0 : row->more->size;
    struct naming_mapping mapping;
    char text[1024];
    (void)snprintf(text, sizeof text, "%.*s", (int)size, row->bytes);
    switch (row->record->kind) {
    case RECORD_MODULE:
        places_add_module(s->process->naming.places, text, row->record->object);
        return;
    case RECORD_SHARED:
        if (take_mapping(c, s, &mapping)) {
            naming_expect_mapping(&s->process->naming, mapping);
        }
        return;
    case RECORD_NODE: s->process->node = names_intern_text(&c->tables->names, text); return;
    case RECORD_NAME:
        if (size > 0 && row->bytes[0] == 0) {
            map_put(&s->process->file_of, row->record->object,
                    named_file(c, row->bytes + 1, size - 1));
        } else if (size > 0) {
            map_put(&s->process->connection_of, row->record->object,
                    (uint32_t)s->process->ends.count);
            vec_push(&s->process->ends, take_ends(c, row->bytes + 1, size - 1));
        }
        return;
    default: return;
    }
}

/* A socket bound to every address that talks to the loopback address does so from there. */
static uint32_t loopback_of(struct collector *c, uint32_t own, uint32_t peer)
{
    struct names *names = &c->tables->names;
    const char *text = names_text(names, own);
    if (strncmp(text, "0.0.0.0:", 8) != 0 || strncmp(names_text(names, peer), "127.", 4) != 0) {
        return own;
    }
    char named[32];
    (void)snprintf(named, sizeof named, "127.0.0.1:%s", text + 8);
    return names_intern_text(names, named);
}

void translate_ends(struct collector *c)
{
    struct map peer_of = {0};
    vec_each (&c->processes, p) {
        vec_each (&(*p)->ends, ends) {
            if (ends->peer != c->inode_none) {
                map_put(&peer_of, ends->peer, ends->own);
            }
        }
    }
    vec_each (&c->processes, p) {
        vec_each (&(*p)->ends, ends) {
            const uint32_t *peer =
                ends->peer == c->inode_none ? map_get(&peer_of, ends->own) : NULL;
            ends->peer = peer == NULL ? ends->peer : *peer;
        }
    }
    map_release(&peer_of);
}

static uint32_t name_of_bytes(struct collector *c, const struct row *row)
{
    return row->more == NULL ? 0 : names_intern(&c->tables->names, row->bytes, row->more->size);
}

/* A number that goes with a record, 0 when it is not there. */
static uint64_t number_of_bytes(const struct row *row)
{
    uint64_t number = 0;
    if (row->more != NULL && row->more->size >= sizeof number) {
        memcpy(&number, row->bytes, sizeof number);
    }
    return number;
}

/* The child's first task, if the child has recorded anything. */
static void set_forked(struct collector *c, const struct row *row, struct event *event)
{
    vec_each (&c->processes, p) {
        if (row->more != NULL && (*p)->number == row->more->value) {
            event->peer =
                tables_task(c->tables, (*p)->node, names_intern_text(&c->tables->names, "main"));
            event->has |= HAS_PEER;
        }
    }
    c->spawn_unseen_count += row->record->mode == RECORD_OF_SPAWN && (event->has & HAS_PEER) == 0;
    event->has &= (uint8_t)~HAS_VALUE;
    event->value = 0;
}

static void set_joined(struct collector *c, const struct process *p, uint32_t task)
{
    const uint32_t *source = map_get(&c->row_of, map_pair(p->number, task));
    if (source != NULL) {
        c->sources.at[*source].is_joined = true;
    }
}

/* Sets the other task of a creation or a join. */
static void set_peer(struct collector *c, struct source *s, struct event *event)
{
    const struct row *row = &s->row;
    if (event->kind == EVENT_THREAD_CREATE) {
        event->peer = tables_task(c->tables, s->process->node, name_of_bytes(c, row));
        event->has |= HAS_PEER;
        return;
    }
    if (event->kind == EVENT_PROCESS_FORK) {
        if (s->row.record->mode != RECORD_OF_SPAWN && row->more != NULL) {
            map_put(&c->forked, (uint64_t)row->more->value, 1);
        }
        set_forked(c, row, event);
        return;
    }
    event->has &= (uint8_t)~HAS_VALUE;
    event->value = 0;
    const uint32_t *known =
        row->more == NULL ? NULL : map_get(&s->process->task_of_number, (uint64_t)row->more->value);
    if (known != NULL) {
        event->peer = *known;
        event->has |= HAS_PEER;
        set_joined(c, s->process, (uint32_t)row->more->value);
    }
}

static uint32_t channel_name(struct collector *c, uint32_t source, uint32_t destination)
{
    struct names *names = &c->tables->names;
    char text[1024];
    const int size = snprintf(text, sizeof text, "%s>%s", names_text(names, source),
                              names_text(names, destination));
    return names_intern(names, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

/* A datagram is named, and its receipt goes by its sender's channel. */
static void set_datagram(struct collector *c, const struct row *row, struct event *event)
{
    const size_t head = sizeof(uint64_t);
    const bool is_whole = row->more->size >= head;
    const struct ends ends =
        is_whole ? take_ends(c, row->bytes + head, row->more->size - head) : (struct ends){0};
    struct datagram d = {.hash = number_of_bytes(row), .size = event->size};
    if (event->kind == EVENT_SEND) {
        d.source = loopback_of(c, ends.own, ends.peer);
        d.destination = ends.peer;
        datagrams_send(&c->datagrams, &c->tables->names, &d);
    } else {
        d.source = ends.peer;
        d.destination = loopback_of(c, ends.own, ends.peer);
        const struct datagram *sent = datagrams_receive(&c->datagrams, &c->tables->names, &d);
        d = sent == NULL ? d : *sent;
    }
    event->message = d.message;
    event->object = channel_name(c, d.source, d.destination);
}

/* The directed channel of a network event, and the name of its message where it has one. */
static void set_channel(struct collector *c, struct source *s, struct event *event)
{
    const struct row *row = &s->row;
    if (event->mode == TRANSPORT_CHANNEL) {
        char name[20];
        (void)snprintf(name, sizeof name, "%llx", (unsigned long long)number_of_bytes(row));
        event->message = names_intern_text(&c->tables->names, name);
        event->object = naming_object(&s->process->naming, row->record->object, row->record->place);
        return;
    }
    if (row->more != NULL && row->more->size > 0) { /* a piece of a stream may have a value alone */
        set_datagram(c, row, event);
        return;
    }
    const uint32_t *known = map_get(&s->process->connection_of, row->record->object);
    const struct ends ends = known == NULL ? (struct ends){0} : s->process->ends.at[*known];
    const bool is_inward = event->kind == EVENT_RECV || event->kind == EVENT_ACCEPT;
    event->object =
        is_inward ? channel_name(c, ends.peer, ends.own) : channel_name(c, ends.own, ends.peer);
}

/* The file of an event, with the part of it that a lock is on. */
static uint32_t file_of(struct collector *c, const struct source *s)
{
    const struct row *row = &s->row;
    const uint32_t *known = map_get(&s->process->file_of, row->record->object);
    struct lock_range range;
    if (known == NULL || row->more == NULL || row->more->size != sizeof range) {
        return known == NULL ? 0 : *known;
    }
    memcpy(&range, row->bytes, sizeof range);
    char text[1100];
    (void)snprintf(text, sizeof text, "%s[%lld+%lld]", names_text(&c->tables->names, *known),
                   (long long)range.start, (long long)range.size);
    return names_intern_text(&c->tables->names, text);
}

/* A renamed or removed file has its paths in the record: "path", or "old" 0 "new". */
static void set_paths(struct collector *c, const struct row *row, struct event *event)
{
    const size_t size = row->more == NULL ? 0 : row->more->size;
    const char *end = size == 0 ? NULL : memchr(row->bytes, 0, size);
    const size_t first = end == NULL ? size : (size_t)(end - row->bytes);
    event->object = file_name(c, row->bytes, first);
    if (event->kind == EVENT_FILE_RENAME && first < size) {
        event->text = file_name(c, end + 1, size - first - 1);
    }
}

static bool is_of_file(const struct event *event, const struct record *record)
{
    if (event->kind == EVENT_HAPPENS_BEFORE || event->kind == EVENT_HAPPENS_AFTER) {
        return record->mode == ANNOTATION_COUNTER || record->mode == ANNOTATION_LOOK;
    }
    if (event->kind == EVENT_SEM_INIT || event->kind == EVENT_SEM_POST ||
        event->kind == EVENT_SEM_WAIT) {
        return record->mode == RECORD_OF_DESCRIPTOR;
    }
    switch (lock_mode_held(event->mode)) {
    case LOCK_FCNTL_READ:
    case LOCK_FCNTL_WRITE:
    case LOCK_FLOCK_READ:
    case LOCK_FLOCK_WRITE: return event->kind == EVENT_LOCK || event->kind == EVENT_UNLOCK;
    default: return event_class(event) == CLASS_FILE;
    }
}

/* The place, with the path of calls if paths are kept. */
static uint64_t path_place(const struct record *record)
{
    return (record->flags & RECORD_HAS_ORIGIN) != 0 ? calls_place_of(record->place) : record->place;
}

/* The source line of a record, by the calls around its place where it has those. */
static uint32_t location_of(struct naming *naming, const struct record *record)
{
    const bool has_origin = record->kind == EVENT_ALLOC || record->kind == EVENT_FREE ||
                            (record->flags & RECORD_HAS_ORIGIN) != 0;
    return has_origin ? naming_origin(naming, record->place) : naming_source(naming, record->place);
}

/* Sets the names of the event from the record's object and bytes, by kind. */
static void set_names(struct collector *c, struct source *s, struct event *event)
{
    const struct row *row = &s->row;
    const struct record *record = row->record;
    struct naming *naming = &s->process->naming;
    const unsigned fields = kind_of(event->kind)->fields;
    const uint64_t place = path_place(record);
    event->location = location_of(naming, record);
    if ((fields & F_PEER) != 0) {
        set_peer(c, s, event);
        return;
    }
    if (event_class(event) == CLASS_NET) {
        set_channel(c, s, event);
        return;
    }
    if (event->kind == EVENT_FILE_RENAME || event->kind == EVENT_FILE_UNLINK) {
        set_paths(c, row, event);
        return;
    }
    const uint8_t ignored =
        record->mode == RECORD_OF_DESCRIPTOR ? MODE_UNSAID : event_mode_ignored(event);
    if (ignored != MODE_UNSAID && naming_ignores_result(naming, place)) {
        event->mode = ignored;
    }
    if (event->kind == EVENT_LOCK) {
        event->text = naming_functions(naming, place);
    }
    if (is_of_file(event, record)) {
        event->object = file_of(c, s);
        return;
    }
    switch (event->kind) {
    case EVENT_THREAD_START:
    case EVENT_INTERRUPT:
    case EVENT_INTERRUPT_END: return;
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
        event->object = naming_object(naming, record->object, place);
        event->text =
            row->more == NULL ? 0 : naming_object(naming, number_of_bytes(row), record->place);
        return;
    case EVENT_ALLOC:
        event->object = naming_allocate(naming, record->object, record->size, record->place);
        return;
    case EVENT_LOG:
    case EVENT_READY:
    case EVENT_PROCESS_START: event->text = name_of_bytes(c, row); return;
    case EVENT_HANDLER_BEGIN:
    case EVENT_HANDLER_END:
    case EVENT_VARIABLE:
    case EVENT_VARIABLE_DELETE:
    case EVENT_ATOMIC_BEGIN:
    case EVENT_ATOMIC_END: event->object = name_of_bytes(c, row); return;
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
        if (event_is_blind(event) && naming_uses_result(naming, record->place)) {
            const bool is_kept =
                event_is_update(event) && !naming_tests_result(naming, record->place);
            event->mode = (uint8_t)(memory_mode_order(event->mode) | (is_kept ? MEMORY_KEPT : 0));
        }
        event->object = naming_object(naming, record->object, place);
        event->text = naming_functions(naming, place);
        return;
    default: event->object = naming_object(naming, record->object, place);
    }
}

int translate_flush(struct collector *c, struct err *e)
{
    const int result =
        c->batch.count == 0 ? 0 : writer_write(c->writer, c->batch.at, c->batch.count, e);
    c->event_count += c->batch.count;
    vec_clear(&c->batch);
    return result;
}

/* The channel from an unrecorded sender to the receiver of this one. */
static uint32_t channel_unseen(struct collector *c, uint32_t channel)
{
    char name[256];
    const char *to = strchr(names_text(&c->tables->names, channel), '>');
    (void)snprintf(name, sizeof name, "unseen%s", to == NULL ? "" : to);
    return names_intern_text(&c->tables->names, name);
}

/* Where a handler begins: right behind the receive of its message, if its task has only accessed
 * memory since. The call that looks at the message and chooses the handler belongs to it. */
static size_t handler_position(const struct collector *c, const struct event *begin)
{
    enum { LOOK_BACK_MAX = 4096 };
    const size_t count = c->batch.count;
    for (size_t i = count; i-- > 0 && count - i < LOOK_BACK_MAX;) {
        const struct event *before = &c->batch.at[i];
        const enum event_class class = event_class(before);
        if (before->task == begin->task && before->kind == EVENT_RECV) {
            return i + 1;
        }
        if (before->task == begin->task && class != CLASS_ACCESS && class != CLASS_REGION) {
            break;
        }
    }
    return count;
}

static void put_handler(struct collector *c, const struct event *begin)
{
    const size_t at = handler_position(c, begin);
    vec_push(&c->batch, *begin);
    if (at + 1 < c->batch.count) {
        struct event *events = c->batch.at;
        memmove(&events[at + 1], &events[at], (c->batch.count - 1 - at) * sizeof *events);
        events[at] = *begin;
        events[at].time = events[at - 1].time; /* times rise in the trace */
    }
}

int translate_put(struct collector *c, const struct event *event, struct err *e)
{
    struct event received = *event;
    if (!traffic_take(&c->traffic, event)) {
        received.object = channel_unseen(c, event->object);
        event = &received;
    }
    c->handler_count += event->kind == EVENT_HANDLER_BEGIN;
    if (event->kind == EVENT_PROCESS_EXEC) {
        const uint32_t *before = map_get(&c->exec_count, event->task);
        map_put(&c->exec_count, event->task, before == NULL ? 1 : *before + 1);
    }
    if (event->kind == EVENT_HANDLER_BEGIN) {
        put_handler(c, event);
    } else {
        vec_push(&c->batch, *event);
    }
    return c->batch.count >= BATCH_MAX ? translate_flush(c, e) : 0;
}

/* The size of the piece at the address. In memory that processes share, all of them divide it. */
static uint64_t piece_size(const struct collector *c, const struct source *s, uint64_t at,
                           uint64_t size)
{
    uint64_t shared = 0;
    return naming_is_shared(&s->process->naming, at, &shared)
               ? pieces_first(&c->memory.pieces, shared, size)
               : pieces_first(&s->process->pieces, at, size);
}

int translate_access(struct collector *c, const struct source *s, const struct record *record,
                     struct err *e)
{
    struct naming *naming = &s->process->naming;
    const uint64_t end = record->object + record_access_size(record);
    struct event event = {
        .kind = record->kind,
        .task = s->task,
        .location = naming_source(naming, record->place),
        .text = naming_functions(naming, record->place),
    };
    if (record->kind != EVENT_LOST) {
        naming_mark_access(naming, &event, record->place);
    }
    for (uint64_t at = record->object, size = 0; at < end; at += size) {
        size = piece_size(c, s, at, end - at);
        if (size != end - record->object) {
            event.mode = MODE_UNSAID; /* a carry goes from piece to piece */
            event.has = 0;
            event.value = 0;
        }
        event.has |= record->size > 0 ? HAS_SIZE : 0;
        event.size = record->size > 0 ? size : 0;
        event.object = naming_object(naming, at, record->place);
        if (translate_put(c, &event, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A forked process begins with copies of the locks that its parent held. A program may take them
 * before the fork and release them after it on both sides (pthread_atfork). True for the release of
 * a lock that the process itself has not taken. */
static bool is_inherited(struct collector *c, struct source *s, const struct event *event)
{
    const bool is_lock = event->kind == EVENT_LOCK;
    const uint8_t mode = lock_mode_held(event->mode);
    const bool is_private = mode == LOCK_MUTEX || mode == LOCK_RW_READ || mode == LOCK_RW_WRITE;
    if ((!is_lock && event->kind != EVENT_UNLOCK) || !is_private ||
        map_get(&c->forked, s->process->number) == NULL) {
        return false;
    }
    uint32_t *held = map_slot(&s->process->held, event->object, 0, NULL);
    if (!is_lock && *held == 0) {
        return true;
    }
    *held += is_lock ? 1 : UINT32_MAX;
    return false;
}

/* The copy counts as taken by the child when it is released. */
static int put_inherited(struct collector *c, const struct event *release, struct err *e)
{
    struct event taken = *release;
    taken.kind = EVENT_LOCK;
    return translate_put(c, &taken, e);
}

/* A task reads the clock before it draws its stamp, and may be delayed in between. So that times do
 * not decrease with stamps, an event gets at least the largest time so far. */
static void set_time(struct collector *c, const struct source *s, struct event *event)
{
    if (s->time == 0 || !record_is_timed(event->kind)) {
        return;
    }
    c->time = s->time > c->time ? s->time : c->time;
    event->has |= HAS_TIME;
    event->time = c->time;
}

/* The process of this pid that began last; NULL when it was not recorded. */
static const struct process *process_of_pid(const struct collector *c, int64_t pid)
{
    const struct process *found = NULL;
    vec_each (&c->processes, p) {
        if ((*p)->pid == pid && (*p)->has_begun &&
            (found == NULL || (*p)->number > found->number)) {
            found = *p;
        }
    }
    return found;
}

/* A process has ended and was waited for: its tasks, but for those that it has waited for itself,
 * are joined. A program that replaced another has the tasks of the same node. */
static int put_waited(struct collector *c, const struct source *waiter, struct err *e)
{
    const struct record *record = waiter->row.record;
    const struct process *ended =
        waiter->row.more == NULL ? NULL : process_of_pid(c, waiter->row.more->value);
    struct map seen = {0};
    int result = 0;
    for (size_t i = 0; ended != NULL && result == 0 && i < c->sources.count; i++) {
        struct source *s = &c->sources.at[i];
        if (s->process == NULL || s->process->node != ended->node ||
            s->process->pid != ended->pid || !s->process->has_begun || s->is_joined) {
            continue;
        }
        s->is_joined = true;
        bool is_new = false;
        (void)map_slot(&seen, s->task, 1, &is_new);
        if (is_new) {
            const struct event event = {.kind = EVENT_THREAD_JOIN,
                                        .task = waiter->task,
                                        .has = HAS_PEER,
                                        .peer = s->task,
                                        .location =
                                            naming_source(&waiter->process->naming, record->place)};
            result = translate_put(c, &event, e);
        }
    }
    map_release(&seen);
    return result;
}

/* Takes a record that is no event. */
static void take_note(struct collector *c, struct source *s)
{
    const struct record *record = s->row.record;
    struct naming_mapping mapping;
    if (record->kind == RECORD_STACK) {
        naming_stack(&s->process->naming, record->object, number_of_bytes(&s->row));
    }
    if (record->kind == RECORD_SHARED && take_mapping(c, s, &mapping)) {
        naming_map(&s->process->naming, mapping);
    }
    if (record->kind == RECORD_TIME) {
        s->time = (int64_t)record->object;
    }
    if (record->kind == RECORD_CALL) {
        operations_take(&s->operations, record);
    }
}

/* An access to a synchronization object as such. */
static int put_sync_access(struct collector *c, const struct source *s, enum event_kind kind,
                           uint64_t address, struct err *e)
{
    struct naming *naming = &s->process->naming;
    const uint64_t place = path_place(s->row.record);
    const struct event event = {.kind = (uint16_t)kind,
                                .task = s->task,
                                .object = naming_object(naming, address, place),
                                .location = location_of(naming, s->row.record),
                                .text = naming_functions(naming, place)};
    return translate_put(c, &event, e);
}

/* The accesses to synchronization objects that a record means besides its event, and before it. */
static int put_sync_accesses(struct collector *c, const struct source *s, struct err *e)
{
    const struct record *record = s->row.record;
    struct sync_objects *objects = &s->process->sync_objects;
    if (sync_objects_is_use(record)) {
        const uint64_t block = naming_block(&s->process->naming, record->object);
        return sync_objects_take(objects, s->row.task, record, block)
                   ? put_sync_access(c, s, EVENT_READ, record->object, e)
                   : 0;
    }
    int result = 0;
    if (sync_objects_is_life(record)) {
        result = put_sync_access(c, s, EVENT_WRITE, record->object, e);
        sync_objects_end(objects, record->object,
                         naming_block(&s->process->naming, record->object));
    }
    uint64_t member = 0;
    while (result == 0 && record->kind == EVENT_FREE &&
           (member = sync_objects_take_member(objects, record->object)) != 0) {
        result = put_sync_access(c, s, EVENT_WRITE, member, e);
        sync_objects_end(objects, member, record->object);
    }
    return result;
}

static struct operation_event operation_event(const struct source *s, const struct record *record)
{
    const bool is_access = record_is_access(record);
    return (struct operation_event){.place = calls_place_of(record->place),
                                    .epoch = s->epoch,
                                    .address = is_access ? record->object : 0,
                                    .size = is_access ? record_access_size(record) : 0,
                                    .kind = record->kind};
}

static int put_operation(struct collector *c, struct source *s, uint32_t number, struct err *e)
{
    if (number == s->operation) {
        return 0;
    }
    s->operation = number;
    repeated_divide(&s->repeated);
    const struct event event = {
        .kind = EVENT_OPERATION, .task = s->task, .has = HAS_COUNT, .count = number};
    return translate_put(c, &event, e);
}

/* Writes the calls and the rounds of loops around the access if they have changed. */
static int put_scopes(struct collector *c, struct source *s, struct err *e)
{
    struct scope_change change;
    if (!scopes_follow(&s->scopes, &s->operations, &s->process->routines, s->process->naming.places,
                       calls_place_of(s->row.record->place), &change)) {
        return 0;
    }
    repeated_divide(&s->repeated);
    const struct event event = {.kind = EVENT_SCOPE,
                                .task = s->task,
                                .has = HAS_COUNT | HAS_SIZE | HAS_VALUE,
                                .count = change.kept,
                                .size = change.count,
                                .value = (int64_t)change.rounds};
    return translate_put(c, &event, e);
}

/* Follows the task through its operations. The trace has those that something is done in that
 * tasks may share. */
static int follow_operation(struct collector *c, struct source *s, struct err *e)
{
    const struct record *record = s->row.record;
    const struct operation_event event = operation_event(s, record);
    const uint32_t number =
        operations_of(&s->operations, &s->process->routines, s->process->naming.places, &event);
    const enum event_class class = kind_of(record->kind)->class;
    const bool is_told = class == CLASS_ACCESS || class == CLASS_ATOMIC || class == CLASS_MEMORY ||
                         class == CLASS_SYNC;
    if (!is_told) {
        return 0;
    }
    const int result = put_operation(c, s, number, e);
    return result == 0 && (class == CLASS_ACCESS || class == CLASS_ATOMIC) ? put_scopes(c, s, e)
                                                                           : result;
}

/* The task's epoch is over: says which of its accesses may have been made once more. In a critical
 * section the recorded ones stand for all: nobody who takes the lock comes between. */
static int put_repeated(struct collector *c, struct source *s, struct err *e)
{
    const size_t count = s->held == 0 ? repeated_end(&s->repeated) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct repeated_access *a = &s->repeated.list.at[i];
        const struct record lost = {.kind = EVENT_LOST,
                                    .flags = RECORD_HAS_SIZE,
                                    .size = a->size,
                                    .object = a->address,
                                    .place = a->place};
        if (translate_access(c, s, &lost, e) < 0) {
            return -1;
        }
    }
    repeated_begin(&s->repeated);
    return 0;
}

static void count_locks(struct source *s)
{
    const uint8_t kind = s->row.record->kind;
    if (kind == EVENT_LOCK || kind == EVENT_WAIT_END) {
        s->held++;
    } else if (kind == EVENT_UNLOCK || kind == EVENT_WAIT_BEGIN) {
        s->held -= s->held > 0;
    }
}

int translate_record(struct collector *c, struct source *s, struct err *e)
{
    const struct record *record = s->row.record;
    s->epoch += s->row.stamp != 0;
    s->process->has_begun = true;
    take_note(c, s);
    if (kind_of(record->kind) != NULL && (record->flags & (RECORD_VOID | RECORD_LATE)) == 0 &&
        follow_operation(c, s, e) < 0) {
        return -1;
    }
    if (s->row.stamp != 0 && put_repeated(c, s, e) < 0) {
        return -1;
    }
    if ((record->flags & (RECORD_VOID | RECORD_LATE)) == 0) {
        count_locks(s);
    }
    if ((record->flags & (RECORD_VOID | RECORD_LATE)) == 0 && put_sync_accesses(c, s, e) < 0) {
        return -1;
    }
    if (kind_of(record->kind) == NULL || (record->flags & RECORD_VOID) != 0 ||
        row_is_late(&s->row)) {
        return 0;
    }
    if (record_is_access(record)) {
        if (s->row.stamp == 0 && (c->page.flags & RECORDING_ALL_ACCESSES) == 0) {
            repeated_take(&s->repeated, record);
        }
        return translate_access(c, s, record, e);
    }
    if (record->kind == EVENT_THREAD_JOIN && record->mode == RECORD_OF_CHILD) {
        return put_waited(c, s, e);
    }
    if (record->kind == EVENT_ALLOC && record->mode == RECORD_OF_DESCRIPTOR) {
        naming_descriptor(&s->process->naming, record->object, record->size, record->place);
        return 0;
    }
    const bool has_mode = mode_name(kind_of(record->kind)->modes, record->mode) != NULL;
    struct event event = {
        .kind = record->kind, .mode = has_mode ? record->mode : MODE_UNSAID, .task = s->task};
    if ((record->flags & RECORD_HAS_SIZE) != 0) {
        event.has |= HAS_SIZE;
        event.size = record->size;
    }
    if ((record->flags & RECORD_HAS_VALUE) != 0 && s->row.more != NULL) {
        event.has |= HAS_VALUE;
        event.value = s->row.more->value;
    }
    if (s->row.more != NULL && s->row.more->count > 0) {
        event.has |= HAS_COUNT;
        event.count = s->row.more->count;
    }
    set_time(c, s, &event);
    set_names(c, s, &event);
    const bool ends_program = event.kind == EVENT_PROCESS_EXIT || event.kind == EVENT_PROCESS_EXEC;
    if (ends_program && coverage_tell(c, s, e) < 0) {
        return -1;
    }
    if (is_inherited(c, s, &event) && put_inherited(c, &event, e) < 0) {
        return -1;
    }
    return translate_put(c, &event, e);
}

/* The late accesses of the epoch that has just begun: those of the operation that the task is in,
 * then those of the next one. */
int translate_late(struct collector *c, struct source *s, struct err *e)
{
    const size_t first = s->late_taken;
    bool has_next = false;
    while (s->late_taken < s->late.count && s->late.at[s->late_taken].epoch <= s->epoch) {
        const struct record *record = &s->late.at[s->late_taken++].record;
        if (operations_is_next(&s->operations, calls_place_of(record->place))) {
            has_next = true;
        } else if (translate_access(c, s, record, e) < 0) {
            return -1;
        }
    }
    const struct operations before = s->operations;
    for (size_t i = first; has_next && i < s->late_taken; i++) {
        const struct record *record = &s->late.at[i].record;
        struct operations asked = before;
        if (!operations_is_next(&asked, calls_place_of(record->place))) {
            continue;
        }
        if (s->operations.count == before.count) {
            const struct operation_event event = operation_event(s, record);
            if (put_operation(c, s, operations_next(&s->operations, &event), e) < 0) {
                return -1;
            }
        }
        if (translate_access(c, s, record, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int translate_end(struct collector *c, struct source *s, struct err *e)
{
    return put_repeated(c, s, e);
}
