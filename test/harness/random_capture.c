#include "random_capture.h"

#include <string.h>

static const char *const resources[CAPTURE_RESOURCES] = {"/a", "/b", "/a/1", "/c"};

const char capture_rules[] = "barrier POST */jobs/{id}/done before GET */jobs/{id}/result";

/* ---- the service ---- */

struct service {
    struct capture *c;
    uint32_t version[CAPTURE_RESOURCES];
    uint32_t version_last;
    uint32_t told[CAPTURE_USERS][CAPTURE_RESOURCES]; /* the version that each user was last sent */
    uint8_t holder[CAPTURE_NAMES];                   /* of each lock: user plus one */
};

static bool is_same_or_related(uint8_t a, uint8_t b)
{
    return a == b || (a == 0 && b == 2) || (a == 2 && b == 0);
}

static void tell(struct service *s, struct capture_request *r)
{
    r->told = s->version[r->name];
    s->told[r->user][r->name] = r->told;
}

static void put(struct service *s, struct capture_request *r, bool tells)
{
    r->verb = "PUT";
    if (r->asked != 0 && r->asked != s->version[r->name]) {
        r->kind = CAPTURE_REFUSED;
        r->status = 412;
        return;
    }
    r->kind = CAPTURE_WRITE;
    s->version_last++;
    for (uint8_t i = 0; i < CAPTURE_RESOURCES; i++) {
        s->version[i] = is_same_or_related(i, r->name) ? s->version_last : s->version[i];
    }
    if (tells) {
        tell(s, r);
    }
}

static void take_lock(struct service *s, struct capture_request *r)
{
    r->verb = "POST";
    r->kind = s->holder[r->name] == 0 ? CAPTURE_LOCK : CAPTURE_NOTHING;
    r->status = s->holder[r->name] == 0 ? 201 : 423;
    if (s->holder[r->name] == 0) {
        s->holder[r->name] = (uint8_t)(r->user + 1);
    }
}

static void give_lock(struct service *s, struct capture_request *r)
{
    r->verb = "DELETE";
    r->kind = CAPTURE_NOTHING;
    r->status = 404;
    if (s->holder[r->name] == r->user + 1) {
        r->kind = CAPTURE_UNLOCK;
        r->status = 204;
        s->holder[r->name] = 0;
    }
}

static void add_request(struct service *s, const uint8_t *bytes)
{
    struct capture_request *r = &s->c->list[s->c->count++];
    const bool tells = (bytes[2] & 0x30) != 0;
    *r = (struct capture_request){.user = (uint8_t)(bytes[0] % CAPTURE_USERS), .status = 200};
    const uint8_t action = bytes[1] % 12;
    r->name = (uint8_t)(bytes[2] % (action < 9 ? CAPTURE_RESOURCES : CAPTURE_NAMES));
    switch (action) {
    case 0:
    case 1:
    case 2:
        r->verb = "GET";
        r->kind = CAPTURE_READ;
        if (tells) {
            tell(s, r);
        }
        break;
    case 3:
    case 4: put(s, r, tells); break;
    case 5:
    case 6: /* as it should be */
        r->asked = s->told[r->user][r->name];
        put(s, r, tells);
        break;
    case 7: /* a version that the user may not have been sent */
        r->asked = s->version[r->name];
        put(s, r, tells);
        break;
    case 8:
        r->asks_any = true;
        put(s, r, tells);
        break;
    case 9: take_lock(s, r); break;
    case 10: give_lock(s, r); break;
    default:
        r->verb = (bytes[2] & 4) != 0 ? "POST" : "GET";
        r->kind = (bytes[2] & 4) != 0 ? CAPTURE_DONE : CAPTURE_RESULT;
        break;
    }
}

void capture_make(struct capture *c, const uint8_t *bytes, size_t size)
{
    *c = (struct capture){0};
    struct service s = {.c = c, .version_last = 1};
    for (uint8_t i = 0; i < CAPTURE_RESOURCES; i++) {
        s.version[i] = 1;
    }
    for (size_t at = 0; at + 3 <= size && c->count < CAPTURE_REQUESTS_MAX; at += 3) {
        add_request(&s, bytes + at);
    }
}

/* ---- as an archive ---- */

static void print_path(const struct capture_request *r, struct out *out)
{
    switch (r->kind) {
    case CAPTURE_READ:
    case CAPTURE_WRITE:
    case CAPTURE_REFUSED: out_text(out, resources[r->name]); return;
    case CAPTURE_DONE: out_format(out, "/jobs/%u/done", r->name); return;
    case CAPTURE_RESULT: out_format(out, "/jobs/%u/result", r->name); return;
    case CAPTURE_LOCK:
    case CAPTURE_UNLOCK:
    case CAPTURE_NOTHING: out_format(out, "/locks/%u", r->name); return;
    }
}

static void print_entry(const struct capture_request *r, uint32_t number, struct out *out)
{
    out_format(out, "{\"startedDateTime\":\"2024-05-01T10:00:%02uZ\",\"time\":10,\"request\":{",
               number);
    out_format(out, "\"method\":\"%s\",\"url\":\"http://h", r->verb);
    print_path(r, out);
    out_format(out, "\",\"headers\":[{\"name\":\"X-Request-ID\",\"value\":\"u%u\"}", r->user);
    if (r->asked != 0) {
        out_format(out, ",{\"name\":\"If-Match\",\"value\":\"\\\"v%u\\\"\"}", r->asked);
    } else if (r->asks_any) {
        out_text(out, ",{\"name\":\"If-Match\",\"value\":\"*\"}");
    }
    out_format(out, "]},\"response\":{\"status\":%u,\"headers\":[", r->status);
    if (r->told != 0) {
        out_format(out, "{\"name\":\"ETag\",\"value\":\"\\\"v%u\\\"\"}", r->told);
    }
    out_text(out, "]}}");
}

void capture_print_har(const struct capture *c, struct out *out)
{
    out_text(out, "{\"log\":{\"version\":\"1.2\",\"entries\":[\n");
    for (uint32_t i = 0; i < c->count; i++) {
        print_entry(&c->list[i], i, out);
        out_text(out, i + 1 < c->count ? ",\n" : "\n");
    }
    out_text(out, "]}}\n");
}

/* ---- brute force ---- */

enum { STATES_MAX = 1 << 16 };

struct order {
    uint32_t before, after;
};

/* The state of an order of the requests: those done, and conditional writes that the service would
 * refuse by now. */
struct state {
    uint32_t done, refused;
};

struct brute {
    const struct capture *c;
    uint32_t told_by[CAPTURE_REQUESTS_MAX]; /* of a conditional write: the request that returned its
                                               version, plus one; 0: it is none */
    uint32_t wanted;
    uint32_t readers; /* users of whom the question has reads only, a bit each */
    const struct order *orders;
    size_t order_count;
    struct state seen[STATES_MAX];
    uint32_t seen_count;
    struct out *out;
};

static uint32_t bit(uint32_t i)
{
    return UINT32_C(1) << i;
}

static bool is_access(const struct capture_request *r)
{
    return r->kind == CAPTURE_READ || r->kind == CAPTURE_WRITE;
}

static bool writes(const struct brute *b, uint32_t i)
{
    return b->c->list[i].kind == CAPTURE_WRITE;
}

/* Whether the service ever refused a write to the resource: then it checks all. */
static bool is_checked(const struct capture *c, uint8_t name)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->list[i].kind == CAPTURE_REFUSED && c->list[i].name == name) {
            return true;
        }
    }
    return false;
}

/* Which writes are conditional, as docs/theory/http.md has it. */
static void find_conditions(struct brute *b)
{
    uint32_t known[CAPTURE_USERS][CAPTURE_RESOURCES] = {0};
    uint32_t told_by[CAPTURE_USERS][CAPTURE_RESOURCES] = {0};
    for (uint32_t i = 0; i < b->c->count; i++) {
        const struct capture_request *r = &b->c->list[i];
        if (!is_access(r)) {
            continue;
        }
        const uint32_t own = known[r->user][r->name];
        const bool asks = r->asked != 0 && (own == 0 || own == r->asked);
        if (r->kind == CAPTURE_WRITE && (asks || is_checked(b->c, r->name))) {
            b->told_by[i] = told_by[r->user][r->name];
        }
        known[r->user][r->name] = r->told != 0 ? r->told : own;
        if (r->kind == CAPTURE_WRITE || r->told != 0 || told_by[r->user][r->name] == 0) {
            told_by[r->user][r->name] = i + 1;
        }
    }
}

static bool is_lock_free(const struct brute *b, uint32_t done, uint8_t name)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < b->c->count; i++) {
        const struct capture_request *r = &b->c->list[i];
        if ((done & bit(i)) != 0 && r->name == name) {
            depth += r->kind == CAPTURE_LOCK;
            depth -= r->kind == CAPTURE_UNLOCK;
        }
    }
    return depth == 0;
}

/* Whether one request must come before another in every order. */
static bool is_needed(const struct brute *b, uint32_t before, uint32_t after)
{
    const struct capture_request *a = &b->c->list[before];
    const struct capture_request *z = &b->c->list[after];
    return before < after &&
           (a->user == z->user ||
            (a->kind == CAPTURE_DONE && z->kind == CAPTURE_RESULT && a->name == z->name));
}

static bool may_come(const struct brute *b, struct state s, uint32_t i)
{
    const struct capture_request *r = &b->c->list[i];
    if (((s.done | s.refused) & bit(i)) != 0) {
        return false;
    }
    for (uint32_t k = 0; k < i; k++) {
        if (is_needed(b, k, i) && (s.done & bit(k)) == 0) {
            return false;
        }
    }
    for (size_t k = 0; k < b->order_count; k++) {
        if (b->orders[k].after == i && (s.done & bit(b->orders[k].before)) == 0) {
            return false;
        }
    }
    return r->kind != CAPTURE_LOCK || is_lock_free(b, s.done, r->name);
}

static struct state after(const struct brute *b, struct state s, uint32_t i)
{
    const struct capture_request *r = &b->c->list[i];
    s.done |= bit(i);
    for (uint32_t k = 0; r->kind == CAPTURE_WRITE && k < b->c->count; k++) {
        const struct capture_request *asks = &b->c->list[k];
        if (b->told_by[k] != 0 && (s.done & bit(k)) == 0 &&
            (s.done & bit(b->told_by[k] - 1)) != 0 && asks->user != r->user &&
            is_same_or_related(asks->name, r->name)) {
            s.refused |= bit(k);
        }
    }
    return s;
}

/* Whether a user who only reads would be refused and start again. */
static bool begins_anew(const struct brute *b, struct state s)
{
    for (uint32_t i = 0; i < b->c->count; i++) {
        if ((s.refused & bit(i)) != 0 && (b->readers & bit(b->c->list[i].user)) != 0) {
            return true;
        }
    }
    return false;
}

static bool is_new(struct brute *b, struct state s)
{
    for (uint32_t i = 0; i < b->seen_count; i++) {
        if (b->seen[i].done == s.done && b->seen[i].refused == s.refused) {
            return false;
        }
    }
    must(b->seen_count < STATES_MAX);
    b->seen[b->seen_count++] = s;
    return true;
}

static bool walk(struct brute *b, struct state s)
{
    if ((b->wanted & ~s.done) == 0) {
        return true;
    }
    if (!is_new(b, s)) {
        return false;
    }
    for (uint32_t i = 0; i < b->c->count; i++) {
        if (may_come(b, s, i)) {
            const struct state next = after(b, s, i);
            if (!begins_anew(b, next) && walk(b, next)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_possible(struct brute *b, uint32_t wanted, const struct order *orders, size_t count)
{
    uint32_t users = 0;
    uint32_t writers = 0;
    for (uint32_t i = 0; i < b->c->count; i++) {
        if ((wanted & bit(i)) != 0) {
            users |= bit(b->c->list[i].user);
            writers |= writes(b, i) ? bit(b->c->list[i].user) : 0;
        }
    }
    b->wanted = wanted;
    b->readers = users & ~writers;
    b->orders = orders;
    b->order_count = count;
    b->seen_count = 0;
    return walk(b, (struct state){0});
}

/* Must come before, over any number of requests. */
static bool is_always_before(const struct brute *b, uint32_t before, uint32_t after)
{
    for (uint32_t i = 0; i < b->c->count; i++) {
        if (is_needed(b, i, after) && (i == before || is_always_before(b, before, i))) {
            return true;
        }
    }
    return false;
}

static bool is_forced(const struct brute *b, struct order one, struct order other)
{
    return is_always_before(b, one.before, one.after) &&
           is_always_before(b, other.before, other.after);
}

/* ---- one resource ---- */

/* Whether a and b are consecutive on x or on resources above and below it; *has_reads: two writes
 * with only reads between. */
static bool is_couple(const struct brute *b, uint32_t a, uint32_t z, uint8_t x, bool *has_reads)
{
    *has_reads = false;
    for (uint32_t i = a + 1; i < z; i++) {
        const struct capture_request *r = &b->c->list[i];
        if (r->user != b->c->list[a].user) {
            continue;
        }
        if (r->kind == CAPTURE_REFUSED && r->name == b->c->list[a].name) {
            return false; /* it started again */
        }
        if (is_access(r) && is_same_or_related(r->name, x)) {
            *has_reads = true;
            if (writes(b, i) || !writes(b, a) || !writes(b, z)) {
                return false;
            }
        }
    }
    return true;
}

static void try_single(struct brute *b, uint32_t a, uint32_t z, uint32_t c)
{
    const struct capture_request *r = &b->c->list[c];
    bool has_reads = false;
    if (!is_access(r) || r->user == b->c->list[a].user ||
        !is_same_or_related(b->c->list[a].name, r->name) ||
        !is_same_or_related(b->c->list[z].name, r->name) ||
        !is_couple(b, a, z, r->name, &has_reads)) {
        return;
    }
    const struct order orders[] = {{a, c}, {c, z}};
    const bool is_pattern = writes(b, c) ? !has_reads : writes(b, a) && writes(b, z);
    if (is_pattern && !is_forced(b, orders[0], orders[1]) &&
        is_possible(b, bit(a) | bit(c) | bit(z), orders, 2)) {
        out_format(b->out, "%c%c%c %u %u | %u\n", writes(b, a) ? 'W' : 'R',
                   writes(b, c) ? 'W' : 'R', writes(b, z) ? 'W' : 'R', a, z, c);
    }
}

/* ---- two resources ---- */

/* Whether a and z, of two resources, are the closest of their kinds. */
static bool is_pair(const struct brute *b, uint32_t a, uint32_t z)
{
    const struct capture_request *list = b->c->list;
    if (!is_access(&list[a]) || !is_access(&list[z]) || list[a].user != list[z].user ||
        list[a].name == list[z].name) {
        return false;
    }
    for (uint32_t i = a + 1; i < z; i++) {
        if (list[i].user == list[a].user &&
            ((list[i].name == list[a].name && list[i].kind == list[a].kind) ||
             (list[i].name == list[z].name && list[i].kind == list[z].kind))) {
            return false;
        }
    }
    return true;
}

static bool try_four(struct brute *b, uint32_t x1, uint32_t y1, uint32_t c, uint32_t d)
{
    const struct capture_request *list = b->c->list;
    const bool is_x_first = list[c].name == list[x1].name;
    const uint32_t x2 = is_x_first ? c : d;
    const uint32_t y2 = is_x_first ? d : c;
    if (list[c].user == list[x1].user || !is_pair(b, c, d) || list[x2].name != list[x1].name ||
        list[y2].name != list[y1].name || !(writes(b, x1) || writes(b, x2)) ||
        !(writes(b, y1) || writes(b, y2))) {
        return false;
    }
    const struct order orders[] = {{x1, x2}, {x1, y2}, {y2, y1}};
    if (is_forced(b, orders[0], orders[2]) ||
        !is_possible(b, bit(x1) | bit(y1) | bit(x2) | bit(y2), orders, 3)) {
        return false;
    }
    const int number = writes(b, x1) ? (writes(b, y1) ? 3 : 4) : (writes(b, y1) ? 1 : 2);
    out_format(b->out, "P%d %u %u | %u %u\n", number, x1, y1, c, d);
    return true;
}

static bool is_overwritten(const struct brute *b, uint32_t a, uint32_t z)
{
    for (uint32_t i = a + 1; i < z; i++) {
        if (writes(b, i) && b->c->list[i].user == b->c->list[a].user &&
            b->c->list[i].name == b->c->list[a].name) {
            return true;
        }
    }
    return false;
}

static void try_pair(struct brute *b, uint32_t a, uint32_t z)
{
    bool is_found = false;
    for (uint32_t c = 0; c < b->c->count; c++) {
        for (uint32_t d = c + 1; d < b->c->count; d++) {
            is_found |= try_four(b, a, z, c, d);
        }
    }
    if (is_found || writes(b, a) || !writes(b, z) || is_overwritten(b, a, z)) {
        return;
    }
    for (uint32_t c = 0; c < b->c->count; c++) {
        const struct order orders[] = {{a, c}, {c, z}};
        if (writes(b, c) && b->c->list[c].user != b->c->list[a].user &&
            b->c->list[c].name == b->c->list[a].name && !is_forced(b, orders[0], orders[1]) &&
            is_possible(b, bit(a) | bit(c) | bit(z), orders, 2)) {
            out_format(b->out, "stale %u %u | %u\n", a, z, c);
        }
    }
}

void capture_patterns(const struct capture *c, struct out *out)
{
    static struct brute b;
    b = (struct brute){.c = c, .out = out};
    find_conditions(&b);
    for (uint32_t a = 0; a < c->count; a++) {
        for (uint32_t z = a + 1; z < c->count; z++) {
            if (!is_access(&c->list[a]) || !is_access(&c->list[z]) ||
                c->list[a].user != c->list[z].user) {
                continue;
            }
            for (uint32_t between = 0; between < c->count; between++) {
                try_single(&b, a, z, between);
            }
            if (is_pair(&b, a, z)) {
                try_pair(&b, a, z);
            }
        }
    }
}
