#include "spec/spec.h"

#include <string.h>

void spec_init(struct spec *s)
{
    *s = (struct spec){0};
    names_init(&s->names);
}

void spec_release(struct spec *s)
{
    vec_each (&s->groups, group) {
        vec_release(&group->members);
    }
    vec_release(&s->groups);
    vec_release(&s->properties);
    vec_release(&s->nodes);
    names_release(&s->names);
}

uint32_t spec_find(const struct spec *s, const char *name)
{
    for (uint32_t i = 0; i < s->properties.count; i++) {
        if (strcmp(names_text(&s->names, s->properties.at[i].name), name) == 0) {
            return i;
        }
    }
    return SPEC_NONE;
}

/* Whether a name is what a pattern says, * being any letters. Only the last star met need ever be
 * stretched, so that the time is the product of the lengths at most. */
static bool is_match(const char *pattern, const char *name)
{
    const char *star = NULL;
    const char *resume = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

bool spec_is_member(const struct spec *s, uint32_t group, const char *process)
{
    if (group == 0) {
        return true;
    }
    vec_each (&s->groups, candidate) {
        if (candidate->name != group) {
            continue;
        }
        vec_each (&candidate->members, member) {
            if (is_match(names_text(&s->names, *member), process)) {
                return true;
            }
        }
    }
    return false;
}

const char *spec_op_word(enum spec_op op)
{
    static const char *const words[] = {
#define OP(id, word) [SPEC_##id] = (word),
        SPEC_OP_LIST(OP)
#undef OP
    };
    must(op < sizeof words / sizeof *words);
    return words[op];
}

const char *spec_relation_word(enum spec_relation relation)
{
    static const char *const words[] = {"=", "!=", "<", "<=", ">", ">="};
    must(relation < sizeof words / sizeof *words);
    return words[relation];
}

const char *spec_claim_word(enum spec_claim claim)
{
    static const char *const words[] = {"never", "possibly", "always"};
    must(claim < sizeof words / sizeof *words);
    return words[claim];
}

const char *spec_severity_word(enum spec_severity severity)
{
    static const char *const words[] = {"error", "warning", "note"};
    must(severity < sizeof words / sizeof *words);
    return words[severity];
}
