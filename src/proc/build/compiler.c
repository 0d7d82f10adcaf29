#include "proc/build/compiler.h"

#include <stdio.h>
#include <string.h>

#include "wire/libc_calls.h"

/* The requests of a command line. */
struct request {
    bool links;        /* not stopped by -c, -S, -E, -M ... */
    bool has_linkable; /* there is something to link: a source, an object, a library */
    size_t source_count;
    bool keeps_library; /* -nostdlib, -r: the user chooses the libraries */
    bool is_static;
};

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(word, *list) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_ending(const char *word, const char *const *endings)
{
    const char *dot = strrchr(word, '.');
    return dot != NULL && is_one_of(dot, endings);
}

/* The words of a command line, one option with its value or one file after the other. */
struct reading {
    const struct compiler_options *o;
    size_t at;         /* the word */
    bool has_language; /* behind -x: every file is a source, whatever its name ends in */
    bool is_language;  /* the word is -x itself ... */
    const char *value; /* ... or another option, with the next word as its value; NULL: none */
};

static bool is_source(const struct reading *r)
{
    static const char *const endings[] = {".c",   ".C", ".cc", ".cpp", ".cxx",
                                          ".c++", ".i", ".ii", NULL};
    const char *word = r->o->words[r->at];
    if (r->has_language && strcmp(word, "-") == 0) {
        return true; /* standard input */
    }
    return word[0] != '-' && (r->has_language || has_ending(word, endings));
}

/* Options whose value is the next word. */
static bool takes_value(const char *word)
{
    static const char *const options[] = {"-o",          "-I",         "-L",       "-D",
                                          "-U",          "-x",         "-include", "-isystem",
                                          "-iquote",     "-idirafter", "-imacros", "-MF",
                                          "-MT",         "-MQ",        "-Xlinker", "-Xpreprocessor",
                                          "-Xassembler", "-T",         "-u",       "-z",
                                          "-arch",       "--param",    "-l",       "-e",
                                          "-B",          NULL};
    return is_one_of(word, options);
}

/* Looks at the word, and at its value: -x LANGUAGE or -xLANGUAGE, until -x none. */
static bool read_word(struct reading *r)
{
    if (r->at >= r->o->word_count) {
        return false;
    }
    const char *word = r->o->words[r->at];
    const bool has_value = takes_value(word) && r->at + 1 < r->o->word_count;
    r->value = has_value ? r->o->words[r->at + 1] : NULL;
    r->is_language = strncmp(word, "-x", 2) == 0 && (has_value || word[2] != 0);
    if (r->is_language) {
        r->has_language = strcmp(has_value ? r->value : word + 2, "none") != 0;
    }
    return true;
}

static void next_word(struct reading *r)
{
    r->at += r->value == NULL ? 1 : 2;
}

static struct request understand(const struct compiler_options *o)
{
    static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
    static const char *const whole[] = {"-static", "--static", "-static-pie", NULL};
    static const char *const bare[] = {"-nostdlib", "-r", "-nodefaultlibs", "-nolibc", NULL};
    struct request r = {.links = true};
    for (struct reading at = {.o = o}; read_word(&at); next_word(&at)) {
        const char *word = o->words[at.at];
        r.links = r.links && !is_one_of(word, stops);
        r.keeps_library = r.keeps_library || is_one_of(word, bare);
        r.is_static = r.is_static || is_one_of(word, whole);
        if (at.value == NULL) {
            r.source_count += is_source(&at);
            r.has_linkable = r.has_linkable || word[0] != '-' || is_source(&at);
        }
    }
    r.links = r.links && r.has_linkable;
    return r;
}

/* Words being put together for one step. */
struct words {
    struct arena *arena;
    VEC(char *) list;
};

static void add(struct words *w, const char *word)
{
    vec_push(&w->list, arena_text(w->arena, word, strlen(word)));
}

static void add_joined(struct words *w, const char *head, const char *tail)
{
    char *word = arena_take(w->arena, strlen(head) + strlen(tail) + 1, 1);
    (void)snprintf(word, strlen(head) + strlen(tail) + 1, "%s%s", head, tail);
    vec_push(&w->list, word);
}

static void finish(struct compiler_plan *plan, struct words *w)
{
    struct compiler_step step = {.words = arena_array(&plan->arena, char *, w->list.count + 1)};
    memcpy(step.words, w->list.at, w->list.count * sizeof *step.words);
    vec_push(&plan->steps, step);
    vec_release(&w->list);
}

static bool is_clang(const struct compiler_options *o)
{
    return strncmp(o->compiler, "clang", 5) == 0;
}

/* Functions that gcc would replace by stores without a report. clang reports the stores that it
 * inserts. */
static const char *const kept_calls[] = {
    "memcpy",  "memmove", "memset",   "mempcpy",  "strcpy",    "stpcpy", "strncpy", "strcat",
    "strncat", "sprintf", "snprintf", "vsprintf", "vsnprintf", "bzero",  "bcopy",   NULL};

/* Passed to clang's optimizer. By default clang leaves out the read of a variable that is written
 * right after it (`count--`), which finds the same races. But the values of reads decide which
 * executions are possible. clang also merges accesses at the beginning or the end of two branches
 * into one, which then has no line and lies in no call: the analysis of atomicity needs both. And
 * it copies the first line of a loop to its end, and threads branches past the end of an inlined
 * call: then the loop around a call cannot be told from one in it. */
static const char *const clang_options[] = {"-tsan-instrument-read-before-write=1",
                                            "-hoist-common-insts=false",
                                            "-sink-common-insts=false",
                                            "-rotation-max-header-size=0",
                                            "-jump-threading-threshold=0",
                                            NULL};

static void begin_compiling(struct words *w, const struct compiler_options *o)
{
    add(w, o->compiler);
    add(w, "-fsanitize=thread");
    if (is_clang(o)) {
        add(w, "-fno-unroll-loops"); /* in copies of its body, the rounds of a loop look like one */
    }
    for (const char *const *option = clang_options; is_clang(o) && *option != NULL; option++) {
        add(w, "-Xclang");
        add(w, "-mllvm");
        add(w, "-Xclang");
        add(w, *option);
    }
    add_joined(w, "-I", o->includes);
    add(w, "-isystem");
    add_joined(w, o->includes, "/clew/cxx");
    if (!is_clang(o)) {
        for (const char *const *name = kept_calls; *name != NULL; name++) {
            add_joined(w, "-fno-builtin-", *name);
        }
        add(w, "-include");
        add(w, "clew/builtins.h");
    }
}

static const char coverage[] = "-fsanitize-coverage=";

static bool is_coverage(const char *word)
{
    return strncmp(word, coverage, sizeof coverage - 1) == 0;
}

/* A word of the user's, as it is; but counters in the code, whose increments clang reports as
 * accesses, become calls. */
static void add_compiling(struct words *w, const char *word)
{
    static const char guards[] = "trace-pc-guard";
    static const char *const counters[] = {"inline-8bit-counters", "inline-bool-flag", NULL};
    for (const char *const *kind = counters; is_coverage(word) && *kind != NULL; kind++) {
        const char *at = strstr(word, *kind);
        if (at != NULL) {
            char *text = arena_take(w->arena, strlen(word) + sizeof guards, 1);
            (void)snprintf(text, strlen(word) + sizeof guards, "%.*s%s%s", (int)(at - word), word,
                           guards, at + strlen(*kind));
            vec_push(&w->list, text);
            return;
        }
    }
    add(w, word);
}

/* The user's words. */
static void plan_compiling(struct compiler_plan *plan, const struct compiler_options *o)
{
    struct words w = {.arena = &plan->arena};
    begin_compiling(&w, o);
    for (size_t i = 0; i < o->word_count; i++) {
        add_compiling(&w, o->words[i]);
    }
    finish(plan, &w);
}

/* One source of a command line that also links: everything but the output and the other sources. */
static const char *plan_source(struct compiler_plan *plan, const struct compiler_options *o,
                               size_t source)
{
    char *object = arena_take(&plan->arena, strlen(o->folder) + 32, 1);
    (void)snprintf(object, strlen(o->folder) + 32, "%s/clew-%zu.o", o->folder, source);
    struct words w = {.arena = &plan->arena};
    begin_compiling(&w, o);
    if (is_clang(o)) {
        add(&w, "-Qunused-arguments"); /* it warns of words that are for the linker */
    }
    for (size_t i = 0; i < o->word_count; i++) {
        const char *word = o->words[i];
        const bool has_value = takes_value(word) && i + 1 < o->word_count;
        if (strcmp(word, "-o") == 0) {
            i++;
        } else if (has_value) {
            add(&w, word);
            add(&w, o->words[++i]);
        } else if (i == source || (word[0] == '-' && strncmp(word, "-l", 2) != 0 &&
                                   strncmp(word, "-Wl,", 4) != 0)) {
            add_compiling(&w, word);
        }
    }
    add(&w, "-c");
    add(&w, "-o");
    add(&w, object);
    finish(plan, &w);
    vec_push(&plan->leftovers, object);
    return object;
}

/* Functions that access memory for their callers, those around C++'s static variables
 * (runtime/instrument/static_guard_hooks.c), and those that link nodes of its containers
 * (runtime/instrument/container_hooks.c). */
static const char *const wrapped[] = {
#define NAME(name) #name,
#define CALL(result, name, parameters, arguments, before, after) #name,
    LIBC_CALLS_BY_HAND(NAME) LIBSTDCXX_CALLS_BY_HAND(NAME) LIBC_CALLS(CALL)
#undef CALL
#undef NAME
        NULL,
};

/* Sources are objects by now: a language would make the linker's driver compile those. */
static void plan_linking(struct compiler_plan *plan, const struct compiler_options *o,
                         const struct request *r)
{
    struct words w = {.arena = &plan->arena};
    add(&w, o->compiler);
    for (struct reading at = {.o = o}; read_word(&at); next_word(&at)) {
        /* clang would link a library of its own that counts blocks. */
        const bool is_library = is_coverage(o->words[at.at]) && !r->keeps_library;
        if (at.is_language || is_library) {
            continue;
        }
        if (at.value != NULL) {
            add(&w, o->words[at.at]);
            add(&w, at.value);
        } else {
            add(&w, is_source(&at) ? plan_source(plan, o, at.at) : o->words[at.at]);
        }
    }
    if (!r->keeps_library) {
        add(&w, o->hooks);
        add(&w, "-Wl,-z,dynamic-undefined-weak");
        for (const char *const *name = wrapped; *name != NULL; name++) {
            add_joined(&w, "-Wl,--wrap=", *name);
        }
    }
    finish(plan, &w);
}

/* Whether gcc's calls for covered blocks can become counters: in AT&T syntax, and not in C++, where
 * the linker may drop a function that a table speaks of. */
static bool has_counters(const struct compiler_options *o)
{
#if defined(__x86_64__)
    const bool is_gcc = strcmp(o->compiler, "gcc") == 0;
#else
    const bool is_gcc = false;
#endif
    for (struct reading at = {.o = o}; is_gcc && read_word(&at); next_word(&at)) {
        const char *word = o->words[at.at];
        static const char *const cpp[] = {".C", ".cc", ".cpp", ".cxx", ".c++", ".ii", NULL};
        if (strcmp(word, "-masm=intel") == 0 || has_ending(word, cpp) || at.is_language) {
            return false;
        }
    }
    return is_gcc;
}

/* Whether the linker, if the user asks for another than the default, can insert a linker script:
 * gold refuses it, and lld puts the sections elsewhere. */
static bool takes_scripts(const struct compiler_options *o)
{
    static const char option[] = "-fuse-ld=";
    for (struct reading at = {.o = o}; read_word(&at); next_word(&at)) {
        const char *word = o->words[at.at];
        if (strncmp(word, option, sizeof option - 1) == 0 && strcmp(word, "-fuse-ld=bfd") != 0) {
            return false;
        }
    }
    return true;
}

static const char *output_of(const struct compiler_options *o)
{
    const char *output = "a.out";
    for (struct reading at = {.o = o}; read_word(&at); next_word(&at)) {
        const char *word = o->words[at.at];
        if (strcmp(word, "-o") == 0 && at.value != NULL) {
            output = at.value;
        } else if (strncmp(word, "-o", 2) == 0 && at.value == NULL) {
            output = word + 2;
        }
    }
    return output;
}

static const char *folder_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? "." : arena_text(arena, path, (size_t)(slash - path));
}

/* A shared object for the simulator. The user's words come last, so that they win. */
static void plan_system(struct compiler_plan *plan, const struct compiler_options *o,
                        const struct request *r)
{
    /* Calls at the end of functions stay calls: they are in backtraces, and gcc's callback for a
     * block that is last in its function is one of those that become counters. A failed check for
     * undefined behaviour does not return, so that code behind checks is as good as without.
     * Pointer arithmetic is not checked for overflow: the checks took 5 % of the runs of a Raft
     * library, and a pointer that wraps around faults where it is used. */
    static const char *const always[] = {"-fPIC",
                                         "-g",
                                         "-fno-omit-frame-pointer",
                                         "-fno-optimize-sibling-calls",
                                         "-fsanitize=undefined",
                                         "-fno-sanitize=vptr,pointer-overflow",
                                         "-fno-sanitize-recover=undefined",
                                         NULL};
    struct words w = {.arena = &plan->arena};
    add(&w, o->compiler);
    for (const char *const *word = always; *word != NULL; word++) {
        add(&w, *word);
    }
    add(&w, is_clang(o) ? "-fsanitize-coverage=inline-8bit-counters,pc-table"
                        : "-fsanitize-coverage=trace-pc");
    if (has_counters(o)) {
        add(&w, "-Xassembler");
        add_joined(&w, o->includes, "/clew/sim_counters.s");
    }
    add_joined(&w, "-I", o->includes);
    if (r->links) {
        add(&w, "-shared");
        add(&w, "-Wl,-z,now");
        /* A function of the system is its own, also where libc has one of that name. */
        add(&w, "-Wl,-Bsymbolic");
        /* gcc links -lubsan with instrumented code. An empty libubsan lies beside libclew_sim.a,
         * which has the functions. */
        add_joined(&w, "-L", folder_of(&plan->arena, o->sim));
        if (takes_scripts(o)) {
            add(&w, "-Xlinker");
            add(&w, "-T");
            add(&w, "-Xlinker");
            add_joined(&w, o->includes, "/clew/sim_counters.ld");
        }
    }
    for (size_t i = 0; i < o->word_count; i++) {
        add(&w, o->words[i]);
    }
    if (r->links) {
        /* After all objects of the system: the linker resolves their undefined symbols here. */
        add(&w, "-Xlinker");
        add(&w, o->sim);
        plan->system = output_of(o);
    }
    finish(plan, &w);
}

void compiler_plan(struct compiler_plan *plan, const struct compiler_options *options)
{
    const struct request request = understand(options);
    plan->is_static = request.links && request.is_static;
    if (options->is_system) {
        plan_system(plan, options, &request);
    } else if (request.links) {
        plan_linking(plan, options, &request);
    } else {
        plan_compiling(plan, options);
    }
}

void compiler_release(struct compiler_plan *plan)
{
    vec_release(&plan->steps);
    vec_release(&plan->leftovers);
    arena_release(&plan->arena);
}
