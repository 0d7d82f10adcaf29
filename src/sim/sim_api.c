#include "sim/sim_api.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "pick/operation_name.h"
#include "sim/backtrace.h"
#include "sim/block_coverage.h"
#include "sim/disk.h"
#include "sim/handler_guard.h"
#include "sim/helper_tasks.h"
#include "sim/net.h"
#include "sim/pending.h"
#include "sim/properties.h"
#include "sim/routed_calls.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"
#include "sim/trace_events.h"

static struct sim *running;

void calls_begin(struct sim *s)
{
    running = s;
}

struct sim *calls_running(void)
{
    return running;
}

/* The node whose code is running. Calls from elsewhere, such as a property, end the run. */
static struct node *own_node(const char *call)
{
    struct sim *s = running;
    if (s->run.self < 0) {
        guard_end(s, OUTCOME_ASSERTION, call, "%s() is called outside the handlers of nodes", call);
    }
    return &s->core->nodes[s->run.self];
}

static int call_self(void)
{
    (void)own_node("clew_self");
    return running->run.self;
}

static void check_bytes(const char *call, const void *bytes, size_t size)
{
    if (bytes == NULL && size > 0) {
        guard_end(running, OUTCOME_ASSERTION, call, "%s() of %zu bytes at no address", call, size);
    }
}

static void check_message(const char *call, int to, int type, const void *bytes, size_t size)
{
    struct sim *s = running;
    if (to < 0 || (uint32_t)to >= s->node_count) {
        guard_end(s, OUTCOME_ASSERTION, call, "%s() to node %d, and there are %u", call, to,
                  s->node_count);
    }
    if (type < 0 || (uint32_t)type >= s->type_count) {
        guard_end(s, OUTCOME_ASSERTION, call, "%s() of message type %d, and there are %u", call,
                  type, s->type_count);
    }
    check_bytes(call, bytes, size);
}

static void call_send(int to, int type, const void *bytes, size_t size)
{
    (void)own_node("clew_send");
    check_message("clew_send", to, type, bytes, size);
    (void)net_send(running, running->run.self, (uint32_t)to,
                   &(struct clew_message){.type = type, .bytes = bytes, .size = size});
}

static void call_send_unignorable(int to, int type, const void *bytes, size_t size)
{
    (void)own_node("clew_send_unignorable");
    check_message("clew_send_unignorable", to, type, bytes, size);
    net_send(running, running->run.self, (uint32_t)to,
             &(struct clew_message){.type = type, .bytes = bytes, .size = size})
        ->is_unignorable = true;
}

static void call_await(int from, int type)
{
    struct sim *s = running;
    struct node *n = own_node("clew_await");
    check_message("clew_await", from, type, NULL, 0);
    if (s->run.is_helping || n->awaited.is_any) {
        guard_end(s, OUTCOME_ASSERTION, "clew_await", "clew_await() is called %s",
                  s->run.is_helping ? "by a helper" : "twice by one handler");
    }
    pending_forget(s);
    n->awaited = (struct awaited){.is_any = true, .from = (uint32_t)from, .type = (uint32_t)type};
}

static void call_help(int helper, const void *bytes, size_t size)
{
    struct sim *s = running;
    (void)own_node("clew_help");
    if (helper < 0 || (uint32_t)helper >= s->helper_count || (bytes == NULL && size > 0)) {
        guard_end(s, OUTCOME_ASSERTION, "clew_help",
                  "clew_help() of helper %d with %zu bytes, and there are %u helpers", helper, size,
                  s->helper_count);
    }
    help_start(s, (uint32_t)s->run.self, &(struct help){.helper = (uint32_t)helper, .size = size},
               bytes);
}

static void call_request(int to, int type, const void *bytes, size_t size)
{
    if (!running->run.is_setting_up) {
        guard_end(running, OUTCOME_ASSERTION, "clew_request",
                  "clew_request() is called outside setup");
    }
    check_message("clew_request", to, type, bytes, size);
    (void)net_send(running, CLEW_CLIENT, (uint32_t)to,
                   &(struct clew_message){.type = type, .bytes = bytes, .size = size});
}

static struct timer *own_timer(const char *call, int timer)
{
    struct node *n = own_node(call);
    if (timer < 0 || (uint32_t)timer >= running->timer_count) {
        guard_end(running, OUTCOME_ASSERTION, call, "%s() of timer %d, and there are %u", call,
                  timer, running->timer_count);
    }
    return &n->timers[timer];
}

static void call_timer_set(int timer, uint64_t delay)
{
    struct timer *t = own_timer("clew_timer_set", timer);
    running->pending.listing.has_timers_moved = true;
    t->is_set = true;
    t->deadline = running->core->nodes[running->run.self].clock + delay;
    t->cause = running->run.now;
    t->occurrence++;
    t->set_at = ++running->core->timer_settings;
    must(t->occurrence <= t->set_at);
    tell_timer_set(running, (uint32_t)timer, delay);
}

static void call_timer_cancel(int timer)
{
    struct timer *t = own_timer("clew_timer_cancel", timer);
    running->pending.listing.has_timers_moved = true;
    if (t->is_set) {
        tell_timer_cancel(running, (uint32_t)timer);
    }
    t->is_set = false;
}

static void check_disk(const char *call, size_t offset, const void *bytes, size_t size)
{
    const size_t disk_size = running->system->disk_size;
    check_bytes(call, bytes, size);
    if (offset > disk_size || size > disk_size - offset) {
        guard_end(running, OUTCOME_ASSERTION, call,
                  "%s() of %zu bytes at %zu, and the disk has %zu", call, size, offset, disk_size);
    }
}

static uint32_t call_disk_write(size_t offset, const void *bytes, size_t size)
{
    struct node *n = own_node("clew_disk_write");
    check_disk("clew_disk_write", offset, bytes, size);
    return disk_begin_write(running, n, offset, bytes, size);
}

static void call_disk_save(size_t offset, const void *bytes, size_t size)
{
    struct node *n = own_node("clew_disk_save");
    check_disk("clew_disk_save", offset, bytes, size);
    if (disk_is_busy(n, offset, size)) {
        guard_end(running, OUTCOME_ASSERTION, "clew_disk_save",
                  "clew_disk_save() of %zu bytes at %zu, where a write is under way", size, offset);
    }
    disk_save(running, n, offset, bytes, size);
}

static void call_disk_read(size_t offset, void *bytes, size_t size)
{
    const struct node *n = own_node("clew_disk_read");
    check_disk("clew_disk_read", offset, bytes, size);
    disk_read(running, n, offset, bytes, size);
}

static uint64_t call_now(void)
{
    running->core->reads_clock = true;
    return own_node("clew_now")->clock;
}

static uint64_t call_random(uint64_t bound)
{
    struct node *n = own_node("clew_random");
    if (bound == 0) {
        guard_end(running, OUTCOME_ASSERTION, "clew_random", "clew_random(0): no number is below");
    }
    running->world.has_drawn = true;
    return prng_below(&n->prng, bound);
}

static void *call_alloc(size_t size)
{
    struct node *n = own_node("clew_alloc");
    void *block = heap_take(&n->heap, size);
    if (block == NULL) {
        guard_end(running, OUTCOME_CRASH, "out of memory",
                  "clew_alloc(%zu): the memory of a node is %zu bytes, and %zu are used", size,
                  n->heap.size, n->heap.used);
    }
    return block;
}

static void call_free(void *block)
{
    struct node *n = own_node("clew_free");
    if (block == NULL) {
        return;
    }
    if (!heap_has(&n->heap, block)) {
        guard_end(running, OUTCOME_CRASH, "clew_free",
                  "clew_free() of what clew_alloc() did not give, or of what was freed before");
    }
    heap_give(&n->heap, block);
}

/* The number of a variable's name, new ones last. */
static uint32_t variable_of(struct sim *s, const char *name)
{
    uint32_t i = 0;
    while (i < s->reported.count && strcmp(s->reported.names[i], name) != 0) {
        i++;
    }
    if (i == SIM_VARIABLES_MAX) {
        guard_end(s, OUTCOME_ASSERTION, "clew_variable", "more than %d variables are reported",
                  SIM_VARIABLES_MAX);
    }
    must(i <= s->reported.count);
    if (i == s->reported.count) {
        const size_t size = strlen(name);
        s->reported.names[i] = mem_text(name, size);
        s->reported.keys[i] = name_text(name, size);
        s->reported.count++;
    }
    return i;
}

static void call_variable(const char *name, int64_t value)
{
    struct node *n = own_node("clew_variable");
    const uint32_t i = variable_of(running, name);
    const bool is_known = (n->variables_set >> i & 1) != 0 && n->variables[i] == value;
    running->execution->has_changed =
        running->execution->has_changed || (running->run.now != STEP_NONE && !is_known);
    n->variables[i] = value;
    n->variables_set |= UINT64_C(1) << i;
    claims_set(running, (uint32_t)running->run.self, i, value);
    running->execution->hash =
        name_mix(name_mix(running->execution->hash, (uint64_t)value), running->reported.keys[i]);
    tell_variable(running, name, value);
}

static void call_log(const char *text)
{
    (void)own_node("clew_log_line");
    tell_log(running, text);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void call_access(const char *variable, bool is_write, const char *file, int line)
{
    (void)own_node(is_write ? "clew_writes" : "clew_reads");
    if (running->tracing.trace != NULL) {
        char place[200];
        (void)snprintf(place, sizeof place, "%s:%d", file_name(file), line);
        tell_access(running, variable, is_write, place);
    }
}

/* The bare name in clang's name of a function, "void count(struct node *)". */
static struct function_name {
    const char *text;
    int size;
} function_name(const char *function)
{
    const size_t end = strcspn(function, "(");
    size_t begin = end;
    while (begin > 0 && function[begin - 1] != ' ' && function[begin - 1] != '*') {
        begin--;
    }
    return (struct function_name){.text = function + begin, .size = (int)(end - begin)};
}

/* `function` is "" for systems of an older clew/sim.h, which do not say. */
static void call_fail(const char *claim, const char *file, int line, const char *function)
{
    struct sim *s = running;
    char key[100];
    (void)snprintf(key, sizeof key, "%s:%d", file_name(file), line);
    backtrace_note(s, key);
    const struct function_name name = function_name(function);
    guard_end(s, OUTCOME_ASSERTION, key, "%s at %s%s%.*s on %s fails: %s", s->run.doing, key,
              name.size == 0 ? "" : " in ", name.size, name.text,
              s->run.self < 0 ? "no node" : s->names.node_texts[s->run.self], claim);
}

static void call_violate(const char *claim, const char *file, int line)
{
    call_fail(claim, file, line, "");
}

static void call_undefined(const char *what, const void *at)
{
    guard_undefined(what, at);
}

static void call_block(const void *address)
{
    if (running != NULL) {
        cover_call(running, (uint64_t)(uintptr_t)address);
    }
}

const struct clew_calls clew_sim_calls = {
    .self = call_self,
    .send = call_send,
    .request = call_request,
    .timer_set = call_timer_set,
    .timer_cancel = call_timer_cancel,
    .disk_write = call_disk_write,
    .disk_save = call_disk_save,
    .disk_read = call_disk_read,
    .now = call_now,
    .random = call_random,
    .alloc = call_alloc,
    .free = call_free,
    .variable = call_variable,
    .log = call_log,
    .access = call_access,
    .violate = call_violate,
    .block = call_block,
    .await = call_await,
    .help = call_help,
    .send_unignorable = call_send_unignorable,
    .take = routed_take,
    .resize = routed_resize,
    .give = routed_give,
    .size = routed_size,
    .time_ns = routed_time_ns,
    .draw = routed_draw,
    .process = routed_process,
    .fail_in = call_fail,
    .undefined = call_undefined,
};
