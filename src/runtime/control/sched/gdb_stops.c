#include "runtime/control/sched/gdb_stops.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/model/call_stack.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"

/* What the debugger reads: the words of the stop, and the place in the program's code whose frame
 * is to be shown; 0 when it is in none. */
RT_EXPORT char clew_stop_text[CONTROL_TEXT_SIZE];
RT_EXPORT uintptr_t clew_stop_place;

/* The debugger's breakpoint. Nothing happens here. */
RT_EXPORT __attribute__((noinline)) void clew_stop_here(void);
RT_EXPORT __attribute__((noinline)) void clew_stop_here(void)
{
    __asm__ volatile("" ::: "memory");
}

void stop_start(void)
{
    if (control->stop_count == 0) {
        return;
    }
    (void)sys(SYS_close, control->script_fd);
    const int nothing = (int)sys(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
    (void)sys(SYS_dup3, nothing, STDIN_FILENO, 0);
    (void)sys(SYS_dup3, STDERR_FILENO, STDOUT_FILENO, 0);
    if (nothing > STDERR_FILENO) {
        (void)sys(SYS_close, nothing);
    }
}

void stop_name(const struct task *t)
{
    if (control->stop_count != 0) {
        (void)sys(SYS_prctl, PR_SET_NAME, task_path(t->number));
    }
}

/* A debugger that looks for the frame must find it: where the place is left already, it is shown
 * the innermost call of the program. */
static uintptr_t frame_of(const void *place)
{
    uint64_t innermost = 0;
    if (stack_has(place)) {
        return (uintptr_t)place;
    }
    (void)stack_take(&innermost, 1, NULL);
    return innermost;
}

static void stop_at(enum control_stop_kind kind, uint64_t number, const void *place)
{
    const struct control_stop *stops = control_region(CONTROL_PLACE(STOPS));
    for (uint32_t i = 0; i < control->stop_count && i < CONTROL_STOPS_MAX; i++) {
        if (stops[i].kind == kind && stops[i].number == number) {
            text_copy(clew_stop_text, sizeof clew_stop_text, stops[i].text);
            clew_stop_place = frame_of(place);
            clew_stop_here();
        }
    }
}

void stop_step(uint64_t number, const void *place)
{
    stop_at(CONTROL_STOP_STEP, number, place);
}

void stop_report(uint64_t number, const void *place)
{
    stop_at(CONTROL_STOP_REPORT, number, place);
}

void stop_end(enum control_end end, const void *place)
{
    stop_at(CONTROL_STOP_END, end, place);
}
