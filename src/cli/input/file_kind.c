#include "cli/input/file_kind.h"

#include <string.h>

#include "base/in.h"
#include "trace/format.h"

/* Bytes that a kind shows itself in, and the confidence of a format that is enough. */
enum { HEAD_MAX = 4096, CONFIDENCE = 50 };

/* What a file is, and the command to run with it; a %s is its path. */
static const struct {
    const char *mark; /* in its first bytes */
    const char *words, *remedy;
} kinds[] = {
    {"clew-schedule ", "a schedule", "run: clew replay %s -- PROGRAM (or explain, minimize, view)"},
    {"sarif", "a SARIF report", "save the output of --json and give that"},
    {"<testsuite", "a JUnit report", "save the output of --json and give that"},
    {"<!DOCTYPE html>", "a page", "open it in a browser"},
};

static const char trace_remedy[] = "run: clew races --json %s > run.findings";

static int refuse(const char *path, const char *expected, const char *words, const char *remedy,
                  struct err *e)
{
    const char *place = strstr(remedy, "%s");
    const int before = place == NULL ? (int)strlen(remedy) : (int)(place - remedy);
    return err_set(e, "%s: is %s, not %s; %.*s%s%s", path, words, expected, before, remedy,
                   place == NULL ? "" : path, place == NULL ? "" : place + 2);
}

int file_kind_refuse(const char *path, const char *expected, struct err *e)
{
    struct in in;
    struct err unread;
    char head[HEAD_MAX + 1] = "";
    if (strcmp(path, "-") == 0 || in_open(&in, path, &unread) < 0) {
        return err_wrap(e, "%s", path);
    }
    const ssize_t got = in_fill(&in, HEAD_MAX, &unread);
    const size_t size = got < 0 ? 0 : got > HEAD_MAX ? HEAD_MAX : (size_t)got;
    memcpy(head, in.at == NULL ? "" : in.at, size);
    in_close(&in);
    if (format_native.sniff(head, size) >= CONFIDENCE ||
        format_text.sniff(head, size) >= CONFIDENCE) {
        return refuse(path, expected, "a trace", trace_remedy, e);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strstr(head, kinds[i].mark) != NULL) {
            return refuse(path, expected, kinds[i].words, kinds[i].remedy, e);
        }
    }
    return err_wrap(e, "%s", path);
}
