#include "raft_store.h"

#include <stdlib.h>
#include <string.h>

#include "raft_log.h"

/* A session that asked for nothing in so many entries is closed: every member closes it at the same
 * index. */
enum { SESSION_ENTRIES_MAX = 64 };

struct pair {
    uint64_t key;
    uint64_t value;
};

struct session {
    uint64_t id;
    uint64_t number; /* of its last command */
    struct store_answer answer;
    uint64_t index; /* of the last entry that it sent */
};

/* Pairs are in the order of their keys, sessions in that of their ids. */
struct store {
    struct pair *pairs;
    size_t pair_count;
    size_t pair_room;
    struct session *sessions;
    size_t session_count;
    size_t session_room;
    uint64_t applied;
    uint64_t done;
    uint64_t hash;
};

struct store *store_new(void)
{
    return allocate(sizeof(struct store));
}

void store_free(struct store *s)
{
    free(s->pairs);
    free(s->sessions);
    free(s);
}

/* Pairs */

/* Where the key is, or belongs. */
static size_t find_pair(const struct store *s, uint64_t key)
{
    size_t first = 0;
    size_t end = s->pair_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (s->pairs[middle].key < key) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

static struct pair *pair_of(const struct store *s, uint64_t key)
{
    const size_t at = find_pair(s, key);
    return at < s->pair_count && s->pairs[at].key == key ? &s->pairs[at] : NULL;
}

static void put_pair(struct store *s, uint64_t key, uint64_t value)
{
    const size_t at = find_pair(s, key);
    if (at < s->pair_count && s->pairs[at].key == key) {
        s->pairs[at].value = value;
        return;
    }
    if (s->pair_count == s->pair_room) {
        s->pair_room = s->pair_room == 0 ? 4 : 2 * s->pair_room;
        s->pairs = grow(s->pairs, s->pair_room * sizeof *s->pairs);
    }
    memmove(s->pairs + at + 1, s->pairs + at, (s->pair_count - at) * sizeof *s->pairs);
    s->pairs[at] = (struct pair){.key = key, .value = value};
    s->pair_count++;
}

static void remove_pair(struct store *s, uint64_t key)
{
    const struct pair *own = pair_of(s, key);
    if (own != NULL) {
        const size_t at = (size_t)(own - s->pairs);
        s->pair_count--;
        memmove(s->pairs + at, s->pairs + at + 1, (s->pair_count - at) * sizeof *s->pairs);
    }
}

bool store_get(const struct store *s, uint64_t key, uint64_t *value)
{
    const struct pair *own = pair_of(s, key);
    if (own != NULL) {
        *value = own->value;
    }
    return own != NULL;
}

/* Sessions */

static size_t find_session(const struct store *s, uint64_t id)
{
    size_t at = 0;
    while (at < s->session_count && s->sessions[at].id < id) {
        at++;
    }
    return at;
}

static struct session *session_of(const struct store *s, uint64_t id)
{
    const size_t at = find_session(s, id);
    return at < s->session_count && s->sessions[at].id == id ? &s->sessions[at] : NULL;
}

static struct session *open_session(struct store *s, uint64_t id)
{
    const size_t at = find_session(s, id);
    if (at < s->session_count && s->sessions[at].id == id) {
        return &s->sessions[at];
    }
    if (s->session_count == s->session_room) {
        s->session_room = s->session_room == 0 ? 4 : 2 * s->session_room;
        s->sessions = grow(s->sessions, s->session_room * sizeof *s->sessions);
    }
    memmove(s->sessions + at + 1, s->sessions + at, (s->session_count - at) * sizeof *s->sessions);
    s->sessions[at] = (struct session){.id = id};
    s->session_count++;
    return &s->sessions[at];
}

static void close_session(struct store *s, size_t at)
{
    s->session_count--;
    memmove(s->sessions + at, s->sessions + at + 1, (s->session_count - at) * sizeof *s->sessions);
}

static void close_idle(struct store *s)
{
    for (size_t at = 0; at < s->session_count;) {
        if (s->sessions[at].index + SESSION_ENTRIES_MAX < s->applied) {
            close_session(s, at);
        } else {
            at++;
        }
    }
}

/* Commands */

char *store_encode(const struct store_command *c, size_t *size)
{
    struct writer w = {0};
    write_number(&w, c->verb);
    write_number(&w, c->session);
    write_number(&w, c->number);
    write_number(&w, c->key);
    write_number(&w, c->value);
    write_number(&w, c->expected);
    *size = w.used;
    return w.bytes;
}

static bool decode(struct store_command *c, const void *bytes, size_t size)
{
    struct reader r = reader_of(bytes, size);
    const uint64_t verb = read_number(&r);
    c->verb = verb <= STORE_CLOSE ? (enum store_verb)verb : STORE_CLOSE;
    c->session = read_number(&r);
    c->number = read_number(&r);
    c->key = read_number(&r);
    c->value = read_number(&r);
    c->expected = read_number(&r);
    return !r.is_broken && verb <= STORE_CLOSE;
}

static struct store_answer carry_out(struct store *s, const struct store_command *c)
{
    struct store_answer answer = {.status = STORE_DONE};
    const bool is_there = store_get(s, c->key, &answer.value);
    switch (c->verb) {
    case STORE_PUT: put_pair(s, c->key, c->value); break;
    case STORE_ADD: put_pair(s, c->key, answer.value + c->value); break;
    case STORE_SWAP:
        if (!is_there || answer.value != c->expected) {
            answer.status = is_there ? STORE_OTHER : STORE_ABSENT;
            return answer;
        }
        put_pair(s, c->key, c->value);
        break;
    case STORE_REMOVE:
        if (!is_there) {
            answer.status = STORE_ABSENT;
            return answer;
        }
        remove_pair(s, c->key);
        break;
    case STORE_OPEN:
    case STORE_CLOSE: break;
    }
    return answer;
}

static struct store_answer answer_session(struct store *s, const struct store_command *c)
{
    struct session *own =
        c->verb == STORE_OPEN ? open_session(s, c->session) : session_of(s, c->session);
    if (own == NULL) {
        return (struct store_answer){.status = STORE_NO_SESSION};
    }
    own->index = s->applied;
    if (c->number < own->number) {
        return (struct store_answer){.status = STORE_OLD};
    }
    if (c->number == own->number) {
        return (struct store_answer){.status = STORE_AGAIN, .value = own->answer.value};
    }
    const struct store_answer answer = carry_out(s, c);
    s->done++;
    s->hash = mix(mix(mix(s->hash, c->verb), c->key), c->value + answer.value);
    own->number = c->number;
    own->answer = answer;
    if (c->verb == STORE_CLOSE) {
        close_session(s, find_session(s, c->session));
    }
    return answer;
}

struct store_answer store_apply(struct store *s, uint64_t index, const void *bytes, size_t size)
{
    struct store_command c = {0};
    s->applied = index;
    struct store_answer answer = {.status = STORE_BROKEN};
    if (decode(&c, bytes, size)) {
        answer = answer_session(s, &c);
    }
    close_idle(s);
    return answer;
}

/* Snapshots */

char *store_snapshot(const struct store *s, size_t *size)
{
    struct writer w = {0};
    write_number(&w, s->applied);
    write_number(&w, s->done);
    write_number(&w, s->hash);
    write_number(&w, s->pair_count);
    for (size_t i = 0; i < s->pair_count; i++) {
        write_number(&w, s->pairs[i].key);
        write_number(&w, s->pairs[i].value);
    }
    write_number(&w, s->session_count);
    for (size_t i = 0; i < s->session_count; i++) {
        const struct session *own = &s->sessions[i];
        write_number(&w, own->id);
        write_number(&w, own->number);
        write_number(&w, own->answer.status);
        write_number(&w, own->answer.value);
        write_number(&w, own->index);
    }
    *size = w.used;
    return w.bytes;
}

void store_restore(struct store *s, const void *bytes, size_t size)
{
    struct reader r = reader_of(bytes, size);
    s->pair_count = 0;
    s->session_count = 0;
    s->applied = read_number(&r);
    s->done = read_number(&r);
    s->hash = read_number(&r);
    for (uint64_t left = read_number(&r); left > 0 && !r.is_broken; left--) {
        const uint64_t key = read_number(&r);
        put_pair(s, key, read_number(&r));
    }
    for (uint64_t left = read_number(&r); left > 0 && !r.is_broken; left--) {
        struct session *own = open_session(s, read_number(&r));
        own->number = read_number(&r);
        own->answer.status = (enum store_status)read_number(&r);
        own->answer.value = read_number(&r);
        own->index = read_number(&r);
    }
}

uint64_t store_applied(const struct store *s)
{
    return s->applied;
}

uint64_t store_hash(const struct store *s)
{
    return s->hash;
}

uint64_t store_done(const struct store *s)
{
    return s->done;
}
