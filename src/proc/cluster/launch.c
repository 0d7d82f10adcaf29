#include "proc/cluster/launch.h"

#include <stdio.h>
#include <string.h>

#include "wire/cluster.h"

static void put(struct cluster *c, launch_words *words, enum cluster_argument argument,
                const char *text)
{
    const size_t size = strlen(text);
    char *word = arena_array(&c->arena, char, size + 2);
    word[0] = (char)argument;
    memcpy(word + 1, text, size);
    vec_push(words, word);
}

static void put_number(struct cluster *c, launch_words *words, enum cluster_argument argument,
                       size_t number)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", number);
    put(c, words, argument, text);
}

static void put_path(struct cluster *c, launch_words *words, enum cluster_argument argument,
                     const char *format, const char *name)
{
    const size_t size = strlen(c->root) + strlen(format) + strlen(name) + 2;
    char *path = arena_array(&c->arena, char, size);
    const size_t root = strlen(c->root);
    memcpy(path, c->root, root);
    path[root] = '/';
    char *at = path + root + 1;
    const char *hole = strchr(format, '*');
    at = mempcpy(at, format, (size_t)(hole - format));
    at = mempcpy(at, name, strlen(name));
    memcpy(at, hole + 1, strlen(hole + 1));
    put(c, words, argument, path);
}

/* A command with a slash begins at the folder of the cluster file. */
static void put_command(struct cluster *c, launch_words *words, const struct cluster_program *p)
{
    if (strchr(p->words[0], '/') != NULL && p->words[0][0] != '/') {
        put_path(c, words, CLUSTER_WORD, "*", p->words[0]);
    } else {
        put(c, words, CLUSTER_WORD, p->words[0]);
    }
    for (size_t i = 1; i < p->word_count; i++) {
        put(c, words, CLUSTER_WORD, p->words[i]);
    }
}

static void put_program(struct cluster *c, launch_words *words, const struct cluster_program *p)
{
    static const enum cluster_argument roles[] = {[CLUSTER_NODE] = CLUSTER_PROGRAM_NODE,
                                                  [CLUSTER_WORKLOAD] = CLUSTER_PROGRAM_WORKLOAD,
                                                  [CLUSTER_CHECK] = CLUSTER_PROGRAM_CHECK};
    put(c, words, roles[p->role], p->name);
    put_number(c, words, CLUSTER_NUMBER, p->node + 1);
    put_path(c, words, CLUSTER_FOLDER, CLUSTER_DATA "/*", c->nodes[p->node]);
    put_path(c, words, CLUSTER_LOG, CLUSTER_DATA "/*.log", p->name);
    if (p->ready != NULL) {
        put(c, words, CLUSTER_READY, p->ready);
    }
    for (size_t i = 0; i < p->after_count; i++) {
        put_number(c, words, CLUSTER_AFTER, p->after[i]);
    }
    if (c->has_history) {
        put(c, words, CLUSTER_VARIABLE, c->history_variable);
    }
    for (size_t i = 0; i < p->environment_count; i++) {
        put(c, words, CLUSTER_VARIABLE, p->environment[i]);
    }
    for (size_t i = 0; i < p->copy_count; i++) {
        put_path(c, words, CLUSTER_COPY_FROM, "*", p->copies[i].from);
        put(c, words, CLUSTER_COPY_TO, p->copies[i].to);
    }
    put_command(c, words, p);
}

void launch_put_words(struct cluster *c, launch_words *words)
{
    vec_push(words, arena_text(&c->arena, "clew-launcher", strlen("clew-launcher")));
    for (size_t i = 0; i < c->program_count; i++) {
        put_program(c, words, &c->programs[i]);
    }
    vec_push(words, NULL);
}
