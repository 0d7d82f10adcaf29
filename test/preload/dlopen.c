/* What a library that is loaded later does has its place.
 *
 * order: main@n lock plugin_lock @plugin.c
 * order: main@n unlock plugin_lock @plugin.c */
#include <dlfcn.h>

#include "program.h"

int main(int count, char **words)
{
    char path[4096];
    CLAIM(count == 1);
    (void)snprintf(path, sizeof path, "%.*s/libplugin.so", (int)(strrchr(words[0], '/') - words[0]),
                   words[0]);
    void *library = dlopen(path, RTLD_NOW);
    CLAIM(library != NULL);
    union {
        void *object;
        void (*function)(void);
    } found = {.object = dlsym(library, "plugin_use")};
    CLAIM(found.object != NULL);
    found.function();
    return 0;
}
