/* libc's own functions, for the hooks interposed in front of them. dlsym finds each of the list
 * once; a hook calls REAL(name)(...). */
#ifndef CLEW_RUNTIME_SHARED_REAL_H
#define CLEW_RUNTIME_SHARED_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

struct iovec;
struct itimerval;
struct sembuf;
struct mmsghdr;
struct epoll_event;
struct __jmp_buf_tag;
struct pollfd;
struct rusage;

typedef void signal_handler(int);

/* REAL_LIST(FUNCTION) with FUNCTION(result, name, parameters). */
#define REAL_LIST(FUNCTION)                                                                        \
    FUNCTION(int, pthread_create,                                                                  \
             (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                     \
    FUNCTION(int, pthread_join, (pthread_t, void **))                                              \
    FUNCTION(int, pthread_tryjoin_np, (pthread_t, void **))                                        \
    FUNCTION(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))             \
    FUNCTION(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *))  \
    FUNCTION(int, pthread_mutex_lock, (pthread_mutex_t *))                                         \
    FUNCTION(int, pthread_mutex_trylock, (pthread_mutex_t *))                                      \
    FUNCTION(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))           \
    FUNCTION(int, pthread_mutex_clocklock,                                                         \
             (pthread_mutex_t *, clockid_t, const struct timespec *))                              \
    FUNCTION(int, pthread_mutex_unlock, (pthread_mutex_t *))                                       \
    FUNCTION(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                        \
    FUNCTION(int, pthread_cond_timedwait,                                                          \
             (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                       \
    FUNCTION(int, pthread_cond_clockwait,                                                          \
             (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))            \
    FUNCTION(int, pthread_cond_signal, (pthread_cond_t *))                                         \
    FUNCTION(int, pthread_cond_broadcast, (pthread_cond_t *))                                      \
    FUNCTION(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                     \
    FUNCTION(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                  \
    FUNCTION(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))       \
    FUNCTION(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                     \
    FUNCTION(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                  \
    FUNCTION(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))       \
    FUNCTION(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                     \
    FUNCTION(int, pthread_rwlock_clockrdlock,                                                      \
             (pthread_rwlock_t *, clockid_t, const struct timespec *))                             \
    FUNCTION(int, pthread_rwlock_clockwrlock,                                                      \
             (pthread_rwlock_t *, clockid_t, const struct timespec *))                             \
    FUNCTION(int, pthread_spin_lock, (pthread_spinlock_t *))                                       \
    FUNCTION(int, pthread_spin_trylock, (pthread_spinlock_t *))                                    \
    FUNCTION(int, pthread_spin_unlock, (pthread_spinlock_t *))                                     \
    FUNCTION(int, pthread_barrier_wait, (pthread_barrier_t *))                                     \
    FUNCTION(int, pthread_once, (pthread_once_t *, void (*)(void)))                                \
    FUNCTION(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))            \
    FUNCTION(int, pthread_mutex_destroy, (pthread_mutex_t *))                                      \
    FUNCTION(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *))               \
    FUNCTION(int, pthread_cond_destroy, (pthread_cond_t *))                                        \
    FUNCTION(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))         \
    FUNCTION(int, pthread_rwlock_destroy, (pthread_rwlock_t *))                                    \
    FUNCTION(int, pthread_spin_init, (pthread_spinlock_t *, int))                                  \
    FUNCTION(int, pthread_spin_destroy, (pthread_spinlock_t *))                                    \
    FUNCTION(int, pthread_barrier_init,                                                            \
             (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))                       \
    FUNCTION(int, pthread_barrier_destroy, (pthread_barrier_t *))                                  \
    FUNCTION(int, sem_destroy, (sem_t *))                                                          \
    FUNCTION(int, mtx_init, (mtx_t *, int))                                                        \
    FUNCTION(void, mtx_destroy, (mtx_t *))                                                         \
    FUNCTION(int, cnd_init, (cnd_t *))                                                             \
    FUNCTION(void, cnd_destroy, (cnd_t *))                                                         \
    FUNCTION(int, sem_init, (sem_t *, int, unsigned))                                              \
    FUNCTION(int, sem_wait, (sem_t *))                                                             \
    FUNCTION(int, sem_trywait, (sem_t *))                                                          \
    FUNCTION(int, sem_timedwait, (sem_t *, const struct timespec *))                               \
    FUNCTION(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                    \
    FUNCTION(int, sem_post, (sem_t *))                                                             \
    FUNCTION(ssize_t, send, (int, const void *, size_t, int))                                      \
    FUNCTION(ssize_t, sendto,                                                                      \
             (int, const void *, size_t, int, const struct sockaddr *, socklen_t))                 \
    FUNCTION(ssize_t, sendmsg, (int, const struct msghdr *, int))                                  \
    FUNCTION(ssize_t, sendfile, (int, int, off_t *, size_t))                                       \
    FUNCTION(ssize_t, sendfile64, (int, int, off64_t *, size_t))                                   \
    FUNCTION(ssize_t, write, (int, const void *, size_t))                                          \
    FUNCTION(ssize_t, writev, (int, const struct iovec *, int))                                    \
    FUNCTION(ssize_t, recv, (int, void *, size_t, int))                                            \
    FUNCTION(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))        \
    FUNCTION(ssize_t, recvmsg, (int, struct msghdr *, int))                                        \
    FUNCTION(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *))             \
    FUNCTION(ssize_t, read, (int, void *, size_t))                                                 \
    FUNCTION(ssize_t, readv, (int, const struct iovec *, int))                                     \
    FUNCTION(int, connect, (int, const struct sockaddr *, socklen_t))                              \
    FUNCTION(int, accept, (int, struct sockaddr *, socklen_t *))                                   \
    FUNCTION(int, accept4, (int, struct sockaddr *, socklen_t *, int))                             \
    FUNCTION(int, shutdown, (int, int))                                                            \
    FUNCTION(int, close, (int))                                                                    \
    FUNCTION(int, close_range, (unsigned, unsigned, int))                                          \
    FUNCTION(void, closefrom, (int))                                                               \
    FUNCTION(int, fclose, (FILE *))                                                                \
    FUNCTION(void *, dlopen, (const char *, int))                                                  \
    FUNCTION(int, open, (const char *, int, ...))                                                  \
    FUNCTION(int, open64, (const char *, int, ...))                                                \
    FUNCTION(int, openat, (int, const char *, int, ...))                                           \
    FUNCTION(int, openat64, (int, const char *, int, ...))                                         \
    FUNCTION(ssize_t, pread, (int, void *, size_t, off_t))                                         \
    FUNCTION(ssize_t, pread64, (int, void *, size_t, off64_t))                                     \
    FUNCTION(ssize_t, pwrite, (int, const void *, size_t, off_t))                                  \
    FUNCTION(ssize_t, pwrite64, (int, const void *, size_t, off64_t))                              \
    FUNCTION(int, fsync, (int))                                                                    \
    FUNCTION(int, fdatasync, (int))                                                                \
    FUNCTION(int, unlink, (const char *))                                                          \
    FUNCTION(int, unlinkat, (int, const char *, int))                                              \
    FUNCTION(int, rename, (const char *, const char *))                                            \
    FUNCTION(int, renameat, (int, const char *, int, const char *))                                \
    FUNCTION(int, flock, (int, int))                                                               \
    FUNCTION(int, fcntl, (int, int, ...))                                                          \
    FUNCTION(int, fcntl64, (int, int, ...))                                                        \
    FUNCTION(int, dup, (int))                                                                      \
    FUNCTION(int, dup2, (int, int))                                                                \
    FUNCTION(int, dup3, (int, int, int))                                                           \
    FUNCTION(int, socket, (int, int, int))                                                         \
    FUNCTION(int, socketpair, (int, int, int, int *))                                              \
    FUNCTION(int, pipe, (int *))                                                                   \
    FUNCTION(int, pipe2, (int *, int))                                                             \
    FUNCTION(pid_t, wait, (int *))                                                                 \
    FUNCTION(pid_t, waitpid, (pid_t, int *, int))                                                  \
    FUNCTION(pid_t, wait3, (int *, int, struct rusage *))                                          \
    FUNCTION(pid_t, wait4, (pid_t, int *, int, struct rusage *))                                   \
    FUNCTION(int, waitid, (idtype_t, id_t, siginfo_t *, int))                                      \
    FUNCTION(int, thrd_join, (thrd_t, int *))                                                      \
    FUNCTION(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                   \
    FUNCTION(int, mtx_lock, (mtx_t *))                                                             \
    FUNCTION(int, mtx_trylock, (mtx_t *))                                                          \
    FUNCTION(int, mtx_timedlock, (mtx_t *, const struct timespec *))                               \
    FUNCTION(int, mtx_unlock, (mtx_t *))                                                           \
    FUNCTION(int, cnd_wait, (cnd_t *, mtx_t *))                                                    \
    FUNCTION(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                      \
    FUNCTION(int, cnd_signal, (cnd_t *))                                                           \
    FUNCTION(int, cnd_broadcast, (cnd_t *))                                                        \
    FUNCTION(int, poll, (struct pollfd *, unsigned long, int))                                     \
    FUNCTION(int, ppoll,                                                                           \
             (struct pollfd *, unsigned long, const struct timespec *, const sigset_t *))          \
    FUNCTION(int, __poll_chk, (struct pollfd *, unsigned long, int, size_t))                       \
    FUNCTION(int, __ppoll_chk,                                                                     \
             (struct pollfd *, unsigned long, const struct timespec *, const sigset_t *, size_t))  \
    FUNCTION(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))                   \
    FUNCTION(int, pselect,                                                                         \
             (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))       \
    FUNCTION(int, epoll_create, (int))                                                             \
    FUNCTION(int, epoll_create1, (int))                                                            \
    FUNCTION(int, epoll_ctl, (int, int, int, struct epoll_event *))                                \
    FUNCTION(int, timerfd_settime, (int, int, const struct itimerspec *, struct itimerspec *))     \
    FUNCTION(int, timerfd_create, (int, int))                                                      \
    FUNCTION(int, epoll_wait, (int, struct epoll_event *, int, int))                               \
    FUNCTION(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))            \
    FUNCTION(int, epoll_pwait2,                                                                    \
             (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))          \
    FUNCTION(void, longjmp, (struct __jmp_buf_tag *, int))                                         \
    FUNCTION(void, _longjmp, (struct __jmp_buf_tag *, int))                                        \
    FUNCTION(void, siglongjmp, (struct __jmp_buf_tag *, int))                                      \
    FUNCTION(void, __longjmp_chk, (struct __jmp_buf_tag *, int))                                   \
    FUNCTION(int, sigaction, (int, const struct sigaction *, struct sigaction *))                  \
    FUNCTION(signal_handler *, signal, (int, signal_handler *))                                    \
    FUNCTION(signal_handler *, sysv_signal, (int, signal_handler *))                               \
    FUNCTION(int, pthread_kill, (pthread_t, int))                                                  \
    FUNCTION(int, pthread_sigqueue, (pthread_t, int, const union sigval))                          \
    FUNCTION(int, kill, (pid_t, int))                                                              \
    FUNCTION(int, killpg, (pid_t, int))                                                            \
    FUNCTION(int, sigqueue, (pid_t, int, const union sigval))                                      \
    FUNCTION(int, tgkill, (pid_t, pid_t, int))                                                     \
    FUNCTION(unsigned, alarm, (unsigned))                                                          \
    FUNCTION(int, setitimer, (int, const struct itimerval *, struct itimerval *))                  \
    FUNCTION(int, timer_settime, (timer_t, int, const struct itimerspec *, struct itimerspec *))   \
    FUNCTION(int, sigwait, (const sigset_t *, int *))                                              \
    FUNCTION(int, sigwaitinfo, (const sigset_t *, siginfo_t *))                                    \
    FUNCTION(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))          \
    FUNCTION(int, mq_send, (int, const char *, size_t, unsigned))                                  \
    FUNCTION(int, mq_timedsend, (int, const char *, size_t, unsigned, const struct timespec *))    \
    FUNCTION(ssize_t, mq_receive, (int, char *, size_t, unsigned *))                               \
    FUNCTION(ssize_t, mq_timedreceive, (int, char *, size_t, unsigned *, const struct timespec *)) \
    FUNCTION(int, msgsnd, (int, const void *, size_t, int))                                        \
    FUNCTION(ssize_t, msgrcv, (int, void *, size_t, long, int))                                    \
    FUNCTION(int, semop, (int, struct sembuf *, size_t))                                           \
    FUNCTION(int, semtimedop, (int, struct sembuf *, size_t, const struct timespec *))             \
    FUNCTION(int, semctl, (int, int, int, ...))                                                    \
    FUNCTION(void, flockfile, (FILE *))                                                            \
    FUNCTION(int, ftrylockfile, (FILE *))                                                          \
    FUNCTION(void, funlockfile, (FILE *))                                                          \
    FUNCTION(int, lockf, (int, int, off_t))                                                        \
    FUNCTION(int, lockf64, (int, int, off64_t))                                                    \
    FUNCTION(int, eventfd, (unsigned, int))                                                        \
    FUNCTION(int, eventfd_write, (int, uint64_t))                                                  \
    FUNCTION(int, eventfd_read, (int, uint64_t *))                                                 \
    FUNCTION(sem_t *, sem_open, (const char *, int, ...))                                          \
    FUNCTION(int, sem_close, (sem_t *))                                                            \
    FUNCTION(void *, shmat, (int, const void *, int))                                              \
    FUNCTION(int, shmdt, (const void *))                                                           \
    FUNCTION(ssize_t, splice, (int, off64_t *, int, off64_t *, size_t, unsigned))                  \
    FUNCTION(ssize_t, preadv, (int, const struct iovec *, int, off_t))                             \
    FUNCTION(ssize_t, preadv64, (int, const struct iovec *, int, off64_t))                         \
    FUNCTION(ssize_t, pwritev, (int, const struct iovec *, int, off_t))                            \
    FUNCTION(ssize_t, pwritev64, (int, const struct iovec *, int, off64_t))                        \
    FUNCTION(pid_t, fork, (void))                                                                  \
    FUNCTION(void, quick_exit, (int))                                                              \
    FUNCTION(pid_t, _Fork, (void))                                                                 \
    FUNCTION(int, system, (const char *))                                                          \
    FUNCTION(FILE *, popen, (const char *, const char *))                                          \
    FUNCTION(int, pclose, (FILE *))                                                                \
    FUNCTION(int, execve, (const char *, char *const *, char *const *))                            \
    FUNCTION(int, execvpe, (const char *, char *const *, char *const *))                           \
    FUNCTION(int, fexecve, (int, char *const *, char *const *))                                    \
    FUNCTION(int, posix_spawn,                                                                     \
             (pid_t *, const char *, const posix_spawn_file_actions_t *,                           \
              const posix_spawnattr_t *, char *const *, char *const *))                            \
    FUNCTION(int, posix_spawnp,                                                                    \
             (pid_t *, const char *, const posix_spawn_file_actions_t *,                           \
              const posix_spawnattr_t *, char *const *, char *const *))

struct real {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    REAL_LIST(FUNCTION)
#undef FUNCTION
};

extern struct real rt_real;

/* Finds every function of the list. A function that this libc lacks stays NULL; no program can
 * call its hook. */
void real_find(void);

/* Above 0 while the calling thread looks functions up. A lookup that fails allocates its message
 * (dlerror). If the program's own malloc (jemalloc) caused the lookup, it may hold its lock:
 * malloc's hook then serves the request from memory of the runtime. */
extern __thread unsigned real_lookups __attribute__((tls_model("initial-exec")));

/* The NULL check is for hooks that constructors of other libraries call before the runtime's own
 * constructor has run. */
#define REAL(name) \
    (__builtin_expect(rt_real.name == NULL, 0) ? (real_find(), rt_real.name) : rt_real.name)

#endif
