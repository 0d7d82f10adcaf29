#include "place/program_frame.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "wire/must.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool frame_is_system_module(const char *path)
{
    static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
    static const char *const names[] = {"libc.so",    "libc-",      "ld-linux",    "ld-",
                                        "libstdc++.", "libc++",     "libgcc_s.",   "libpthread",
                                        "libdl.",     "libm.",      "libclew_rt.", "libclew_co",
                                        "[vdso]",     "linux-vdso", "libgomp.",    "libatomic."};
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        if (begins_with(path, folders[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (begins_with(base, names[i])) {
            return true;
        }
    }
    return false;
}

/* clang spells headers of libstdc++ from where gcc is: /usr/bin/../lib/gcc/TRIPLE/12/../../... */
bool frame_is_system_header(const char *file)
{
    return begins_with(file, "/usr/include/") || begins_with(file, "/usr/lib/") ||
           strstr(file, "/include/c++/") != NULL || strstr(file, "/lib/gcc/") != NULL;
}

/* The length of the name without the endings of variants: template arguments, "_n", "_or_die", "0".
 */
static size_t stem_of(const char *function)
{
    static const char *const endings[] = {"_n", "_or_die", "_checked", "_zeroed", "_array"};
    size_t size = strcspn(function, "<(");
    while (size > 0 && function[size - 1] >= '0' && function[size - 1] <= '9') {
        size--;
    }
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        const size_t ending = strlen(endings[i]);
        if (size > ending && strncmp(function + size - ending, endings[i], ending) == 0) {
            return size - ending;
        }
    }
    return size;
}

static bool is_allocator(const char *function)
{
    static const char *const endings[] = {
        "malloc",   "calloc", "realloc", "zalloc", "reallocarray", "memalign",      "_alloc",
        "allocate", "strdup", "strndup", "memdup", "asprintf",     "aligned_alloc",
    };
    if (function == NULL) {
        return false;
    }
    if (begins_with(function, "operator new") || strcmp(function, "alloc") == 0) {
        return true;
    }
    const size_t size = stem_of(function);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        const size_t ending = strlen(endings[i]);
        if (size >= ending && strncasecmp(function + size - ending, endings[i], ending) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_line_of_program(const struct frame *f)
{
    return !f->is_system && f->file != NULL && !frame_is_system_header(f->file);
}

bool frame_is_best(const struct frame *f, enum frame_use use)
{
    return has_line_of_program(f) && (use == FRAME_OF_EVENT || !is_allocator(f->function));
}

uint32_t frame_choose(const struct frame *frames, uint32_t count, enum frame_use use)
{
    uint32_t line = FRAME_NONE;
    uint32_t symbol = FRAME_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const struct frame *f = &frames[i];
        if (frame_is_best(f, use)) {
            return i;
        }
        if (line == FRAME_NONE && has_line_of_program(f)) {
            line = i;
        }
        if (symbol == FRAME_NONE && use == FRAME_OF_BLOCK && !f->is_system && f->file == NULL &&
            !is_allocator(f->function)) {
            symbol = i;
        }
    }
    must(line == FRAME_NONE || line < count);
    must(symbol == FRAME_NONE || symbol < count);
    return line != FRAME_NONE ? line : symbol;
}
