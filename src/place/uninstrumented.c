#include "place/uninstrumented.h"

#include <capstone/capstone.h>
#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "place/module_state.h"

/* Whether a compilation unit reports its accesses. */
enum class {
    CLASS_UNKNOWN,  /* the compiler does not say how it was called */
    CLASS_REPORTED, /* its accesses are */
    CLASS_PLAIN,
};

struct unit {
    Dwarf_Die die;
    enum class class;
    const char *name;
};

/* An object file that was linked into the module: objects may have the same name. */
struct object {
    const char *name;
    bool is_own;     /* of libclew_hooks.a */
    bool calls_hook; /* in one of its local functions */
};

/* A function that accesses memory and calls no hook. */
struct suspect {
    const char *name;
    const struct object *object; /* that its local symbol belongs to; NULL: it is global */
    size_t unit;                 /* SIZE_MAX: none */
    bool is_certain; /* its accesses are not reported, although those of its unit may be */
};

struct search {
    Dwfl_Module *module;
    Elf *elf;
    GElf_Addr bias;  /* of addresses in the process over those in the file */
    Dwarf_Addr skew; /* the same for debug information */
    csh decoder;
    cs_insn *instruction;
    VEC(struct unit) units;
    VEC(struct suspect) suspects;
    VEC(struct object) objects; /* in the order of the table of symbols */
    VEC(uint64_t) hooks;        /* addresses of functions that report accesses */
};

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- units ---- */

static enum class class_of(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(die, DW_AT_producer, &attribute));
    if (producer == NULL || !begins_with(producer, "GNU C")){return CLASS_UNKNOWN;}
return strstr(producer, "-fsanitize=thread") != NULL ? CLASS_REPORTED : CLASS_PLAIN;
}

static void collect_units(struct search *s)
{
    Dwarf_Die *die = NULL;
    while ((die = dwfl_module_nextcu(s->module, die, &s->skew)) != NULL) {
        const char *name = dwarf_diename(die);
        vec_push(&s->units, (struct unit){.die = *die,
                                          .class = class_of(die),
                                          .name = name == NULL ? "?" : places_base_name(name)});
    }
}

static size_t unit_of(struct search *s, uint64_t address)
{
    for (size_t i = 0; i < s->units.count; i++) {
        if (dwarf_haspc(&s->units.at[i].die, address + s->bias - s->skew) > 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* ---- code ---- */

static const char *section_name(const struct search *s, const GElf_Shdr *header)
{
    size_t names = 0;
    const char *name =
        elf_getshdrstrndx(s->elf, &names) == 0 ? elf_strptr(s->elf, names, header->sh_name) : NULL;
    return name == NULL ? "" : name;
}

/* The linker's table of addresses does not change once the program runs. */
static bool is_writable(const struct search *s, uint64_t address)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(s->elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && (header.sh_flags & SHF_ALLOC) != 0 &&
            address >= header.sh_addr && address < header.sh_addr + header.sh_size) {
            return (header.sh_flags & SHF_WRITE) != 0 &&
                   !begins_with(section_name(s, &header), ".got");
        }
    }
    return false;
}

/* Whether an operand is memory that another thread may access as well. */
static bool is_shared(const struct search *s, const cs_x86_op *op, bool has_frame)
{
    const cs_insn *i = s->instruction;
    if (op->type != X86_OP_MEM || op->access == 0 || op->mem.segment != X86_REG_INVALID) {
        return false;
    }
    if (op->mem.base == X86_REG_RIP) {
        return is_writable(s, i->address + i->size + (uint64_t)op->mem.disp);
    }
    return op->mem.base != X86_REG_RSP && !(has_frame && op->mem.base == X86_REG_RBP);
}

static bool accesses(const struct search *s, bool has_frame)
{
    const cs_insn *i = s->instruction;
    if (i->id == X86_INS_LEA || i->id == X86_INS_NOP || cs_insn_group(s->decoder, i, CS_GRP_JUMP)) {
        return false;
    }
    if (cs_insn_group(s->decoder, i, CS_GRP_CALL)) {
        return false;
    }
    for (uint8_t k = 0; k < i->detail->x86.op_count; k++) {
        if (is_shared(s, &i->detail->x86.operands[k], has_frame)) {
            return true;
        }
    }
    return false;
}

static bool sets_frame(const cs_insn *i)
{
    const cs_x86 *x = &i->detail->x86;
    return i->id == X86_INS_MOV && x->operands[0].type == X86_OP_REG &&
           x->operands[0].reg == X86_REG_RBP && x->operands[1].type == X86_OP_REG &&
           x->operands[1].reg == X86_REG_RSP;
}

/* Whether only inline assembly has such an instruction: the compiler calls a hook for each atomic
 * operation. A locked access to the stack is a fence. */
static bool is_locked(const cs_insn *i)
{
    const cs_x86 *x = &i->detail->x86;
    for (uint8_t k = 0; k < x->op_count; k++) {
        const cs_x86_op *op = &x->operands[k];
        if (op->type == X86_OP_MEM && op->mem.base != X86_REG_RSP) {
            return x->prefix[0] == X86_PREFIX_LOCK || i->id == X86_INS_XCHG;
        }
    }
    return false;
}

static bool calls_hook(const struct search *s)
{
    const cs_insn *i = s->instruction;
    const cs_x86 *x = &i->detail->x86;
    if (!(cs_insn_group(s->decoder, i, CS_GRP_CALL) || cs_insn_group(s->decoder, i, CS_GRP_JUMP)) ||
        x->op_count != 1 || x->operands[0].type != X86_OP_IMM) {
        return false;
    }
    vec_each (&s->hooks, hook) {
        if (*hook == (uint64_t)x->operands[0].imm) {
            return true;
        }
    }
    return false;
}

static bool code_of(const struct search *s, const GElf_Sym *symbol, const uint8_t **code)
{
    Elf_Scn *section = elf_getscn(s->elf, symbol->st_shndx);
    GElf_Shdr header;
    const Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
    if (data == NULL || data->d_buf == NULL || gelf_getshdr(section, &header) == NULL ||
        symbol->st_value < header.sh_addr || symbol->st_size > data->d_size ||
        symbol->st_value - header.sh_addr > data->d_size - symbol->st_size) {
        return false;
    }
    *code = (const uint8_t *)data->d_buf + (symbol->st_value - header.sh_addr);
    return true;
}

/* Whether the instruction accesses a variable by its address in the code. */
static bool accesses_variable(const struct search *s)
{
    const cs_x86 *x = &s->instruction->detail->x86;
    for (uint8_t k = 0; k < x->op_count; k++) {
        if (x->operands[k].type == X86_OP_MEM && x->operands[k].mem.base == X86_REG_RIP) {
            return accesses(s, false);
        }
    }
    return false;
}

/* What the instructions of a function show. */
struct shown {
    bool has_access, has_variable, has_hook, has_lock;
};

static struct shown decode(const struct search *s, const GElf_Sym *symbol, const uint8_t *code)
{
    struct shown shown = {0};
    size_t left = symbol->st_size;
    uint64_t address = symbol->st_value;
    bool has_frame = false;
    while (left > 0 && cs_disasm_iter(s->decoder, &code, &left, &address, s->instruction)) {
        has_frame = has_frame || sets_frame(s->instruction);
        shown.has_lock = shown.has_lock || is_locked(s->instruction);
        shown.has_hook = shown.has_hook || calls_hook(s);
        shown.has_access = shown.has_access || accesses(s, has_frame);
        shown.has_variable = shown.has_variable || accesses_variable(s);
    }
    return shown;
}

/* Looks at a function: its unit reports accesses, or it is one to be suspected. In a unit that
 * does, functions may be excepted (no_sanitize), and so is inline assembly; constant tables, and
 * results that are returned through a pointer, are accessed without a hook there. */
static void look_at(struct search *s, const GElf_Sym *symbol, const char *name,
                    struct object *object)
{
    const size_t unit = unit_of(s, symbol->st_value);
    const uint8_t *code = NULL;
    if (!code_of(s, symbol, &code)) {
        return;
    }
    const struct shown shown = decode(s, symbol, code);
    const bool is_reported = unit != SIZE_MAX && s->units.at[unit].class == CLASS_REPORTED;
    if (shown.has_hook && unit != SIZE_MAX && s->units.at[unit].class == CLASS_UNKNOWN) {
        s->units.at[unit].class = CLASS_REPORTED;
    }
    if (shown.has_hook && object != NULL) {
        object->calls_hook = true;
    }
    const bool is_suspect = is_reported ? shown.has_variable : shown.has_access;
    if (shown.has_lock || (is_suspect && !shown.has_hook)) {
        vec_push(&s->suspects, (struct suspect){.name = name,
                                                .object = object,
                                                .unit = unit,
                                                .is_certain = shown.has_lock || is_reported});
    }
}

/* ---- symbols ---- */

static bool is_in_hooks(const struct search *s, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(s->elf, symbol->st_shndx);
    if (section == NULL || gelf_getshdr(section, &header) == NULL) {
        return false;
    }
    const char *name = section_name(s, &header);
    return strcmp(name, "clew_hooks") == 0 || strcmp(name, "clew_wrappers") == 0;
}

/* Whether code that calls the function reports an access by that. */
static bool reports(const char *name)
{
    return begins_with(name, "__tsan_") || begins_with(name, "__wrap_");
}

/* Whether the compiler or the linker added the function, or gcc gives it no hooks: cold parts of
 * functions, and thunks of virtual functions, which read tables that nobody changes. */
static bool is_of_language(const char *name)
{
    static const char *const names[] = {"_start",
                                        "_init",
                                        "_fini",
                                        "deregister_tm_clones",
                                        "register_tm_clones",
                                        "frame_dummy",
                                        "atexit",
                                        "at_quick_exit",
                                        "pthread_atfork",
                                        "_dl_relocate_static_pie",
                                        "__pthread_atfork",
                                        NULL};
    static const char *const beginnings[] = {"__do_global_",
                                             "__libc_csu_",
                                             "__x86.",
                                             "__clang_call_",
                                             "__cpu_",
                                             "__udivmod",
                                             "__divmod",
                                             "__emutls_",
                                             "__gcc_",
                                             "__register_",
                                             "__deregister_",
                                             "__sanitizer_",
                                             "__ubsan_",
                                             "__asan_",
                                             "__gcov_",
                                             "__llvm_",
                                             "__stack_chk_fail_local",
                                             "__bid",
                                             "__avx_",
                                             "_ZThn",
                                             "_ZTv",
                                             "_ZTc",
                                             NULL};
    for (const char *const *known = names; *known != NULL; known++) {
        if (strcmp(name, *known) == 0) {
            return true;
        }
    }
    for (const char *const *known = beginnings; *known != NULL; known++) {
        if (begins_with(name, *known)) {
            return true;
        }
    }
    return strstr(name, ".cold") != NULL;
}

static Elf_Data *symbols_of(Elf *elf, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, header) != NULL && header->sh_type == SHT_SYMTAB) {
            return elf_getdata(section, NULL);
        }
    }
    return NULL;
}

/* The first walk over the symbols adds the objects, so that later walks may keep pointers to them.
 */
static struct object *object_numbered(struct search *s, size_t number, const char *name)
{
    must(number <= s->objects.count);
    if (number == s->objects.count) {
        vec_push(&s->objects, (struct object){.name = name});
    }
    return &s->objects.at[number];
}

/* Called with each symbol: the object that a local one belongs to, NULL for a global one. */
typedef void visit_symbol(struct search *, const GElf_Sym *, const char *, struct object *);

/* Local symbols follow that of their file; hidden symbols of all files follow one without name. */
static void each_symbol(struct search *s, Elf_Data *data, const GElf_Shdr *header,
                        visit_symbol *visit)
{
    struct object *object = NULL;
    size_t number = 0;
    const size_t count = header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) == NULL
                               ? NULL
                               : elf_strptr(s->elf, header->sh_link, symbol.st_name);
        if (name == NULL) {
            continue;
        }
        if (GELF_ST_TYPE(symbol.st_info) != STT_FILE) {
            visit(s, &symbol, name, GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? object : NULL);
        } else if (name[0] == '\0') {
            object = NULL;
        } else {
            object = object_numbered(s, number++, name);
        }
    }
}

static bool is_function(const GElf_Sym *symbol)
{
    return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_size > 0;
}

/* instrument.h defines this symbol in each object of libclew_hooks.a, which `clew cc` links into
 * every program. */
static void note_own(struct search *s, const GElf_Sym *symbol, const char *name,
                     struct object *object)
{
    if (object != NULL && strcmp(name, "clew_instrumentation_object") == 0) {
        object->is_own = true;
    } else if (is_function(symbol) && reports(name) && is_in_hooks(s, symbol)) {
        vec_push(&s->hooks, symbol->st_value);
    }
}

static void note_function(struct search *s, const GElf_Sym *symbol, const char *name,
                          struct object *object)
{
    if (is_function(symbol) && !is_in_hooks(s, symbol) && !is_of_language(name) &&
        (object == NULL || !object->is_own)) {
        look_at(s, symbol, name, object);
    }
}

/* ---- names ---- */

static void add_name(plain_names *names, const char *name, struct arena *arena)
{
    vec_each (names, known) {
        if (strcmp(*known, name) == 0) {
            return;
        }
    }
    vec_push(names, arena_text(arena, name, strlen(name)));
}

static void name_suspects(const struct search *s, plain_names *names, struct arena *arena)
{
    vec_each (&s->suspects, suspect) {
        const struct unit *unit = suspect->unit == SIZE_MAX ? NULL : &s->units.at[suspect->unit];
        if (suspect->is_certain && (unit == NULL || unit->class == CLASS_REPORTED)) {
            add_name(names, suspect->name, arena);
            continue;
        }
        if (unit != NULL ? unit->class == CLASS_REPORTED
                         : suspect->object != NULL && suspect->object->calls_hook) {
            continue;
        }
        add_name(names,
                 unit != NULL              ? unit->name
                 : suspect->object != NULL ? places_base_name(suspect->object->name)
                                           : suspect->name,
                 arena);
    }
}

static void search_release(struct search *s)
{
    if (s->instruction != NULL) {
        cs_free(s->instruction, 1);
    }
    (void)cs_close(&s->decoder);
    vec_release(&s->units);
    vec_release(&s->suspects);
    vec_release(&s->objects);
    vec_release(&s->hooks);
}

/* For dwfl_getmodules: whether this is the module with the bias that is searched for. */
static int find_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
                       void *context)
{
    struct search *s = context;
    GElf_Addr bias = 0;
    (void)data;
    (void)name;
    (void)start;
    Elf *elf = dwfl_module_getelf(module, &bias);
    if (elf == NULL || bias != s->bias) {
        return DWARF_CB_OK;
    }
    s->module = module;
    s->elf = elf;
    return DWARF_CB_ABORT;
}

static bool search_open(struct search *s, struct places *p, uint64_t bias)
{
    GElf_Ehdr header;
    s->bias = bias;
    if (places_settle(p)) {
        (void)dwfl_getmodules(p->dwfl, find_module, s, 0);
    }
    return s->elf != NULL && gelf_getehdr(s->elf, &header) != NULL &&
           header.e_machine == EM_X86_64 &&
           cs_open(CS_ARCH_X86, CS_MODE_64, &s->decoder) == CS_ERR_OK;
}

void plain_find(plain_names *names, struct places *p, uint64_t bias, struct arena *arena)
{
    struct search s = {0};
    GElf_Shdr header;
    if (!search_open(&s, p, bias)) {
        return;
    }
    (void)cs_option(s.decoder, CS_OPT_DETAIL, CS_OPT_ON);
    s.instruction = cs_malloc(s.decoder);
    Elf_Data *data = symbols_of(s.elf, &header);
    if (data == NULL) {
        const char *name = dwfl_module_info(s.module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        char text[300];
        (void)snprintf(text, sizeof text, "%.200s (it has no symbols)", places_base_name(name));
        add_name(names, text, arena);
    } else if (s.instruction != NULL) {
        collect_units(&s);
        each_symbol(&s, data, &header, note_own);
        each_symbol(&s, data, &header, note_function);
        name_suspects(&s, names, arena);
    }
    search_release(&s);
}
