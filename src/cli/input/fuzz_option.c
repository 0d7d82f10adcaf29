#include "cli/input/fuzz_option.h"

int fuzz_file_read(struct fuzz *f, const char *path, struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const int result = fuzz_read(f, &in, e);
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", path) : 0;
}
