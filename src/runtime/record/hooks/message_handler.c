#include "runtime/record/hooks/message_handler.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/log/recorder.h"
#include "runtime/record/log/recording_files.h"

enum { FUNCTIONS_MAX = 64 };

/* One function in memory. Only ever added: readers see the first function_count of them. */
static struct function {
    uintptr_t start, end;
    struct recording_handler *handler;
} functions[FUNCTIONS_MAX];
static _Atomic uint32_t function_count;

static struct recording *wanted; /* NULL: no function is a handler */

/* The handler that the calling task is in. */
static __thread struct {
    uint32_t depth;         /* functions that were entered and not left */
    uint32_t handler_depth; /* depth of the handler's function; 0: in none */
    const char *name;
} own;

void handler_start(struct recording *recording)
{
    wanted = recording->handler_count > 0 ? recording : NULL;
}

/* Whether the symbol is "Shop::order" as the Itanium C++ ABI mangles it: 4Shop5order after _ZN (_Z
 * for a single word), with a letter for static or const. */
static bool is_mangled(const char *symbol, const char *name)
{
    static const char nameless[] = "12_GLOBAL__N_1";
    if (strncmp(symbol, "_Z", 2) != 0) {
        return false;
    }
    const bool is_nested = symbol[2] == 'N';
    const char *at = symbol + 2 + is_nested;
    at += strspn(at, "LKVr");
    if (strncmp(at, nameless, sizeof nameless - 1) == 0) {
        at += sizeof nameless - 1;
    }
    while (*name != 0) {
        size_t size = 0;
        for (; *at >= '0' && *at <= '9' && size < 1000; at++) {
            size = size * 10 + (size_t)(*at - '0');
        }
        if (size == 0 || strncmp(at, name, size) != 0) {
            return false;
        }
        at += size;
        name += size;
        if (*name != 0 && strncmp(name, "::", 2) != 0) {
            return false;
        }
        name += *name == 0 ? 0 : 2;
    }
    return !is_nested || *at == 'E';
}

/* Compilers make variants of a function: order.constprop.0. */
static bool is_called(const char *symbol, const char *name)
{
    const size_t size = strlen(name);
    return (strncmp(symbol, name, size) == 0 && (symbol[size] == 0 || symbol[size] == '.')) ||
           is_mangled(symbol, name);
}

static bool is_known(uintptr_t start)
{
    for (uint32_t i = 0; i < atomic_load(&function_count); i++) {
        if (functions[i].start == start) {
            return true;
        }
    }
    return false;
}

static void found(struct recording_handler *handler, uintptr_t start, uint64_t size)
{
    const uint32_t count = atomic_load(&function_count);
    atomic_store(&handler->is_found, 1);
    if (count < FUNCTIONS_MAX && !is_known(start)) {
        functions[count] =
            (struct function){.start = start, .end = start + size, .handler = handler};
        /* Pairs with the load in handler_of: a function is whole before it is counted. */
        atomic_store(&function_count, count + 1);
    }
}

/* A file in memory, of which not a byte is believed before it is known to be there. */
struct file {
    const char *bytes;
    uint64_t size;
};

static const void *part(const struct file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->bytes + offset : NULL;
}

static void search_symbols(const struct file *f, const Elf64_Shdr *table, const Elf64_Shdr *names,
                           uintptr_t bias)
{
    const Elf64_Sym *symbols = part(f, table->sh_offset, table->sh_size);
    const char *text = part(f, names->sh_offset, names->sh_size);
    if (symbols == NULL || text == NULL || names->sh_size == 0 || text[names->sh_size - 1] != 0) {
        return;
    }
    for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const Elf64_Sym *symbol = &symbols[i];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_name >= names->sh_size) {
            continue;
        }
        for (uint32_t k = 0; k < wanted->handler_count; k++) {
            if (is_called(text + symbol->st_name, wanted->handlers[k].name)) {
                found(&wanted->handlers[k], bias + symbol->st_value, symbol->st_size);
            }
        }
    }
}

static void search_file(const struct file *f, uintptr_t bias)
{
    const Elf64_Ehdr *head = part(f, 0, sizeof *head);
    if (head == NULL || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr)) {
        return;
    }
    const Elf64_Shdr *sections =
        part(f, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
    for (uint32_t i = 0; sections != NULL && i < head->e_shnum; i++) {
        const bool has_symbols =
            sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM;
        if (has_symbols && sections[i].sh_link < head->e_shnum) {
            search_symbols(f, &sections[i], &sections[sections[i].sh_link], bias);
        }
    }
}

void handler_search(const char *path, uintptr_t bias)
{
    if (wanted == NULL) {
        return;
    }
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    const long size = syscall(SYS_lseek, fd, 0L, SEEK_END);
    const char *bytes =
        size <= 0 ? MAP_FAILED : folder_map(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    (void)syscall(SYS_close, fd);
    if (bytes != MAP_FAILED) {
        search_file(&(struct file){.bytes = bytes, .size = (uint64_t)size}, bias);
        (void)syscall(SYS_munmap, bytes, size);
    }
}

/* The handler whose function this place is in, NULL for none. */
static struct recording_handler *handler_of(uintptr_t place)
{
    const uint32_t count = atomic_load_explicit(&function_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        if (place >= functions[i].start && place < functions[i].end) {
            return functions[i].handler;
        }
    }
    return NULL;
}

void handler_enter(const void *place)
{
    if (wanted == NULL) {
        return;
    }
    own.depth++;
    struct recording_handler *handler =
        own.handler_depth == 0 ? handler_of((uintptr_t)place) : NULL;
    if (handler != NULL) {
        own.handler_depth = own.depth;
        own.name = handler->name;
        rt_handler_enter();
        (void)atomic_fetch_add_explicit(&handler->begin_count, 1, memory_order_relaxed);
        (void)rt_record((struct rt_event){.kind = EVENT_HANDLER_BEGIN,
                                          .place = place,
                                          .more = own.name,
                                          .more_size = strlen(own.name)});
    }
}

void handler_leave(void)
{
    if (wanted == NULL || own.depth == 0) {
        return;
    }
    if (own.depth-- == own.handler_depth) {
        own.handler_depth = 0;
        rt_handler_leave();
        (void)rt_record((struct rt_event){
            .kind = EVENT_HANDLER_END, .more = own.name, .more_size = strlen(own.name)});
    }
}
