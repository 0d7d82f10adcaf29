/* The calls that led to where a run ended: assertions, undefined behaviour, faults of the
 * processor, calls that end the process.
 *
 * Debug information is slow to read, and minimizing ends in the same place thousands of times: each
 * chain of calls is looked up once. */
#include "sim/backtrace.h"

#include <execinfo.h>
#include <string.h>

#include "pick/operation_name.h"
#include "place/place.h"
#include "sim/net.h"
#include "sim/state_hash.h"

enum { FRAMES_MAX = 32, PLACES_MAX = 6, CALLS_MAX = 12 };

static void *frames[FRAMES_MAX];
static int frame_count;
static uint64_t caught_at; /* the instruction that a signal interrupted; 0: none did */

void backtrace_take(uint64_t interrupted)
{
    caught_at = interrupted;
    frame_count = backtrace(frames, FRAMES_MAX);
}

void backtrace_take_from(const void *at)
{
    backtrace_take(0);
    int first = 0;
    while (first < frame_count && frames[first] != at) {
        first++;
    }
    if (first < frame_count) {
        frame_count -= first;
        memmove((void *)frames, (void *)(frames + first), (size_t)frame_count * sizeof *frames);
    }
}

/* The address that the frame returns to; 0 for one that is not the system's own. Places are those
 * of calls that return to an address; the frame that a signal interrupted is no call. */
static uint64_t own_address(const struct sim *s, int frame)
{
    const uint64_t address = (uint64_t)(uintptr_t)frames[frame];
    const bool is_own = address >= s->library.bias && address < s->library.end;
    return is_own ? address + (address == caught_at) : 0;
}

static void print_call(struct places *places, uint64_t address, struct out *calls)
{
    struct out functions;
    out_open_memory(&functions);
    (void)places_print_line(places, address, calls);
    if (places_print_functions(places, address, &functions)) {
        out_text(calls, " in ");
        out_bytes(calls, functions.buffer, functions.used);
    }
    out_char(calls, '\n');
    out_abandon(&functions);
}

static struct places *open_places(const struct sim *s)
{
    struct places *places = places_new();
    if (s->library.path != NULL) {
        places_add_module(places, s->library.path, s->library.bias);
    }
    return places;
}

/* Frames between the system's code and the explorer say nothing about the system. */
static const char between[] = "clew/sim.h";

static void print_frames(const struct sim *s, struct out *lines, struct out *calls)
{
    struct places *places = open_places(s);
    uint32_t shown = 0;
    for (int i = 0; i < frame_count && shown < CALLS_MAX; i++) {
        const uint64_t address = own_address(s, i);
        if (address == 0 || (shown == 0 && places_is_in(places, address, between))) {
            continue;
        }
        if (shown < PLACES_MAX) {
            out_text(lines, shown == 0 ? "" : " < ");
            (void)places_print_line(places, address, lines);
        }
        print_call(places, address, calls);
        shown++;
    }
    places_free(places);
}

static struct chain look_up(struct sim *s)
{
    struct out lines;
    struct out calls;
    out_open_memory(&lines);
    out_open_memory(&calls);
    print_frames(s, &lines, &calls);
    const struct chain chain = {.places = arena_text(&s->kept.texts, lines.buffer, lines.used),
                                .calls = arena_text(&s->kept.texts, calls.buffer, calls.used)};
    out_abandon(&lines);
    out_abandon(&calls);
    return chain;
}

/* The chain of this key, which the frames are where it is not known yet. */
static const struct chain *chain_of(struct sim *s, uint64_t key)
{
    const uint32_t *known = map_get(&s->kept.chain_numbers, key);
    if (known != NULL) {
        return &s->kept.chains.at[*known];
    }
    map_put(&s->kept.chain_numbers, key, (uint32_t)s->kept.chains.count);
    vec_push(&s->kept.chains, look_up(s));
    return vec_last(&s->kept.chains);
}

uintptr_t backtrace_first(const struct sim *s, bool is_handler)
{
    struct places *places = is_handler ? NULL : open_places(s);
    uintptr_t first = 0;
    for (int i = 0; i < frame_count && first == 0; i++) {
        const uint64_t address = own_address(s, i);
        if (address != 0 && (is_handler || !places_is_in(places, address, between))) {
            first = (uintptr_t)frames[i];
        }
    }
    places_free(places);
    return first;
}

const char *backtrace_places(struct sim *s)
{
    uint64_t key = name_mix(0, caught_at);
    for (int i = 0; i < frame_count; i++) {
        key = name_mix(key, own_address(s, i));
    }
    const struct chain *chain = chain_of(s, key);
    s->run.calls = chain->calls;
    return chain->places;
}

void backtrace_note(struct sim *s, const char *key)
{
    const uint64_t name = name_text(key, strlen(key));
    if (map_get(&s->kept.chain_numbers, name) == NULL) {
        backtrace_take(0);
    }
    s->run.calls = chain_of(s, name)->calls;
}

void backtrace_close(struct sim *s)
{
    map_release(&s->kept.chain_numbers);
    vec_release(&s->kept.chains);
}
