/* The place of an event as a line or a function of the program. */
#include <dwarf.h>
#include <string.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "place/debug_types.h"
#include "place/module_state.h"
#include "wire/must.h"

enum { FRAMES_MAX = 256, SYMBOL_SIZE = 1000 };

const char *places_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

void places_print_symbol(const char *symbol, struct out *out)
{
    char name[SYMBOL_SIZE];
    out_text(out, demangle(symbol, strlen(symbol), name, sizeof name) > 0 ? name : symbol);
}

int places_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file)
{
    uint64_t number = 0;
    uint64_t line = 0;
    Dwarf_Files *files = NULL;
    if (!type_number(inlined, DW_AT_call_file, &number) ||
        !type_number(inlined, DW_AT_call_line, &line) ||
        dwarf_getsrcfiles(unit, &files, NULL) != 0) {
        return -1;
    }
    *file = dwarf_filesrc(files, number, NULL, NULL);
    return (int)line;
}

/* An address returns to the instruction after the call; one byte less is inside it. */
static uint64_t inside(uint64_t address)
{
    return address == 0 ? 0 : address - 1;
}

static const char *path_of(Dwfl_Module *module)
{
    return dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* The functions around an address, from those that are inlined there outwards. */
static void add_scopes(struct places *p, Dwfl_Module *module, uint64_t address)
{
    struct frame frame = {0};
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = places_unit(module, address, &bias);
    Dwarf_Die *scopes = NULL;
    const int count = unit == NULL ? 0 : places_scopes(unit, address - bias, &scopes);
    frame.file = places_line(module, address, &frame.line);
    for (int i = 0; i < count && !frame.is_last; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) {
            continue;
        }
        frame.function = dwarf_diename(&scopes[i]);
        frame.is_last = tag == DW_TAG_subprogram;
        vec_push(&p->frames, frame);
        frame.file = NULL;
        frame.line = frame.is_last ? 0 : places_call(unit, &scopes[i], &frame.file);
    }
    if (!frame.is_last) { /* an assembler's code, or no debug information */
        frame.function = count == 0 ? dwfl_module_addrname(module, address) : NULL;
        frame.is_last = true;
        vec_push(&p->frames, frame);
    }
    mem_free(scopes);
}

/* The frames of an address; they stay where they are until the next is asked for. NULL: no module
 * covers it. */
static const struct frame *frames_at(struct places *p, uint64_t address)
{
    Dwfl_Module *module = places_module(p, inside(address));
    if (module == NULL) {
        return NULL;
    }
    bool is_new = false;
    uint32_t *first = map_slot(&p->frames_of, address, 0, &is_new);
    if (is_new) {
        *first = (uint32_t)p->frames.count + 1;
        if (frame_is_system_module(path_of(module))) {
            vec_push(&p->frames,
                     (struct frame){.function = dwfl_module_addrname(module, inside(address)),
                                    .is_system = true,
                                    .is_last = true});
        } else {
            add_scopes(p, module, inside(address));
        }
    }
    must(*first != 0);
    must(*first <= p->frames.count);
    return &p->frames.at[*first - 1];
}

bool places_find_line(struct places *p, uint64_t address, const char **file, int *line)
{
    Dwfl_Module *module = places_module(p, inside(address));
    *line = 0;
    *file = module == NULL ? NULL : places_line(module, inside(address), line);
    return *file != NULL && *line > 0;
}

bool places_print_line(struct places *p, uint64_t address, struct out *out)
{
    Dwfl_Module *module = places_module(p, inside(address));
    if (module == NULL) {
        return false;
    }
    int number = 0;
    const char *file = places_line(module, inside(address), &number);
    if (file != NULL) {
        out_text(out, places_base_name(file));
        if (number > 0) { /* 0: code that two lines share, or that no line wrote */
            out_format(out, ":%d", number);
        }
        return true;
    }
    GElf_Addr start = 0;
    const char *path = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    const char *function = dwfl_module_addrname(module, inside(address));
    if (function != NULL) {
        out_format(out, "%s!", places_base_name(path));
        places_print_symbol(function, out);
    } else {
        out_format(out, "%s+0x%llx", places_base_name(path),
                   (unsigned long long)(inside(address) - start));
    }
    return true;
}

/* Without the parameters that a demangled function ends in. */
static size_t size_of_name(const char *text, size_t size)
{
    int depth = 0;
    size_t at = size;
    while (at > 0 && text[at - 1] != ')') {
        at--; /* "const" */
    }
    while (at > 0) {
        at--;
        depth += (text[at] == ')') - (text[at] == '(');
        if (depth == 0) {
            break;
        }
    }
    return at == 0 ? size : at;
}

/* "libc.so.6!getdelim", "prog!main". */
static void print_function(Dwfl_Module *module, const char *function, struct out *out)
{
    out_text(out, places_base_name(path_of(module)));
    if (function != NULL) {
        out_char(out, '!');
        const size_t start = out->used;
        places_print_symbol(function, out);
        out->used = start + size_of_name(out->buffer + start, out->used - start);
    }
}

/* The stack that the calls stand for, and which call each frame is of. */
struct stack {
    uint32_t count;
    struct frame frames[FRAMES_MAX];
    uint64_t address[FRAMES_MAX];
};

static void print_frame(struct places *p, const struct stack *s, uint32_t chosen, struct out *out)
{
    const uint32_t at = chosen == FRAME_NONE ? 0 : chosen;
    must(at < FRAMES_MAX);
    const struct frame *f = &s->frames[at];
    if (f->is_system || (chosen != FRAME_NONE && f->file == NULL)) {
        print_function(places_module(p, inside(s->address[at])), f->function, out);
    } else if (chosen == FRAME_NONE || f->line <= 0) {
        (void)places_print_line(p, s->address[at], out);
    } else {
        out_format(out, "%s:%d", places_base_name(f->file), f->line);
    }
}

/* Adds the frames of a call; whether one of them is the one to choose. */
static bool add_call(struct places *p, struct stack *s, uint64_t address, enum frame_use use)
{
    bool is_done = false;
    const struct frame *f = frames_at(p, address);
    for (bool is_more = f != NULL; is_more && s->count < FRAMES_MAX; f++) {
        s->frames[s->count] = *f;
        s->address[s->count++] = address;
        is_done = is_done || frame_is_best(f, use);
        is_more = !f->is_last;
    }
    return is_done;
}

/* Looks at the calls from the innermost on until one is in the program. Mostly the first is. */
static bool print_chosen(struct places *p, struct place_calls calls, enum frame_use use,
                         struct out *out)
{
    struct stack s;
    s.count = 0;
    for (uint32_t i = 0; i < calls.count; i++) {
        if (add_call(p, &s, calls.at[i], use)) {
            break;
        }
    }
    if (s.count == 0) {
        return false;
    }
    print_frame(p, &s, frame_choose(s.frames, s.count, use), out);
    return true;
}

bool places_print_source(struct places *p, struct place_calls calls, struct out *out)
{
    return print_chosen(p, calls, FRAME_OF_EVENT, out);
}

bool places_print_allocation(struct places *p, struct place_calls calls, struct out *out)
{
    return print_chosen(p, calls, FRAME_OF_BLOCK, out);
}
