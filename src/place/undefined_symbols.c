#include "place/undefined_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"

/* The symbols that the caller asks for. */
struct wanted {
    bool is_defined;
    void (*take)(void *context, const char *name);
    void (*take_import)(void *context, const char *name, const char *library);
    void *context;
};

/* The section of the type, and its header; NULL when there is none. */
static Elf_Data *find_section(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        if (gelf_getshdr(section, header) != NULL && header->sh_type == type) {
            return elf_getdata(section, NULL);
        }
    }
    return NULL;
}

/* The file that the version with this number is of; NULL when the object does not say. */
static const char *library_of(Elf *elf, GElf_Versym version)
{
    GElf_Shdr header;
    GElf_Verneed need;
    GElf_Vernaux of;
    Elf_Data *needs = find_section(elf, SHT_GNU_verneed, &header);
    for (int at = 0; needs != NULL && gelf_getverneed(needs, at, &need) != NULL;
         at += (int)need.vn_next) {
        int of_at = at + (int)need.vn_aux;
        for (int i = 0; i < need.vn_cnt && gelf_getvernaux(needs, of_at, &of) != NULL; i++) {
            if (of.vna_other == version) {
                return elf_strptr(elf, header.sh_link, need.vn_file);
            }
            of_at += (int)of.vna_next;
        }
        if (need.vn_next == 0) {
            break;
        }
    }
    return NULL;
}

static void take_import(Elf *elf, const struct wanted *w, int index, const char *name)
{
    GElf_Shdr header;
    GElf_Versym version = 0;
    Elf_Data *versions = find_section(elf, SHT_GNU_versym, &header);
    if (versions != NULL && gelf_getversym(versions, index, &version) != NULL) {
        const char *library = library_of(elf, version);
        if (library != NULL) {
            w->take_import(w->context, name, library);
        }
    }
}

static void take_all(Elf *elf, const struct wanted *w)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = find_section(elf, SHT_DYNSYM, &header);
    for (int i = 1; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if ((symbol.st_shndx != SHN_UNDEF) != w->is_defined || name == NULL || name[0] == '\0') {
            continue;
        }
        if (w->take != NULL) {
            w->take(w->context, name);
        } else {
            take_import(elf, w, i, name);
        }
    }
}

static int read_symbols(const char *path, const struct wanted *w, struct err *e)
{
    const int file = seam_fails() ? seam_failure(EACCES) : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return err_set(e, "%s: %s", path, strerror(errno));
    }
    (void)elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    const int result =
        elf != NULL && elf_kind(elf) == ELF_K_ELF ? 0 : err_set(e, "%s: is no ELF file", path);
    if (result == 0) {
        take_all(elf, w);
    }
    (void)elf_end(elf);
    (void)close(file);
    return result;
}

int undefined_symbols(const char *path, void (*take)(void *context, const char *name),
                      void *context, struct err *e)
{
    return read_symbols(path, &(struct wanted){.take = take, .context = context}, e);
}

int imported_symbols(const char *path,
                     void (*take)(void *context, const char *name, const char *library),
                     void *context, struct err *e)
{
    return read_symbols(path, &(struct wanted){.take_import = take, .context = context}, e);
}

int defined_symbols(const char *path, void (*take)(void *context, const char *name), void *context,
                    struct err *e)
{
    return read_symbols(path,
                        &(struct wanted){.is_defined = true, .take = take, .context = context}, e);
}
