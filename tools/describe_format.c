/* Prints the tables of docs/trace-format.md from the lists that the program itself is made of.
 * `ninja -C build docs` puts them where they belong. */
#include <unistd.h>

#include "base/out.h"
#include "trace/chunk.h"
#include "trace/event_columns.h"
#include "trace/kind_table.h"
#include "trace/tables.h"

static void print_fields(struct out *out, unsigned fields)
{
    static const struct {
        enum event_field field;
        const char *name;
    } names[] = {
        {F_OBJECT, "object"}, {F_MESSAGE, "message"}, {F_PEER, "peer"},   {F_TEXT, "text"},
        {F_VALUE, "value"},   {F_SIZE, "size"},       {F_COUNT, "count"},
    };
    const char *before = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((fields & names[i].field) != 0) {
            out_format(out, "%s%s", before, names[i].name);
            before = ", ";
        }
    }
}

static const char *modes_name(enum mode_set set)
{
    switch (set) {
    case MODES_NONE: return "";
    case MODES_LOCK: return "lock";
    case MODES_SEMAPHORE: return "semaphore";
    case MODES_MEMORY: return "memory";
    case MODES_TRANSPORT: return "transport";
    case MODES_FAULT: return "fault";
    case MODES_CHOICE: return "choice";
    case MODES_VERB: return "verb";
    case MODES_ACCESS: return "access";
    case MODES_ANNOTATION: return "annotation";
    }
    bug("mode set");
}

static void print_kinds(struct out *out)
{
    out_text(out,
             "\n### Kinds of events\n\nA class tells what kinds have in common; `modes` is the "
             "list that gives the mode its meaning; the fields named\nmean something for the "
             "kind, besides location, time and hybrid logical clock, which any event may "
             "have.\n\n| number | kind | class | modes | fields | meaning "
             "|\n|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < KIND_LIMIT; i++) {
        const struct kind *kind = kind_of(i);
        if (kind != NULL) {
            out_format(out, "| %u | `%s` | %s | %s | ", i, kind->name, class_name(kind->class),
                       modes_name(kind->modes));
            print_fields(out, kind->fields);
            out_format(out, " | %s |\n", kind->meaning);
        }
    }
}

static void print_modes(struct out *out)
{
    out_text(
        out,
        "\n### Modes\n\n0 is always \"not said\": a mutex for locks, sequentially "
        "consistent for atomics. `try-` in front of a lock's mode: it was taken by a call that "
        "gives up\ninstead of blocking for ever (trylock, a time limit, F_SETLK, LOCK_NB). "
        "`add-`, `or-`,\n`and-`, `xor-` or `set-` in front of a memory order: a read-modify-write "
        "that does this, and whose result the program does not use. `add`, `or`, `and` or `xor` of "
        "a\nread and the write that follows: the same by plain accesses."
        "\n\n| modes | number and name |\n|---|---|\n");
    for (int set = MODES_LOCK; set <= MODES_ANNOTATION; set++) {
        out_format(out, "| %s |", modes_name((enum mode_set)set));
        for (uint8_t mode = 1; mode < UINT8_MAX; mode++) {
            const char *name = mode_name((enum mode_set)set, mode);
            if (name != NULL) {
                out_format(out, "%s %u `%s`", mode == 1 ? "" : ",", mode, name);
            }
        }
        out_text(out, " |\n");
    }
}

static void print_columns(struct out *out)
{
    out_text(out,
             "\n### Columns of events\n\n| column | field | bytes | holds |\n|---|---|---|---|\n");
    int number = 0;
#define COLUMN(field, meaning)                                      \
    out_format(out, "| %d | `%s` | %zu | %s |\n", number++, #field, \
               sizeof(((struct event *)0)->field), meaning);
    COLUMN_LIST(COLUMN)
#undef COLUMN
}

static void print_orders(struct out *out)
{
    out_text(out, "\n### Kinds of order\n\n| number | order | meaning |\n|---|---|---|\n");
#define ORDER(id, name, meaning) out_format(out, "| %d | `%s` | %s |\n", ORDER_##id, name, meaning);
    ORDER_KIND_LIST(ORDER)
#undef ORDER
}

int main(void)
{
    struct out out;
    struct err e;
    out_open_fd(&out, STDOUT_FILENO);
    print_orders(&out);
    print_columns(&out);
    print_kinds(&out);
    print_modes(&out);
    return out_close(&out, &e) < 0 ? 1 : 0;
}
