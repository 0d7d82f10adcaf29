#include "solve/solve.h"

#include "base/mem.h"
#include "solve/order_solver.h"
#include "solve/pipe_solver.h"
#include "solve/z3_solver.h"

struct solver {
    enum solve_way way;
    union {
        struct order_solver *native;
        struct z3_solver *libz3;
        struct pipe_solver *program;
    };
};

struct solver *solver_new(const struct solver_options *options, const struct problem *p,
                          struct err *e)
{
    struct solver *s = mem_zero(1, sizeof *s);
    s->way = options->way;
    bool is_open = false;
    switch (s->way) {
    case SOLVE_NATIVE: is_open = (s->native = order_solver_new(p)) != NULL; break;
    case SOLVE_LIBZ3: is_open = (s->libz3 = z3_solver_new(options, p, e)) != NULL; break;
    case SOLVE_PROGRAM: is_open = (s->program = pipe_solver_new(options, p, e)) != NULL; break;
    }
    if (!is_open) {
        mem_free(s);
        return NULL;
    }
    return s;
}

void solver_free(struct solver *s)
{
    switch (s->way) {
    case SOLVE_NATIVE: order_solver_free(s->native); break;
    case SOLVE_LIBZ3: z3_solver_free(s->libz3); break;
    case SOLVE_PROGRAM: pipe_solver_free(s->program); break;
    }
    mem_free(s);
}

void solver_decide(struct solver *s, const struct solve_question *question,
                   struct solve_answer *answer)
{
    *answer = (struct solve_answer){.verdict = SOLVE_UNKNOWN};
    switch (s->way) {
    case SOLVE_NATIVE: order_solver_decide(s->native, question, answer); break;
    case SOLVE_LIBZ3: z3_solver_decide(s->libz3, question, answer); break;
    case SOLVE_PROGRAM: pipe_solver_decide(s->program, question, answer); break;
    }
}
