#include "runtime/record/shadow/site_table.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/log/recording_files.h"
#include "wire/must.h"

enum { PROBES_MAX = 64, TABLE_SIZE = SITE_COUNT * sizeof(uint64_t) };

_Atomic uint64_t *site_table;
bool site_is_told;
_Atomic uint8_t site_left[SITE_COUNT];
static _Atomic uint32_t renewal_count;

void site_start(void)
{
    void *made = folder_make_table(SITES_SUFFIX, TABLE_SIZE);
    site_is_told = made != NULL;
    site_table = made != NULL ? made : folder_memory(TABLE_SIZE);
}

void site_forked(void)
{
    if (site_table != NULL) {
        (void)syscall(SYS_munmap, site_table, (long)TABLE_SIZE);
        site_table = NULL;
    }
}

uint64_t site_search(uint64_t entry)
{
    const uint64_t first = site_first(entry);
    for (uint64_t i = 0; i < PROBES_MAX; i++) {
        const uint64_t at = (first + i) % SITE_COUNT;
        uint64_t known = site_known(at);
        if (known == entry) {
            return at;
        }
        if (known == 0 && at >= SITE_FIRST &&
            (atomic_compare_exchange_strong(&site_table[at], &known, entry) || known == entry)) {
            return at;
        }
    }
    return 0;
}

/* Two tasks that take from one place's number at the same time take one. */
void site_renew(uint32_t count)
{
    if (atomic_fetch_add_explicit(&renewal_count, 1, memory_order_relaxed) >= SITE_RENEWALS_MAX) {
        return;
    }
    must(count <= UINT8_MAX);
    for (size_t i = 0; i < SITE_COUNT; i++) {
        atomic_store_explicit(&site_left[i], (uint8_t)count, memory_order_relaxed);
    }
}
