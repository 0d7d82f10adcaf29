/* What a controlled program tells of itself by clew/clew.h. */
#define ENTRY __attribute__((visibility("default")))
#include "runtime/control/sched/run_control.h"
#include "runtime/instrument/runtime_entry.h"

RT_EXPORT void clew_rt_node(const char *name);
RT_EXPORT void clew_rt_node(const char *name)
{
    control_report(EVENT_LOG, name, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_handler_begin(const char *name);
RT_EXPORT void clew_rt_handler_begin(const char *name)
{
    control_report(EVENT_HANDLER_BEGIN, name, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_handler_end(void);
RT_EXPORT void clew_rt_handler_end(void)
{
    control_report(EVENT_HANDLER_END, "", 0, RT_PLACE);
}

RT_EXPORT void clew_rt_variable(const char *name, int64_t value);
RT_EXPORT void clew_rt_variable(const char *name, int64_t value)
{
    control_report(EVENT_VARIABLE, name, value, RT_PLACE);
}

RT_EXPORT void clew_rt_variable_delete(const char *name);
RT_EXPORT void clew_rt_variable_delete(const char *name)
{
    control_report(EVENT_VARIABLE_DELETE, name, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_log(const char *text);
RT_EXPORT void clew_rt_log(const char *text)
{
    control_report(EVENT_LOG, text, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_atomic_begin(const char *name);
RT_EXPORT void clew_rt_atomic_begin(const char *name)
{
    control_report(EVENT_ATOMIC_BEGIN, name, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_atomic_end(const char *name);
RT_EXPORT void clew_rt_atomic_end(const char *name)
{
    control_report(EVENT_ATOMIC_END, name, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_happens_before(const void *object);
RT_EXPORT void clew_rt_happens_before(const void *object)
{
    (void)control_report_channel(EVENT_HAPPENS_BEFORE, object, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_happens_after(const void *object);
RT_EXPORT void clew_rt_happens_after(const void *object)
{
    (void)control_report_channel(EVENT_HAPPENS_AFTER, object, 0, RT_PLACE);
}

RT_EXPORT void clew_rt_sent(const void *channel, uint64_t message, size_t size);
RT_EXPORT void clew_rt_sent(const void *channel, uint64_t message, size_t size)
{
    (void)size;
    (void)control_report_channel(EVENT_SEND, channel, (int64_t)message, RT_PLACE);
}

RT_EXPORT void clew_rt_received(const void *channel, uint64_t message, size_t size);
RT_EXPORT void clew_rt_received(const void *channel, uint64_t message, size_t size)
{
    (void)size;
    (void)control_report_channel(EVENT_RECV, channel, (int64_t)message, RT_PLACE);
}

RT_EXPORT void clew_rt_ignore_begin(void);
RT_EXPORT void clew_rt_ignore_begin(void)
{
    if (control_self != NULL) {
        control_self->ignore_accesses++;
    }
}

RT_EXPORT void clew_rt_ignore_end(void);
RT_EXPORT void clew_rt_ignore_end(void)
{
    if (control_self != NULL) {
        control_self->ignore_accesses -= control_self->ignore_accesses > 0;
    }
}

/* ---- annotations of ThreadSanitizer's (runtime/instrument/tsan_annotations.c) ---- */

void clew_rt_annotate(const struct clew_rt_annotation *annotation)
{
    (void)control_report_channel((enum event_kind)annotation->kind,
                                 (const void *)(uintptr_t)annotation->object, annotation->mode,
                                 annotation->place);
}

/* The code of a lock stays controlled: whoever waits in it must let others run. */
void clew_rt_lock_code_begin(void)
{
}

void clew_rt_lock_code_end(void)
{
}

static void change_depth(uint32_t *depth, int change)
{
    if (change > 0) {
        ++*depth;
    } else {
        *depth -= *depth > 0;
    }
}

void clew_rt_ignore_reads(int change)
{
    if (control_self != NULL) {
        change_depth(&control_self->ignore_reads, change);
    }
}

void clew_rt_ignore_writes(int change)
{
    if (control_self != NULL) {
        change_depth(&control_self->ignore_writes, change);
    }
}
