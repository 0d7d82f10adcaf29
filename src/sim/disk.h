/* Disks of nodes. */
#ifndef CLEW_SIM_DISK_H
#define CLEW_SIM_DISK_H

#include "sim/sim_state.h"

uint32_t disk_begin_write(struct sim *s, struct node *n, size_t offset, const void *bytes,
                          size_t size);
bool disk_is_busy(const struct node *n, size_t offset, size_t size); /* writes are under way here */
void disk_save(struct sim *s, struct node *n, size_t offset, const void *bytes, size_t size);
void disk_read(const struct sim *s, const struct node *n, size_t offset, void *bytes, size_t size);
struct disk_write *disk_complete(struct sim *s,
                                 struct node *n); /* the first write is over; the caller frees */
void disk_crash(struct sim *s, struct node *n, uint32_t reached);

#endif
