/* Signals: a handler of the program is entered through one of ours, which tells its beginning and
 * its end. What it does in between is its thread's, like anything else. A handler that is left by a
 * jump has no end. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "runtime/real.h"
#include "runtime/rt.h"

typedef void plain_handler(int number);
typedef void info_handler(int number, siginfo_t *info, void *context);

/* The program's own handlers; NULL where it has none. */
static _Atomic uintptr_t handlers[NSIG];

static void record(enum event_kind kind, int number, uintptr_t place)
{
    (void)rt_record((struct rt_event){
        .kind = kind, .has_value = true, .value = number, .place = (const void *)place});
}

static void on_signal(int number)
{
    const uintptr_t handler = atomic_load(&handlers[number]);
    if (handler != 0) {
        record(EVENT_INTERRUPT, number, handler);
        ((plain_handler *)handler)(number);
        record(EVENT_INTERRUPT_END, number, handler);
    }
}

static void on_signal_info(int number, siginfo_t *info, void *context)
{
    const uintptr_t handler = atomic_load(&handlers[number]);
    if (handler != 0) {
        record(EVENT_INTERRUPT, number, handler);
        ((info_handler *)handler)(number, info, context);
        record(EVENT_INTERRUPT_END, number, handler);
    }
}

static bool is_function(uintptr_t handler)
{
    return handler != (uintptr_t)SIG_DFL && handler != (uintptr_t)SIG_IGN &&
           handler != (uintptr_t)SIG_ERR && handler != (uintptr_t)SIG_HOLD;
}

static bool is_ours(uintptr_t handler)
{
    return handler == (uintptr_t)on_signal || handler == (uintptr_t)on_signal_info;
}

static bool is_watched(int number)
{
    return rt_is_on && number > 0 && number < NSIG;
}

/* The new handler is known before it can be called. */
RT_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    if (!is_watched(number)) {
        return REAL(sigaction)(number, action, before);
    }
    const uintptr_t known = atomic_load(&handlers[number]);
    struct sigaction changed;
    if (action != NULL) {
        changed = *action;
        const uintptr_t wanted = (uintptr_t)action->sa_sigaction;
        if (is_function(wanted) && !is_ours(wanted)) {
            atomic_store(&handlers[number], wanted);
            if ((action->sa_flags & SA_SIGINFO) != 0) {
                changed.sa_sigaction = on_signal_info;
            } else {
                changed.sa_handler = on_signal;
            }
        }
    }
    const int result = REAL(sigaction)(number, action == NULL ? NULL : &changed, before);
    if (result != 0) {
        atomic_store(&handlers[number], known);
    } else if (before != NULL && is_ours((uintptr_t)before->sa_sigaction)) {
        before->sa_sigaction = (info_handler *)known;
    }
    return result;
}

/* The older ways to set a handler, which differ in what else they do. */
static plain_handler *set_handler(plain_handler *(*real)(int, plain_handler *), int number,
                                  plain_handler *wanted)
{
    if (!is_watched(number)) {
        return real(number, wanted);
    }
    const uintptr_t known = atomic_load(&handlers[number]);
    const bool is_changed = is_function((uintptr_t)wanted) && !is_ours((uintptr_t)wanted);
    if (is_changed) {
        atomic_store(&handlers[number], (uintptr_t)wanted);
    }
    plain_handler *before = real(number, is_changed ? on_signal : wanted);
    if (before == SIG_ERR) {
        atomic_store(&handlers[number], known);
    }
    return is_ours((uintptr_t)before) ? (plain_handler *)known : before;
}

RT_EXPORT plain_handler *signal(int number, plain_handler *handler)
{
    return set_handler(REAL(signal), number, handler);
}

RT_EXPORT plain_handler *ssignal(int number, plain_handler *handler)
{
    return set_handler(REAL(signal), number, handler);
}

RT_EXPORT plain_handler *sysv_signal(int number, plain_handler *handler)
{
    return set_handler(REAL(sysv_signal), number, handler);
}

RT_EXPORT plain_handler *__sysv_signal(int number, plain_handler *handler)
{
    return set_handler(REAL(sysv_signal), number, handler);
}
