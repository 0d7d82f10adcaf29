#include "runtime/record/hooks/exec_environment.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/log/recorder.h"
#include "runtime/record/log/recording_files.h"
#include "runtime/shared/raw_text.h"

enum { PATH_SIZE = 4096, ADDED_MAX = 3 };

#define PRELOAD "LD_PRELOAD="

static char library[PATH_SIZE];

void environment_start(void)
{
    Dl_info info;
    if (dladdr(library, &info) != 0 && info.dli_fname != NULL) {
        text_copy(library, sizeof library, info.dli_fname);
    }
}

static bool begins_with(const char *word, const char *name)
{
    return strncmp(word, name, strlen(name)) == 0;
}

static bool is_ours(const char *word)
{
    return begins_with(word, PRELOAD) || begins_with(word, RECORDING_VARIABLE "=") ||
           begins_with(word, ORIGIN_VARIABLE "=");
}

/* The user's own LD_PRELOAD follows the recorder's library. */
static char *print_preload(char *to, const char *end, const char *wanted)
{
    to = text_append(to, end, PRELOAD);
    if (wanted == NULL || strstr(wanted, library) == NULL) {
        to = text_append(to, end, library);
        to = text_append(to, end, wanted == NULL || wanted[0] == 0 ? "" : ":");
    }
    return text_append(to, end, wanted == NULL ? "" : wanted);
}

void environment_build(struct environment *e, char *const *given, bool is_for_child)
{
    *e = (struct environment){.words = given};
    size_t count = 0;
    const char *wanted = NULL;
    for (; given != NULL && given[count] != NULL; count++) {
        wanted = begins_with(given[count], PRELOAD) ? given[count] + strlen(PRELOAD) : wanted;
    }
    const size_t text_size = 2 * PATH_SIZE + ORIGIN_SIZE + (wanted == NULL ? 0 : strlen(wanted));
    const size_t size = (count + ADDED_MAX + 1) * sizeof(char *) + text_size;
    void *pages = library[0] == 0 ? NULL : folder_memory(size);
    if (pages == NULL) {
        return;
    }
    char **words = pages;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_ours(given[i])) {
            words[kept++] = given[i];
        }
    }
    /* The pages are zero: every text below ends. */
    char *text = (char *)(words + count + ADDED_MAX + 1);
    const char *end = (char *)pages + size - 1;
    words[kept++] = text;
    text = print_preload(text, end, wanted) + 1;
    words[kept++] = text;
    text = text_append(text_append(text, end, RECORDING_VARIABLE "="), end, rt_folder()) + 1;
    words[kept++] = text;
    rt_print_origin(text, is_for_child);
    *e = (struct environment){.words = words, .pages = pages, .size = size};
}

void environment_release(struct environment *e)
{
    if (e->pages != NULL) {
        (void)syscall(SYS_munmap, e->pages, e->size);
    }
}
