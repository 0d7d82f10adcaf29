/* What a table of sites tells of the code that was reached. Which source places that are is seen in
 * test/recorded, where there is a program to look at. */
#include <stdio.h>

#include "fault.h"
#include "proc/record/collect.h"
#include "rows.h"
#include "scratch.h"
#include "test.h"
#include "wire/event.h"
#include "wire/kind.h"

/* A recording of one process, and the three sites of its two places. */
static const char *folder_of(const char *name, bool is_killed)
{
    const char *folder = rows_folder(name);
    struct row_file a = rows_begin(0, 0, "main");
    rows_put(
        &a, &(struct rows_record){.kind = is_killed ? EVENT_LOCK : EVENT_PROCESS_EXIT, .stamp = 1});
    atomic_store(&rows_head(&a)->is_last, !is_killed);
    rows_save(&a, folder);
    const uint64_t sites[] = {site_entry(0x1021, 4, true), site_entry(0x1011, 4, true),
                              site_entry(0x1011, 8, false)};
    rows_save_sites(folder, 0, sites, 3);
    return folder;
}

static int collect_from(const char *folder, struct collect_stats *stats)
{
    struct err e = {0};
    struct tables tables;
    struct out out;
    struct notes notes = {0};
    tables_init(&tables);
    int result = out_open(&out, scratch_path("covered.clew"), &e);
    if (result == 0) {
        struct writer *w = format_native.create(&out, &tables, &notes);
        result = collect(folder, &tables, w, stats, &notes, &e);
        if (result == 0) {
            result = writer_close(w, &e);
        } else {
            writer_abandon(w);
        }
    }
    tables_release(&tables);
    notes_release(&notes);
    return result == 0 ? 0 : fault_told(&e);
}

TEST(places_are_counted_once_for_all_their_sites)
{
    struct collect_stats stats;
    CHECK_INT(collect_from(folder_of("ended", false), &stats), 0);
    CHECK_INT(stats.blocks, 2);
}

TEST(a_killed_process_has_reached_what_it_has)
{
    struct collect_stats stats;
    CHECK_INT(collect_from(folder_of("killed", true), &stats), 0);
    CHECK_INT(stats.blocks, 2);
}

static int sweep(void *context)
{
    struct collect_stats stats;
    return collect_from(context, &stats);
}

TEST(every_failure_of_the_system_is_told)
{
    const char *folder = folder_of("failures", false);
    const struct fault_sweep s = {.run = sweep, .context = (void *)(uintptr_t)folder};
    CHECK(fault_sweep(&s) > 10);
}
