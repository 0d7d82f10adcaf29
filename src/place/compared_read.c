/* Whether the program compares the value of a plain read with that of another read of the same
 * variable in the function, as an optimistic update does:
 *
 *     lock; seen = version; unlock;
 *     lock; if (version == seen) ...
 *
 * The values of both are followed through the machine code (x86-64). They are compared where they
 * are the two operands of one instruction. */
#include "place/module_state.h"
#include "place/reported_load.h"
#include "wire/must.h"

/* A comparison that a value is an operand of: a bit for the first, and for the second. */
struct comparison {
    uint64_t address;
    uint8_t operands;
};

struct comparisons {
    VEC(struct comparison) list;
};

static bool may_change(struct value_walk *w, uint32_t marks)
{
    struct comparisons *c = w->context;
    const cs_x86 *x = &w->instruction->detail->x86;
    if (w->instruction->id == X86_INS_CMP && x->op_count == 2) {
        const unsigned operands = (unsigned)value_is_marked(w, &x->operands[0], marks) |
                                  (unsigned)value_is_marked(w, &x->operands[1], marks) << 1;
        vec_push(&c->list, (struct comparison){w->instruction->address, (uint8_t)operands});
    }
    return true;
}

static bool may_store(struct value_walk *w, const cs_x86_op *to)
{
    (void)w;
    (void)to;
    return true;
}

/* Follows the value that was loaded. */
static void collect(struct places *p, const struct reported_load *l, struct comparisons *c)
{
    static const struct value_rules rules = {.may_change = may_change, .may_store = may_store};
    struct value_walk w;
    if (l->instruction == X86_INS_CMP) { /* cmp [rip + version], eax */
        vec_push(&c->list, (struct comparison){l->start, (uint8_t)(1 << l->operand)});
        return;
    }
    if (!value_walk_open(&w, p, l->start)) {
        return;
    }
    w.rules = &rules;
    w.context = c;
    w.goes_on = true;
    value_go_on(&w, l->from_end, l->marks);
    (void)value_walk_run(&w);
    value_walk_close(&w);
}

static bool meet(const struct comparisons *a, const struct comparisons *b)
{
    must(a != b);
    vec_each (&a->list, one) {
        vec_each (&b->list, other) {
            if (one->address == other->address && (one->operands & other->operands) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether another read of the same place in the function has a value that meets this one's. */
static bool meets_other(struct value_walk *w, const struct reported_load *own, uint32_t size,
                        const struct comparisons *c)
{
    bool answer = false;
    for (uint64_t at = w->function.start; at < w->function.end && !answer;) {
        if (!value_decode(w, at)) {
            return false;
        }
        const uint64_t behind = at + w->instruction->size;
        struct reported_load other;
        if (cs_insn_group(w->decoder, w->instruction, CS_GRP_CALL) &&
            reported_by(w, at, "read") == size && reported_load(w, behind, size, &other) &&
            other.start != own->start && reported_is_same(own, &other.from, other.from_end)) {
            struct comparisons theirs = {0};
            collect(w->p, &other, &theirs);
            answer = meet(c, &theirs);
            vec_release(&theirs.list);
        }
        at = behind;
    }
    return answer;
}

static bool look(struct places *p, uint64_t address)
{
    struct value_walk w;
    struct reported_load own;
    struct comparisons c = {0};
    bool answer = false;
    if (address < REPORT_CALL_SIZE || !value_walk_open(&w, p, address)) {
        return false;
    }
    const uint32_t size = reported_by(&w, address - REPORT_CALL_SIZE, "read");
    if (size != 0 && reported_load(&w, address, size, &own)) {
        collect(p, &own, &c);
        answer = c.list.count > 0 && meets_other(&w, &own, size, &c);
    }
    vec_release(&c.list);
    value_walk_close(&w);
    return answer;
}

bool places_compares_read(struct places *p, uint64_t address)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&p->compares_read, address, 0, &is_new);
    if (!is_new) {
        return number != 0;
    }
    const bool answer = look(p, address);
    map_put(&p->compares_read, address, answer);
    return answer;
}
