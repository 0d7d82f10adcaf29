/* The system's own variables: the writable memory of its shared object.
 *
 * They are cut into parts, a page each. A part is read-only until the system writes to it; the
 * fault makes it writable and *written*, for good. A part that was never written is as it was
 * loaded: it is neither compared, nor copied, nor restored. Most systems keep their state in their
 * nodes, and write to no part or to a few.
 *
 * Thread-local variables share their pages with others' and count as written. So does everything
 * where the system calls functions that the simulator does not control: a system call that writes
 * to memory fails where a program's own instruction would fault. */
#include "sim/variables.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "pick/operation_name.h"
#include "sim/net.h"
#include "sim/state_hash.h"

/* Systems whose variables are guarded; the same object may be loaded more than once. */
enum { GUARDED_MAX = 8 };
static struct sim *guarded[GUARDED_MAX];

static uintptr_t page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static void add_part(struct sim *s, char *begin, size_t size, size_t place)
{
    vec_push(&s->memory.own.parts,
             (struct variables_part){.begin = begin, .size = size, .place = place});
}

static void cut(struct sim *s, const struct segment *segment, size_t place)
{
    const uintptr_t page = page_size();
    char *at = segment->begin;
    char *end = segment->begin + segment->size;
    while (at < end) {
        const size_t to_page_end = page - (uintptr_t)at % page;
        const size_t size = segment->is_shared || to_page_end > (size_t)(end - at)
                                ? (size_t)(end - at)
                                : to_page_end;
        must(size > 0);
        must(size <= (size_t)(end - at));
        add_part(s, at, size, place);
        place += size;
        at += size;
    }
}

static void note_written(struct sim *s, uint32_t number)
{
    struct variables_part *part = &s->memory.own.parts.at[number];
    if (!part->is_written) {
        part->is_written = true;
        s->memory.own.written[s->memory.own.written_count++] = number;
        must(s->memory.own.written_count <= s->memory.own.parts.count);
    }
}

static void *page_of(const struct variables_part *part)
{
    return (void *)((uintptr_t)part->begin / page_size() * page_size());
}

/* True when it is writable now, or was. */
static bool allow(const struct variables_part *part)
{
    return mprotect(page_of(part), page_size(), PROT_READ | PROT_WRITE) == 0;
}

static bool guard(struct sim *s)
{
    for (size_t i = 0; i < GUARDED_MAX && s->world.doubt_count == 0; i++) {
        if (guarded[i] == NULL) {
            guarded[i] = s;
            return true;
        }
    }
    return false;
}

static void mark_shared(struct sim *s)
{
    const char *end = NULL;
    uint32_t number = 0;
    for (uint32_t i = 0; i < s->memory.own.segment_count; i++) {
        end = s->memory.own.segments[i].begin + s->memory.own.segments[i].size;
        for (; number < s->memory.own.parts.count &&
               s->memory.own.parts.at[number].begin >= s->memory.own.segments[i].begin &&
               s->memory.own.parts.at[number].begin < end;
             number++) {
            if (s->memory.own.segments[i].is_shared) {
                note_written(s, number);
            }
        }
    }
    must(number == s->memory.own.parts.count);
}

void variables_open(struct sim *s)
{
    size_t place = 0;
    for (uint32_t i = 0; i < s->memory.own.segment_count; i++) {
        cut(s, &s->memory.own.segments[i], place);
        place += s->memory.own.segments[i].size;
    }
    s->memory.own.written = mem_zero(s->memory.own.parts.count + 1, sizeof *s->memory.own.written);
    mark_shared(s);
    const bool is_guarded = guard(s);
    for (uint32_t i = 0; i < s->memory.own.parts.count; i++) {
        const struct variables_part *part = &s->memory.own.parts.at[i];
        if (!part->is_written &&
            (!is_guarded || mprotect(page_of(part), page_size(), PROT_READ) < 0)) {
            note_written(s, i);
        }
    }
}

void variables_close(struct sim *s)
{
    for (size_t i = 0; i < GUARDED_MAX; i++) {
        guarded[i] = guarded[i] == s ? NULL : guarded[i];
    }
    vec_each (&s->memory.own.parts, part) {
        /* Where the object is loaded once more, that system does not see who writes from now on. */
        (void)(part->is_written || variables_note_fault(part->begin) || allow(part));
        image_release(&part->image);
    }
    vec_release(&s->memory.own.parts);
    mem_free(s->memory.own.written);
}

bool variables_note_fault(const void *address)
{
    bool is_ours = false;
    const uintptr_t page = page_size();
    for (size_t i = 0; i < GUARDED_MAX; i++) {
        struct sim *s = guarded[i];
        for (uint32_t k = 0; s != NULL && k < s->memory.own.parts.count; k++) {
            const struct variables_part *part = &s->memory.own.parts.at[k];
            const bool is_there = (uintptr_t)part->begin / page == (uintptr_t)address / page;
            if (is_there && !part->is_written && allow(part)) {
                note_written(s, k);
                is_ours = true;
            }
        }
    }
    return is_ours;
}

void variables_reset(struct sim *s)
{
    for (uint32_t i = 0; i < s->memory.own.written_count; i++) {
        const struct variables_part *part = &s->memory.own.parts.at[s->memory.own.written[i]];
        memcpy(part->begin, s->memory.own.fresh + part->place, part->size);
    }
}

/* Words that are as they were loaded are so in every run, and may hold addresses, which differ from
 * process to process: they do not count. */
uint64_t variables_hash(struct sim *s)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < s->memory.own.written_count; i++) {
        struct variables_part *part = &s->memory.own.parts.at[s->memory.own.written[i]];
        const uint64_t changed =
            image_hash(&part->image, part->begin, part->size, s->memory.own.fresh + part->place);
        hash += changed == 0 ? 0 : name_mix(changed, part->place + 1);
    }
    return hash;
}

/* A copy has how many parts were written, and these; the list of them only grows. */
size_t variables_copy_size(const struct sim *s)
{
    size_t size = sizeof s->memory.own.written_count;
    for (uint32_t i = 0; i < s->memory.own.written_count; i++) {
        size += s->memory.own.parts.at[s->memory.own.written[i]].size;
    }
    return size;
}

char *variables_copy(const struct sim *s, char *to)
{
    to = mempcpy(to, &s->memory.own.written_count, sizeof s->memory.own.written_count);
    for (uint32_t i = 0; i < s->memory.own.written_count; i++) {
        const struct variables_part *part = &s->memory.own.parts.at[s->memory.own.written[i]];
        to = mempcpy(to, part->begin, part->size);
    }
    return to;
}

const char *variables_restore(struct sim *s, const char *from)
{
    uint32_t count = 0;
    memcpy(&count, from, sizeof count);
    must(count <= s->memory.own.written_count);
    from += sizeof count;
    for (uint32_t i = 0; i < s->memory.own.written_count; i++) {
        const struct variables_part *part = &s->memory.own.parts.at[s->memory.own.written[i]];
        memcpy(part->begin, i < count ? from : s->memory.own.fresh + part->place, part->size);
        from += i < count ? part->size : 0;
    }
    return from;
}
