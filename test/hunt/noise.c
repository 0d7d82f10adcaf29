/* Random delays before accesses to memory and locks, so that a recorded run fails. -Wl,--wrap sends
 * their calls here. The stubs jump on, so that the caller remains the place of the access. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned state;
__attribute__((constructor)) static void begin(void)
{
    const char *seed = getenv("NOISE");
    state = seed == NULL ? 0 : (unsigned)atoi(seed) * 2654435761u | 1;
}

__attribute__((used, no_caller_saved_registers, target("general-regs-only"))) void noise(void)
{
    if (state == 0) {
        return;
    }
    state = state * 1103515245u + 12345u + (unsigned)syscall(SYS_gettid) * 97u;
    state |= 1;
    if ((state >> 16) % 3 == 0) {
        const struct timespec delay = {0, (long)(state >> 20) % 40 * 50000};
        (void)syscall(SYS_nanosleep, &delay, NULL);
    }
}

#define WRAP(name)                                                                               \
    __asm__(".text\n.globl __wrap_" #name "\n__wrap_" #name ":\n"                                \
            "push %rdi\npush %rsi\nsub $8, %rsp\ncall noise\nadd $8, %rsp\npop %rsi\npop %rdi\n" \
            "jmp __real_" #name "\n");
WRAP(__tsan_read1)
WRAP(__tsan_read2) WRAP(__tsan_read4) WRAP(__tsan_read8) WRAP(__tsan_write1) WRAP(__tsan_write2)
    WRAP(__tsan_write4) WRAP(__tsan_write8) WRAP(pthread_mutex_lock) WRAP(pthread_cond_wait)
        WRAP(pthread_cond_signal) WRAP(free)
