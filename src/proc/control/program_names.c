/* Names of what a controlled program touches, from its debug information. */
#include <stdio.h>
#include <string.h>

#include "pick/operation_name.h"
#include "proc/control/program_state.h"

void name_modules(struct controlled *c)
{
    const struct control_module *modules = control_at(c, CONTROL_PLACE(MODULES));
    for (; c->module_count < c->page->module_count && c->module_count < CONTROL_MODULES_MAX;
         c->module_count++) {
        const struct control_module *m = &modules[c->module_count];
        char path[sizeof m->path];
        (void)snprintf(path, sizeof path, "%.*s", (int)sizeof path - 1, m->path);
        places_add_module(c->places, path, m->bias);
    }
}

void name_print_place(struct controlled *c, uint64_t place, struct out *out)
{
    name_modules(c);
    if (!places_print_source(c->places, (struct place_calls){&place, 1}, out)) {
        out_text(out, "somewhere");
    }
}

void name_print_line(struct controlled *c, uint64_t place, struct out *out)
{
    name_modules(c);
    if (!places_print_line(c->places, place, out)) {
        out_text(out, "somewhere");
    }
}

bool name_print_functions(struct controlled *c, uint64_t place, struct out *out)
{
    name_modules(c);
    return places_print_functions(c->places, place, out);
}

bool name_uses_result(struct controlled *c, uint64_t place)
{
    name_modules(c);
    return places_uses_result(c->places, place);
}

bool name_plain_update(struct controlled *c, uint64_t place, struct place_update *update)
{
    name_modules(c);
    return places_plain_update(c->places, place, update);
}

bool name_tests_result(struct controlled *c, uint64_t place)
{
    name_modules(c);
    return places_tests_result(c->places, place);
}

bool name_ignores_result(struct controlled *c, uint64_t place)
{
    name_modules(c);
    return places_ignores_result(c->places, place);
}

bool name_stored_constant(struct controlled *c, uint64_t place, int64_t *value)
{
    name_modules(c);
    return places_stored_constant(c->places, place, value);
}

static const char *kind_text(uint64_t kind)
{
    static const char *const texts[] = {
#define KIND(id, text) text,
        CONTROL_DESCRIPTOR_LIST(KIND)
#undef KIND
    };
    return kind < CONTROL_DESCRIPTOR_COUNT ? texts[kind] : "something";
}

/* "balance" or "accounts[2]" for what a symbol covers, else the place. */
static void print_key(struct controlled *c, uint64_t key, struct out *out)
{
    name_modules(c);
    if ((key & CONTROL_KEY_OF_CALLS) != 0) {
        const uint32_t asked = c->page->call_count;
        const struct place_calls calls = {c->page->calls,
                                          asked < CONTROL_ASKED_MAX ? asked : CONTROL_ASKED_MAX};
        if (!places_print_allocation(c->places, calls, out)) {
            out_text(out, "somewhere");
        }
    } else if ((key & CONTROL_KEY_OF_UPDATE) != 0) {
        out_format(out, "%u", places_updated(c->places, key & ~CONTROL_KEY_OF_UPDATE));
    } else if ((key & CONTROL_KEY_OF_KIND) != 0) {
        out_text(out, kind_text(key & ~CONTROL_KEY_OF_KIND));
    } else if ((key & CONTROL_KEY_OF_PLACE) != 0) {
        const uint64_t place = key & ~CONTROL_KEY_OF_PLACE;
        if (!places_print_allocation(c->places, (struct place_calls){&place, 1}, out)) {
            out_text(out, "somewhere");
        }
    } else if (!places_print_variable(c->places, key, out)) {
        out_text(out, "object");
    }
}

const char *name_task(const struct controlled *c, uint32_t number)
{
    const char(*paths)[CONTROL_PATH_SIZE] = control_at(c, CONTROL_PLACE(TASKS));
    return number < CONTROL_TASKS_MAX ? paths[number] : "";
}

static struct control_name *row_of(const struct controlled *c, uint64_t key)
{
    struct control_name *rows = control_at(c, CONTROL_PLACE(NAMES));
    uint32_t at = control_name_row(key);
    uint32_t tried = 0;
    while (rows[at].key != 0 && rows[at].key != key && tried++ < CONTROL_NAMES_MAX) {
        at = (at + 1) % CONTROL_NAMES_MAX;
    }
    return tried < CONTROL_NAMES_MAX ? &rows[at] : NULL;
}

/* Blocks are asked for by another key once the text of their calls is known. */
static uint64_t block_key(const char *text, size_t size)
{
    return CONTROL_KEY_OF_BLOCK | control_block_number(name_text(text, size));
}

static void put_row(struct control_name *row, uint64_t key, uint32_t text, uint32_t size)
{
    row->text = text;
    row->size = size;
    row->key = key;
}

int name_answer(struct controlled *c, uint64_t key, struct err *e)
{
    struct control_name *row = row_of(c, key);
    c->text.used = 0;
    print_key(c, key, &c->text);
    if (row == NULL || c->text.used >= CONTROL_TEXTS_SIZE - c->page->text_size) {
        return err_set(e, "%s: touches more objects than there are names for",
                       c->options.command[0]);
    }
    const uint32_t size = (uint32_t)c->text.used;
    char *text = (char *)control_at(c, CONTROL_PLACE(TEXTS)) + c->page->text_size;
    memcpy(text, c->text.buffer, size);
    text[size] = '\0';
    put_row(row, key, c->page->text_size, size);
    if ((key & CONTROL_KEY_OF_CALLS) != 0) {
        struct control_name *block = row_of(c, block_key(text, size));
        if (block != NULL) {
            put_row(block, block_key(text, size), c->page->text_size, size);
        }
    }
    c->page->text_size += size + 1;
    return 0;
}

void name_print(struct controlled *c, struct named n, struct out *out)
{
    if (n.key == 0) {
        return;
    }
    if ((n.key & CONTROL_KEY_OF_TASK) != 0) {
        out_text(out, name_task(c, (uint32_t)n.key));
        return;
    }
    if (n.key == CONTROL_KEY_OF_TIME) {
        out_text(out, "clock");
        return;
    }
    if (control_owner_process(n.owner) != 0) {
        out_format(out, "%s:", name_task(c, control_owner_process(n.owner)));
    }
    const uint32_t owner = control_owner_task(n.owner);
    const struct control_name *row = row_of(c, n.key);
    const bool is_known = row != NULL && row->key == n.key && row->text < CONTROL_TEXTS_SIZE &&
                          row->size < CONTROL_TEXTS_SIZE - row->text;
    if (is_known) {
        out_bytes(out, (const char *)control_at(c, CONTROL_PLACE(TEXTS)) + row->text, row->size);
    } else {
        print_key(c, n.key, out);
    }
    if (owner != 0) {
        out_format(out, "@%s", name_task(c, owner));
    }
    if (n.ordinal != 0) {
        out_format(out, "#%u", n.ordinal);
    }
    if (n.offset != 0) {
        out_format(out, "+%u", n.offset);
    }
}
