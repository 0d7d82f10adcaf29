#include "base/name_glob.h"

#include <fnmatch.h>
#include <string.h>

#include "base/suggest.h"

enum answer { ANSWER_UNASKED, ANSWER_YES, ANSWER_NO };

bool name_glob_matches(struct name_glob *p, const struct names *names, uint32_t name)
{
    vec_reserve(&p->answers, (size_t)name + 1);
    while (p->answers.count <= name) {
        vec_push(&p->answers, ANSWER_UNASKED);
    }
    uint8_t *answer = &p->answers.at[name];
    if (*answer == ANSWER_UNASKED) {
        const char *text = names_text(names, name);
        const bool is_match =
            name != 0 && (strcmp(p->text, text) == 0 || fnmatch(p->text, text, 0) == 0);
        *answer = is_match ? ANSWER_YES : ANSWER_NO;
        p->is_met = p->is_met || is_match;
    }
    return *answer == ANSWER_YES;
}

const char *name_glob_nearest(const struct name_glob *p, const struct names *names)
{
    struct suggest nearest = {.wanted = p->text};
    for (uint32_t name = 1; name < p->answers.count; name++) {
        if (p->answers.at[name] == ANSWER_NO) {
            suggest_try(&nearest, names_text(names, name));
        }
    }
    return nearest.nearest;
}

void name_glob_release(struct name_glob *p)
{
    vec_release(&p->answers);
}
