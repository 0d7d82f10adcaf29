/* Calls that use a descriptor and send nothing through it: each is an access to the descriptor,
 * which races with its close. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/control/hooks/next_symbol.h"
#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/libc_objects.h"
#include "runtime/shared/raw_syscall.h"

#define USE_HOOK(name, result, parameters, arguments) \
    RT_EXPORT result name parameters;                 \
    RT_EXPORT result name parameters                  \
    {                                                 \
        end_use(fd, RT_PLACE);                        \
        return NEXT(name) arguments;                  \
    }

/* Files */
USE_HOOK(fstat, int, (int fd, struct stat *to), (fd, to))
USE_HOOK(fstat64, int, (int fd, struct stat64 *to), (fd, to))
USE_HOOK(fstatvfs, int, (int fd, struct statvfs *to), (fd, to))
USE_HOOK(fstatfs, int, (int fd, struct statfs *to), (fd, to))
USE_HOOK(lseek, off_t, (int fd, off_t offset, int whence), (fd, offset, whence))
USE_HOOK(lseek64, off64_t, (int fd, off64_t offset, int whence), (fd, offset, whence))
USE_HOOK(ftruncate, int, (int fd, off_t size), (fd, size))
USE_HOOK(ftruncate64, int, (int fd, off64_t size), (fd, size))
USE_HOOK(fsync, int, (int fd), (fd))
USE_HOOK(fdatasync, int, (int fd), (fd))
USE_HOOK(syncfs, int, (int fd), (fd))
USE_HOOK(fchmod, int, (int fd, mode_t mode), (fd, mode))
USE_HOOK(fchown, int, (int fd, uid_t user, gid_t group), (fd, user, group))
USE_HOOK(fchdir, int, (int fd), (fd))
USE_HOOK(futimens, int, (int fd, const struct timespec times[2]), (fd, times))
USE_HOOK(posix_fallocate, int, (int fd, off_t offset, off_t size), (fd, offset, size))
USE_HOOK(fdopen, FILE *, (int fd, const char *mode), (fd, mode))
USE_HOOK(fdopendir, DIR *, (int fd), (fd))
USE_HOOK(isatty, int, (int fd), (fd))

/* Sockets */

/* About the address of a socket: where processes are controlled, a step on what the call touches.
 */
static void touch_address(long number, int fd, const void *place)
{
    end_use(fd, place);
    if (control_is_mine()) {
        run_state->io_stamp++;
        state_touch_call(number, (const long[6]){fd}, place);
    }
}

RT_EXPORT int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
    touch_address(SYS_bind, fd, RT_PLACE);
    const int result = node_bind(fd, address.__sockaddr__, size);
    if (result == 0) {
        end_bound(fd);
    }
    return result;
}

RT_EXPORT int listen(int fd, int most)
{
    touch_address(SYS_listen, fd, RT_PLACE);
    if (control_is_mine() && run_state->process_count > 1) { /* who comes before is refused */
        (void)sched_take(&(struct act){
            .kind = EVENT_CALL, .is_of_all = true, .is_untraced = true, .place = RT_PLACE});
    }
    const int result = node_listen(fd, most);
    if (result == 0 && control_is_on) {
        control->result.has_listened = 1;
        end_bound(fd);
    }
    return result;
}

USE_HOOK(setsockopt, int, (int fd, int level, int name, const void *value, socklen_t size),
         (fd, level, name, value, size))
USE_HOOK(getsockopt, int,
         (int fd, int level, int name, void *restrict value, socklen_t *restrict size),
         (fd, level, name, value, size))
RT_EXPORT int getsockname(int fd, __SOCKADDR_ARG address, socklen_t *restrict size)
{
    touch_address(SYS_getsockname, fd, RT_PLACE);
    return node_name(fd, false, address.__sockaddr__, size);
}

RT_EXPORT int getpeername(int fd, __SOCKADDR_ARG address, socklen_t *restrict size)
{
    touch_address(SYS_getpeername, fd, RT_PLACE);
    return node_name(fd, true, address.__sockaddr__, size);
}

/* How much waits there says that somebody has sent it. */
RT_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    end_use(fd, RT_PLACE);
    const int result = NEXT(ioctl)(fd, request, argument);
    if (request == FIONREAD && result == 0 && control_is_mine() && *(const int *)argument > 0) {
        end_peeked(fd, 1, RT_PLACE);
    }
    return result;
}

RT_EXPORT int vdprintf(int fd, const char *format, va_list list)
{
    end_use(fd, RT_PLACE);
    return NEXT(vdprintf)(fd, format, list);
}

/* Functions with arguments behind the format call the one with a list of them. */
#define FORMAT_HOOK(name, parameters)                        \
    RT_EXPORT int name parameters;                           \
    RT_EXPORT int name parameters                            \
    {                                                        \
        va_list list;                                        \
        end_use(fd, RT_PLACE);                               \
        va_start(list, format);                              \
        const int length = NEXT(vdprintf)(fd, format, list); \
        va_end(list);                                        \
        return length;                                       \
    }
FORMAT_HOOK(dprintf, (int fd, const char *format, ...))
FORMAT_HOOK(__dprintf_chk, (int fd, __attribute__((unused)) int flag, const char *format, ...))
