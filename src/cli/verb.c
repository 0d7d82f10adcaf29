#include "cli/verb.h"

#include <string.h>

const struct verb *const verbs[] = {
#define VERB(name) &verb_##name,
    VERB_LIST(VERB)
#undef VERB
        NULL,
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
