/* Calls of libc that share state between threads: the environment, the locale, strtok, random
 * state, buffers that are returned, files by their paths. */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/control/hooks/next_symbol.h"
#include "runtime/control/model/libc_objects.h"

/* The result of libc's function, whose use of objects is said. */
#define SAID(call)                           \
    (__extension__({                         \
        state_enter();                       \
        __typeof__(call) returned_ = (call); \
        state_leave();                       \
        returned_;                           \
    }))

/* A function that reads or changes an object before it does what libc's does. */
#define STATE_HOOK(name, result, parameters, arguments, kind, writes) \
    RT_EXPORT result name parameters                                  \
    {                                                                 \
        state_touch(kind, writes, RT_PLACE);                          \
        return SAID(NEXT(name) arguments);                            \
    }

#define VOID_HOOK(name, parameters, arguments, kind, writes) \
    RT_EXPORT void name parameters                           \
    {                                                        \
        state_touch(kind, writes, RT_PLACE);                 \
        state_enter();                                       \
        NEXT(name) arguments;                                \
        state_leave();                                       \
    }

/* A change of what everybody may use. */
#define CHANGE_HOOK(name, result, parameters, arguments) \
    RT_EXPORT result name parameters                     \
    {                                                    \
        state_touch_all(RT_PLACE);                       \
        return SAID(NEXT(name) arguments);               \
    }

/* The environment, which a program may also read in `environ`. */
STATE_HOOK(getenv, char *, (const char *name), (name), CONTROL_ENVIRONMENT, false)
STATE_HOOK(secure_getenv, char *, (const char *name), (name), CONTROL_ENVIRONMENT, false)
CHANGE_HOOK(setenv, int, (const char *name, const char *value, int replace), (name, value, replace))
CHANGE_HOOK(unsetenv, int, (const char *name), (name))
CHANGE_HOOK(putenv, int, (char *text), (text))
CHANGE_HOOK(clearenv, int, (void), ())

/* The locale, which all use who format or classify. */
RT_EXPORT char *setlocale(int category, const char *locale)
{
    if (locale != NULL) {
        state_touch_all(RT_PLACE);
    } else {
        state_touch(CONTROL_LOCALE, false, RT_PLACE);
    }
    return SAID(NEXT(setlocale)(category, locale));
}
STATE_HOOK(localeconv, struct lconv *, (void), (), CONTROL_LOCALE, true)

STATE_HOOK(mbtowc, int, (wchar_t * to, const char *text, size_t size), (to, text, size),
           CONTROL_LOCALE, true)

STATE_HOOK(strtok, char *, (char *text, const char *delimiters), (text, delimiters), CONTROL_STRTOK,
           true)

/* Random numbers that libc computes */
STATE_HOOK(rand, int, (void), (), CONTROL_RAND, true)
VOID_HOOK(srand, (unsigned seed), (seed), CONTROL_RAND, true)
STATE_HOOK(random, long, (void), (), CONTROL_RAND, true)
VOID_HOOK(srandom, (unsigned seed), (seed), CONTROL_RAND, true)
STATE_HOOK(initstate, char *, (unsigned seed, char *state, size_t size), (seed, state, size),
           CONTROL_RAND, true)
STATE_HOOK(setstate, char *, (char *state), (state), CONTROL_RAND, true)
STATE_HOOK(drand48, double, (void), (), CONTROL_RAND48, true)
STATE_HOOK(lrand48, long, (void), (), CONTROL_RAND48, true)
STATE_HOOK(mrand48, long, (void), (), CONTROL_RAND48, true)
VOID_HOOK(srand48, (long seed), (seed), CONTROL_RAND48, true)
STATE_HOOK(seed48, unsigned short *, (unsigned short seed[3]), (seed), CONTROL_RAND48, true)
VOID_HOOK(lcong48, (unsigned short parameters[7]), (parameters), CONTROL_RAND48, true)

/* The time zone, which all use who tell local time. */
RT_EXPORT void tzset(void)
{
    state_touch_all(RT_PLACE);
    state_enter();
    NEXT(tzset)();
    state_leave();
}

/* Buffers that libc has one of, and returns again and again */
#define BUFFER_HOOK(name, result, parameter, argument, buffer, size) \
    RT_EXPORT result *name(parameter)                                \
    {                                                                \
        state_buffer_begin(&(buffer));                               \
        result *returned = SAID(NEXT(name)(argument));               \
        state_buffer_end(&(buffer), returned, size, RT_PLACE);       \
        return returned;                                             \
    }

enum { TIME_TEXT_SIZE = 26 };
static struct state_buffer time_buffer, text_buffer, user_buffer, group_buffer, host_buffer;

BUFFER_HOOK(localtime, struct tm, const time_t *time, time, time_buffer, sizeof(struct tm))
BUFFER_HOOK(gmtime, struct tm, const time_t *time, time, time_buffer, sizeof(struct tm))
BUFFER_HOOK(ctime, char, const time_t *time, time, text_buffer, TIME_TEXT_SIZE)
BUFFER_HOOK(asctime, char, const struct tm *time, time, text_buffer, TIME_TEXT_SIZE)
BUFFER_HOOK(getpwnam, struct passwd, const char *name, name, user_buffer, sizeof(struct passwd))
BUFFER_HOOK(getpwuid, struct passwd, uid_t user, user, user_buffer, sizeof(struct passwd))
BUFFER_HOOK(getgrnam, struct group, const char *name, name, group_buffer, sizeof(struct group))
BUFFER_HOOK(getgrgid, struct group, gid_t group, group, group_buffer, sizeof(struct group))
BUFFER_HOOK(gethostbyname, struct hostent, const char *name, name, host_buffer,
            sizeof(struct hostent))

/* A directory that is read has its entry in the stream. */
RT_EXPORT struct dirent *readdir(DIR *folder)
{
    state_touch_folder(folder, RT_PLACE);
    return SAID(NEXT(readdir)(folder));
}

#define STREAM_HOOK(name, result, parameters, arguments, file) \
    RT_EXPORT result name parameters;                          \
    RT_EXPORT result name parameters                           \
    {                                                          \
        state_touch_stream((FILE *)(file), RT_PLACE);          \
        return SAID(NEXT(name) arguments);                     \
    }

/* Handlers that run at the end, in the reverse order of their registration. atexit() and the
 * destructors of C++ objects register by __cxa_atexit. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *module);
int __cxa_at_quick_exit(void (*handler)(void *), void *module);
STATE_HOOK(__cxa_atexit, int, (void (*handler)(void *), void *argument, void *module),
           (handler, argument, module), CONTROL_EXIT_HANDLERS, true)
STATE_HOOK(__cxa_at_quick_exit, int, (void (*handler)(void *), void *module), (handler, module),
           CONTROL_EXIT_HANDLERS, true)
STATE_HOOK(on_exit, int, (void (*handler)(int, void *), void *argument), (handler, argument),
           CONTROL_EXIT_HANDLERS, true)

/* Streams */
STREAM_HOOK(fputc, int, (int letter, FILE *file), (letter, file), file)
STREAM_HOOK(putc, int, (int letter, FILE *file), (letter, file), file)
STREAM_HOOK(fputs, int, (const char *text, FILE *file), (text, file), file)
STREAM_HOOK(fwrite, size_t, (const void *from, size_t size, size_t count, FILE *file),
            (from, size, count, file), file)
STREAM_HOOK(fread, size_t, (void *to, size_t size, size_t count, FILE *file),
            (to, size, count, file), file)
STREAM_HOOK(fgetc, int, (FILE * file), (file), file)
STREAM_HOOK(getc, int, (FILE * file), (file), file)
STREAM_HOOK(ungetc, int, (int letter, FILE *file), (letter, file), file)
STREAM_HOOK(fgets, char *, (char *to, int size, FILE *file), (to, size, file), file)
STREAM_HOOK(getline, ssize_t, (char **line, size_t *size, FILE *file), (line, size, file), file)
STREAM_HOOK(getdelim, ssize_t, (char **line, size_t *size, int end, FILE *file),
            (line, size, end, file), file)
STREAM_HOOK(feof, int, (FILE * file), (file), file)
STREAM_HOOK(ferror, int, (FILE * file), (file), file)
STREAM_HOOK(fgetpos, int, (FILE * file, fpos_t *to), (file, to), file)
STREAM_HOOK(fsetpos, int, (FILE * file, const fpos_t *from), (file, from), file)
STREAM_HOOK(fputwc, wint_t, (wchar_t letter, FILE *file), (letter, file), file)
STREAM_HOOK(fgetwc, wint_t, (FILE * file), (file), file)
STREAM_HOOK(fputws, int, (const wchar_t *text, FILE *file), (text, file), file)
STREAM_HOOK(fgetws, wchar_t *, (wchar_t * to, int size, FILE *file), (to, size, file), file)
STREAM_HOOK(vfscanf, int, (FILE * file, const char *format, va_list list), (file, format, list),
            file)
STREAM_HOOK(vfprintf, int, (FILE * file, const char *format, va_list list), (file, format, list),
            file)
STREAM_HOOK(vprintf, int, (const char *format, va_list list), (format, list), stdout)
STREAM_HOOK(puts, int, (const char *text), (text), stdout)
STREAM_HOOK(putchar, int, (int letter), (letter), stdout)
STREAM_HOOK(getchar, int, (void), (), stdin)
STREAM_HOOK(fseek, int, (FILE * file, long offset, int whence), (file, offset, whence), file)
STREAM_HOOK(fseeko, int, (FILE * file, off_t offset, int whence), (file, offset, whence), file)
STREAM_HOOK(ftell, long, (FILE * file), (file), file)
STREAM_HOOK(ftello, off_t, (FILE * file), (file), file)
RT_EXPORT void rewind(FILE *file)
{
    state_touch_stream(file, RT_PLACE);
    state_enter();
    NEXT(rewind)(file);
    state_leave();
}
RT_EXPORT void clearerr(FILE *file)
{
    state_touch_stream(file, RT_PLACE);
    state_enter();
    NEXT(clearerr)(file);
    state_leave();
}
STREAM_HOOK(fflush, int, (FILE * file), (file), file)
STREAM_HOOK(fclose, int, (FILE * file), (file), file)

/* Functions with arguments behind the format call the one with a list of them. */
#define FORMAT_HOOK(name, parameters, file, with_list)                \
    RT_EXPORT int name parameters;                                    \
    RT_EXPORT int name parameters                                     \
    {                                                                 \
        va_list list;                                                 \
        state_touch_stream(file, RT_PLACE);                           \
        va_start(list, format);                                       \
        const int length = SAID(NEXT(with_list)(file, format, list)); \
        va_end(list);                                                 \
        return length;                                                \
    }
FORMAT_HOOK(fprintf, (FILE * file, const char *format, ...), file, vfprintf)
FORMAT_HOOK(__fprintf_chk, (FILE * file, __attribute__((unused)) int flag, const char *format, ...),
            file, vfprintf)
FORMAT_HOOK(printf, (const char *format, ...), stdout, vfprintf)
FORMAT_HOOK(__printf_chk, (__attribute__((unused)) int flag, const char *format, ...), stdout,
            vfprintf)
FORMAT_HOOK(fscanf, (FILE * file, const char *format, ...), file, vfscanf)

/* Paths */
#define PATH_HOOK(name, result, parameters, arguments, path, writes) \
    RT_EXPORT result name parameters                                 \
    {                                                                \
        state_touch_path(AT_FDCWD, path, writes, RT_PLACE);          \
        return SAID(NEXT(name) arguments);                           \
    }
PATH_HOOK(access, int, (const char *path, int mode), (path, mode), path, false)
PATH_HOOK(stat, int, (const char *path, struct stat *to), (path, to), path, false)
PATH_HOOK(lstat, int, (const char *path, struct stat *to), (path, to), path, false)
PATH_HOOK(truncate, int, (const char *path, off_t size), (path, size), path, true)
PATH_HOOK(chmod, int, (const char *path, mode_t mode), (path, mode), path, true)
PATH_HOOK(unlink, int, (const char *path), (path), path, true)
PATH_HOOK(remove, int, (const char *path), (path), path, true)
PATH_HOOK(readlink, ssize_t, (const char *path, char *to, size_t size), (path, to, size), path,
          false)

RT_EXPORT DIR *opendir(const char *path)
{
    state_open_path(AT_FDCWD, path, false, false, RT_PLACE);
    return SAID(NEXT(opendir)(path));
}

/* A directory is what all paths below it begin with. */
CHANGE_HOOK(rmdir, int, (const char *path), (path))

RT_EXPORT int mkdir(const char *path, mode_t mode)
{
    state_touch_all(RT_PLACE);
    state_make_exclusive(AT_FDCWD, path, "mkdir");
    return SAID(NEXT(mkdir)(path, mode));
}

/* Two paths change at once: the step touches everything. */
CHANGE_HOOK(rename, int, (const char *from, const char *to), (from, to))
CHANGE_HOOK(link, int, (const char *from, const char *to), (from, to))
CHANGE_HOOK(symlink, int, (const char *from, const char *to), (from, to))
