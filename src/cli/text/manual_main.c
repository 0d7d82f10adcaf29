/* A program of the build, not installed:
 *
 *     generate man PAGE IN OUT
 *     generate completion OUT
 */
#include <string.h>

#include "base/in.h"
#include "cli/process_setup.h"
#include "cli/session.h"
#include "cli/text/manual.h"

static int make_man(const char *page, const char *from, const char *to, struct err *e)
{
    struct in in;
    if (in_open(&in, from, e) < 0) {
        return err_wrap(e, "%s", from);
    }
    struct out text;
    out_open_memory(&text);
    ssize_t size = 0;
    while ((size = in_fill(&in, 1, e)) > 0) {
        out_bytes(&text, in.at, (size_t)size);
        in_skip(&in, (size_t)size);
    }
    in_close(&in);
    out_char(&text, '\0');

    struct out out;
    int result = size < 0 || out_open(&out, to, e) < 0 ? -1 : 0;
    if (result == 0 && generate_man(&out, page, text.buffer, e) < 0) {
        out_abandon(&out);
        result = -1;
    } else if (result == 0) {
        result = out_close(&out, e);
    }
    out_abandon(&text);
    return result;
}

static int make_completion(const char *to, struct err *e)
{
    struct out out;
    if (out_open(&out, to, e) < 0) {
        return -1;
    }
    generate_completion(&out);
    return out_close(&out, e);
}

int main(int argc, char **argv)
{
    process_prepare();
    struct err e = {0};
    int result = 0;
    if (argc == 5 && strcmp(argv[1], "man") == 0) {
        result = make_man(argv[2], argv[3], argv[4], &e);
    } else if (argc == 3 && strcmp(argv[1], "completion") == 0) {
        result = make_completion(argv[2], &e);
    } else {
        result = err_set(&e, "generate man PAGE IN OUT, or generate completion OUT");
    }
    if (result < 0) {
        session_say("%s", e.text);
        return EXIT_UNABLE;
    }
    return EXIT_CLEAN;
}
