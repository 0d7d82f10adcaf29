#include "runtime/site.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/rt.h"
#include "runtime/text.h"

enum { PROBES_MAX = 64, PATH_SIZE = 4200, TABLE_SIZE = SITE_COUNT * sizeof(uint64_t) };

_Atomic uint64_t *site_table;
bool site_is_told;

/* A table that others see filled, or NULL: it could not be made. */
static void *map_file(void)
{
    static char path[PATH_SIZE];
    const char *end = path + PATH_SIZE - 1;
    char *at = text_append(text_append(path, end, rt_folder()), end, "/");
    at = text_append_number(at, end, rt_process_number());
    *text_append(at, end, SITES_SUFFIX) = 0;
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                                O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return NULL;
    }
    void *made = MAP_FAILED;
    if (syscall(SYS_fallocate, fd, 0, 0L, (long)TABLE_SIZE) == 0 ||
        (errno == EOPNOTSUPP && syscall(SYS_ftruncate, fd, (long)TABLE_SIZE) == 0)) {
        made = (void *)syscall(SYS_mmap, NULL, (long)TABLE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                               fd, 0L);
    }
    (void)syscall(SYS_close, fd);
    return made == MAP_FAILED ? NULL : made;
}

void site_start(void)
{
    void *made = map_file();
    site_is_told = made != NULL;
    if (made == NULL) {
        made = (void *)syscall(SYS_mmap, NULL, (long)TABLE_SIZE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        made = made == MAP_FAILED ? NULL : made;
    }
    site_table = made;
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
        if (known == 0 && at != 0 &&
            (atomic_compare_exchange_strong(&site_table[at], &known, entry) || known == entry)) {
            return at;
        }
    }
    return 0;
}
