#include "atomicity/violation.h"

static const struct {
    const char *name;
    const char *key;
} names[VIOLATION_COUNT] = {
    [VIOLATION_NONE] = {"serializable", ""},
    [VIOLATION_RWR] = {"unrepeatable read", "RWR"},
    [VIOLATION_WWR] = {"overwritten before it is read", "WWR"},
    [VIOLATION_RWW] = {"lost update", "RWW"},
    [VIOLATION_WRW] = {"intermediate value seen", "WRW"},
    [VIOLATION_WWW] = {"lost write", "WWW"},
    [VIOLATION_P1] = {"write from an outdated read (pattern 1)", "P1"},
    [VIOLATION_P2] = {"inconsistent reads (pattern 2)", "P2"},
    [VIOLATION_P3] = {"inconsistent writes (pattern 3)", "P3"},
    [VIOLATION_P4] = {"overwritten behind a write (pattern 4)", "P4"},
    [VIOLATION_STALE] = {"stale read, dependent write", "stale"},
    [VIOLATION_MERGED] = {"pair taken as one variable", "merged"},
};

const char *violation_name(enum violation p)
{
    must(p < VIOLATION_COUNT);
    return names[p].name;
}

const char *violation_key(enum violation p)
{
    must(p < VIOLATION_COUNT);
    return names[p].key;
}

enum violation violation_of_three(bool first, bool middle, bool last)
{
    /* by the accesses that write: first, middle, last */
    static const enum violation table[2][2][2] = {
        [0][1][0] = VIOLATION_RWR, [1][1][0] = VIOLATION_WWR, [0][1][1] = VIOLATION_RWW,
        [1][0][1] = VIOLATION_WRW, [1][1][1] = VIOLATION_WWW,
    };
    return table[first][middle][last];
}

enum violation violation_of_four(struct violation_types writes)
{
    /* by x1 and y1; x2 and y2 are free where the other side of their variable writes */
    static const enum violation table[2][2] = {
        {VIOLATION_P2, VIOLATION_P1},
        {VIOLATION_P4, VIOLATION_P3},
    };
    const bool has_conflicts = (writes.x1 || writes.x2) && (writes.y1 || writes.y2);
    return has_conflicts ? table[writes.x1][writes.y1] : VIOLATION_NONE;
}

/* ---- typed orders ---- */

enum { X1, X2, Y2, Y1 };

static const uint8_t forms[3][TYPED_ORDER_SIZE] = {
    {X1, X2, Y2, Y1},
    {X1, Y2, X2, Y1},
    {X1, Y2, Y1, X2},
};

struct typed_order violation_typed_order(size_t index)
{
    enum { FORM_COUNT = 3, VIEW_COUNT = 4 };
    must(index < TYPED_ORDER_COUNT);
    struct typed_order order = {.form = (uint8_t)(index % FORM_COUNT),
                                .view = (uint8_t)(index / FORM_COUNT % VIEW_COUNT)};
    size_t wanted = index / FORM_COUNT / VIEW_COUNT;
    unsigned types = 0;
    for (; types < 1u << TYPED_ORDER_SIZE; types++) {
        const struct violation_types writes = {
            .x1 = types & 1, .x2 = types >> 1 & 1, .y2 = types >> 2 & 1, .y1 = types >> 3 & 1};
        order.pattern = violation_of_four(writes);
        if (order.pattern != VIOLATION_NONE && wanted-- == 0) {
            break;
        }
    }
    must(types < 1u << TYPED_ORDER_SIZE);
    for (int i = 0; i < TYPED_ORDER_SIZE; i++) {
        const uint8_t name = forms[order.form][i];
        const bool is_second_thread = name == X2 || name == Y2;
        const bool is_y = name == Y1 || name == Y2;
        order.accesses[i] = (struct violation_access){
            .thread = is_second_thread != (order.view & 1) ? 2 : 1,
            .which = is_y != (order.view >> 1 & 1),
            .is_write = types >> name & 1,
        };
    }
    return order;
}

/* ---- serializability ---- */

bool violation_is_conflict_serializable(const struct violation_access *a, size_t count)
{
    bool is_before[3] = {false}; /* by the thread that comes first */
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            if (a[i].thread != a[k].thread && a[i].which == a[k].which &&
                (a[i].is_write || a[k].is_write)) {
                is_before[a[i].thread] = true;
            }
        }
    }
    return !(is_before[1] && is_before[2]);
}

enum { NOBODY = UINT8_MAX };

/* Which access each read sees, and which writes are left at the end, when the accesses run in this
 * order. */
struct view {
    uint8_t saw[VIOLATION_SIZE_MAX];
    uint8_t last[2];
};

static struct view view_of(const struct violation_access *a, const uint8_t *order, size_t count)
{
    struct view v = {.last = {NOBODY, NOBODY}};
    for (size_t i = 0; i < count; i++) {
        const uint8_t at = order[i];
        v.saw[at] = a[at].is_write ? NOBODY : v.last[a[at].which];
        if (a[at].is_write) {
            v.last[a[at].which] = at;
        }
    }
    return v;
}

static bool views_are_same(const struct view *a, const struct view *b, size_t count)
{
    bool is_same = a->last[0] == b->last[0] && a->last[1] == b->last[1];
    for (size_t i = 0; i < count; i++) {
        is_same &= a->saw[i] == b->saw[i];
    }
    return is_same;
}

/* The accesses of one thread, then those of the other. */
static void order_serially(const struct violation_access *a, size_t count, uint8_t first,
                           uint8_t *order)
{
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < count; i++) {
            if ((a[i].thread == first) == (part == 0)) {
                *order++ = (uint8_t)i;
            }
        }
    }
}

bool violation_is_view_serializable(const struct violation_access *a, size_t count)
{
    must(count <= VIOLATION_SIZE_MAX);
    uint8_t order[VIOLATION_SIZE_MAX];
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint8_t)i;
    }
    const struct view interleaved = view_of(a, order, count);
    for (uint8_t first = 1; first <= 2; first++) {
        order_serially(a, count, first, order);
        const struct view serial = view_of(a, order, count);
        if (views_are_same(&interleaved, &serial, count)) {
            return true;
        }
    }
    return false;
}
