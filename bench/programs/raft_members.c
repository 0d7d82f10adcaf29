#include "raft_members.h"

static uint32_t bit(int member)
{
    return UINT32_C(1) << member;
}

static uint32_t count_bits(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits);
}

struct members members_first(int count)
{
    return (struct members){.voters = bit(count) - 1};
}

static bool is_id(int member)
{
    return member >= 0 && member < RAFT_MEMBERS_MAX;
}

bool members_has(struct members m, int member)
{
    return is_id(member) && ((m.voters | m.learners) & bit(member)) != 0;
}

bool members_votes(struct members m, int member)
{
    return is_id(member) && (m.voters & bit(member)) != 0;
}

int members_next(struct members m, int after)
{
    const uint32_t above = (m.voters | m.learners) & ~(bit(after + 1) - 1);
    return above == 0 ? -1 : __builtin_ctz(above);
}

uint32_t members_quorum(struct members m)
{
    return count_bits(m.voters) / 2 + 1;
}

bool members_is_majority(struct members m, uint32_t who)
{
    return count_bits(m.voters & who) >= members_quorum(m);
}

bool members_change(struct members *m, enum raft_change change, int member)
{
    if (!is_id(member)) {
        return false;
    }
    const uint32_t own = bit(member);
    const bool is_last_voter = m->voters == own;
    switch (change) {
    case RAFT_ADD:
        if (members_has(*m, member)) {
            return false;
        }
        m->learners |= own;
        return true;
    case RAFT_PROMOTE:
        if ((m->learners & own) == 0) {
            return false;
        }
        m->learners &= ~own;
        m->voters |= own;
        return true;
    case RAFT_DEMOTE:
        if ((m->voters & own) == 0 || is_last_voter) {
            return false;
        }
        m->voters &= ~own;
        m->learners |= own;
        return true;
    case RAFT_REMOVE:
        if (!members_has(*m, member) || is_last_voter) {
            return false;
        }
        m->voters &= ~own;
        m->learners &= ~own;
        return true;
    }
    return false;
}

void members_write(struct members m, struct writer *w)
{
    write_number(w, m.voters);
    write_number(w, m.learners);
}

bool members_read(struct members *m, struct reader *r)
{
    m->voters = (uint32_t)read_number(r);
    m->learners = (uint32_t)read_number(r);
    return !r->is_broken && m->voters != 0 && (m->voters & m->learners) == 0;
}
