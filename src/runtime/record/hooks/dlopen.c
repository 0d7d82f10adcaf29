/* Libraries that are loaded while the program runs. */
#include <dlfcn.h>

#include "runtime/record/log/recorder.h"
#include "runtime/shared/real.h"

/* The loader searches by the caller of dlopen, so this hook must end in a jump to the real one
 * (every build of this library is optimized): the loader then sees the program's call. The task's
 * next record adds the loaded modules. */
RT_EXPORT void *dlopen(const char *path, int flags)
{
    rt_self.has_loaded = true;
    return REAL(dlopen)(path, flags);
}
