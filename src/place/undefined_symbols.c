#include "place/undefined_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"

/* The section with the dynamic symbols, and its header; NULL when there is none. */
static Elf_Data *find_dynamic(Elf *elf, GElf_Shdr *header)
{
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        if (gelf_getshdr(section, header) != NULL && header->sh_type == SHT_DYNSYM) {
            return elf_getdata(section, NULL);
        }
    }
    return NULL;
}

static void take_all(Elf *elf, void (*take)(void *context, const char *name), void *context)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = find_dynamic(elf, &header);
    for (int i = 1; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF && name != NULL && name[0] != '\0') {
            take(context, name);
        }
    }
}

int undefined_symbols(const char *path, void (*take)(void *context, const char *name),
                      void *context, struct err *e)
{
    const int file = seam_fails() ? seam_failure(EACCES) : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return err_set(e, "%s: %s", path, strerror(errno));
    }
    (void)elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    const int result =
        elf != NULL && elf_kind(elf) == ELF_K_ELF ? 0 : err_set(e, "%s: is no ELF object", path);
    if (result == 0) {
        take_all(elf, take, context);
    }
    (void)elf_end(elf);
    (void)close(file);
    return result;
}
