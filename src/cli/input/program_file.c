#include "cli/input/program_file.h"

#include <elf.h>
#include <string.h>

#include "base/in.h"

enum { SEGMENTS_MAX = 64 };

bool program_file_is(const char *path)
{
    struct in in;
    struct err unread; /* an unreadable file is not known to be one */
    bool is_one = false;
    if (in_open(&in, path, &unread) < 0) {
        return false;
    }
    Elf64_Ehdr head;
    const size_t size = sizeof head + SEGMENTS_MAX * sizeof(Elf64_Phdr);
    const ssize_t got = in_fill(&in, size, &unread);
    if (got >= (ssize_t)sizeof head && memcmp(in.at, ELFMAG, SELFMAG) == 0) {
        memcpy(&head, in.at, sizeof head);
        is_one = head.e_type == ET_EXEC;
        for (uint32_t i = 0; i < head.e_phnum && i < SEGMENTS_MAX && !is_one; i++) {
            const size_t at = sizeof head + i * sizeof(Elf64_Phdr);
            Elf64_Phdr segment = {0};
            if (at + sizeof segment <= (size_t)got && head.e_phoff == sizeof head) {
                memcpy(&segment, in.at + at, sizeof segment);
            }
            is_one = segment.p_type == PT_INTERP;
        }
    }
    in_close(&in);
    return is_one;
}

int program_file_misused(const struct session *s, const char *path, struct err *e)
{
    const char *folder = strchr(path, '/') == NULL ? "./" : "";
    if (!s->verb->runs_program) {
        return session_misused(e,
                               "%s is a program, and no trace; to record one: clew record -- %s%s",
                               path, folder, path);
    }
    return session_misused(e, "%s is a program; to run it: clew %s -- %s%s", path, s->verb->name,
                           folder, path);
}
