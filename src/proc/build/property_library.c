#include "proc/build/property_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/vec.h"

struct variable {
    int64_t value;
    bool is_there;
};

struct properties {
    struct clew_view view; /* first: the view that a property passes back leads here */
    const char *path;
    void *library;
    const struct clew_property *list;
    VEC(struct property_account) accounts;
    struct names names;
    VEC(struct variable) variables; /* by name */
    uint64_t value_count;           /* that came or went */
    bool is_missed;                 /* one was asked for that is not there */
    char values[300];
};

/* Compiling */

static int run_compiler(char *const *words, struct err *e)
{
    int status = 0;
    const pid_t pid = seam_fails() ? -1 : fork();
    if (pid == 0) {
        (void)execvp(words[0], words);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        return err_set(e, "gcc cannot be run; install it (apt install gcc), or give a FILE.so");
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : err_set(e, "does not compile");
}

static bool is_library(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".so") == 0;
}

/* Loads the library; a path without a folder is one here. */
static int load(struct properties *p, const char *path, struct err *e)
{
    char here[PATH_MAX];
    (void)snprintf(here, sizeof here, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    p->library = seam_fails() ? NULL : dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (p->library == NULL) {
        const char *why = dlerror();
        return err_set(e, "cannot be loaded: %s", why == NULL ? "no memory" : why);
    }
    p->list = dlsym(p->library, "clew_properties");
    return p->list != NULL ? 0
                           : err_set(e, "has no properties in it: declare a list \"const struct "
                                        "clew_property clew_properties[]\", ended by {0}");
}

/* The library lives in memory from the moment it is loaded on. */
static int compile(struct properties *p, const struct property_source *source, struct err *e)
{
    char folder[] = "/tmp/clew-property-XXXXXX";
    char library[sizeof folder + 16];
    char include[PATH_MAX + 2];
    if (seam_fails() || mkdtemp(folder) == NULL) {
        return err_set(e, "cannot create a folder in TMPDIR: %s", strerror(errno));
    }
    (void)snprintf(library, sizeof library, "%s/property.so", folder);
    (void)snprintf(include, sizeof include, "-I%s", source->includes);
    const char *words[] = {"gcc",   "-shared", "-fPIC", "-g",         "-O1",
                           include, "-o",      library, source->path, NULL};
    int result = run_compiler((char *const *)(uintptr_t)words, e);
    if (result == 0) {
        result = load(p, library, e);
    }
    (void)unlink(library);
    (void)rmdir(folder);
    return result;
}

/* The functions that a property may call. */

static struct properties *properties_of(const struct clew_view *view)
{
    return (struct properties *)(uintptr_t)view;
}

__attribute__((format(printf, 2, 3))) static bool say_broken(const struct clew_view *view,
                                                             const char *format, ...)
{
    struct properties *p = properties_of(view);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(p->values, sizeof p->values, format, arguments);
    va_end(arguments);
    return false;
}

static uint64_t say_step(const struct clew_view *view)
{
    return properties_of(view)->value_count;
}

static struct variable *variable_of(struct properties *p, const char *name)
{
    const uint32_t id = names_intern_text(&p->names, name);
    while (p->variables.count <= id) {
        vec_push(&p->variables, (struct variable){0});
    }
    return &p->variables.at[id];
}

static const int64_t *say_value(const struct clew_view *view, uint32_t node, const char *name)
{
    struct properties *p = properties_of(view);
    const struct variable *v = node == 0 ? variable_of(p, name) : NULL;
    const bool is_there = v != NULL && v->is_there;
    p->is_missed = p->is_missed || !is_there;
    return is_there ? &v->value : NULL;
}

int properties_load(struct properties **made, const struct property_source *source, struct err *e)
{
    static const void *const states[1];
    struct properties *p = mem_zero(1, sizeof *p);
    *made = NULL;
    p->path = source->path;
    p->view = (struct clew_view){.node_count = 1,
                                 .states = states,
                                 .step = say_step,
                                 .broken = say_broken,
                                 .value = say_value};
    names_init(&p->names);
    const bool is_there = (seam_fails() ? seam_failure(EACCES) : access(source->path, R_OK)) == 0;
    const int result = !is_there                  ? err_set(e, "%s", strerror(errno))
                       : is_library(source->path) ? load(p, source->path, e)
                                                  : compile(p, source, e);
    if (result < 0) {
        properties_free(p);
        return err_wrap(e, "%s", source->path);
    }
    for (const struct clew_property *c = p->list; c->name != NULL; c++) {
        vec_push(&p->accounts, (struct property_account){.name = c->name, .severity = c->severity});
    }
    *made = p;
    return 0;
}

void properties_free(struct properties *p)
{
    if (p == NULL) {
        return;
    }
    if (p->library != NULL) {
        (void)dlclose(p->library);
    }
    vec_release(&p->accounts);
    vec_release(&p->variables);
    names_release(&p->names);
    mem_free(p);
}

uint32_t properties_count(const struct properties *p)
{
    return p == NULL ? 0 : (uint32_t)p->accounts.count;
}

struct property_account *properties_account(struct properties *p, uint32_t index)
{
    must(index < p->accounts.count);
    return &p->accounts.at[index];
}

/* Values */

void properties_begin(struct properties *p)
{
    p->value_count = 0;
    vec_each (&p->variables, v) {
        v->is_there = false;
    }
}

void properties_set(struct properties *p, const char *name, int64_t value)
{
    *variable_of(p, name) = (struct variable){.value = value, .is_there = true};
    p->value_count++;
}

void properties_unset(struct properties *p, const char *name)
{
    variable_of(p, name)->is_there = false;
    p->value_count++;
}

/* Asking, which a mistake in a property must not end clew by */

static sigjmp_buf way_out;
static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { CAUGHT_COUNT = sizeof caught / sizeof *caught };

static void on_fault(int signal)
{
    siglongjmp(way_out, signal);
}

/* Whether it holds, and whether that says anything. */
static void ask(struct properties *p, uint32_t index, struct property_broken *broken)
{
    struct property_account *account = &p->accounts.at[index];
    p->is_missed = false;
    p->values[0] = '\0';
    const bool holds = p->list[index].holds(&p->view);
    account->skips += p->is_missed;
    account->checks += !p->is_missed;
    if (!holds && !p->is_missed) {
        account->failures++;
        *broken = (struct property_broken){.index = index, .values = p->values};
    }
}

int properties_check(struct properties *p, bool is_end, struct property_broken *broken,
                     struct err *e)
{
    struct sigaction before[CAUGHT_COUNT];
    const struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
    volatile uint32_t at = 0;
    *broken = (struct property_broken){.index = UINT32_MAX};
    for (size_t i = 0; i < CAUGHT_COUNT; i++) {
        (void)sigaction(caught[i], &action, &before[i]);
    }
    const int signal = sigsetjmp(way_out, 1);
    for (; signal == 0 && at < p->accounts.count && broken->index == UINT32_MAX; at++) {
        if (p->list[at].is_at_rest == is_end) {
            ask(p, at, broken);
        }
    }
    for (size_t i = 0; i < CAUGHT_COUNT; i++) {
        (void)sigaction(caught[i], &before[i], NULL);
    }
    return signal == 0 ? 0
                       : err_set(e, "%s: the property \"%s\" crashes (SIG%s)", p->path,
                                 p->accounts.at[at].name, sigabbrev_np(signal));
}
