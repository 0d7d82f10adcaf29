#define ENTRY __attribute__((visibility("default")))
#include "runtime/control/model/syscall_buffers.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/control/sched/task.h"
#include "runtime/instrument/runtime_entry.h"
#include "runtime/shared/raw_syscall.h"

enum { OWN_MAX = 1 << 26 };

static bool is_of_libc(const void *place)
{
    uintptr_t begin = 0;
    uintptr_t end = 0;
    object_module_of((uintptr_t)libc.fork, &begin, &end);
    return (uintptr_t)place >= begin && (uintptr_t)place < end;
}

static bool is_told(const struct buffer_call *c)
{
    return memory_is_shared(NULL) && !is_of_libc(c->place);
}

/* The buffers as pieces; how many. */
static size_t pieces_of(const struct buffer_call *c, struct iovec *one, const struct iovec **pieces)
{
    switch (c->number) {
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
        *pieces = (const struct iovec *)c->a[1];
        return c->a[2] > 0 ? (size_t)c->a[2] : 0;
    case SYS_recvmsg:
    case SYS_sendmsg:
        *pieces = ((const struct msghdr *)c->a[1])->msg_iov;
        return ((const struct msghdr *)c->a[1])->msg_iovlen;
    default:
        *one = (struct iovec){.iov_base = (void *)c->a[1], .iov_len = (size_t)c->a[2]};
        *pieces = one;
        return 1;
    }
}

/* Whether the kernel finds memory there: otherwise the call fails by itself. */
static bool is_memory(const struct iovec *piece)
{
    char bytes[2];
    char *base = piece->iov_base;
    const struct iovec here = {.iov_base = bytes, .iov_len = sizeof bytes};
    const struct iovec there[] = {{.iov_base = base, .iov_len = 1},
                                  {.iov_base = base + piece->iov_len - 1, .iov_len = 1}};
    const int saved = errno;
    const long found = sys(SYS_process_vm_readv, sys(SYS_getpid), &here, 1L, there, 2L, 0L);
    const bool is_there = found == sizeof bytes || (found < 0 && errno != EFAULT);
    errno = saved;
    return is_there;
}

static bool is_all_memory(const struct iovec *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].iov_len > 0 && !is_memory(&pieces[i])) {
            return false;
        }
    }
    return true;
}

void buffer_read(const struct buffer_call *c)
{
    struct iovec one;
    const struct iovec *pieces = NULL;
    const size_t count = is_told(c) ? pieces_of(c, &one, &pieces) : 0;
    for (size_t i = 0; is_all_memory(pieces, count) && i < count; i++) {
        if (pieces[i].iov_len > 0) {
            clew_rt_read(pieces[i].iov_base, pieces[i].iov_len, c->place);
        }
    }
}

/* One buffer of the task's own for all pieces. */
static void set_buffer(const struct buffer_call *c, struct buffer_own *own)
{
    memcpy(own->a, c->a, sizeof own->a);
    switch (c->number) {
    case SYS_readv:
    case SYS_preadv:
        own->a[1] = (long)&own->all;
        own->a[2] = 1;
        break;
    case SYS_recvmsg:
        own->message = *(const struct msghdr *)c->a[1];
        own->message.msg_iov = &own->all;
        own->message.msg_iovlen = 1;
        own->a[1] = (long)&own->message;
        break;
    default: own->a[1] = (long)own->all.iov_base;
    }
}

bool buffer_take(const struct buffer_call *c, struct buffer_own *own)
{
    struct iovec one;
    const struct iovec *pieces = NULL;
    const size_t count = is_told(c) ? pieces_of(c, &one, &pieces) : 0;
    own->all = (struct iovec){0};
    for (size_t i = 0; i < count; i++) {
        own->all.iov_len += pieces[i].iov_len;
    }
    if (own->all.iov_len == 0 || own->all.iov_len > OWN_MAX || control_self->is_scratch_in_use ||
        !is_all_memory(pieces, count)) {
        return false;
    }
    own->all.iov_base = task_scratch(own->all.iov_len);
    if (own->all.iov_base == NULL) {
        return false;
    }
    set_buffer(c, own);
    return true;
}

/* A handler that runs meanwhile does not use the same memory. */
void buffer_give(const struct buffer_call *c, struct buffer_own *own, long received)
{
    struct iovec one;
    const struct iovec *pieces = NULL;
    const size_t count = pieces_of(c, &one, &pieces);
    const char *from = own->all.iov_base;
    size_t left = received > 0 ? (size_t)received : 0;
    left = left < own->all.iov_len ? left : own->all.iov_len; /* a datagram may be longer */
    if (c->number == SYS_recvmsg && received >= 0) {
        struct msghdr *message = (struct msghdr *)c->a[1];
        message->msg_namelen = own->message.msg_namelen;
        message->msg_controllen = own->message.msg_controllen;
        message->msg_flags = own->message.msg_flags;
    }
    control_self->is_scratch_in_use = true;
    for (size_t i = 0; left > 0 && i < count; i++) {
        const size_t size = pieces[i].iov_len < left ? pieces[i].iov_len : left;
        if (!clew_rt_store(pieces[i].iov_base, from, size, c->place)) {
            memcpy(pieces[i].iov_base, from, size);
        }
        from += size;
        left -= size;
    }
    control_self->is_scratch_in_use = false;
}

void buffer_write(const struct buffer_call *c, long received)
{
    struct iovec one;
    const struct iovec *pieces = NULL;
    const size_t count = is_told(c) ? pieces_of(c, &one, &pieces) : 0;
    size_t left = received > 0 ? (size_t)received : 0;
    for (size_t i = 0; left > 0 && i < count; i++) {
        const size_t size = pieces[i].iov_len < left ? pieces[i].iov_len : left;
        if (size > 0) {
            clew_rt_write(pieces[i].iov_base, size, c->place);
        }
        left -= size;
    }
}
