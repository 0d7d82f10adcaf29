/* The functions behind include/clew/clew.h. */
#include <string.h>

#define ENTRY __attribute__((visibility("default")))
#include "clew/clew.h"
#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"

/* A named event: the name goes with the record. */
static void named(enum event_kind kind, const char *name, const void *place)
{
    (void)rt_record((struct rt_event){
        .kind = kind, .place = place, .more = name, .more_size = name == NULL ? 0 : strlen(name)});
}

void clew_rt_node(const char *name)
{
    rt_set_node(name);
}

void clew_rt_handler_begin(const char *name)
{
    rt_handler_enter();
    named(EVENT_HANDLER_BEGIN, name, RT_PLACE);
}

void clew_rt_handler_end(void)
{
    rt_handler_leave();
    named(EVENT_HANDLER_END, NULL, RT_PLACE);
}

void clew_rt_variable(const char *name, int64_t value)
{
    (void)rt_record((struct rt_event){.kind = EVENT_VARIABLE,
                                      .has_value = true,
                                      .value = value,
                                      .place = RT_PLACE,
                                      .more = name,
                                      .more_size = strlen(name)});
}

void clew_rt_variable_delete(const char *name)
{
    named(EVENT_VARIABLE_DELETE, name, RT_PLACE);
}

void clew_rt_log(const char *text)
{
    named(EVENT_LOG, text, RT_PLACE);
}

void clew_rt_atomic_begin(const char *name)
{
    named(EVENT_ATOMIC_BEGIN, name, RT_PLACE);
}

void clew_rt_atomic_end(const char *name)
{
    named(EVENT_ATOMIC_END, name, RT_PLACE);
}

void clew_rt_happens_before(const void *object)
{
    (void)rt_record(
        (struct rt_event){.kind = EVENT_HAPPENS_BEFORE, .object = object, .place = RT_PLACE});
}

void clew_rt_happens_after(const void *object)
{
    (void)rt_record(
        (struct rt_event){.kind = EVENT_HAPPENS_AFTER, .object = object, .place = RT_PLACE});
}

static void message(enum event_kind kind, const void *channel, uint64_t name, size_t size)
{
    (void)rt_record((struct rt_event){.kind = kind,
                                      .mode = TRANSPORT_CHANNEL,
                                      .object = channel,
                                      .has_size = true,
                                      .size = size,
                                      .more = &name,
                                      .more_size = sizeof name});
}

void clew_rt_sent(const void *channel, uint64_t name, size_t size)
{
    message(EVENT_SEND, channel, name, size);
}

void clew_rt_received(const void *channel, uint64_t name, size_t size)
{
    message(EVENT_RECV, channel, name, size);
}

void clew_rt_ignore_begin(void)
{
    rt_ignore_begin();
}

void clew_rt_ignore_end(void)
{
    rt_ignore_end();
}

/* ---- annotations of ThreadSanitizer's (runtime/instrument/tsan_annotations.c) ---- */

void clew_rt_annotate(const struct clew_rt_annotation *annotation)
{
    (void)rt_record((struct rt_event){.kind = (enum event_kind)annotation->kind,
                                      .mode = annotation->mode,
                                      .object = annotation->object,
                                      .place = annotation->place});
}

void clew_rt_lock_code_begin(void)
{
    rt_ignore_begin();
}

void clew_rt_lock_code_end(void)
{
    rt_ignore_end();
}

/* An end without its beginning changes nothing. */
static void change_depth(uint32_t *depth, int change)
{
    if (change > 0) {
        ++*depth;
    } else {
        *depth -= *depth > 0;
    }
    rt_self.own = 0;
}

void clew_rt_ignore_reads(int change)
{
    change_depth(&rt_self.ignore_reads, change);
}

void clew_rt_ignore_writes(int change)
{
    change_depth(&rt_self.ignore_writes, change);
}

void clew_rt_benign(const volatile void *address, size_t size)
{
    access_allow((uintptr_t)address, size);
}
