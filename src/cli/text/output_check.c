#include "cli/text/output_check.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that an option names; NULL: none. */
static const char *file_of(const struct option *o, const void *options)
{
    const bool is_file = o->type == OPTION_FILE || o->type == OPTION_OUTPUT;
    return is_file ? *(const char *const *)(const void *)((const char *)options + o->target) : NULL;
}

static bool is_one_place(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Where a path has its last word. */
static size_t last_word(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

static bool stat_folder(const char *path, struct stat *folder)
{
    char name[PATH_MAX] = ".";
    const size_t size = last_word(path);
    if (size >= sizeof name) {
        return false;
    }
    if (size > 0) {
        memcpy(name, path, size);
        name[size] = '\0';
    }
    return stat(name, folder) == 0;
}

/* Whether two that are not there will be one file: of one name in one folder. */
static bool will_be_one(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;
    return strcmp(a, b) == 0 ||
           (strcmp(a + last_word(a), b + last_word(b)) == 0 && stat_folder(a, &of_a) &&
            stat_folder(b, &of_b) && is_one_place(&of_a, &of_b));
}

bool outputs_are_one(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) {
        return false;
    }
    if (stat(a, &of_a) < 0 || stat(b, &of_b) < 0) {
        return will_be_one(a, b);
    }
    return S_ISREG(of_a.st_mode) && is_one_place(&of_a, &of_b);
}

static int check_words(const struct session *s, const struct option *o, const char *output,
                       struct err *e)
{
    const bool is_main = strcmp(o->name, "output") == 0;
    for (size_t i = s->verb->replaces_input && is_main ? 1 : 0; i < s->input_count; i++) {
        if (outputs_are_one(output, s->inputs[i])) {
            return err_set(e, "--%s %s: would be written over the input %s: name another file",
                           o->name, output, s->inputs[i]);
        }
    }
    if (s->command_count > 0 && outputs_are_one(output, s->command[0])) {
        return err_set(e, "--%s %s: would be written over the program %s", o->name, output,
                       s->command[0]);
    }
    return 0;
}

static int check_output(const struct session *s, const void *options, const struct option *o,
                        struct err *e)
{
    const char *output = file_of(o, options);
    if (check_words(s, o, output, e) < 0) {
        return -1;
    }
    for (const struct option *other = s->verb->options; other->name != NULL; other++) {
        const char *file = other == o ? NULL : file_of(other, options);
        if (file != NULL && outputs_are_one(output, file)) {
            return err_set(e, "--%s %s: is the file of --%s too", o->name, output, other->name);
        }
    }
    return 0;
}

/* Two documents in one stream are neither. */
static int check_standard_output(const struct common *c, struct err *e)
{
    static const char *const names[EXPORT_FORMAT_COUNT] = {
        [EXPORT_SARIF] = "--sarif", [EXPORT_JUNIT] = "--junit"};
    const char *holder = c->json ? "--json" : c->jsonl ? "--jsonl" : NULL;
    for (size_t i = 0; i < EXPORT_FORMAT_COUNT; i++) {
        if (c->exports[i] == NULL || strcmp(c->exports[i], "-") != 0) {
            continue;
        }
        if (holder != NULL) {
            return err_set(e, "%s -: %s is written to standard output already: name a file",
                           names[i], holder);
        }
        holder = names[i];
    }
    return 0;
}

int outputs_check(const struct session *s, const void *options, struct err *e)
{
    if (check_standard_output(s->common, e) < 0) {
        return -1;
    }
    for (const struct option *o = s->verb->options; o != NULL && o->name != NULL; o++) {
        if (o->type == OPTION_OUTPUT && file_of(o, options) != NULL &&
            check_output(s, options, o, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int output_check_writable(const char *path, struct err *e)
{
    struct stat there;
    char folder[4096];
    if (strcmp(path, "-") == 0) {
        return 0;
    }
    if (stat(path, &there) == 0) {
        const bool is_folder = S_ISDIR(there.st_mode);
        const bool is_writable = !is_folder && access(path, W_OK) == 0;
        return is_writable ? 0 : err_set(e, "%s: %s", path, strerror(is_folder ? EISDIR : errno));
    }
    const char *slash = strrchr(path, '/');
    const int size = slash == NULL ? 0 : (int)(slash - path);
    const int used =
        snprintf(folder, sizeof folder, "%.*s", size == 0 ? 1 : size, slash == NULL ? "." : path);
    const bool is_writable = used < (int)sizeof folder && access(folder, W_OK | X_OK) == 0;
    return is_writable ? 0 : err_set(e, "%s: %s", path, strerror(errno));
}
