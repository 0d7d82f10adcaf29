/* Events of the trace, when one is written. */
#ifndef CLEW_SIM_TRACE_EVENTS_H
#define CLEW_SIM_TRACE_EVENTS_H

#include "sim/sim_state.h"

void tell_begin(struct sim *s);
void tell_end(struct sim *s);
void tell_start(struct sim *s, uint32_t node, bool is_again);
void tell_send(struct sim *s, const struct parcel *p);
void tell_deliver(struct sim *s, const struct parcel *p);
void tell_handler_end(struct sim *s, uint32_t node);
void tell_timer_set(struct sim *s, uint32_t timer, uint64_t delay);
void tell_timer_cancel(struct sim *s, uint32_t timer);
void tell_fire(struct sim *s, uint32_t node, uint32_t timer);
void tell_help(struct sim *s, uint32_t node, uint32_t helper);
void tell_help_end(struct sim *s, uint32_t node, uint32_t helper);
void tell_write(struct sim *s, const struct disk_write *w);
void tell_saved(struct sim *s, size_t offset, size_t size);
void tell_written(struct sim *s, uint32_t node);
void tell_fault(struct sim *s, uint8_t fault, const struct origin *from);
void tell_variable(struct sim *s, const char *name, int64_t value);
void tell_log(struct sim *s, const char *text);
void tell_access(struct sim *s, const char *variable, bool is_write, const char *place);
void tell_violation(struct sim *s);

#endif
