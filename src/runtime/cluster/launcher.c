/* The launcher of a cluster: the first process of each run under control. It starts the nodes in
 * their order, each once those that it waits for are ready, then the workload, and when that has
 * ended the check. Its arguments are described in wire/cluster.h. */
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/cluster.h"

enum {
    PROGRAMS_MAX = 128,
    LISTED_MAX = 128, /* of what a program has several of */
    WORDS_MAX = 4096,
    LINE_MAX_KEPT = 200,
    CHUNK = 4096,
};

enum state { WAITING, STARTED, READY, ENDED };

struct program {
    enum cluster_argument role;
    enum state state;
    const char *name, *folder, *log, *ready;
    unsigned number;
    unsigned after[LISTED_MAX];
    size_t after_count;
    char *variables[LISTED_MAX];
    size_t variable_count;
    const char *from[LISTED_MAX], *to[LISTED_MAX];
    size_t from_count, to_count;
    char **words; /* ended by NULL */
    size_t word_count;
    regex_t pattern;
    pid_t pid;
    int log_fd;               /* read from; -1: not yet */
    char line[LINE_MAX_KEPT]; /* the last one that was read, perhaps not whole */
    size_t line_size;
};

static struct program programs[PROGRAMS_MAX];
static size_t program_count;
static char *words[WORDS_MAX];
static size_t word_count;

static _Noreturn void unable(const char *what, const char *of)
{
    char text[LINE_MAX_KEPT * 2];
    (void)snprintf(text, sizeof text, "%s: %s: %s", of, what, strerror(errno));
    clew_rt_cluster_end(CLUSTER_UNABLE, text);
}

/* Arguments */

static void add_word(struct program *p, char *word)
{
    if (word_count + 2 >= WORDS_MAX) {
        errno = E2BIG;
        unable("its command", p->name);
    }
    p->words = p->word_count == 0 ? &words[word_count] : p->words;
    p->word_count++;
    words[word_count++] = word;
    words[word_count] = NULL;
}

static void begin_program(enum cluster_argument role, const char *name)
{
    if (program_count == PROGRAMS_MAX) {
        errno = E2BIG;
        unable("too many programs", name);
    }
    word_count += word_count > 0; /* the NULL behind the words of the one before */
    programs[program_count++] = (struct program){.role = role, .name = name, .log_fd = -1};
}

static void read_argument(char *argument)
{
    struct program *p = program_count == 0 ? NULL : &programs[program_count - 1];
    char *text = argument + 1;
    switch ((enum cluster_argument)argument[0]) {
    case CLUSTER_PROGRAM_NODE:
    case CLUSTER_PROGRAM_WORKLOAD:
    case CLUSTER_PROGRAM_CHECK: begin_program((enum cluster_argument)argument[0], text); break;
    case CLUSTER_NUMBER: p->number = (unsigned)strtoul(text, NULL, 10); break;
    case CLUSTER_FOLDER: p->folder = text; break;
    case CLUSTER_LOG: p->log = text; break;
    case CLUSTER_READY: p->ready = text; break;
    case CLUSTER_AFTER:
        p->after[p->after_count++ % LISTED_MAX] = (unsigned)strtoul(text, NULL, 10);
        break;
    case CLUSTER_VARIABLE: p->variables[p->variable_count++ % LISTED_MAX] = text; break;
    case CLUSTER_COPY_FROM: p->from[p->from_count++ % LISTED_MAX] = text; break;
    case CLUSTER_COPY_TO: p->to[p->to_count++ % LISTED_MAX] = text; break;
    case CLUSTER_WORD: add_word(p, text); break;
    }
}

/* Starting */

static void make_folders(const char *path)
{
    char part[CHUNK];
    for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        (void)snprintf(part, sizeof part, "%.*s",
                       slash == NULL ? (int)strlen(path) : (int)(slash - path), path);
        if (mkdir(part, 0777) < 0 && errno != EEXIST && access(part, F_OK) < 0) {
            unable("its folder cannot be made", part);
        }
        if (slash == NULL) {
            return;
        }
    }
}

/* Not through a link: the file may have changed since clew looked. */
static void copy_file(const struct program *p, const char *from, const char *to)
{
    char path[CHUNK];
    char bytes[CHUNK];
    ssize_t size = 0;
    (void)snprintf(path, sizeof path, "%s/%s", p->folder, to);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    make_folders(path);
    *slash = '/';
    const int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const int out = in < 0 ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
    if (out < 0) {
        unable("cannot be copied", from);
    }
    while ((size = read(in, bytes, sizeof bytes)) > 0) {
        if (write(out, bytes, (size_t)size) != size) {
            unable("cannot be copied", from);
        }
    }
    (void)close(in);
    (void)close(out);
}

static _Noreturn void become(const struct program *p, int log)
{
    const int nothing = open("/dev/null", O_RDONLY);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(log, STDOUT_FILENO);
    (void)dup2(log, STDERR_FILENO);
    for (size_t i = 0; i < p->variable_count; i++) {
        (void)putenv(p->variables[i]);
    }
    (void)setpgid(0, 0);
    if (chdir(p->folder) < 0) {
        unable("its folder cannot be entered", p->name);
    }
    (void)close(nothing);
    (void)close(log);
    (void)execvp(p->words[0], p->words);
    char text[LINE_MAX_KEPT * 2];
    (void)snprintf(text, sizeof text, "%s: cannot start %s: %s", p->name, p->words[0],
                   strerror(errno));
    clew_rt_cluster_end(CLUSTER_UNABLE, text);
}

static void write_text(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0 && clew_rt_cluster_end != NULL) {
        unable("cannot be written", text);
    }
}

/* The folder of a node is called after it. */
static void write_hosts(void)
{
    char path[CHUNK];
    const char *folder = programs[0].folder;
    (void)snprintf(path, sizeof path, "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    make_folders(path);
    (void)snprintf(path, sizeof path, "%.*s/hosts", (int)(strrchr(folder, '/') - folder), folder);
    const int hosts = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (hosts < 0) {
        unable("cannot be made", path);
    }
    write_text(hosts, "127.0.0.1 localhost\n");
    for (size_t i = 0; i < program_count; i++) {
        char line[CHUNK];
        (void)snprintf(line, sizeof line, "127.77.0.%u %s\n", programs[i].number,
                       strrchr(programs[i].folder, '/') + 1);
        write_text(hosts, line);
    }
    (void)close(hosts);
}

static void start(struct program *p)
{
    char path[LINE_MAX_KEPT];
    make_folders(p->folder);
    for (size_t i = 0; i < p->from_count && i < LISTED_MAX; i++) {
        copy_file(p, p->from[i], p->to[i]);
    }
    if (p->ready != NULL && regcomp(&p->pattern, p->ready, REG_EXTENDED | REG_NOSUB) != 0) {
        errno = EINVAL;
        unable("its regular expression", p->name);
    }
    const int log = open(p->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    p->log_fd = log < 0 ? -1 : open(p->log, O_RDONLY | O_CLOEXEC);
    if (p->log_fd < 0) {
        unable("its log cannot be opened", p->log);
    }
    clew_rt_cluster_log(log);
    (void)snprintf(path, sizeof path, "%s:main", p->name);
    clew_rt_cluster_fork(path, p->number);
    p->pid = fork();
    if (p->pid < 0) {
        unable("fork", p->name);
    }
    if (p->pid == 0) {
        become(p, log);
    }
    (void)close(log);
    p->state = p->ready == NULL ? READY : STARTED;
}

/* Watching */

static void end_line(struct program *p)
{
    p->line[p->line_size] = '\0';
    if (p->state == STARTED && regexec(&p->pattern, p->line, 0, NULL, 0) == 0) {
        p->state = READY;
    }
}

static void read_log(struct program *p)
{
    char bytes[CHUNK];
    ssize_t size = 0;
    bool is_whole = false;
    while (p->log_fd >= 0 && (size = read(p->log_fd, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            p->line_size = is_whole ? 0 : p->line_size;
            is_whole = bytes[i] == '\n';
            if (is_whole) {
                end_line(p);
            } else if (p->line_size + 1 < sizeof p->line) {
                p->line[p->line_size++] = bytes[i];
                p->line[p->line_size] = '\0';
            }
        }
    }
    if (is_whole) {
        end_line(p);
        p->line_size = 0;
    }
}

/* "ends with status 3: LAST LINE". */
static void print_end(struct program *p, int status, char *text, size_t size)
{
    read_log(p);
    const char *what = WIFSIGNALED(status) ? "ends by signal" : "ends with status";
    (void)snprintf(text, size, "%s %s %d%s%s%s", p->name, what,
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                   p->state == STARTED ? " before it is ready" : "",
                   p->line[0] == '\0' ? "" : "; it printed last: ", p->line);
}

/* A program has ended: most of them only may with status 0. */
static void note_end(pid_t pid, int status)
{
    struct program *p = programs;
    char text[LINE_MAX_KEPT * 2];
    while (p < programs + program_count && (p->pid != pid || p->state == WAITING)) {
        p++;
    }
    if (p == programs + program_count) {
        return; /* left behind by a program that has ended */
    }
    if (status != 0) {
        print_end(p, status, text, sizeof text);
        clew_rt_cluster_end(p->role == CLUSTER_PROGRAM_CHECK ? CLUSTER_CHECKED : CLUSTER_EXITED,
                            text);
    }
    if (p->role != CLUSTER_PROGRAM_NODE) { /* a node that is a daemon goes on in a child */
        p->state = ENDED;
    }
}

static bool has_all(const struct program *p)
{
    bool is_so = true;
    for (size_t i = 0; i < p->after_count && i < LISTED_MAX; i++) {
        is_so = is_so && programs[p->after[i]].state >= READY;
    }
    return is_so;
}

/* Starts all that can be started; how many have not ended or are not ready. */
static size_t advance(enum cluster_argument role, enum state wanted)
{
    size_t missing = 0;
    for (size_t i = 0; i < program_count; i++) {
        struct program *p = &programs[i];
        if (p->role == role && p->state == WAITING && has_all(p)) {
            start(p);
        }
        missing += p->role == role && p->state < wanted;
    }
    return missing;
}

static void print_starting(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < program_count && used < size; i++) {
        const struct program *p = &programs[i];
        if (p->role == CLUSTER_PROGRAM_NODE && p->state == STARTED) {
            used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", used == 0 ? "" : ", ",
                                     p->name,
                                     p->line[0] == '\0' ? "" : ", which printed last: ", p->line);
        }
    }
}

static void await_nodes(void)
{
    char text[LINE_MAX_KEPT * 2];
    int status = 0;
    while (advance(CLUSTER_PROGRAM_NODE, READY) > 0) {
        (void)advance(CLUSTER_PROGRAM_WORKLOAD, ENDED); /* some may wait for some nodes alone */
        print_starting(text, sizeof text);
        clew_rt_cluster_await(text);
        for (size_t i = 0; i < program_count; i++) {
            if (programs[i].state == STARTED) {
                read_log(&programs[i]);
            }
        }
        for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
            note_end(pid, status);
        }
    }
    clew_rt_cluster_ready();
}

static void await_end(enum cluster_argument role)
{
    int status = 0;
    while (advance(role, ENDED) > 0) {
        const pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno != EINTR) {
            unable("wait", programs[0].name);
        }
        note_end(pid, status);
    }
}

int main(int count, char **arguments)
{
    if (clew_rt_cluster_end == NULL) {
        write_text(STDERR_FILENO, "this program is a part of clew: clew explore --cluster FILE\n");
        return 2;
    }
    for (int i = 1; i < count; i++) {
        read_argument(arguments[i]);
    }
    (void)umask(022);
    write_hosts();
    await_nodes();
    await_end(CLUSTER_PROGRAM_WORKLOAD);
    await_end(CLUSTER_PROGRAM_CHECK);
    clew_rt_cluster_end(CLUSTER_PASSED, "");
}
