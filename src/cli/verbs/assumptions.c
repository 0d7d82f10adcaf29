#include "cli/verbs/assumptions.h"

#include <stdio.h>

#include "proc/control/program.h"

enum assumption {
    SEQUENTIAL_CONSISTENCY,
    NO_SPURIOUS_WAKEUPS,
    ONE_SEED,
    LIBRARY_STATE,
    INSTANT_MESSAGES,
    ASSUMPTION_COUNT,
};

/* A program whose atomic operations are all seq_cst and that has no data race is sequentially
 * consistent (C17 5.1.2.4). */
static bool is_made(const struct assumed_search *x, enum assumption a)
{
    if (!x->is_program) {
        return false;
    }
    const struct control_told told = control_told(x->world);
    switch (a) {
    case SEQUENTIAL_CONSISTENCY:
        return told.has_weak_order || (x->is_complete && x->has_data_races);
    case NO_SPURIOUS_WAKEUPS: return told.has_waited;
    case ONE_SEED: return told.has_drawn;
    case LIBRARY_STATE: return told.unmodelled_count > 0;
    case INSTANT_MESSAGES: return told.is_cluster;
    case ASSUMPTION_COUNT: break;
    }
    return false;
}

bool assumptions_are_made(const struct assumed_search *x)
{
    for (int a = 0; a < ASSUMPTION_COUNT; a++) {
        if (is_made(x, (enum assumption)a)) {
            return true;
        }
    }
    return false;
}

/* "hsearch, lsearch and 3 more". */
static const char *functions(const struct assumed_search *x, char *text, size_t size)
{
    enum { SHOWN = 3 };
    const struct control_told told = control_told(x->world);
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < told.unmodelled_count && i < SHOWN && at < size; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s%.60s", i == 0 ? "" : ", ",
                               told.unmodelled[i]);
    }
    if (told.unmodelled_count > SHOWN && at < size) {
        (void)snprintf(text + at, size - at, " and %u more", told.unmodelled_count - SHOWN);
    }
    return text;
}

static const char *sentence(const struct assumed_search *x, enum assumption a, struct findings *f)
{
    switch (a) {
    case SEQUENTIAL_CONSISTENCY:
        return control_told(x->world).has_weak_order
                   ? "memory is sequentially consistent, though the program has atomic operations "
                     "weaker than seq_cst"
                   : "memory is sequentially consistent, though the program has data races";
    case NO_SPURIOUS_WAKEUPS:
        return "no wait for a condition ends without a signal (--spurious-wakeups 1 explores that)";
    case ONE_SEED:
        return findings_text(f, "random numbers are those of seed %llu (--seed chooses others)",
                             (unsigned long long)x->seed);
    case LIBRARY_STATE: {
        char text[256];
        return findings_text(f, "what threads share inside of %s is not seen",
                             functions(x, text, sizeof text));
    }
    case INSTANT_MESSAGES:
        return "messages between nodes arrive as soon as they are sent: deliveries are no choices";
    case ASSUMPTION_COUNT: break;
    }
    return "";
}

void assumptions_add(const struct assumed_search *x, struct finding_file *f)
{
    for (int a = 0; a < ASSUMPTION_COUNT; a++) {
        if (is_made(x, (enum assumption)a)) {
            vec_push(&f->assumptions, sentence(x, (enum assumption)a, &f->findings));
        }
    }
}

void assumptions_print(const struct assumed_search *x, struct out *out)
{
    const char *before = " ";
    if (is_made(x, SEQUENTIAL_CONSISTENCY)) {
        out_format(out, "%sunder sequential consistency", before);
        before = ", ";
    }
    if (is_made(x, NO_SPURIOUS_WAKEUPS)) {
        out_format(out, "%swithout spurious wake-ups (--spurious-wakeups 1 explores them)", before);
        before = ", ";
    }
    if (is_made(x, ONE_SEED)) {
        out_format(out, "%swith the random numbers of seed %llu", before,
                   (unsigned long long)x->seed);
        before = ", ";
    }
    if (is_made(x, LIBRARY_STATE)) {
        char text[256];
        out_format(out, "%swithout what threads share inside of %s", before,
                   functions(x, text, sizeof text));
        before = ", ";
    }
    if (is_made(x, INSTANT_MESSAGES)) {
        out_format(out, "%swith messages that arrive as soon as they are sent", before);
    }
}

void assumptions_add_uncontrolled(const struct assumed_search *x, struct finding_file *f)
{
    const struct control_told told =
        x->is_program ? control_told(x->world) : (struct control_told){.left = "", .preempted = ""};
    for (uint32_t i = 0; i < x->world->doubt_count; i++) {
        vec_push(&f->assumptions,
                 findings_text(&f->findings, "not simulated: %s", x->world->doubts[i]));
    }
    if (told.left[0] != '\0') {
        vec_push(
            &f->assumptions,
            findings_text(&f->findings, "runs do not depend on %s, which a run left", told.left));
    }
    if (told.preempted[0] != '\0') {
        vec_push(&f->assumptions,
                 findings_text(&f->findings,
                               "code without scheduling points was preempted by processor time, "
                               "first at %s",
                               told.preempted));
    }
    for (uint32_t i = 0; i < told.outside_count; i++) {
        vec_push(&f->assumptions,
                 findings_text(&f->findings, "%s is not controlled", told.outside[i]));
    }
    for (uint32_t i = 0; i < told.unseen_count; i++) {
        vec_push(
            &f->assumptions,
            findings_text(&f->findings, "memory accesses of %s are not visible", told.unseen[i]));
    }
}

bool assumptions_leave_control(const struct assumed_search *x)
{
    return x->world->doubt_count == 0 &&
           (!x->is_program ||
            (control_told(x->world).outside_count == 0 && !control_told(x->world).is_inexact &&
             control_told(x->world).unlike == 0 && control_told(x->world).left[0] == '\0'));
}

const char *assumptions_hindrance(const struct assumed_search *x, bool allows_uncontrolled,
                                  size_t index)
{
    if (!x->is_program) {
        return NULL;
    }
    const struct control_told told = control_told(x->world);
    const struct {
        bool is_so;
        const char *words;
    } reasons[] = {
        {told.outside_count > 0 && !allows_uncontrolled,
         "calls were not controlled (--allow-uncontrolled accepts them)"},
        {told.is_unreached, "no client connected to the program (start a client in the program, or "
                            "while clew explores it)"},
        {told.cut > 0 && !told.is_unreached, "runs did not end in time (raise --hang SECONDS)"},
        {told.unlike > 0, "the program is not deterministic"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].is_so && index-- == 0) {
            return reasons[i].words;
        }
    }
    return NULL;
}
