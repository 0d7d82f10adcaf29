#include "solve/incremental.h"

void follow_release(struct follow *f)
{
    vec_release(&f->scopes);
    *f = (struct follow){0};
}

static struct follow_step pop(struct follow *f, size_t depth)
{
    const struct follow_scope scope = f->scopes.at[depth];
    f->clause_count = scope.clause_count;
    f->scopes.count = depth;
    return (struct follow_step){
        .kind = FOLLOW_POP, .depth = depth, .variable_count = scope.variable_count};
}

struct follow_step follow_next(struct follow *f, const struct problem *p)
{
    size_t common = 0;
    while (common < f->scopes.count && common < p->scopes.count &&
           f->scopes.at[common].id == p->scopes.at[common].id) {
        common++;
    }
    if (common < f->scopes.count) {
        return pop(f, common);
    }
    const bool is_innermost = common == p->scopes.count;
    const struct problem_scope *next = is_innermost ? NULL : &p->scopes.at[common];
    struct follow_step step = {.kind = FOLLOW_DONE, .depth = common};
    step.variable_count = is_innermost ? p->variable_count : next->variable_count;
    step.first = f->clause_count;
    step.end = is_innermost ? p->clauses.count : next->clause_count;
    if (step.first < step.end) {
        step.kind = FOLLOW_ADD;
        f->clause_count = step.end;
    } else if (!is_innermost) {
        step.kind = FOLLOW_PUSH;
        vec_push(&f->scopes, (struct follow_scope){.id = next->id,
                                                   .variable_count = next->variable_count,
                                                   .clause_count = f->clause_count});
    }
    return step;
}
