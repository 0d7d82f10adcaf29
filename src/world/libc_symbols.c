#include "world/libc_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "wire/must.h"

/* Names with one use, separated by blanks; one that ends in * stands for a prefix. */
struct group {
    enum libc_use use;
    const char *why;
    const char *names;
};

static const struct group groups[] = {
    {LIBC_ROUTED, "takes memory that is not rewound",
     "malloc calloc realloc reallocarray free free_sized aligned_alloc memalign valloc "
     "posix_memalign malloc_usable_size strdup strndup __strdup __strndup asprintf vasprintf "
     "__asprintf_chk __vasprintf_chk _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t "
     "_ZnwmSt11align_val_t _ZnamSt11align_val_t _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm "
     "_ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t "
     "_ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t"},
    {LIBC_ROUTED, "draws random numbers that no replay repeats",
     "rand srand rand_r random srandom drand48 erand48 lrand48 nrand48 mrand48 jrand48 srand48 "
     "getrandom getentropy arc4random arc4random_buf arc4random_uniform"},
    {LIBC_ROUTED, "reads a clock that is not the node's",
     "time clock clock_gettime clock_getres gettimeofday timespec_get"},
    {LIBC_ROUTED, "names the process of clew, not the node", "getpid getppid gettid"},

    {LIBC_REFUSED, "starts a thread or a process, which the simulator does not control",
     "pthread_create thrd_create clone clone3 fork vfork _Fork system popen pclose posix_spawn "
     "posix_spawnp execl execlp execle execv execvp execvpe execve fexecve wait waitpid waitid "
     "wait3 wait4 daemon __clone pthread_join pthread_detach pthread_kill pthread_cancel thrd_join "
     "thrd_detach _ZNSt6thread*"},
    {LIBC_REFUSED, "keeps a variable of a thread where no run is rewound",
     "pthread_key_create pthread_setspecific pthread_getspecific pthread_key_delete tss_create "
     "tss_set tss_get tss_delete"},
    {LIBC_REFUSED, "waits for time to pass, which handlers do not (set a timer: clew_timer_set)",
     "sleep usleep nanosleep clock_nanosleep thrd_sleep pause alarm ualarm setitimer getitimer "
     "timer_create timer_settime timer_gettime timer_delete timerfd_create timerfd_settime "
     "timerfd_gettime"},
    {LIBC_REFUSED, "uses a socket (send with clew_send, receive in the handler of messages)",
     "socket socketpair bind listen connect accept accept4 send sendto sendmsg sendmmsg recv "
     "recvfrom recvmsg recvmmsg shutdown getsockopt setsockopt getsockname getpeername "
     "getaddrinfo freeaddrinfo getnameinfo gethostbyname gethostbyname_r gethostbyaddr "
     "getifaddrs if_nametoindex if_indextoname __recv_chk __recvfrom_chk res_query"},
    {LIBC_REFUSED, "waits for file descriptors, and there are none in the simulator",
     "poll ppoll select pselect epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait "
     "epoll_pwait2 eventfd eventfd_read eventfd_write signalfd inotify_init inotify_init1 "
     "inotify_add_watch __poll_chk io_setup io_submit io_getevents io_uring_*"},
    {LIBC_REFUSED, "uses a file, which no run rewinds (the node's disk is clew_disk_write)",
     "open open64 openat openat64 __open_2 __open64_2 __openat_2 __openat64_2 creat creat64 close "
     "close_range read pread pread64 pwrite pwrite64 readv preadv pwritev preadv2 "
     "pwritev2 __read_chk __pread_chk __pread64_chk lseek lseek64 fsync fdatasync sync syncfs "
     "sync_file_range ftruncate ftruncate64 truncate truncate64 fallocate fallocate64 "
     "posix_fallocate posix_fallocate64 posix_fadvise posix_fadvise64 unlink unlinkat remove "
     "rename renameat renameat2 link linkat symlink symlinkat readlink readlinkat mkdir mkdirat "
     "rmdir mknod mkfifo chmod fchmod chown fchown chdir fchdir getcwd opendir fdopendir readdir "
     "readdir64 readdir_r closedir rewinddir scandir scandir64 stat stat64 lstat lstat64 fstat "
     "fstat64 fstatat fstatat64 __xstat __xstat64 __fxstat __fxstat64 __lxstat __lxstat64 statvfs "
     "statvfs64 fstatvfs access faccessat eaccess flock lockf lockf64 fcntl fcntl64 ioctl dup "
     "dup2 dup3 pipe pipe2 sendfile sendfile64 splice tee copy_file_range mkstemp mkstemp64 "
     "mkostemp mkdtemp tmpfile tmpfile64 realpath __realpath_chk glob glob64 nftw nftw64 ftw "
     "utime utimes utimensat futimens statx memfd_create shm_open shm_unlink umask"},
    {LIBC_REFUSED, "opens or reads a stream, which no run rewinds",
     "fopen fopen64 fdopen freopen freopen64 fclose fread fread_unlocked __fread_chk fgets "
     "__fgets_chk fgetc getc getchar getc_unlocked getchar_unlocked ungetc getline getdelim "
     "__getdelim scanf fscanf vscanf vfscanf __isoc99_scanf __isoc99_fscanf __isoc23_scanf "
     "__isoc23_fscanf gets fseek fseeko fseeko64 ftell ftello ftello64 rewind fgetpos fsetpos "
     "open_memstream fmemopen fopencookie stdin __uflow _IO_getc"},
    {LIBC_REFUSED, "maps or changes memory that is not rewound",
     "mmap mmap64 munmap mremap mprotect madvise msync mlock munlock brk sbrk shmget shmat shmdt "
     "shmctl semget semop semctl msgget msgsnd msgrcv sem_open mq_open mq_send mq_receive"},
    {LIBC_REFUSED, "loads code that the simulator does not know",
     "dlopen dlmopen dlsym dlvsym dlclose dladdr dl_iterate_phdr"},
    {LIBC_REFUSED, "sends or handles a signal, which would be that of clew",
     "signal sigaction sigprocmask pthread_sigmask sigwait sigwaitinfo sigtimedwait sigsuspend "
     "raise kill killpg tgkill sigqueue sigaltstack bsd_signal sysv_signal __sysv_signal"},
    {LIBC_REFUSED, "calls the kernel directly", "syscall ptrace prctl"},
    {LIBC_REFUSED, "changes what all runs see",
     "setenv unsetenv putenv clearenv setlocale uselocale newlocale duplocale freelocale tzset "
     "atexit on_exit at_quick_exit openlog syslog vsyslog __syslog_chk __vsyslog_chk closelog "
     "initstate setstate seed48 lcong48 getcontext setcontext makecontext swapcontext "
     "pthread_atfork setpriority nice setrlimit setrlimit64"},

    {LIBC_HARMLESS, NULL,
     "memcpy memmove memset memcmp memchr memrchr memmem mempcpy memccpy bcmp bcopy bzero "
     "explicit_bzero rawmemchr strlen strnlen strcpy stpcpy strncpy stpncpy strcat strncat strcmp "
     "strncmp strcasecmp strncasecmp strchr strrchr strchrnul strstr strcasestr strspn strcspn "
     "strpbrk strsep strtok_r __strtok_r strcoll strxfrm strerror strerror_r __xpg_strerror_r "
     "strsignal strlcpy strlcat index rindex ffs ffsl ffsll swab strverscmp strerrorname_np "
     "__memcpy_chk __memmove_chk __memset_chk __mempcpy_chk __strcpy_chk __stpcpy_chk "
     "__strncpy_chk __stpncpy_chk __strcat_chk __strncat_chk __strlcpy_chk __strlcat_chk "
     "__explicit_bzero_chk __memccpy_chk __bcopy_chk __bzero_chk __rawmemchr"},
    {LIBC_HARMLESS, NULL,
     "snprintf vsnprintf sprintf vsprintf sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf "
     "__isoc23_sscanf __isoc23_vsscanf __snprintf_chk __vsnprintf_chk __sprintf_chk "
     "__vsprintf_chk printf vprintf fprintf vfprintf dprintf vdprintf puts fputs putchar putc "
     "fputc fwrite fflush perror __printf_chk __vprintf_chk __fprintf_chk __vfprintf_chk "
     "__dprintf_chk __vdprintf_chk fwrite_unlocked fputs_unlocked fputc_unlocked putc_unlocked "
     "putchar_unlocked fflush_unlocked setvbuf setbuf setlinebuf ferror feof clearerr fileno write "
     "writev "
     "flockfile funlockfile stdout stderr __overflow _IO_putc isatty psignal"},
    {LIBC_HARMLESS, NULL,
     "atoi atol atoll atof strtol strtoul strtoll strtoull strtod strtof strtold strtoimax "
     "strtoumax __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull "
     "__isoc23_strtoimax __isoc23_strtoumax __strtol_internal abs labs llabs imaxabs div ldiv "
     "lldiv imaxdiv qsort qsort_r bsearch lfind lsearch random_r srandom_r initstate_r "
     "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper "
     "isxdigit tolower toupper isascii toascii __ctype_b_loc __ctype_tolower_loc "
     "__ctype_toupper_loc __ctype_get_mb_cur_max getopt getsubopt mblen mbtowc wctomb mbstowcs "
     "wcstombs mbrtowc wcrtomb mbsrtowcs wcsrtombs btowc wctob mbrlen iswalnum iswalpha iswdigit "
     "iswspace iswupper iswlower towlower towupper wcslen wcscpy wcsncpy wcscmp wcsncmp wcschr "
     "wcsrchr wcsstr wmemcpy wmemmove wmemset wmemcmp wmemchr htonl htons ntohl ntohs inet_pton "
     "inet_ntop inet_aton inet_addr inet_ntoa ether_ntoa_r"},
    {LIBC_HARMLESS, NULL,
     "localtime localtime_r gmtime gmtime_r mktime timegm asctime_r ctime_r strftime strptime "
     "difftime abort exit _exit _Exit quick_exit pthread_exit thrd_exit err errx verr verrx warn "
     "warnx vwarn vwarnx error "
     "__errno_location errno __assert_fail __assert_perror_fail __assert __stack_chk_fail "
     "__chk_fail __fortify_fail __longjmp_chk setjmp _setjmp sigsetjmp __sigsetjmp longjmp "
     "_longjmp siglongjmp backtrace backtrace_symbols_fd getenv secure_getenv environ __environ "
     "program_invocation_name program_invocation_short_name sysconf getpagesize getauxval uname "
     "gethostname getuid geteuid getgid getegid get_nprocs getrlimit getrlimit64 sched_yield "
     "sched_getcpu localeconv nl_langinfo crc32 __cxa_finalize __cxa_atexit __gmon_start__ "
     "_ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __tls_get_addr __libc_single_threaded "
     "clew_calls clew_sim_calls clew_system clew_counters __fdelt_chk sigemptyset sigfillset "
     "sigaddset sigdelset sigismember"},
    /* Locks and similar objects are in memory that is rewound; a lock that is not free ends the
     * run, which would wait forever. */
    {LIBC_HARMLESS, NULL,
     "pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock "
     "pthread_mutex_timedlock pthread_mutex_unlock pthread_mutexattr_init "
     "pthread_mutexattr_destroy "
     "pthread_mutexattr_settype pthread_mutexattr_gettype pthread_mutexattr_setpshared "
     "pthread_cond_init pthread_cond_destroy pthread_cond_signal pthread_cond_broadcast "
     "pthread_cond_wait pthread_cond_timedwait pthread_condattr_init pthread_condattr_destroy "
     "pthread_condattr_setclock pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock "
     "pthread_rwlock_tryrdlock pthread_rwlock_wrlock pthread_rwlock_trywrlock "
     "pthread_rwlock_unlock pthread_spin_init pthread_spin_destroy pthread_spin_lock "
     "pthread_spin_trylock pthread_spin_unlock pthread_once call_once pthread_self pthread_equal "
     "mtx_init mtx_destroy mtx_lock mtx_trylock mtx_unlock cnd_init cnd_destroy cnd_signal "
     "cnd_broadcast cnd_wait sem_init sem_destroy sem_post sem_wait sem_trywait sem_getvalue "
     "pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait"},
    /* C++ library functions that headers call and that keep no state. */
    {LIBC_HARMLESS, NULL,
     "__cxa_pure_virtual __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort "
     "__cxa_throw_bad_array_new_length __gxx_personality_v0 __cxa_begin_catch __cxa_end_catch "
     "__cxa_rethrow __cxa_throw __cxa_allocate_exception __cxa_free_exception __cxa_call_terminate "
     "__cxa_init_primary_exception __dynamic_cast __cxa_bad_cast _Unwind_Resume _Unwind_* "
     "_ZSt9terminatev _ZSt17__throw_* _ZSt16__throw_* _ZSt19__throw_* _ZSt20__throw_* "
     "_ZSt24__throw_* _ZSt25__throw_* _ZSt28__throw_* _ZSt18_Rb_tree_* _ZSt28_Rb_tree_* "
     "_ZSt29_Rb_tree_* _ZSt20_Rb_tree_* _ZNSt8__detail15_List_node_base* "
     "_ZNKSt8__detail20_Prime_rehash_policy* _ZSt11_Hash_bytes* _ZSt15_Fnv_hash_bytes* "
     "_ZTVN10__cxxabiv1* _ZTISt* _ZTVSt* _ZTSSt* _ZNSt9exceptionD* _ZNKSt9exception4whatEv "
     "_ZNSt9bad_allocD* _ZNSt8bad_castD* _ZSt7nothrow "
     "_ZSteqSt15* _ZNKSt9type_info*"},
};

/* Functions of <math.h>, each also with the suffixes for float (f) and long double (l). */
static const char math[] =
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 "
    "expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log "
    "log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder "
    "remquo rint round roundeven scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc "
    "__isnan __isinf __finite __signbit __fpclassify isnan isinf finite";

static bool is_word(const char *word, size_t size, const char *name, size_t name_size)
{
    must(size > 0);
    return word[size - 1] == '*' ? name_size >= size - 1 && memcmp(word, name, size - 1) == 0
                                 : name_size == size && memcmp(word, name, size) == 0;
}

/* Whether the first name_size characters of the name are one of the words. */
static bool is_listed(const char *words, const char *name, size_t name_size)
{
    while (*words != '\0') {
        const size_t size = strcspn(words, " ");
        if (is_word(words, size, name, name_size)) {
            return true;
        }
        words += size + (words[size] == ' ');
    }
    return false;
}

static bool is_math(const char *name)
{
    const size_t size = strlen(name);
    const bool has_kind = size > 1 && (name[size - 1] == 'f' || name[size - 1] == 'l');
    return is_listed(math, name, size) || (has_kind && is_listed(math, name, size - 1));
}

struct libc_symbol libc_symbol_find(const char *name)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (is_listed(groups[i].names, name, strlen(name))) {
            must((groups[i].use == LIBC_HARMLESS) == (groups[i].why == NULL));
            return (struct libc_symbol){.use = groups[i].use, .why = groups[i].why};
        }
    }
    return (struct libc_symbol){.use = is_math(name) ? LIBC_HARMLESS : LIBC_UNKNOWN};
}
