#include "race/file_lock_owners.h"

#include "test.h"
#include "trace/kind_table.h"
#include "trace_of.h"

/* How many locks and unlocks are left. */
static uint32_t left_of(const char *text)
{
    struct trace replaced;
    const struct trace *t = trace_of(text);
    const struct trace *kept = file_locks_replace(t, &replaced);
    uint32_t count = 0;
    CHECK_INT(kept->events.count, t->events.count);
    trace_each (kept, e) {
        count += e->kind == EVENT_LOCK || e->kind == EVENT_UNLOCK;
    }
    file_locks_release(&replaced);
    return count;
}

TEST(a_record_lock_excludes_no_thread_of_its_process)
{
    CHECK_INT(left_of("A@p acq f mode=fcntl-write; A@p rel f mode=fcntl-write;"
                      "B@p acq f mode=try-fcntl-write; B@p rel f mode=fcntl-write"),
              0);
}

TEST(a_record_lock_of_several_processes_stays)
{
    CHECK_INT(left_of("A@p acq f mode=fcntl-write; A@p rel f mode=fcntl-write;"
                      "B@q acq f mode=fcntl-write; B@q rel f mode=fcntl-write"),
              4);
}

TEST(a_lock_of_one_description_excludes_nobody)
{
    CHECK_INT(left_of("A@p acq f mode=flock-write value=7; A@p rel f mode=flock-write value=7;"
                      "B@q acq f mode=flock-write value=7; B@q rel f mode=flock-write value=7"),
              0);
    CHECK_INT(left_of("A@p acq f mode=flock-write value=7; A@p rel f mode=flock-write value=7;"
                      "B@p acq f mode=flock-write value=8; B@p rel f mode=flock-write value=8"),
              4);
}

TEST(other_locks_stay)
{
    CHECK_INT(
        left_of("A@p acq f mode=flock-write; A@p rel f mode=flock-write;"
                "B@p acq f mode=flock-write; B@p rel f mode=flock-write; A@p acq m; A@p rel m"),
        6);
    CHECK_INT(left_of("A@p acq f mode=fcntl-write; A@p rel f mode=fcntl-write"), 2);
}
