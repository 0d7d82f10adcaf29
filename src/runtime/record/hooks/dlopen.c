/* Libraries that are loaded while the program runs. */
#include <dlfcn.h>

#include "runtime/record/log/recorder.h"
#include "runtime/shared/real.h"

/* The loader looks at its caller to decide where to search, so the call must be the last thing done
 * here: compiled into a jump (every build of this library is optimized), it comes from the program.
 * What was loaded is told with the task's next record. */
RT_EXPORT void *dlopen(const char *path, int flags)
{
    rt_self.has_loaded = true;
    return REAL(dlopen)(path, flags);
}
