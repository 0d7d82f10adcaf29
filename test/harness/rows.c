#include "rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "scratch.h"
#include "wire/event.h"
#include "wire/must.h"

const char *rows_folder(const char *name)
{
    const char *path = scratch_path(name);
    must(mkdir(path, 0700) == 0);
    return path;
}

struct segment *rows_head(const struct row_file *f)
{
    return (struct segment *)(void *)f->bytes;
}

struct row_file rows_begin(uint32_t process, uint32_t task, const char *path)
{
    struct row_file f = {.bytes = mem_zero(1, SEGMENT_SIZE)};
    struct segment *head = rows_head(&f);
    head->magic = SEGMENT_MAGIC;
    head->version = WIRE_VERSION;
    head->process = process;
    head->task = task;
    head->is_closed = 1;
    head->is_last = 1;
    (void)snprintf(head->node, sizeof head->node, "n");
    (void)snprintf(head->path, sizeof head->path, "%s", path);
    return f;
}

void rows_put(struct row_file *f, const struct rows_record *r)
{
    const bool has_more = r->more_size > 0 || (r->flags & RECORD_HAS_VALUE) != 0;
    const size_t tail = has_more ? sizeof(struct record_more) + r->more_size : 0;
    const struct record record = {.kind = r->kind,
                                  .mode = r->mode,
                                  .flags = r->flags,
                                  .extra = (uint8_t)((tail + RECORD_SIZE - 1) / RECORD_SIZE),
                                  .size = r->size,
                                  .stamp = r->stamp,
                                  .object = r->object,
                                  .place = r->place};
    unsigned char *at = f->bytes + SEGMENT_HEADER_SIZE + f->used;
    memcpy(at, &record, sizeof record);
    if (has_more) {
        const struct record_more more = {.value = r->value, .size = (uint32_t)r->more_size};
        memcpy(at + RECORD_SIZE, &more, sizeof more);
        if (r->more_size > 0) {
            memcpy(at + RECORD_SIZE + sizeof more, r->more, r->more_size);
        }
    }
    f->used += (1 + (uint64_t)record.extra) * RECORD_SIZE;
    rows_head(f)->committed = f->used;
}

void rows_put_access(struct row_file *f, uint64_t site, uint64_t address)
{
    const uint64_t word = access_word(SITE_FIRST + site, address);
    memcpy(f->bytes + SEGMENT_HEADER_SIZE + f->used, &word, sizeof word);
    f->used += sizeof word;
    rows_head(f)->committed = f->used;
}

void rows_save_sites(const char *folder, uint32_t process, const uint64_t *entries, size_t count)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%u" SITES_SUFFIX, folder, process);
    uint64_t *table = mem_zero(SITE_COUNT, sizeof *table);
    must(SITE_FIRST + count < SITE_COUNT);
    memcpy(table + SITE_FIRST + 1, entries, count * sizeof *table);
    FILE *file = fopen(path, "we");
    must(file != NULL);
    must(fwrite(table, sizeof *table, SITE_COUNT, file) == SITE_COUNT);
    must(fclose(file) == 0);
    mem_free(table);
}

void rows_save_cut(struct row_file *f, const char *folder, size_t size)
{
    char path[4096];
    const struct segment *head = rows_head(f);
    (void)snprintf(path, sizeof path, "%s/%u.%u.%u", folder, head->process, head->task,
                   head->number);
    FILE *file = fopen(path, "we");
    must(file != NULL);
    must(fwrite(f->bytes, 1, size, file) == size);
    must(fclose(file) == 0);
    mem_free(f->bytes);
    *f = (struct row_file){0};
}

void rows_save(struct row_file *f, const char *folder)
{
    rows_save_cut(f, folder, SEGMENT_SIZE);
}
