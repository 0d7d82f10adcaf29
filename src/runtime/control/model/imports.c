#include "runtime/control/model/imports.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

struct looking {
    const char *const *names;
    bool is_found;
};

/* What the dynamic section of a module tells of its relocations. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *texts;
    struct {
        const ElfW(Rela) * at;
        size_t size;
    } lists[2]; /* of calls, and of all else */
};

static bool is_wanted(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

/* Addresses are those of memory: the loader has relocated them. */
static void read_entry(struct tables *t, const ElfW(Dyn) * entry)
{
    const char *at = NULL;
    at += entry->d_un.d_ptr;
    switch (entry->d_tag) {
    case DT_SYMTAB: t->symbols = (const void *)at; break;
    case DT_STRTAB: t->texts = at; break;
    case DT_JMPREL: t->lists[0].at = (const void *)at; break;
    case DT_PLTRELSZ: t->lists[0].size = entry->d_un.d_val; break;
    case DT_RELA: t->lists[1].at = (const void *)at; break;
    case DT_RELASZ: t->lists[1].size = entry->d_un.d_val; break;
    default: break;
    }
}

static bool has_any(const struct tables *t, const char *const *names)
{
    for (size_t list = 0; list < 2 && t->symbols != NULL && t->texts != NULL; list++) {
        const size_t count =
            t->lists[list].at == NULL ? 0 : t->lists[list].size / sizeof(ElfW(Rela));
        for (size_t i = 0; i < count; i++) {
            const ElfW(Sym) *symbol = &t->symbols[ELF64_R_SYM(t->lists[list].at[i].r_info)];
            if (symbol->st_shndx == SHN_UNDEF && is_wanted(t->texts + symbol->st_name, names)) {
                return true;
            }
        }
    }
    return false;
}

static int look(struct dl_phdr_info *module, size_t size, void *argument)
{
    (void)size;
    struct looking *l = argument;
    if (strstr(module->dlpi_name, "vdso") != NULL) {
        return 0; /* it is not the loader's, and its addresses are not relocated */
    }
    for (int i = 0; i < module->dlpi_phnum; i++) {
        if (module->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            struct tables t = {0};
            const char *at = NULL;
            at += module->dlpi_addr + module->dlpi_phdr[i].p_vaddr;
            for (const ElfW(Dyn) *entry = (const void *)at; entry->d_tag != DT_NULL; entry++) {
                read_entry(&t, entry);
            }
            l->is_found = l->is_found || has_any(&t, l->names);
        }
    }
    return 0;
}

bool imports_any(const char *const *names)
{
    struct looking l = {.names = names};
    (void)dl_iterate_phdr(look, &l);
    return l.is_found;
}
