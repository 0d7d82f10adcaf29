/* Functions of libc read and write what another thread uses: one of each shape in
 * wire/libc_calls.h, also such as the recorder stands in for.
 * race: number digit
 * race: end ended
 * race: span letter
 * race: token token
 * race: cut rest
 * race: sorted smallest
 * race: clock clocked
 * race: broken year
 * race: formatted day
 * race: scanned count
 * race: split exponent
 * race: stat mode
 * race: offset byte
 * race: parts part
 * race: line first
 * race: polled returned
 * race: waited status
 * race: pair fd
 * race: named port
 * race: converted octet
 * race: printed where
 * race: old action
 * race: path changed
 * race: environment variable
 * race: joined result
 * race: units unit
 * race: waiting waits
 * race: sent position
 * race: encoded letter_of */
#include <arpa/inet.h>
#include <fcntl.h>
#include <iconv.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static char digits[8] = "12", letters[8] = "aab", day[16], bytes[8], part[8], path[16] = "/";
static char words[] = "one two", *rest = words;
static char *end, *line, *text;
static struct timespec now;
static struct tm date;
static int count, exponent, numbers[4] = {4, 3, 2, 1}, status, ends[2] = {-1, -1};
static struct stat file;
static struct pollfd polled = {-1, POLLIN, 0};
static struct sockaddr_in address;
static struct in_addr octets;
static struct sigaction old;
static void *result;
static int unit, waits;
static off_t position;
static char encoded[8];
static size_t room_left = sizeof encoded;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void texts(void)
{
    char text_of[] = "three four";
    const time_t time = 1;
    const struct tm *utc = gmtime_r(&time, &date);               /* broken */
    CLAIM(utc != NULL && atoi(digits) > 0);                      /* number */
    CLAIM(strtol("7", &end, 10) == 7);                           /* end */
    CLAIM(strspn(letters, "a") < 3);                             /* span */
    (void)strsep(&rest, " ");                                    /* cut */
    CLAIM(clock_gettime(CLOCK_MONOTONIC, &now) == 0);            /* clock */
    CLAIM(strftime(day, sizeof day, "%j", &(struct tm){0}) > 0); /* formatted */
    CLAIM(sscanf("5 6", "%*d %d", &count) == 1);                 /* scanned */
    CLAIM(strtok(text_of, " ") != NULL);                         /* token */
    qsort(numbers, 4, sizeof *numbers, compare);                 /* sorted */
    CLAIM(frexp((double)time, &exponent) > 0);                   /* split */
    CLAIM(asprintf(&text, "%d", 1) == 1);                        /* printed */
}

static void files(void)
{
    struct iovec parts = {part, 1};
    struct sigaction *none = NULL;
    const int fd = open("/proc/self/exe", O_RDONLY);
    FILE *stream = fopen("/proc/self/status", "r");
    size_t room = 0;
    CLAIM(fd >= 0 && stream != NULL);
    CLAIM(fstat(fd, &file) == 0);                  /* stat */
    CLAIM(pread(fd, bytes, sizeof bytes, 0) == 8); /* offset */
    CLAIM(preadv(fd, &parts, 1, 0) == 1);          /* parts */
    CLAIM(getline(&line, &room, stream) > 0);      /* line */
    CLAIM(sigaction(SIGUSR1, none, &old) == 0);    /* old */
    CLAIM(access(path, F_OK) == 0);                /* path */
    CLAIM(fclose(stream) == 0 && close(fd) == 0);
}

static void network(void)
{
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    CLAIM(waitpid(child, &status, 0) == child);                      /* waited */
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);           /* pair */
    CLAIM(getsockname(fd, (struct sockaddr *)&address, &size) == 0); /* named */
    CLAIM(inet_pton(AF_INET, "127.0.0.1", &octets) == 1);            /* converted */
    CLAIM(poll(&polled, 1, 0) >= 0);                                 /* polled */
}

static void *nothing(void *unused)
{
    return unused;
}

static void others(void)
{
    pthread_t thread;
    sem_t semaphore;
    const int from = open("/proc/self/exe", O_RDONLY), to = open("/dev/null", O_WRONLY);
    int pipe_of[2];
    char *in = (char[]){"a"}, *out = encoded;
    size_t left = 1;
    const iconv_t converter = iconv_open("UTF-16LE", "UTF-8");
    CLAIM(getenv("CLEW_NO_SUCH_VARIABLE") == NULL); /* environment */
    CLAIM(pthread_create(&thread, NULL, nothing, &unit) == 0 && sem_init(&semaphore, 0, 3) == 0);
    CLAIM(pthread_join(thread, &result) == 0);   /* joined */
    CLAIM(sem_getvalue(&semaphore, &unit) == 0); /* units */
    CLAIM(pipe(pipe_of) == 0);
    CLAIM(ioctl(pipe_of[0], FIONREAD, &waits) == 0); /* waiting */
    CLAIM(sendfile(to, from, &position, 4) == 4);    /* sent */
    CLAIM(converter != (iconv_t)-1);
    CLAIM(iconv(converter, &in, &left, &out, &room_left) == 0); /* encoded */
    CLAIM(iconv_close(converter) == 0 && close(from) == 0 && close(to) == 0);
}

static void *by_libc(void *unused)
{
    others();
    texts();
    files();
    network();
    return unused;
}

static void *by_itself(void *unused)
{
    digits[0] = '3';  /* digit */
    letters[1] = 'b'; /* letter */
    char text_of[] = "five six";
    CLAIM(strtok(text_of, " ") != NULL);              /* token */
    rest = NULL;                                      /* rest */
    path[1] = 0;                                      /* changed */
    CLAIM(setenv("CLEW_TEST_VARIABLE", "1", 1) == 0); /* variable */
    long sum = end != NULL;                           /* ended */
    sum += result != NULL;                            /* result */
    sum += unit;                                      /* unit */
    sum += waits;                                     /* waits */
    sum += position;                                  /* position */
    sum += encoded[0];                                /* letter_of */
    sum += now.tv_nsec;                               /* clocked */
    sum += date.tm_year;                              /* year */
    sum += day[1];                                    /* day */
    sum += count;                                     /* count */
    sum += numbers[0];                                /* smallest */
    sum += exponent;                                  /* exponent */
    sum += file.st_mode;                              /* mode */
    sum += bytes[7];                                  /* byte */
    sum += part[0];                                   /* part */
    sum += line != NULL;                              /* first */
    sum += polled.revents;                            /* returned */
    sum += status;                                    /* status */
    sum += ends[1];                                   /* fd */
    sum += address.sin_port;                          /* port */
    sum += octets.s_addr;                             /* octet */
    sum += text != NULL;                              /* where */
    sum += old.sa_flags;                              /* action */
    CLAIM(sum != 12345);
    return unused;
}

int main(void)
{
    run_both(by_libc, by_itself);
    return 0;
}
