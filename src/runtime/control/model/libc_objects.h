/* State that libc keeps for all threads, and the files: coarse objects that calls of libc read or
 * change, so that a search explores the orders of two calls that meet there.
 *
 * The environment, the locale, the state of strtok, of rand and of drand48, and the buffers that
 * functions such as localtime return are an object each. A file is an object by its path; a stream
 * is that of its file, or one of its own. All else that the kernel keeps for the process (the
 * current directory, the mask of modes, limits, options of sockets) is one object, which system
 * calls change unless shared_state_calls.c says that they only read it. Standard output and error
 * are none: nobody inside reads what is written there. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_LIBC_OBJECTS_H
#define CLEW_RUNTIME_CONTROL_MODEL_LIBC_OBJECTS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>

#include "runtime/control/sched/run_control.h"

/* The caller is about to read, or change, the object: a step, if others could notice. */
void state_touch(enum control_descriptor kind, bool writes, const void *place);

/* The object of all descriptor numbers (runtime/control/model/fd_table.h), valid until the next
 * call.
 */
const struct object *state_numbers(void);
/* The caller is about to make descriptors, and does nothing else that others could notice. */
void state_take_number(const void *place);

/* The object of a path that is looked up from a directory as openat does. */
struct object state_of_path(int folder, const char *path);
/* The caller is about to read, or change, what the path names. */
void state_touch_path(int folder, const char *path, bool writes, const void *place);
/* The same of a call that makes a descriptor, through which the file may be written. */
void state_open_path(int folder, const char *path, bool writes, bool may_write, const void *place);
/* The caller is about to read, or change, what the descriptor stands for. */
void state_touch_descriptor(int fd, bool writes, const void *place);

/* A buffer of libc's, which a call overwrites and returns. Around the call: others find what was
 * there before until it is their turn to see the change, a write of the caller's. */
enum { STATE_BUFFER_MAX = 64 };
struct state_buffer {
    void *at; /* NULL: not known yet, and nobody has it */
    uint8_t before[STATE_BUFFER_MAX];
};
void state_buffer_begin(struct state_buffer *b);
void state_buffer_end(struct state_buffer *b, void *at, size_t size, const void *place);

/* The path is made by this call, and must not be there. Where several tasks do so, it is a lock
 * that they have made themselves: named as uncontrolled, because nothing knows what it orders. */
void state_make_exclusive(int folder, const char *path, const char *call);

/* The caller is about to change more than one file, or something that everybody may use. */
void state_touch_all(const void *place);

/* The program has made a link to a file, or has mapped one: from then on every use of a file
 * touches everything. */
void state_reach_anywhere(void);
bool state_is_anywhere(void);

/* Around a function of libc, whose use of objects is said: the system calls that it makes add
 * nothing. */
void state_enter(void);
void state_leave(void);
bool state_is_said(void);

/* The caller is about to make a system call that is passed on to the kernel: a step on what it
 * shares with other tasks. */
void state_touch_call(long number, const long *a, const void *place);

/* The caller is about to use the stream. */
void state_touch_stream(FILE *file, const void *place);

/* The caller is about to read the directory. */
void state_touch_folder(const DIR *folder, const void *place);

/* The stream was opened with this path. */
void state_opened(const FILE *file, const char *path);

#endif
