/* Compresses segments during a recording. Once the segments take a large share of the space
 * allowed, it compresses those that are full and that no task writes any more:
 * `PROCESS.TASK.NUMBER` becomes `PROCESS.TASK.NUMBER.z`, a quarter to a tenth of its size. The
 * compressed file is whole before the other is removed: if clew is killed in between, at least one
 * of the two is there. */
#ifndef CLEW_PROC_RECORD_SEGMENT_COMPRESS_H
#define CLEW_PROC_RECORD_SEGMENT_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "wire/recording.h"

#define PACKED_SUFFIX ".z"

/* The packed file that is being written. */
#define PACKING_FILE "packing"

/* The parts of the name of a segment's file. */
struct drain_segment {
    uint32_t process, task, number;
    bool is_packed;
};

/* False for a name that is no segment's. */
bool drain_parse_name(struct drain_segment *s, const char *name);

struct drain {
    int folder;                      /* open; -1: nothing is drained */
    struct recording *page;          /* mapped */
    VEC(struct drain_segment) full;  /* still to be packed, the next one last */
    unsigned char *segment, *packed; /* buffers for one segment each */
    struct ZSTD_CCtx_s *packer;      /* made when it is first needed */
    uint64_t look_ns;                /* not before then is the folder looked at again */
};

/* Begins to drain this folder, whose page is open in the descriptor. Errors are no failure:
 * segments that cannot be compressed stay as they are. */
void drain_open(struct drain *d, const char *folder, int page);

/* Packs one segment if there is one to pack; false when there was nothing to do. */
bool drain_step(struct drain *d);

void drain_close(struct drain *d);

/* Unpacks the file into `segment`, SEGMENT_SIZE bytes. The bytes that there were; 0 when it cannot
 * be read or is no packed segment. */
size_t drain_unpack(const char *path, void *segment);

#endif
