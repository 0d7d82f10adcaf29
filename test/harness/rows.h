/* Segments of a recording, written by a test (wire/segment.h).
 *
 *     const char *folder = rows_folder("torn");
 *     struct row_file f = rows_begin(0, 0, "main");
 *     rows_put(&f, &(struct rows_record){.kind = EVENT_LOCK, .stamp = 1, .object = 0x1000});
 *     rows_save(&f, folder);
 */
#ifndef CLEW_TEST_ROWS_H
#define CLEW_TEST_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/segment.h"

/* One segment file being made, in memory of its size. */
struct row_file {
    unsigned char *bytes;
    uint64_t used;
};

struct rows_record {
    uint8_t kind, mode, flags;
    uint32_t size;
    union {
        uint64_t stamp;
        struct record_late late;
    };
    uint64_t object, place;
    int64_t value;
    const void *more;
    size_t more_size;
};

/* An empty folder of this name. */
const char *rows_folder(const char *name);

/* Segment 0 of a row, of the node "n". */
struct row_file rows_begin(uint32_t process, uint32_t task, const char *path);

/* The header, to be spoiled. */
struct segment *rows_head(const struct row_file *f);

/* Appends a record and commits it. */
void rows_put(struct row_file *f, const struct rows_record *record);

/* Appends a plain access in one word and commits it. */
void rows_put_access(struct row_file *f, uint64_t site, uint64_t address);

/* Writes the table of a process's sites with these entries, numbered from 1 on. */
void rows_save_sites(const char *folder, uint32_t process, const uint64_t *entries, size_t count);

/* Writes the file whole, or only its first bytes, and lets go of it. */
void rows_save(struct row_file *f, const char *folder);
void rows_save_cut(struct row_file *f, const char *folder, size_t size);

#endif
