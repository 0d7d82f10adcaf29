#include "cli/verb.h"

#include <string.h>

const struct verb *const verbs[] = {
#define GROUP(heading)
#define VERB(name) &verb_##name,
    VERB_LIST(GROUP, VERB)
#undef VERB
#undef GROUP
        NULL,
};

const struct verb_line verb_lines[] = {
#define GROUP(heading) {heading, NULL},
#define VERB(name) {NULL, &verb_##name},
    VERB_LIST(GROUP, VERB)
#undef VERB
#undef GROUP
        {NULL, NULL},
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
