#include "sim/load_system.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "sim/block_coverage.h"
#include "sim/net.h"
#include "sim/sim_api.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"
#include "sim/unsupported_calls.h"
#include "sim/variables.h"

/* Memory that is left out. */
struct hole {
    uintptr_t begin;
    uintptr_t end;
};

/* Where the writable parts of a loaded object are. */
struct search {
    struct sim *sim;
    uintptr_t bias;
    struct hole holes[2]; /* by address; {0}: none */
};

static void add_range(struct sim *s, uintptr_t begin, uintptr_t end)
{
    if (begin < end && s->memory.own.segment_count < SIM_SEGMENTS_MAX) {
        s->memory.own.segments[s->memory.own.segment_count++] =
            (struct segment){.begin = (char *)begin, .size = end - begin};
    }
}

/* Where nothing but counters is on their pages (sim_counters.ld), these end with a page. A linker
 * that puts the sections elsewhere than the script's symbols is not believed. */
static uintptr_t end_of_counters(const struct search *search, const struct clew_counters *c)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t end = (uintptr_t)c->end;
    const uintptr_t page_end = (end + page - 1) / page * page;
    const void *own_begin = dlsym(search->sim->library.handle, "clew_counters_begin");
    const void *own_end = dlsym(search->sim->library.handle, "clew_counters_end");
    return own_begin == c->begin && (uintptr_t)own_end == page_end ? page_end : end;
}

/* The compiler's notes of blocks are no part of the system's state: counters, and a table of their
 * places. */
static void find_holes(struct search *search, const struct clew_counters *c)
{
    if (c == NULL || c->begin == NULL) {
        return;
    }
    const struct hole counters = {(uintptr_t)c->begin, end_of_counters(search, c)};
    const size_t table_size = (size_t)(c->end - c->begin) * 2 * sizeof *c->places;
    const struct hole table = {(uintptr_t)c->places,
                               (uintptr_t)c->places + (c->places == NULL ? 0 : table_size)};
    const bool is_table_first = table.begin < counters.begin;
    search->holes[0] = is_table_first ? table : counters;
    search->holes[1] = is_table_first ? counters : table;
}

static void add_segment(struct search *search, uintptr_t begin, uintptr_t end)
{
    for (size_t i = 0; i < sizeof search->holes / sizeof *search->holes; i++) {
        const struct hole *hole = &search->holes[i];
        if (hole->begin >= begin && hole->end <= end) {
            add_range(search->sim, begin, hole->begin);
            begin = hole->end;
        }
    }
    add_range(search->sim, begin, end);
}

/* Memory that the linker has made read-only after relocation is left alone. */
static uintptr_t readonly_end(const struct dl_phdr_info *info, uintptr_t begin)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_RELRO && from == begin) {
            return (from + p->p_memsz) / page * page;
        }
    }
    return begin;
}

/* Its thread-local variables, of the one thread there is. The loader makes room for them when they
 * are first asked for. */
static void add_thread_local(struct sim *s, const struct dl_phdr_info *info, size_t size)
{
    struct tls_place {
        unsigned long module, offset;
    };
    extern void *__tls_get_addr(struct tls_place * place);
    struct tls_place place = {.module = info->dlpi_tls_modid};
    const uintptr_t begin = (uintptr_t)__tls_get_addr(&place);
    const uint32_t number = s->memory.own.segment_count;
    add_range(s, begin, begin + size);
    if (number < s->memory.own.segment_count) {
        s->memory.own.segments[number].is_shared = true;
    }
}

static int note_segments(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct search *search = context;
    if (info->dlpi_addr != search->bias) {
        return 0;
    }
    struct sim *s = search->sim;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_TLS && p->p_memsz > 0) {
            add_thread_local(s, info, p->p_memsz);
        }
        if (p->p_type != PT_LOAD) {
            continue;
        }
        s->library.end = begin + p->p_memsz > s->library.end ? begin + p->p_memsz : s->library.end;
        if ((p->p_flags & PF_W) != 0) {
            add_segment(search, readonly_end(info, begin), begin + p->p_memsz);
        }
    }
    return 1;
}

void load_keep_fresh(struct sim *s)
{
    size_t size = 0;
    for (uint32_t i = 0; i < s->memory.own.segment_count; i++) {
        size += s->memory.own.segments[i].size;
    }
    char *at = s->memory.own.fresh = mem_resize(NULL, size + 1);
    for (uint32_t i = 0; i < s->memory.own.segment_count; i++) {
        at = mempcpy(at, s->memory.own.segments[i].begin, s->memory.own.segments[i].size);
    }
    variables_open(s);
}

int load_library(struct sim *s, const char *path, struct err *e)
{
    char file[4096];
    const int length =
        snprintf(file, sizeof file, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    if (length < 0 || (size_t)length >= sizeof file) {
        return err_set(e, "%s: the path is too long", path);
    }
    if ((seam_fails() ? seam_failure(EACCES) : access(file, R_OK)) < 0) {
        return err_set(e, "%s: %s", path, strerror(errno));
    }
    s->library.handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (s->library.handle == NULL) {
        return err_set(e, "%s: is no shared object that can be loaded (%s)", path, dlerror());
    }
    s->system = dlsym(s->library.handle, "clew_system");
    const struct clew_calls **calls = dlsym(s->library.handle, "clew_calls");
    if (s->system == NULL || calls == NULL) {
        return err_set(e, "%s: has no system in it (CLEW_SYSTEM of clew/sim.h declares one)", path);
    }
    const struct link_map *map = NULL;
    if (dlinfo(s->library.handle, RTLD_DI_LINKMAP, &map) < 0) {
        return err_set(e, "%s: %s", path, dlerror());
    }
    *calls = &clew_sim_calls;
    s->library.path = mem_text(file, (size_t)length);
    if (doubt_library(s, e) < 0) {
        return -1;
    }
    s->library.bias = map->l_addr;
    const struct clew_counters *counters = dlsym(s->library.handle, "clew_counters");
    cover_open(s, counters);
    struct search search = {.sim = s, .bias = map->l_addr};
    find_holes(&search, counters);
    (void)dl_iterate_phdr(note_segments, &search);
    return 0;
}

/* Destructors see the memory that constructors left. */
void load_close(struct sim *s)
{
    s->execution = NULL;
    s->run.self = -1;
    calls_begin(s);
    if (s->library.handle != NULL) {
        if (s->memory.begin != NULL) {
            memory_reset(s);
        }
    }
    variables_close(s);
    if (s->library.handle != NULL) {
        (void)dlclose(s->library.handle);
    }
    calls_begin(NULL);
    mem_free(s->memory.own.fresh);
    mem_free(s->library.path);
}
