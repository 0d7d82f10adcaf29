/* Commands that the shell runs come after what their caller did before; they end as they would, and
 * the keyboard's signals do what they did.
 *
 * expect: 3 process-fork
 * expect: 6 lock m
 * order: main@n lock m
 * order: main@n process-fork main@n/1
 * order: main@n/1 process-start
 * order: main@n/1 lock m
 * order: main@n lock m
 * order: main@n process-fork main@n/2
 * order: main@n/2 process-start
 * order: main@n/2 lock m
 * order: main@n process-fork main@n/3
 * order: main@n/3 process-start
 * order: main@n/3 lock m */
#include <signal.h>

#include "program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void use_lock(void)
{
    CLAIM(pthread_mutex_lock(&m) == 0);
    CLAIM(pthread_mutex_unlock(&m) == 0);
}

/* What a command does: tells of itself, or ends by the number that it is told. */
static int be_command(const char *word)
{
    use_lock();
    if (strcmp(word, "tell") == 0) {
        return puts("told") < 0;
    }
    if (strcmp(word, "hear") == 0) {
        char line[16] = "";
        CLAIM(fgets(line, sizeof line, stdin) != NULL);
        return strcmp(line, "heard\n") == 0 ? 4 : 1;
    }
    return 3;
}

int main(int count, char **words)
{
    if (count > 1) {
        return be_command(words[1]);
    }
    char command[4096];
    char line[16] = "";
    struct sigaction action;
    CLAIM(snprintf(command, sizeof command, "exec '%s' end", words[0]) > 0);
    use_lock();
    const int status = system(command);
    CLAIM(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CLAIM(sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == SIG_DFL);

    CLAIM(snprintf(command, sizeof command, "exec '%s' tell", words[0]) > 0);
    use_lock();
    FILE *from = popen(command, "r");
    CLAIM(from != NULL && fgets(line, sizeof line, from) != NULL);
    CLAIM(strcmp(line, "told\n") == 0);
    CLAIM(pclose(from) == 0);

    CLAIM(snprintf(command, sizeof command, "exec '%s' hear", words[0]) > 0);
    FILE *to = popen(command, "we");
    CLAIM(to != NULL && fputs("heard\n", to) >= 0);
    const int heard = pclose(to);
    CLAIM(WIFEXITED(heard) && WEXITSTATUS(heard) == 4);
    use_lock();
    CLAIM(popen("true", "x") == NULL && errno == EINVAL);
    return 0;
}
