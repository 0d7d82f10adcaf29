#include "cli/text/stdout_redirect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/out.h"

int printed_drop(struct err *e)
{
    const int nothing =
        seam_fails() ? seam_failure(EMFILE) : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0) {
        return err_set(e, "/dev/null: cannot be opened: %s", strerror(errno));
    }
    const int result = out_set_apart(nothing, e);
    (void)close(nothing);
    return result;
}

int printed_show(struct err *e)
{
    /* Unbuffered, as standard error: all output is written before the verdict, and also when a
     * handler never ends. */
    (void)setvbuf(stdout, NULL, _IONBF, 0);
    return out_set_apart(STDERR_FILENO, e);
}
