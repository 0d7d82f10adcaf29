#include "cli/input/schedule_file.h"

int schedule_file_read(struct schedule *s, const char *path, struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const int result = schedule_parse(s, &in, e);
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", path) : 0;
}

const char *schedule_hint(const char *spec, const char *config)
{
    if (spec == NULL) {
        return config == NULL ? "if the search had --spec or --config, repeat them"
                              : "if the search had --spec, repeat it";
    }
    return config == NULL ? "if the search had --config, repeat it" : "";
}
