/* A store with a primary and a backup. The primary answers a write before the backup has it, so a
 * client that has its write acknowledged may read the old value at the backup. */
#include "lines.h"

static const char *backup; /* of a primary: where writes go */
static char value[LINE] = "old";

static void *answer(void *argument)
{
    const int fd = (int)(intptr_t)argument;
    char line[LINE];
    char told[LINE];
    while (read_line(fd, line)) {
        if (strcmp(line, "get") == 0) {
            send_line(fd, value);
            continue;
        }
        set(value, line + strlen("set "));
#ifdef FIXED
        if (backup != NULL) {
            ask(backup, line, told);
        }
        send_line(fd, "ok");
#else
        send_line(fd, "ok");
        if (backup != NULL) {
            ask(backup, line, told);
        }
#endif
    }
    close(fd);
    return NULL;
}

/* An operation began, or ended, as the history of clew-cluster(5) has it. */
static void note(const char *type, const char *f, const char *value)
{
    FILE *history = fopen(getenv("HISTORY"), "a");
    const int is_old = strcmp(value, "old") == 0; /* which nobody has written */
    if (history == NULL) {
        fail("HISTORY");
    }
    fprintf(history,
            "{\"process\": \"client\", \"type\": \"%s\", \"f\": \"%s\", \"key\": \"x\", \"value\": "
            "%s%s%s}\n",
            type, f, is_old ? "null" : "\"", is_old ? "" : value, is_old ? "" : "\"");
    fclose(history);
}

static void read_noted(const char *node)
{
    char line[LINE];
    note("invoke", "read", "old");
    ask(node, "get", line);
    note("ok", "read", line);
}

int main(int count, char **words)
{
    char line[LINE];
    if (count > 1 && strcmp(words[1], "client") == 0) {
        ask("primary", "set new", line);
        ask("backup", "get", line);
        if (strcmp(line, "new") != 0) {
            printf("a stale read: %s\n", line);
            return 1;
        }
        return 0;
    }
    if (count > 1 && strcmp(words[1], "history") == 0) {
        note("invoke", "write", "new");
        ask("primary", "set new", line);
        note("ok", "write", "new");
        read_noted("backup");
        read_noted("primary");
        return 0;
    }
    backup = count > 1 ? words[1] : NULL;
    serve(answer);
}
