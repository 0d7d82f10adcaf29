#include "cli/verb.h"

#include <string.h>

const struct verb *const verbs[] = {
    &verb_info,   &verb_convert,   &verb_check,     &verb_slice,   &verb_races,
    &verb_petri,  &verb_atomicity, &verb_correlate, &verb_monitor, &verb_explore,
    &verb_replay, &verb_minimize,  &verb_explain,   &verb_confirm, &verb_diff,
    &verb_record, &verb_cc,        &verb_cpp,       &verb_doctor,  &verb_rules,
    &verb_spec,   &verb_campaign,  &verb_cases,     &verb_demo,    NULL,
};

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verbs[i] != NULL; i++) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}
