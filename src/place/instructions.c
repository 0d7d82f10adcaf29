#include "place/instructions.h"

#include <capstone/capstone.h>
#include <dwarf.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "wire/must.h"

enum { LOOK_BACK_MAX = 24, CASES_MAX = 4096 };

/* A file of code: its sections hold the bytes of the addresses of the process. */
struct code {
    Elf *elf;
    uint64_t bias; /* of addresses in the process over those in the file */
    GElf_Half machine;
};

struct range {
    uint64_t begin, end; /* in the process */
};

struct reading {
    struct instructions *c;
    struct code code;
    csh disassembler;
    VEC(struct range) ranges;
    VEC(uint64_t) target_of; /* per target: its address */
    struct map endless;      /* addresses of functions: 1 for those that do not return */
};

/* ---- bytes ---- */

/* The bytes of the file from an address of the process on, at least `size`; NULL: it has none. */
static const uint8_t *bytes_at(const struct code *code, uint64_t address, size_t size)
{
    const uint64_t inside = address - code->bias;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(code->elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || (header.sh_flags & SHF_ALLOC) == 0 ||
            header.sh_type == SHT_NOBITS || inside < header.sh_addr ||
            inside - header.sh_addr > header.sh_size ||
            header.sh_size - (inside - header.sh_addr) < size) {
            continue;
        }
        const Elf_Data *data = elf_rawdata(section, NULL);
        return data == NULL || data->d_size < header.sh_size
                   ? NULL
                   : (const uint8_t *)data->d_buf + (inside - header.sh_addr);
    }
    return NULL;
}

/* ---- calls that do not return ---- */

static bool is_endless(const char *name)
{
    static const char *const names[] = {
        "abort",
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "__assert_fail",
        "__assert",
        "__assert_perror_fail",
        "pthread_exit",
        "thrd_exit",
        "longjmp",
        "_longjmp",
        "siglongjmp",
        "__longjmp_chk",
        "err",
        "errx",
        "verr",
        "verrx",
        "__cxa_throw",
        "__cxa_rethrow",
        "_Unwind_Resume",
        "_ZSt9terminatev",
        "__stack_chk_fail",
        "__chk_fail",
        "__fortify_fail",
        "__builtin_trap",
        "clew_violation",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The symbol whose address the loader puts into this word of the file; NULL: none. */
static const char *symbol_of_slot(const struct code *code, uint64_t slot)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(code->elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_RELA ||
            header.sh_entsize == 0) {
            continue;
        }
        Elf_Data *relocations = elf_getdata(section, NULL);
        GElf_Shdr symbols_header;
        Elf_Scn *symbols = elf_getscn(code->elf, header.sh_link);
        Elf_Data *symbols_data = symbols == NULL ? NULL : elf_getdata(symbols, NULL);
        for (int i = 0; symbols_data != NULL && relocations != NULL &&
                        (uint64_t)i < header.sh_size / header.sh_entsize;
             i++) {
            GElf_Rela rela;
            GElf_Sym symbol;
            if (gelf_getrela(relocations, i, &rela) != NULL && rela.r_offset == slot - code->bias &&
                gelf_getshdr(symbols, &symbols_header) != NULL &&
                gelf_getsym(symbols_data, (int)GELF_R_SYM(rela.r_info), &symbol) != NULL) {
                return elf_strptr(code->elf, symbols_header.sh_link, symbol.st_name);
            }
        }
    }
    return NULL;
}

/* The address of the word that an indirect jump or call loads its target from; 0: another
 * instruction. */
static uint64_t slot_of(const cs_insn *i)
{
    const cs_x86 *x86 = &i->detail->x86;
    for (int k = 0; k < x86->op_count; k++) {
        if (x86->operands[k].type == X86_OP_MEM && x86->operands[k].mem.base == X86_REG_RIP) {
            return i->address + i->size + (uint64_t)x86->operands[k].mem.disp;
        }
    }
    return 0;
}

/* The slot that a stub of the procedure linkage table jumps through; 0: it is no stub. */
static uint64_t slot_of_stub(const struct reading *r, uint64_t stub)
{
    const size_t size = 16;
    const uint8_t *bytes = bytes_at(&r->code, stub, size);
    cs_insn *list = NULL;
    const size_t count =
        bytes == NULL ? 0 : cs_disasm(r->disassembler, bytes, size, stub, 3, &list);
    uint64_t slot = 0;
    for (size_t i = 0; i < count && slot == 0; i++) {
        slot = list[i].id == X86_INS_JMP ? slot_of(&list[i]) : 0;
    }
    if (count > 0) {
        cs_free(list, count);
    }
    return slot;
}

static bool find_endless(const struct reading *r, uint64_t target)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name =
        dwfl_module_addrinfo(r->c->module, target, &offset, &symbol, NULL, NULL, NULL);
    if (name != NULL && offset == 0) {
        Dwarf_Addr bias = 0;
        Dwarf_Die *unit = places_unit(r->c->module, target, &bias);
        Dwarf_Die *scopes = NULL;
        const int count = unit == NULL ? 0 : places_scopes(unit, target - bias, &scopes);
        bool is_said = false;
        for (int i = 0; i < count; i++) {
            is_said |= dwarf_tag(&scopes[i]) == DW_TAG_subprogram &&
                       dwarf_hasattr_integrate(&scopes[i], DW_AT_noreturn) != 0;
        }
        mem_free(scopes);
        return is_said || is_endless(name);
    }
    const uint64_t slot = r->code.machine == EM_X86_64 ? slot_of_stub(r, target) : 0;
    const char *called = slot == 0 ? NULL : symbol_of_slot(&r->code, slot);
    return called != NULL && is_endless(called);
}

static bool is_function_endless(struct reading *r, uint64_t target)
{
    bool is_new = false;
    uint32_t *known = map_slot(&r->endless, target, 0, &is_new);
    if (is_new) {
        *known = find_endless(r, target);
    }
    return *known != 0;
}

/* ---- one instruction ---- */

/* The address that a jump or call names; 0: it names none. */
static uint64_t named_target(const struct reading *r, const cs_insn *i)
{
    if (r->code.machine == EM_X86_64) {
        const cs_x86 *x86 = &i->detail->x86;
        return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM
                   ? (uint64_t)x86->operands[0].imm
                   : 0;
    }
    const cs_arm64 *arm = &i->detail->arm64;
    for (int k = 0; k < arm->op_count; k++) { /* the last one, behind a register and a bit */
        if (k + 1 == arm->op_count && arm->operands[k].type == ARM64_OP_IMM) {
            return (uint64_t)arm->operands[k].imm;
        }
    }
    return 0;
}

static bool is_conditional(const struct reading *r, const cs_insn *i)
{
    if (r->code.machine == EM_X86_64) {
        return i->id != X86_INS_JMP && i->id != X86_INS_LJMP;
    }
    return i->id != ARM64_INS_BR &&
           !(i->id == ARM64_INS_B &&
             (i->detail->arm64.cc == ARM64_CC_AL || i->detail->arm64.cc == ARM64_CC_INVALID));
}

static bool is_trap(const struct reading *r, const cs_insn *i)
{
    return r->code.machine == EM_X86_64 ? i->id == X86_INS_UD2 || i->id == X86_INS_HLT
                                        : i->id == ARM64_INS_BRK;
}

static enum instruction_kind kind_of_instruction(struct reading *r, const cs_insn *i)
{
    if (cs_insn_group(r->disassembler, i, CS_GRP_CALL)) {
        const uint64_t target = named_target(r, i);
        const uint64_t slot =
            target == 0 && r->code.machine == EM_X86_64 && i->detail->x86.op_count == 1 ? slot_of(i)
                                                                                        : 0;
        const char *called = slot == 0 ? NULL : symbol_of_slot(&r->code, slot);
        const bool is_over = (target != 0 && is_function_endless(r, target)) ||
                             (called != NULL && is_endless(called));
        return is_over ? INSTRUCTION_END : INSTRUCTION_CALL;
    }
    if (cs_insn_group(r->disassembler, i, CS_GRP_RET) || is_trap(r, i)) {
        return INSTRUCTION_END;
    }
    if (cs_insn_group(r->disassembler, i, CS_GRP_JUMP)) {
        return is_conditional(r, i)      ? INSTRUCTION_BRANCH
               : named_target(r, i) != 0 ? INSTRUCTION_JUMP
                                         : INSTRUCTION_SWITCH;
    }
    return INSTRUCTION_OTHER;
}

static bool is_in_ranges(const struct reading *r, uint64_t address)
{
    vec_each (&r->ranges, range) {
        if (range->begin <= address && address < range->end) {
            return true;
        }
    }
    return false;
}

/* ---- jumps by table ---- */

/* The cases of a table of offsets relative to itself, or of addresses. */
static uint32_t add_cases(struct reading *r, uint64_t table, bool is_relative)
{
    uint32_t count = 0;
    for (; count < CASES_MAX; count++) {
        const size_t size = is_relative ? sizeof(int32_t) : sizeof(uint64_t);
        const uint8_t *bytes = bytes_at(&r->code, table + count * size, size);
        uint64_t target = 0;
        if (bytes != NULL && is_relative) {
            int32_t offset = 0;
            memcpy(&offset, bytes, sizeof offset);
            target = table + (uint64_t)(int64_t)offset;
        } else if (bytes != NULL) {
            memcpy(&target, bytes, sizeof target);
            target += r->code.bias;
        }
        if (!is_in_ranges(r, target)) {
            break;
        }
        vec_push(&r->target_of, target);
    }
    return count;
}

/* The register with the table's address that an offset is loaded from shortly before the jump. */
static x86_reg table_register(const cs_insn *list, size_t at)
{
    for (size_t k = 1; k <= LOOK_BACK_MAX && k <= at; k++) {
        const cs_x86 *x86 = &list[at - k].detail->x86;
        if (list[at - k].id == X86_INS_MOVSXD && x86->op_count == 2 &&
            x86->operands[1].type == X86_OP_MEM && x86->operands[1].mem.scale == sizeof(int32_t)) {
            return x86->operands[1].mem.base;
        }
    }
    return X86_REG_INVALID;
}

/* Compilers load the table's address before the jump, perhaps before the loop that it is in. */
static uint32_t find_cases(struct reading *r, const cs_insn *list, size_t at)
{
    if (r->code.machine != EM_X86_64) {
        return 0;
    }
    const cs_x86 *jump = &list[at].detail->x86;
    if (jump->op_count == 1 && jump->operands[0].type == X86_OP_MEM &&
        jump->operands[0].mem.base == X86_REG_INVALID && jump->operands[0].mem.disp > 0) {
        return add_cases(r, (uint64_t)jump->operands[0].mem.disp + r->code.bias, false);
    }
    const x86_reg base = table_register(list, at);
    const size_t most = base == X86_REG_INVALID && at > LOOK_BACK_MAX ? LOOK_BACK_MAX : at;
    for (size_t k = 1; k <= most; k++) {
        const cs_insn *before = &list[at - k];
        const x86_reg loaded = before->detail->x86.operands[0].reg;
        if (before->id == X86_INS_LEA && slot_of(before) != 0 &&
            (base == X86_REG_INVALID || loaded == base)) {
            return add_cases(r, slot_of(before), true);
        }
    }
    return 0;
}

/* ---- the function ---- */

static bool is_report(const struct reading *r, uint64_t target)
{
    const char *name = target == 0 ? NULL : dwfl_module_addrname(r->c->module, target);
    return name != NULL && strncmp(name, "__tsan_", 7) == 0;
}

static void add_instruction(struct reading *r, const cs_insn *list, size_t at)
{
    const cs_insn *i = &list[at];
    struct instruction added = {.address = i->address,
                                .size = i->size,
                                .kind = kind_of_instruction(r, i),
                                .next = INSTRUCTION_NONE,
                                .target_first = (uint32_t)r->target_of.count};
    if (added.kind == INSTRUCTION_CALL) {
        added.called = is_report(r, named_target(r, i)) ? 0 : named_target(r, i);
    }
    const bool is_jump = added.kind == INSTRUCTION_JUMP || added.kind == INSTRUCTION_BRANCH;
    if (is_jump && is_in_ranges(r, named_target(r, i))) {
        vec_push(&r->target_of, named_target(r, i));
        added.target_count = 1;
    } else if (added.kind == INSTRUCTION_SWITCH) {
        added.target_count = find_cases(r, list, at);
        r->c->is_partial |= added.target_count == 0;
    }
    vec_push(&r->c->list, added);
}

static void read_range(struct reading *r, const struct range *range)
{
    const uint8_t *bytes = bytes_at(&r->code, range->begin, range->end - range->begin);
    cs_insn *list = NULL;
    const size_t count =
        bytes == NULL
            ? 0
            : cs_disasm(r->disassembler, bytes, range->end - range->begin, range->begin, 0, &list);
    for (size_t i = 0; i < count; i++) {
        add_instruction(r, list, i);
    }
    if (count > 0) {
        cs_free(list, count);
    }
}

static int compare_ranges(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint64_t a = ((const struct range *)left)->begin;
    const uint64_t b = ((const struct range *)right)->begin;
    return (a > b) - (a < b);
}

/* The order that instructions_find relies on. */
static bool addresses_ascend(const struct instructions *c)
{
    for (uint32_t i = 1; i < c->list.count; i++) {
        if (c->list.at[i - 1].address + c->list.at[i - 1].size > c->list.at[i].address) {
            return false;
        }
    }
    return true;
}

/* Sets the successors of each instruction. All instructions are known by now. */
static void link_instructions(struct reading *r)
{
    struct instructions *c = r->c;
    for (uint32_t i = 0; i < c->list.count; i++) {
        struct instruction *one = &c->list.at[i];
        const bool goes_on = one->kind == INSTRUCTION_OTHER || one->kind == INSTRUCTION_CALL ||
                             one->kind == INSTRUCTION_BRANCH;
        if (goes_on && i + 1 < c->list.count &&
            c->list.at[i + 1].address == one->address + one->size) {
            one->next = i + 1;
        }
    }
    must_in_tests(addresses_ascend(c));
    vec_each (&r->target_of, target) {
        const uint32_t found = instructions_find(c, *target);
        vec_push(&c->targets, found);
        c->is_partial |= found == INSTRUCTION_NONE;
    }
}

/* The function's own subprogram that covers the address. */
static bool find_function(struct instructions *c, uint64_t address)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = places_unit(c->module, address, &bias);
    Dwarf_Die *scopes = NULL;
    const int count = unit == NULL ? 0 : places_scopes(unit, address - bias, &scopes);
    bool is_found = false;
    for (int i = 0; i < count && !is_found; i++) {
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
            c->function = scopes[i];
            c->unit = *unit;
            c->bias = bias;
            is_found = true;
        }
    }
    mem_free(scopes);
    return is_found;
}

static void find_ranges(struct reading *r)
{
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&r->c->function, at, &base, &begin, &end)) > 0;) {
        vec_push(&r->ranges, (struct range){begin + r->c->bias, end + r->c->bias});
    }
    sort_stable(r->ranges.at, r->ranges.count, sizeof *r->ranges.at, compare_ranges, NULL);
}

static bool open_disassembler(struct reading *r)
{
    GElf_Ehdr header;
    GElf_Addr bias = 0;
    r->code.elf = dwfl_module_getelf(r->c->module, &bias);
    if (r->code.elf == NULL || gelf_getehdr(r->code.elf, &header) == NULL ||
        (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)) {
        return false;
    }
    r->code.bias = bias;
    r->code.machine = header.e_machine;
    const bool is_x86 = header.e_machine == EM_X86_64;
    return cs_open(is_x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86 ? CS_MODE_64 : CS_MODE_ARM,
                   &r->disassembler) == CS_ERR_OK &&
           cs_option(r->disassembler, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK;
}

bool instructions_read(struct instructions *c, struct places *p, uint64_t address)
{
    *c = (struct instructions){.module = places_module(p, address)};
    struct reading r = {.c = c};
    if (c->module == NULL || !find_function(c, address) || !open_disassembler(&r)) {
        return false;
    }
    find_ranges(&r);
    vec_each (&r.ranges, range) {
        read_range(&r, range);
    }
    link_instructions(&r);
    must(c->targets.count == r.target_of.count);
    (void)cs_close(&r.disassembler);
    vec_release(&r.ranges);
    vec_release(&r.target_of);
    map_release(&r.endless);
    if (instructions_find(c, address) == INSTRUCTION_NONE) {
        instructions_release(c);
        return false;
    }
    return true;
}

void instructions_release(struct instructions *c)
{
    vec_release(&c->list);
    vec_release(&c->targets);
}

uint32_t instructions_find(const struct instructions *c, uint64_t address)
{
    size_t low = 0;
    size_t high = c->list.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->list.at[middle].address + c->list.at[middle].size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low <= c->list.count);
    return low < c->list.count && c->list.at[low].address <= address ? (uint32_t)low
                                                                     : INSTRUCTION_NONE;
}
