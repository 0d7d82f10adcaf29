/* Start routines of many shapes. Each access to `seats` has the lock; what differs is which of them
 * belong to one operation. The first word of the command line is the routine. Its name begins with
 * "couple" if it has a couple that another thread can interrupt, and with "update" if each access
 * of the couple is a complete update: these are reported by --all only. */
/* Some loops are one line on purpose. */
/* clang-format off */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int seats = 40;

static int available(void)
{
    pthread_mutex_lock(&m);
    int n = seats;
    pthread_mutex_unlock(&m);
    return n;
}

static void take(void)
{
    pthread_mutex_lock(&m);
    seats = seats - 1;
    pthread_mutex_unlock(&m);
}

static void add(void)
{
    pthread_mutex_lock(&m);
    seats = seats + 1;
    pthread_mutex_unlock(&m);
}

static void take_three(void)
{
    for (int i = 0; i < 3; i++) {
        take();
    }
}

static void *correct_loop(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        take();
    }
    return NULL;
}

static void *correct_sections(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        pthread_mutex_lock(&m);
        seats--;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *correct_branches(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        if (i & 1)
            take();
        else
            add();
    }
    return NULL;
}

static void *correct_switch(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        switch (i % 5) {
        case 0: take(); break;
        case 1: add(); break;
        case 2: (void)available(); break;
        case 3: usleep(1); break;
        default: (void)getpid(); break;
        }
    }
    return NULL;
}

static void *correct_then_look(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        take();
    }
    (void)available();
    return NULL;
}

static void *correct_do(void *count)
{
    int i = 0;
    do {
        take();
    } while (++i < *(int *)count);
    return NULL;
}

static void *correct_break(void *count)
{
    for (int i = 0;;) {
        take();
        if (++i == *(int *)count)
            break;
        usleep(1);
    }
    return NULL;
}

static void *correct_goto(void *count)
{
    int i = 0;
again:
    take();
    if (++i < *(int *)count)
        goto again;
    return NULL;
}

static void *correct_line(void *count)
{
    for (int i = 0; i < *(int *)count; i++) add();
    return NULL;
}

static void *correct_in_and_out(void *count)
{
    add();
    for (int i = 0; i < *(int *)count; i++) {
        pthread_mutex_lock(&m);
        seats--;
        pthread_mutex_unlock(&m);
    }
    take();
    return NULL;
}

static void *couple_without_loop(void *count)
{
    (void)count;
    if (available() > 0)
        take();
    return NULL;
}

static void *couple_in_loop(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        if (available() > 0)
            take();
    }
    return NULL;
}

static void *couple_in_test(void *count)
{
    int i = 0;
    while (available() > 0 && i++ < *(int *)count)
        take();
    return NULL;
}

static void *couple_in_line(void *count)
{
    int i = 0;
    while (available() > 0 && i++ < *(int *)count) take();
    return NULL;
}

static void *update_in_function(void *count)
{
    (void)count;
    take_three();
    return NULL;
}

static void *couple_after_wait(void *count)
{
    (void)count;
    while (available() <= 0)
        usleep(10);
    take();
    return NULL;
}

static void *couple_after_loop(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        usleep(1);
    }
    if (available() > 0)
        take();
    return NULL;
}

static void *update_in_inner_loop(void *count)
{
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < *(int *)count; i++)
            take();
    }
    return NULL;
}

static void *update_under_lock(void *count)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    for (int i = 0; i < *(int *)count; i++) {
        take();
    }
    pthread_mutex_unlock(&own);
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void *(*run)(void *);
    } routines[] = {
#define ROUTINE(name) {#name, name}
        ROUTINE(correct_loop),        ROUTINE(correct_sections),     ROUTINE(correct_branches),
        ROUTINE(correct_switch),      ROUTINE(correct_then_look),    ROUTINE(correct_do),
        ROUTINE(correct_break),       ROUTINE(correct_goto),         ROUTINE(correct_line),
        ROUTINE(correct_in_and_out),  ROUTINE(couple_without_loop),  ROUTINE(couple_in_loop),
        ROUTINE(couple_in_test),      ROUTINE(couple_in_line),       ROUTINE(update_in_function),
        ROUTINE(couple_after_wait),   ROUTINE(couple_after_loop),    ROUTINE(update_in_inner_loop),
        ROUTINE(update_under_lock),
    };
    pthread_t threads[2];
    int count = 6; /* not known to the compiler */
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        if (argc == 1) {
            puts(routines[i].name);
        } else if (strcmp(argv[1], routines[i].name) == 0) {
            pthread_create(&threads[0], NULL, routines[i].run, &count);
            pthread_join(threads[0], NULL);
            pthread_create(&threads[0], NULL, routines[i].run, &count);
            pthread_create(&threads[1], NULL, routines[i].run, &count);
            pthread_join(threads[0], NULL);
            pthread_join(threads[1], NULL);
        }
    }
    return 0;
}
