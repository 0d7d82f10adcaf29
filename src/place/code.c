#include "place/code.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "base/mem.h"
#include "place/module_state.h"
#include "wire/must.h"

/* ---- bytes ---- */

static bool is_code(const GElf_Shdr *header)
{
    return header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_EXECINSTR) != 0;
}

/* The module's file, NULL when there is none or it is for another machine. */
static Elf *file_of(Dwfl_Module *module, GElf_Addr *bias)
{
    GElf_Ehdr header;
    Elf *elf = module == NULL ? NULL : dwfl_module_getelf(module, bias);
    const bool is_ours = elf != NULL && gelf_getehdr(elf, &header) != NULL &&
                         header.e_machine == EM_X86_64 && header.e_type != ET_REL;
    return is_ours ? elf : NULL;
}

static bool section_bytes(Elf_Scn *section, const GElf_Shdr *header, GElf_Addr bias,
                          struct code *code)
{
    const Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || data->d_buf == NULL) {
        return false;
    }
    *code = (struct code){
        .bytes = data->d_buf, .size = data->d_size, .address = header->sh_addr + bias};
    return true;
}

bool code_at(struct places *p, uint64_t address, struct code *code)
{
    GElf_Addr bias = 0;
    Elf *elf = file_of(places_module(p, address), &bias);
    Elf_Scn *section = NULL;
    while (elf != NULL && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || !is_code(&header) ||
            address - bias < header.sh_addr || address - bias >= header.sh_addr + header.sh_size ||
            !section_bytes(section, &header, bias, code)) {
            continue;
        }
        const size_t skipped = (size_t)(address - code->address);
        if (skipped >= code->size) {
            return false;
        }
        must(code->address <= address);
        code->bytes += skipped;
        code->size -= skipped;
        code->address = address;
        must(code->size > 0);
        return true;
    }
    return false;
}

/* ---- functions ---- */

/* Looks at all symbols of the module: O(symbols). */
static struct place_function find_function(struct places *p, uint64_t address)
{
    Dwfl_Module *module = places_module(p, address);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name =
        module == NULL ? NULL
                       : dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (name == NULL || symbol.st_size == 0 || offset >= symbol.st_size) {
        return (struct place_function){0};
    }
    const uint64_t start = address - offset;
    return (struct place_function){.name = name, .start = start, .end = start + symbol.st_size};
}

bool code_function(struct places *p, uint64_t address, struct code_function *function)
{
    bool is_new = false;
    const uint32_t number =
        *map_slot(&p->function_of, address, (uint32_t)p->functions.count, &is_new);
    if (is_new) {
        vec_push(&p->functions, find_function(p, address));
    }
    must(number < p->functions.count);
    const struct place_function *found = &p->functions.at[number];
    *function =
        (struct code_function){.name = found->name, .start = found->start, .end = found->end};
    must(found->name == NULL || found->start <= address);
    must(found->name == NULL || address < found->end);
    return found->name != NULL;
}

/* The symbol that a section's relocation at this address, as the file has it, is for; NULL: none.
 */
static const char *relocated(Elf *elf, Elf_Scn *section, GElf_Addr address)
{
    GElf_Shdr header, symbols_header;
    Elf_Data *data = elf_getdata(section, NULL);
    if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_RELA || data == NULL) {
        return NULL;
    }
    Elf_Scn *symbols = elf_getscn(elf, header.sh_link);
    Elf_Data *symbol_data = symbols == NULL ? NULL : elf_getdata(symbols, NULL);
    if (symbol_data == NULL || gelf_getshdr(symbols, &symbols_header) == NULL) {
        return NULL;
    }
    GElf_Rela entry;
    for (int i = 0; gelf_getrela(data, i, &entry) != NULL; i++) {
        GElf_Sym symbol;
        if (entry.r_offset == address &&
            gelf_getsym(symbol_data, (int)GELF_R_SYM(entry.r_info), &symbol) != NULL) {
            return elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
        }
    }
    return NULL;
}

const char *code_import(struct places *p, uint64_t address)
{
    GElf_Addr bias = 0;
    Elf *elf = file_of(places_module(p, address), &bias);
    Elf_Scn *section = NULL;
    const char *name = NULL;
    while (elf != NULL && name == NULL && (section = elf_nextscn(elf, section)) != NULL) {
        name = relocated(elf, section, address - bias);
    }
    return name;
}

/* Debug information for lines alone (-g1) has no types: then a function without one may return
 * something. */
static bool has_types(Dwarf_Die *unit)
{
    Dwarf_Die child;
    int result = dwarf_child(unit, &child);
    while (result == 0 && dwarf_tag(&child) != DW_TAG_base_type) {
        result = dwarf_siblingof(&child, &child);
    }
    return result == 0;
}

bool code_returns_nothing(struct places *p, uint64_t address)
{
    Dwarf_Addr bias = 0;
    Dwfl_Module *module = places_module(p, address);
    Dwarf_Die *unit = module == NULL ? NULL : places_unit(module, address, &bias);
    Dwarf_Die *scopes = NULL;
    const int count = unit == NULL ? 0 : places_scopes(unit, address - bias, &scopes);
    bool is_nothing = false;
    for (int i = 0; i < count; i++) {
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
            is_nothing = dwarf_hasattr_integrate(&scopes[i], DW_AT_type) == 0 && has_types(unit);
            break;
        }
    }
    mem_free(scopes);
    return is_nothing;
}

/* ---- callers ---- */

enum { CALL = 0xe8, JUMP = 0xe9, JUMP_IF_FIRST = 0x80, JUMP_IF_LAST = 0x8f, LEA = 0x8d };

static uint64_t target_of(const struct code *code, size_t displacement_at)
{
    int32_t displacement = 0;
    must(displacement_at + sizeof displacement <= code->size);
    memcpy(&displacement, code->bytes + displacement_at, sizeof displacement);
    return code->address + displacement_at + sizeof displacement + (uint64_t)(int64_t)displacement;
}

/* Tries to decode an instruction at every byte, so that it misses none. A byte sequence that only
 * looks like a call adds a caller, which makes the answer more careful. False at a reference that
 * is no call. */
static bool find_calls(const struct code *code, uint64_t function, code_addresses *list)
{
    for (size_t i = 0; i + 5 <= code->size; i++) {
        const uint8_t first = code->bytes[i];
        if ((first == CALL || first == JUMP) && target_of(code, i + 1) == function) {
            if (first == JUMP) {
                return false;
            }
            vec_push(list, code->address + i + 5);
        }
        const bool has_second = i + 6 <= code->size;
        const uint8_t second = code->bytes[i + 1];
        const bool is_jump_if = first == 0x0f && second >= JUMP_IF_FIRST && second <= JUMP_IF_LAST;
        const bool is_lea = first == LEA && (second & 0xc7) == 0x05;
        if (has_second && (is_jump_if || is_lea) && target_of(code, i + 2) == function) {
            return false;
        }
    }
    return true;
}

/* Whether a relocation makes the function known by its address. */
static bool is_relocated(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t function)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *linked = elf_getscn(elf, header->sh_link);
    Elf_Data *symbols = linked == NULL ? NULL : elf_getdata(linked, NULL);
    const size_t count =
        data == NULL || header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol = {0};
        if (gelf_getrela(data, (int)i, &relocation) == NULL) {
            return true;
        }
        const size_t number = GELF_R_SYM(relocation.r_info);
        if (number != 0 && symbols != NULL) {
            (void)gelf_getsym(symbols, (int)number, &symbol);
        }
        if (symbol.st_value + (uint64_t)relocation.r_addend == function) {
            return true;
        }
    }
    return false;
}

bool code_callers(struct places *p, const struct code_function *function, code_addresses *list)
{
    GElf_Addr bias = 0;
    Elf *elf = file_of(places_module(p, function->start), &bias);
    Elf_Scn *section = NULL;
    if (elf == NULL) {
        return false;
    }
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        struct code code;
        if (gelf_getshdr(section, &header) == NULL) {
            return false;
        }
        if (header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC) != 0 &&
            is_relocated(elf, section, &header, function->start - bias)) {
            return false;
        }
        if (is_code(&header) && (!section_bytes(section, &header, bias, &code) ||
                                 !find_calls(&code, function->start, list))) {
            return false;
        }
    }
    return true;
}
