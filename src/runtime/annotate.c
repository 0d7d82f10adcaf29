/* The functions behind include/clew/clew.h. */
#include <string.h>

#include "clew/clew.h"
#include "runtime/rt.h"

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
