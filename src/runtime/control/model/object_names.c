/* What tasks touch, by names that are the same in every run: no address is part of them.
 *
 *     balance, accounts+16      in a module: its symbol, which clew knows
 *     bank.c:42#3+8             in the third block that the first task allocated there
 *     bank.c:42@main/1#2        the second block that task main/1 allocated there
 *     bank.c:57#1               elsewhere, on a stack say: the first object first used there
 *
 * clew gives the texts of places and symbols, each once; the table of them stays in the page. */
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pick/fixed_table.h"
#include "pick/operation_name.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/control/sched/shared_segment.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "wire/must.h"

enum {
    CACHE_SIZE = 1 << 12,
    FIRST_USES_MAX = 1 << 14,
    MODULES_MAX = 64,
    TEXT_MAX = 512,
    WORD_SIZE = 8,
    SHARED_FILE_SHIFT = 48, /* of the number of a file in the number of a shared place */
    FORGET_MAX = 1 << 12,   /* bytes that are forgotten one by one */
    MAPPINGS_MAX = 256,     /* that are known at a time; the others are named by their first use */
};

struct cached {
    uintptr_t address;
    uint64_t age;
    struct object object;
};

/* Pages that the program has mapped in this run. Those of a file that are shared have the name of
 * its first mapping, wherever they lie, and count from the beginning of the file. */
struct mapping {
    uintptr_t start, end;
    uintptr_t origin; /* the address that their name counts from */
    uintptr_t place;
    uint32_t ordinal, owner;
    uint32_t file; /* number in `files`, from 1; 0: none */
};

/* A file that was mapped to be shared. */
struct mapped_file {
    struct object_file is;
    uint32_t mapping_count; /* so far */
    struct mapping first;   /* for its name */
};

static struct state {
    struct cached cache[CACHE_SIZE];
    uint64_t age;
    struct mapping mappings[MAPPINGS_MAX];
    uint32_t mapping_count;
    struct table first_uses; /* address to place and ordinal, packed */
    struct table counts;     /* place to how many objects have their names from it */
    bool is_begun;           /* constructors have run: who tells accesses is known */
} * own;

/* In the segment: a file that two processes map is one memory. */
static struct mapped_file *files;

static struct {
    uintptr_t begin, end;
} modules[MODULES_MAX];
static uint32_t module_count;

/* Tells clew of the module, if it is a new one, and whether its code tells accesses. */
static void module_tell(const struct dl_phdr_info *info, uintptr_t begin, uintptr_t end)
{
    struct control_module *told = control_region(CONTROL_PLACE(MODULES));
    char path[sizeof told->path] = "";
    if (info->dlpi_name[0] != 0) {
        text_copy(path, sizeof path, info->dlpi_name);
    } else {
        (void)sys(SYS_readlink, "/proc/self/exe", path, sizeof path - 1);
    }
    uint32_t at = 0;
    while (at < control->module_count && (told[at].bias != (info->dlpi_addr | control_image) ||
                                          strcmp(told[at].path, path) != 0)) {
        at++;
    }
    if (at == control->module_count && at < CONTROL_MODULES_MAX) {
        told[at].bias = info->dlpi_addr | control_image;
        text_copy(told[at].path, sizeof told[at].path, path);
        control->module_count++;
    }
    if (at < control->module_count && memory_is_told(begin, end)) {
        told[at].is_told = 1;
    }
}

static int module_add(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD) {
            const uintptr_t at = info->dlpi_addr + p->p_vaddr;
            begin = at < begin ? at : begin;
            end = at + p->p_memsz > end ? at + p->p_memsz : end;
        }
    }
    module_tell(info, begin, end);
    if (begin < end && module_count < MODULES_MAX) {
        modules[module_count].begin = begin;
        modules[module_count++].end = end;
    }
    return 0;
}

void object_modules(void)
{
    module_count = 0;
    (void)dl_iterate_phdr(module_add, NULL);
}

void object_start(void)
{
    own = rewind_exempt(sizeof *own);
    files = segment_take(MAPPINGS_MAX * sizeof *files);
    struct table *both[] = {&own->first_uses, &own->counts};
    for (int i = 0; i < 2; i++) {
        table_init(both[i],
                   rewind_exempt(table_entries(FIRST_USES_MAX) * sizeof(struct table_entry)),
                   FIRST_USES_MAX);
    }
    object_modules();
}

void object_begin(void)
{
    object_begin_image();
    run_state->file_count = 0;
    run_state->anonymous_count = 0;
}

void object_begin_image(void)
{
    if (!own->is_begun) {
        own->is_begun = true;
        object_modules();
    }
    own->age++;
    own->mapping_count = 0;
    table_clear(&own->first_uses);
    table_clear(&own->counts);
}

void object_module_of(uintptr_t address, uintptr_t *begin, uintptr_t *end)
{
    for (uint32_t i = 0; i < module_count; i++) {
        if (address >= modules[i].begin && address < modules[i].end) {
            *begin = modules[i].begin;
            *end = modules[i].end;
        }
    }
}

static bool is_static(uintptr_t address)
{
    for (uint32_t i = 0; i < module_count; i++) {
        if (address >= modules[i].begin && address < modules[i].end) {
            return true;
        }
    }
    return false;
}

/* Texts */

static const struct control_name *row_of(uint64_t key)
{
    const struct control_name *rows = control_region(CONTROL_PLACE(NAMES));
    uint32_t at = control_name_row(key);
    while (rows[at].key != 0 && rows[at].key != key) {
        at = (at + 1) % CONTROL_NAMES_MAX;
    }
    return &rows[at];
}

static const char *text_of(uint64_t key)
{
    const struct control_name *row = row_of(key);
    if (row->key == 0) {
        control->key = key;
        control_ask(CONTROL_NAME);
        row = row_of(key);
    }
    must(row->key == key);
    return (const char *)control_region(CONTROL_PLACE(TEXTS)) + row->text;
}

uint32_t object_answer(uint64_t key)
{
    uint32_t number = 0;
    for (const char *at = text_of(key); *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (uint32_t)(*at - '0');
    }
    return number;
}

size_t object_print(const struct object *o, char *text, size_t size)
{
    const char *end = text + size - 1;
    const uint32_t process = control_owner_process(o->owner);
    const uint32_t owner = control_owner_task(o->owner);
    char *at = text;
    if (process != 0) {
        at = text_append(text_append(at, end, task_path(process)), end, ":");
    }
    at = text_append(at, end, text_of(o->key));
    if (owner != 0) {
        at = text_append(text_append(at, end, "@"), end, task_path(owner));
    }
    if (o->ordinal != 0) {
        at = text_append_number(text_append(at, end, "#"), end, o->ordinal);
    }
    if (o->offset != 0) {
        at = text_append_number(text_append(at, end, "+"), end, o->offset);
    }
    *at = 0;
    return (size_t)(at - text);
}

static uint64_t name_of(const struct object *o)
{
    char text[TEXT_MAX];
    return name_text(text, object_print(o, text, sizeof text));
}

/* 0 and the last number mean something else to pick/. */
static uint32_t number_of(uint64_t first, uint64_t second)
{
    return (uint32_t)name_join(first, second) % (UINT32_MAX - 1) + 1;
}

/* Objects */

/* What a task of another process made before this one was forked, and what nobody made, is this
 * process's own copy. What its own tasks made is named after them. */
static uint32_t owner_here(uint32_t owner)
{
    const bool is_own = owner != 0 && tasks[owner].process == process_self->number;
    return is_own ? owner : control_owner(process_self->first, owner);
}

uint64_t object_calls(uintptr_t place)
{
    uintptr_t around[FRAMES_LISTED];
    const uint32_t count = frames_list(&control_self->frames, place, around);
    _Static_assert((int)FRAMES_LISTED < (int)CONTROL_ASKED_MAX, "the calls fit");
    uint64_t key = name_join(5, place | control_image);
    control->calls[0] = place | control_image;
    for (uint32_t i = 0; i < count; i++) {
        control->calls[i + 1] = around[i] | control_image;
        key = name_join(key, around[i]);
    }
    control->call_count = count + 1;
    const char *text = text_of(CONTROL_KEY_OF_CALLS | (key & (CONTROL_KEY_OF_CALLS - 1)));
    return control_block_number(name_text(text, strlen(text)));
}

static void name_block(struct object *o, const struct heap_block *b, uintptr_t address)
{
    o->key = b->name != 0 ? CONTROL_KEY_OF_BLOCK | b->name : CONTROL_KEY_OF_PLACE | b->place;
    o->ordinal = b->ordinal;
    o->owner = b->owner;
    o->offset = (uint32_t)(address - b->start);
    const uint64_t block = name_join(name_join(o->key, b->ordinal), o->owner);
    o->number = number_of(block, o->offset / WORD_SIZE);
    o->block = number_of(block, UINT64_MAX);
    o->region = o->block;
    o->begin = o->offset;
}

static struct mapping *mapping_of(uintptr_t address)
{
    for (uint32_t i = 0; i < own->mapping_count; i++) {
        if (address >= own->mappings[i].start && address < own->mappings[i].end) {
            return &own->mappings[i];
        }
    }
    return NULL;
}

/* A mapping is named like a block of the heap. One that is shared is the same in all processes. */
static bool find_mapping(uintptr_t address, struct heap_block *b, bool *is_shared)
{
    const struct mapping *m = mapping_of(address);
    if (m == NULL) {
        return false;
    }
    *is_shared = m->file != 0;
    *b = (struct heap_block){.place = m->place,
                             .start = m->origin,
                             .size = m->end - m->origin,
                             .ordinal = m->ordinal,
                             .owner = m->owner};
    return true;
}

void object_unmapped(const void *start, size_t size)
{
    const uintptr_t from = (uintptr_t)start;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < own->mapping_count; i++) {
        struct mapping m = own->mappings[i];
        const bool is_covered = from <= m.start && from + size >= m.end;
        if (!is_covered) {
            own->mappings[kept++] = m; /* what is left of it keeps its name */
        }
    }
    own->mapping_count = kept;
    own->age++;
}

/* The mapping, which has no name yet; NULL when there are too many. */
static struct mapping *add_mapping(const void *start, size_t size)
{
    object_unmapped(start, size);
    if (own->mapping_count == MAPPINGS_MAX) {
        return NULL;
    }
    struct mapping *m = &own->mappings[own->mapping_count++];
    *m = (struct mapping){
        .start = (uintptr_t)start, .end = (uintptr_t)start + size, .origin = (uintptr_t)start};
    return m;
}

static void name_mapping(struct mapping *m, const void *place)
{
    uint64_t *count = table_slot(&own->counts, (uintptr_t)place, 0);
    m->place = control_place(place);
    m->ordinal = count == NULL ? 1 : (uint32_t)++ * count;
    m->owner = control_self->number;
}

static void take_name(struct mapping *m, const struct mapping *named)
{
    m->place = named->place;
    m->ordinal = named->ordinal;
    m->owner = named->owner;
    m->file = named->file;
}

void object_mapped(const void *start, size_t size, const void *place)
{
    struct mapping *m = add_mapping(start, size);
    if (m != NULL) {
        name_mapping(m, place);
    }
}

void object_mapped_file(const void *start, size_t size, const struct object_file *file,
                        const void *place)
{
    struct mapping *m = add_mapping(start, size);
    uint32_t at = 0;
    while (at < run_state->file_count &&
           (files[at].is.device != file->device || files[at].is.inode != file->inode)) {
        at++;
    }
    if (m == NULL) {
        return;
    }
    m->origin = m->start - file->offset;
    process_self->maps_shared = true;
    if (at == run_state->file_count && at < MAPPINGS_MAX) {
        name_mapping(m, place);
        m->file = ++run_state->file_count;
        files[at] = (struct mapped_file){.is = *file, .first = *m};
    } else if (at == MAPPINGS_MAX) {
        name_mapping(m, place);
    }
    if (at < MAPPINGS_MAX) {
        take_name(m, &files[at].first);
        files[at].mapping_count++;
    }
}

uint64_t object_shared(const volatile void *address)
{
    const struct mapping *m =
        !process_self->maps_shared || address == NULL ? NULL : mapping_of((uintptr_t)address);
    if (m == NULL || m->file == 0) {
        return 0;
    }
    const uintptr_t offset = (uintptr_t)address - m->origin;
    must(offset < UINT64_C(1) << SHARED_FILE_SHIFT);
    return (uint64_t)m->file << SHARED_FILE_SHIFT | offset;
}

const volatile void *object_shared_at(uint64_t number)
{
    const uint32_t file = (uint32_t)(number >> SHARED_FILE_SHIFT);
    const uintptr_t offset = number & ((UINT64_C(1) << SHARED_FILE_SHIFT) - 1);
    for (uint32_t i = 0; file != 0 && i < own->mapping_count; i++) {
        const struct mapping *m = &own->mappings[i];
        if (m->file == file && m->origin + offset >= m->start && m->origin + offset < m->end) {
            return (const volatile void *)(m->origin + offset);
        }
    }
    return NULL;
}

bool object_is_shared_file(const void *start)
{
    const struct mapping *m = mapping_of((uintptr_t)start);
    return m != NULL && m->file != 0 && files[m->file - 1].mapping_count > 1;
}

void object_file_gone(const void *start)
{
    const struct mapping *m = mapping_of((uintptr_t)start);
    if (m != NULL && m->file != 0) {
        files[m->file - 1].is = (struct object_file){0};
    }
}

void object_remapped(const struct object_move *move, const void *place)
{
    const struct mapping *before = mapping_of((uintptr_t)move->from);
    const bool is_same = before != NULL && before->file != 0;
    const struct mapping named = before == NULL ? (struct mapping){0} : *before;
    if (move->from_size > 0) {
        object_unmapped(move->from, move->from_size);
    }
    struct mapping *m = add_mapping(move->to, move->to_size);
    if (m != NULL && (is_same || (move->from_size == 0 && before != NULL))) {
        take_name(m, &named);
        m->origin = m->start - ((uintptr_t)move->from - named.origin);
        if (m->file != 0) {
            files[m->file - 1].mapping_count++;
        }
    } else if (m != NULL) {
        name_mapping(m, place);
    }
}

enum { ORDINAL_BITS = 16 };

/* Where there are too many to remember, the place itself is the object. */
static void name_first_use(struct object *o, uintptr_t address, const void *place)
{
    uint64_t *use = table_slot(&own->first_uses, address, 0);
    if (use != NULL && *use == 0) {
        uint64_t *count = table_slot(&own->counts, (uintptr_t)place, 0);
        const uint64_t ordinal = count == NULL ? 1 : ++*count;
        *use = (uint64_t)(uintptr_t)place << ORDINAL_BITS | (ordinal & 0xffff);
    }
    o->key = CONTROL_KEY_OF_PLACE | control_image |
             (use == NULL ? (uintptr_t)place : *use >> ORDINAL_BITS);
    o->ordinal = use == NULL ? 1 : (uint32_t)(*use & 0xffff);
    o->owner = owner_here(0);
    o->number = number_of(o->owner == 0 ? o->key : name_join(o->key, o->owner), o->ordinal);
}

/* A first use in the word of another: their numbers are that of the word. */
static uint32_t word_number(uintptr_t address, const void *place)
{
    struct object word = {0};
    name_first_use(&word, address / WORD_SIZE * WORD_SIZE, place);
    return word.number;
}

/* Static memory, and what is nobody's stack, is counted in stretches by the address. */
enum { STRETCH_BITS = 31 };

static void place_in_stretch(struct object *o, uintptr_t address)
{
    const uint32_t here = owner_here(0);
    o->region = number_of(here == 0 ? 6 : name_join(6, here), address >> STRETCH_BITS);
    o->begin = (uint32_t)(address & ((UINT64_C(1) << STRETCH_BITS) - 1));
}

/* Stacks lie elsewhere in other runs: a byte is known by its task and its distance. */
static void place_on_stack(struct object *o, uintptr_t address)
{
    uint32_t distance = 0;
    const struct task *t = task_of_stack(address, &distance);
    if (t == NULL) {
        place_in_stretch(o, address);
        return;
    }
    o->region = number_of(7, t->path_name);
    o->begin = (UINT32_C(1) << STRETCH_BITS) - distance;
}

static struct object find(uintptr_t address, const void *place)
{
    struct object o = {0};
    struct heap_block block;
    bool is_shared = false;
    if (heap_find(address, &block) || find_mapping(address, &block, &is_shared)) {
        block.owner = is_shared ? block.owner : owner_here(block.owner);
        name_block(&o, &block, address);
    } else if (is_static(address)) {
        o.key = address | control_image;
        o.owner = owner_here(0);
        o.number = number_of(o.owner == 0 ? 1 : name_join(1, o.owner), address / WORD_SIZE);
        place_in_stretch(&o, address);
    } else {
        name_first_use(&o, address, place);
        o.number = word_number(address, place);
    }
    o.name = name_of(&o);
    return o;
}

static struct cached *slot_of(uintptr_t address)
{
    return &own->cache[(address ^ address >> 12) % CACHE_SIZE];
}

struct object object_of(const volatile void *address, const void *place)
{
    const uintptr_t at = (uintptr_t)address;
    struct cached *c = slot_of(at);
    if (c->address != at || c->age != own->age) {
        *c = (struct cached){.address = at, .age = own->age, .object = find(at, place)};
    }
    struct object o = c->object;
    if (o.region == 0) {
        place_on_stack(&o, at); /* not kept: a stack is used again by other tasks */
    }
    return o;
}

void object_forget(const void *address, size_t size)
{
    if (own == NULL) {
        return;
    }
    if (size > FORGET_MAX) {
        own->age++;
        return;
    }
    const uintptr_t begin = (uintptr_t)address;
    for (uintptr_t at = begin; at < begin + size; at++) {
        struct cached *c = slot_of(at);
        if (c->address == at) {
            c->address = 0;
        }
    }
}

struct object object_of_task(uint32_t number)
{
    const char *path = task_path(number);
    const uint64_t name = name_text(path, strlen(path));
    return (struct object){
        .key = CONTROL_KEY_OF_TASK | number, .name = name, .number = number_of(2, name)};
}

struct object object_of_time(void)
{
    return (struct object){
        .key = CONTROL_KEY_OF_TIME, .name = name_text("clock", 5), .number = number_of(3, 0)};
}

struct object object_of_kind(enum control_descriptor kind, uint32_t ordinal, uint32_t owner)
{
    struct object o = {.key = CONTROL_KEY_OF_KIND | kind, .ordinal = ordinal, .owner = owner};
    o.name = name_of(&o);
    o.number = number_of(4, o.name);
    return o;
}
