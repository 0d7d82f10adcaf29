#include "hunt/predictions.h"

#include "atomicity/atomicity.h"
#include "atomicity/merge_findings.h"
#include "race/race.h"

/* Bounds on the analysis of one run, so that an answer does not depend on the time alone. */
enum { FINDINGS_MAX = 100, SOLVER_STEPS_MAX = 200000, STATES_MAX = 5000, TRIES_MAX = 500 };

void predictions_init(struct predictions *p)
{
    *p = (struct predictions){0};
    names_init(&p->keys);
}

void predictions_release(struct predictions *p)
{
    vec_each (&p->list, prediction) {
        confirmation_release(&prediction->answer);
    }
    vec_release(&p->list);
    names_release(&p->keys);
    findings_release(&p->races);
    findings_release(&p->atomicity);
}

/* Drops, of the findings from `first` on, those whose keys an earlier run had. */
static void drop_known(struct predictions *p, size_t first)
{
    struct findings *f = &p->races;
    const size_t end = f->list.count;
    f->list.count = first;
    for (size_t i = first; i < end; i++) {
        const struct finding finding = f->list.at[i];
        const size_t known = p->keys.list.count;
        (void)names_intern_text(&p->keys, finding.key);
        if (p->keys.list.count > known) {
            f->list.at[f->list.count++] = finding;
        }
    }
    must(f->list.count <= end);
}

static void add_races(struct predictions *p, const struct trace *t, uint32_t run,
                      const struct limit *limit)
{
    struct race_stats stats;
    struct notes notes = {0};
    struct err e = {.text = ""};
    const size_t first = p->races.list.count;
    const struct race_options options = {.model = RACE_STRICT,
                                         .skips_messages = true,
                                         .wants_witness = true,
                                         .find_max = FINDINGS_MAX,
                                         .step_max = SOLVER_STEPS_MAX,
                                         .pairs_max = SOLVER_STEPS_MAX,
                                         .input = run,
                                         .budget = limit};
    const int result = race_find(t, &options, &p->races, &stats, &notes, &e);
    p->is_cut = p->is_cut || result < 0 || stats.is_cut;
    notes_release(&notes);
    drop_known(p, first);
}

static void add_atomicity(struct predictions *p, const struct trace *t, uint32_t run,
                          const struct limit *limit)
{
    struct atomicity_stats stats = {0};
    struct notes notes = {0};
    struct err e = {.text = ""};
    const struct atomicity_options options = {.skips_regions = true,
                                              .skips_merged = true,
                                              .skips_stale_memory = true,
                                              .wants_witness = true,
                                              .find_max = FINDINGS_MAX,
                                              .state_max = STATES_MAX,
                                              .try_max = TRIES_MAX,
                                              .input = run,
                                              .budget = limit};
    const int result = atomicity_find(t, &options, &p->atomicity, &stats, &notes, &e);
    p->is_cut = p->is_cut || result < 0 || stats.is_cut;
    notes_release(&notes);
    fold_findings(&p->atomicity);
}

void predictions_add(struct predictions *p, const struct trace *t, uint32_t run,
                     const struct limit *limit)
{
    must(p->list.count == 0);
    add_races(p, t, run, limit);
    add_atomicity(p, t, run, limit);
}

/* What harms most, and is confirmed soonest, comes first. */
enum { RANK_ATOMICITY = 3, RANK_COUNT };

static uint32_t rank(const struct finding *f)
{
    return f->kind == FINDING_USE_AFTER_FREE ? 0
           : f->kind == FINDING_DEADLOCK     ? 1
           : f->kind == FINDING_DATA_RACE    ? 2
                                             : RANK_ATOMICITY;
}

void predictions_close(struct predictions *p)
{
    const struct findings *sources[] = {&p->races, &p->atomicity};
    must(p->list.count == 0);
    for (uint32_t at = 0; at < RANK_COUNT; at++) {
        for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
            vec_each (&sources[i]->list, finding) {
                /* Those that no prefix of their run allows are refuted by the analysis. */
                if (rank(finding) == at && finding->status == STATUS_PREDICTED) {
                    vec_push(&p->list, (struct prediction){.finding = *finding});
                }
            }
        }
    }
}

bool prediction_is_harmless(const struct prediction *p)
{
    const bool is_confirmed = p->is_tried && p->answer.status == STATUS_CONFIRMED;
    return is_confirmed && p->answer.orders.harm != HARM_HARMFUL &&
           rank(&p->finding) == RANK_ATOMICITY;
}

size_t predictions_count(const struct predictions *p, enum finding_status status)
{
    size_t count = 0;
    vec_each (&p->list, prediction) {
        count += (prediction->is_tried ? prediction->answer.status : STATUS_PREDICTED) == status;
    }
    return count;
}
