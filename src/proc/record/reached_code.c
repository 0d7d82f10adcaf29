#include "proc/record/reached_code.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/in.h"
#include "base/sort.h"

typedef VEC(uint64_t) addresses;

/* The places in the table, each as often as it has sites; none when there is no table. */
static int read_places(addresses *places, const char *path, struct err *e)
{
    struct in in;
    if (access(path, F_OK) != 0) {
        return 0;
    }
    if (in_open(&in, path, e) < 0) {
        return -1;
    }
    uint64_t site = 0;
    ssize_t available = 0;
    while ((available = in_fill(&in, sizeof site, e)) >= (ssize_t)sizeof site) {
        memcpy(&site, in.at, sizeof site);
        in_skip(&in, sizeof site);
        if (site != 0) {
            vec_push(places, calls_place_of(site_place(site)));
        }
    }
    in_close(&in);
    return available < 0 ? -1 : 0;
}

static int compare_addresses(const void *left, const void *right,
                             __attribute__((unused)) const void *context)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* How many of them lie at each place of the source, in the order of addresses. */
static struct map count_by_source(const addresses *places, struct naming *naming)
{
    struct map count_of = {0};
    uint64_t before = 0;
    vec_each (places, place) {
        if (*place != before) {
            before = *place;
            ++*map_slot(&count_of, naming_source(naming, before), 0, NULL);
        }
    }
    return count_of;
}

static int tell(struct collector *c, const struct source *s, const struct map *count_of,
                struct err *e)
{
    vec_each (&count_of->entries, source) {
        c->block_count += source->value;
        const struct event event = {.kind = EVENT_COVERAGE,
                                    .task = s->task,
                                    .location = (uint32_t)source->key,
                                    .has = HAS_COUNT,
                                    .count = source->value};
        if (source->key != 0 && translate_put(c, &event, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int coverage_tell(struct collector *c, const struct source *s, struct err *e)
{
    if (s->process->has_coverage) {
        return 0;
    }
    s->process->has_coverage = true;
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%u" SITES_SUFFIX, c->folder, s->process->number);
    addresses places = {0};
    int result = read_places(&places, path, e);
    if (result == 0) {
        sort_stable(places.at, places.count, sizeof *places.at, compare_addresses, NULL);
        struct map count_of = count_by_source(&places, &s->process->naming);
        result = tell(c, s, &count_of, e);
        map_release(&count_of);
    }
    vec_release(&places);
    return result;
}
