#include "cli/input/spec_file.h"

#include "base/in.h"

int spec_file_read(struct spec *s, const char *path, struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const int result = spec_parse(s, &in, e);
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", path) : 0;
}
