#include "proc/control/modelled_calls.h"

#include <string.h>

#include "base/map.h"
#include "pick/operation_name.h"
#include "place/undefined_symbols.h"
#include "wire/libc_calls.h"

bool modelled_is_language_library(const char *name)
{
    static const char *const libraries[] = {
        "libc.so",    "ld-linux", "libpthread.", "libm.so",  "libdl.so", "librt.so",  "libgcc_s.",
        "libstdc++.", "libc++",   "linux-vdso",  "libclew_", "libasan.", "libubsan.", "ld.so"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Names separated by blanks; one that ends in * stands for all that begin so. */

/* They share nothing with other tasks. */
static const char harmless[] =
    "_ITM_* __gmon_start__ __cxa_finalize __cxa_atexit __libc_start_main __stack_chk_fail "
    "__chk_fail __fdelt_chk __errno_location __tls_get_addr stdin stdout stderr environ __environ "
    "__ctype_* isal* "
    "isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit isascii "
    "toascii tolower toupper isw* tow* abs labs llabs imaxabs div ldiv lldiv imaxdiv ffs ffsl "
    "ffsll htonl htons ntohl ntohs difftime sysconf pathconf fpathconf getpagesize getauxval "
    "pthread_self pthread_equal thrd_current thrd_equal pthread_attr_* pthread_mutexattr_* "
    "pthread_condattr_* pthread_rwlockattr_* pthread_barrierattr_* pthread_setaffinity_np "
    "pthread_getaffinity_np pthread_setschedparam pthread_getschedparam pthread_getcpuclockid "
    "pthread_atfork __register_atfork __pthread_register_cancel __pthread_unregister_cancel "
    "__pthread_unwind_next pthread_cleanup_* _pthread_cleanup_* setjmp _setjmp sigsetjmp "
    "sched_getcpu get_nprocs get_nprocs_conf gnu_get_libc_version backtrace backtrace_symbols "
    "backtrace_symbols_fd dlerror dladdr dl_iterate_phdr program_invocation_* __progname* "
    "__libc_single_threaded strerror strsignal __sched_cpucount "
    "wctype wctob btowc";

/* They ask the kernel, and what is shared is said at that door. */
static const char at_the_door[] =
    "creat creat64 faccessat eaccess euidaccess renameat renameat2 linkat symlinkat unlinkat "
    "mkdirat mkfifo mkfifoat mknod mknodat fchmodat fchownat chown lchown utime utimes utimensat "
    "futimes lutimes futimesat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr "
    "umask getuid geteuid getgid getegid setuid setgid seteuid setegid setreuid setregid "
    "setresuid setresgid setgroups getpgid setpgid getpgrp setpgrp getsid setsid nice getpriority "
    "setpriority setrlimit setrlimit64 sched_setaffinity sched_setscheduler sched_setparam "
    "sched_get_priority_max sched_get_priority_min prctl pthread_setname_np mprotect madvise "
    "posix_madvise mlock munlock mlockall munlockall msync fallocate64 posix_fallocate64 "
    "posix_fadvise posix_fadvise64 copy_file_range sync isatty shm_open shm_unlink fstat64 "
    "closedir rewinddir seekdir telldir dirfd scandir scandir64 readdir64 alphasort versionsort "
    "membarrier wait3 wait4 system popen pclose posix_spawn* exec* fexecve _Fork daemon inotify_* "
    "freeaddrinfo freeifaddrs if_nametoindex if_indextoname";

/* Functions of libm that store through a pointer or in a variable of the library. */
static const char storing[] = "sincos sincosf sincosl modfl frexpl remquof remquol lgamma lgammaf "
                              "lgammal gamma gammaf gammal signgam";

/* C++: what keeps no state, and what reaches the system through functions of C. */
static const char of_cxx[] =
    "_Unwind_* _ZSt9terminatev _ZSt16__throw_* _ZSt17__throw_* "
    "_ZSt19__throw_* _ZSt20__throw_* _ZSt21__throw_* _ZSt24__throw_* _ZSt25__throw_* "
    "_ZSt28__throw_* "
    "_ZTI* _ZTV* _ZTS* _ZdlPv* _ZdaPv* _Znwm* _Znam* "
    "__cxa_* __gxx_personality_v0 __dynamic_cast _ZNSt6thread* _ZNSt18condition_variable* "
    "_ZNSt3_V222condition_variable* _ZNSt11logic_error* _ZNSt13runtime_error* _ZNSt12system_error* "
    "_ZNSt12future_error* _ZNSt9exception* _ZNKSt9exception* _ZNSt12out_of_range* "
    "_ZNSt16invalid_argument* _ZNSt12length_error* _ZNSt9bad_alloc* _ZNSt8bad_cast* "
    "_ZNSt15__exception_ptr* _ZSt17rethrow_exception* _ZSt17current_exception* "
    "_ZSt18uncaught_exception* _ZSt19uncaught_exceptions* _ZNSt13__future_base* "
    "_ZNSt28__atomic_futex_unsigned_base* _ZNSt3_V2* _ZSt15future_category* "
    "_ZSt11__once_call _ZSt15__once_callable __once_proxy _ZSt7nothrow _ZNKSt9type_info* "
    "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bkt* _ZSt11_Hash_bytes* "
    "_ZSt15_Fnv_hash_bytes* _ZNSt8ios_base4InitC1Ev _ZNSt8ios_base4InitD1Ev "
    "_ZNSt6chrono* _ZNSt15__glibcxx*";

static bool is_word(const char *word, size_t size, const char *name)
{
    return word[size - 1] == '*' ? strncmp(word, name, size - 1) == 0
                                 : strncmp(word, name, size) == 0 && name[size] == '\0';
}

static bool is_listed(const char *words, const char *name)
{
    while (*words != '\0') {
        const size_t size = strcspn(words, " ");
        if (is_word(words, size, name)) {
            return true;
        }
        words += size + (words[size] == ' ');
    }
    return false;
}

static bool is_reported(const char *name)
{
    static const char *const names[] = {
#define NAME(name) #name,
        LIBC_CALLS_BY_HAND(NAME)
#undef NAME
#define CALL(result, name, ...) #name,
            LIBC_CALLS(CALL)
#undef CALL
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

struct finding {
    plain_names *names;
    struct arena *arena;
    struct map controlled; /* hashes of what control stands in for */
};

static void take_controlled(void *context, const char *name)
{
    struct finding *f = context;
    map_put(&f->controlled, name_text(name, strlen(name)), 1);
}

static void take_imported(void *context, const char *name, const char *library)
{
    struct finding *f = context;
    const bool is_math = strncmp(library, "libm.so", strlen("libm.so")) == 0;
    if (!modelled_is_language_library(library) || strncmp(library, "libclew_", 8) == 0 ||
        map_get(&f->controlled, name_text(name, strlen(name))) != NULL || is_reported(name) ||
        is_listed(harmless, name) || is_listed(at_the_door, name) || is_listed(of_cxx, name) ||
        (is_math && !is_listed(storing, name))) {
        return;
    }
    vec_each (f->names, known) {
        if (strcmp(*known, name) == 0) {
            return;
        }
    }
    vec_push(f->names, arena_text(f->arena, name, strlen(name)));
}

void modelled_find(plain_names *names, const char *module, const char *control, struct arena *arena)
{
    struct finding f = {.names = names, .arena = arena};
    struct err e = {.text = ""};
    if (defined_symbols(control, take_controlled, &f, &e) < 0 ||
        imported_symbols(module, take_imported, &f, &e) < 0) {
        vec_push(names, arena_text(arena, e.text, strlen(e.text)));
    }
    map_release(&f.controlled);
}
