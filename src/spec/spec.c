#include "spec/spec.h"

#include <fnmatch.h>
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

size_t spec_count_temporal(const struct spec *s)
{
    size_t count = 0;
    vec_each (&s->properties, p) {
        count += spec_at(s, p->root)->is_temporal;
    }
    return count;
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
            const char *pattern = names_text(&s->names, *member);
            if (strcmp(pattern, process) == 0 || fnmatch(pattern, process, 0) == 0) {
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
