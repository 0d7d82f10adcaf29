#include "proc/cluster/cluster_file.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/quoted_text.h"
#include "base/suggest.h"
#include "base/vec.h"
#include "base/yaml.h"
#include "proc/cluster/command_words.h"

enum { COUNT_MAX = 50, STEPS_MAX = 1 << 20, HANG_MAX = 100000 };

/* A program under construction, and where it stands. */
struct draft {
    struct cluster_program program;
    const struct yaml_node *node; /* its value in the mapping */
    const struct yaml_node *after;
    const struct yaml_node *machine; /* `node:` of a workload; NULL: one of its own */
};

struct reader {
    struct cluster *cluster;
    struct err *e;
    VEC(struct draft) drafts;
    VEC(const char *) nodes;
};

static const char *keep(struct reader *r, const char *text)
{
    return arena_text(&r->cluster->arena, text, strlen(text));
}

static const char *folder_of(struct cluster *c, const char *name)
{
    char path[PATH_MAX];
    const int size = snprintf(path, sizeof path, "%s/" CLUSTER_DATA "/%s", c->root, name);
    return arena_text(&c->arena, path, size < (int)sizeof path ? (size_t)size : sizeof path - 1);
}

/* Names */

static const char *const reserved[] = {"any",       "check", "history", "hosts",
                                       "localhost", "ready", "start",   NULL};

static int want_name(struct reader *r, const struct yaml_node *n)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t good =
        strspn(n->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
    if (n->size == 0 || n->size > CLUSTER_NAME_MAX || good != n->size ||
        strchr(letters, n->text[0]) == NULL) {
        return yaml_refuse(n, r->e,
                           "%s is no name: a letter, then letters, digits and -, %d at most",
                           shown(n->text, n->size).text, CLUSTER_NAME_MAX);
    }
    for (size_t i = 0; reserved[i] != NULL; i++) {
        if (strcmp(reserved[i], n->text) == 0) {
            return yaml_refuse(n, r->e, "\"%s\" has a meaning of its own and names no program",
                               n->text);
        }
    }
    return 0;
}

static size_t find_node(const struct reader *r, const char *name)
{
    size_t at = 0;
    while (at < r->nodes.count && strcmp(r->nodes.at[at], name) != 0) {
        at++;
    }
    return at;
}

static int add_node(struct reader *r, const struct yaml_node *place, const char *name)
{
    if (r->nodes.count == CLUSTER_NODES_MAX) {
        return yaml_refuse(place, r->e, "more than %d nodes", CLUSTER_NODES_MAX);
    }
    vec_push(&r->nodes, name);
    return 0;
}

/* Values */

struct variables {
    struct command_variable list[5];
};

static struct variables variables_of(struct reader *r, const struct cluster_program *p)
{
    char address[sizeof(struct cluster_address)];
    (void)snprintf(address, sizeof address, "%s", cluster_address(p->node).text);
    return (struct variables){{{"NAME", p->name},
                               {"ADDRESS", keep(r, address)},
                               {"DATA", folder_of(r->cluster, r->nodes.at[p->node])},
                               {"HISTORY", r->cluster->history},
                               {NULL, NULL}}};
}

static int refuse_at(struct reader *r, const struct yaml_node *n)
{
    struct err why = *r->e;
    return yaml_refuse(n, r->e, "%s", why.text);
}

static int read_words(struct reader *r, const struct yaml_node *n, struct cluster_program *p)
{
    const struct variables v = variables_of(r, p);
    struct arena *a = &r->cluster->arena;
    if (n->kind == YAML_TEXT) {
        return strlen(n->text) != n->size ? yaml_refuse(n, r->e, "a 0 byte in a command")
               : command_words(a, n->text, v.list, &p->words, &p->word_count, r->e) < 0
                   ? refuse_at(r, n)
                   : 0;
    }
    if (yaml_want(n, YAML_LIST, r->e) < 0) {
        return -1;
    }
    if (n->item_count == 0) {
        return yaml_refuse(n, r->e, "a command has at least one word");
    }
    const char **words = arena_array(a, const char *, n->item_count + 1);
    for (size_t i = 0; i < n->item_count; i++) {
        if (yaml_want(&n->items[i], YAML_TEXT, r->e) < 0) {
            return -1;
        }
        if (command_expand(a, n->items[i].text, v.list, &words[i], r->e) < 0) {
            return refuse_at(r, &n->items[i]);
        }
    }
    p->words = words;
    p->word_count = n->item_count;
    return 0;
}

static int read_environment(struct reader *r, const struct yaml_node *n, struct cluster_program *p)
{
    const struct variables v = variables_of(r, p);
    struct arena *a = &r->cluster->arena;
    if (yaml_want(n, YAML_MAP, r->e) < 0) {
        return -1;
    }
    const char **list = arena_array(a, const char *, n->item_count);
    for (size_t i = 0; i < n->item_count; i++) {
        const struct yaml_node *value = &n->items[i];
        const char *expanded = NULL;
        char *entry = NULL;
        if (value->key->size == 0 || strchr(value->key->text, '=') != NULL ||
            strncmp(value->key->text, "LD_", 3) == 0 ||
            strncmp(value->key->text, "CLEW_", 5) == 0) {
            return yaml_refuse(value->key, r->e, "%s cannot be set here",
                               shown(value->key->text, value->key->size).text);
        }
        if (yaml_want(value, YAML_TEXT, r->e) < 0) {
            return -1;
        }
        if (command_expand(a, value->text, v.list, &expanded, r->e) < 0) {
            return refuse_at(r, value);
        }
        const size_t size = value->key->size + strlen(expanded) + 2;
        entry = arena_array(a, char, size);
        (void)snprintf(entry, size, "%s=%s", value->key->text, expanded);
        list[i] = entry;
    }
    p->environment = list;
    p->environment_count = n->item_count;
    return 0;
}

/* A relative path without "..": it leads to somewhere below. */
static int want_path_below(struct reader *r, const struct yaml_node *n)
{
    if (n->size == 0 || n->size > PATH_MAX / 4 || strlen(n->text) != n->size || n->text[0] == '/') {
        return yaml_refuse(n, r->e, "a path below the folder was expected, not %s",
                           shown(n->text, n->size).text);
    }
    for (const char *at = n->text; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) {
            return yaml_refuse(n, r->e, "\"..\" leads out of the folder");
        }
    }
    return 0;
}

/* A file whose path has no symbolic link below the folder of the cluster file. */
static int want_file(struct reader *r, const struct yaml_node *n)
{
    char path[PATH_MAX];
    struct stat s = {0};
    for (size_t size = 1; size <= n->size; size++) {
        if (size < n->size && n->text[size] != '/') {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%.*s", r->cluster->root, (int)size, n->text);
        if (lstat(path, &s) < 0) {
            return yaml_refuse(n, r->e, "%s: %s", shown(n->text, n->size).text, strerror(errno));
        }
        if (S_ISLNK(s.st_mode)) {
            return yaml_refuse(n, r->e, "%s is a symbolic link", shown(n->text, size).text);
        }
    }
    return S_ISREG(s.st_mode) ? 0
                              : yaml_refuse(n, r->e, "%s is no file", shown(n->text, n->size).text);
}

static int read_copies(struct reader *r, const struct yaml_node *n, struct cluster_program *p)
{
    if (yaml_want(n, YAML_MAP, r->e) < 0) {
        return -1;
    }
    struct cluster_copy *list = arena_array(&r->cluster->arena, struct cluster_copy, n->item_count);
    for (size_t i = 0; i < n->item_count; i++) {
        const struct yaml_node *from = &n->items[i];
        if (want_path_below(r, from->key) < 0 || yaml_want(from, YAML_TEXT, r->e) < 0 ||
            want_path_below(r, from) < 0 || want_file(r, from) < 0) {
            return -1;
        }
        list[i] = (struct cluster_copy){keep(r, from->key->text), keep(r, from->text)};
    }
    p->copies = list;
    p->copy_count = n->item_count;
    return 0;
}

static int read_regex(struct reader *r, const struct yaml_node *n, const char **text)
{
    regex_t compiled;
    char why[100];
    if (yaml_want(n, YAML_TEXT, r->e) < 0) {
        return -1;
    }
    const int result = regcomp(&compiled, n->text, REG_EXTENDED | REG_NOSUB);
    if (result != 0) {
        (void)regerror(result, &compiled, why, sizeof why);
        return yaml_refuse(n, r->e, "no POSIX extended regular expression: %s", why);
    }
    regfree(&compiled);
    *text = keep(r, n->text);
    return 0;
}

/* Programs */

/* Reads the fields that all programs have. */
static int read_fields(struct reader *r, const struct yaml_node *n, struct cluster_program *p)
{
    const struct yaml_node *run = yaml_field(n, "run");
    const struct yaml_node *environment = yaml_field(n, "environment");
    const struct yaml_node *copies = yaml_field(n, "files");
    const struct yaml_node *ready = yaml_field(n, "ready");
    if (run == NULL) {
        return yaml_refuse(n->key != NULL ? n->key : n, r->e,
                           "%s needs run: the command with its words", p->name);
    }
    return read_words(r, run, p) < 0 ||
                   (environment != NULL && read_environment(r, environment, p) < 0) ||
                   (copies != NULL && read_copies(r, copies, p) < 0) ||
                   (ready != NULL && read_regex(r, ready, &p->ready) < 0)
               ? -1
               : 0;
}

static int add_draft(struct reader *r, const struct yaml_node *n, const char *name,
                     enum cluster_role role)
{
    vec_each (&r->drafts, other) {
        if (strcmp(other->program.name, name) == 0) {
            return yaml_refuse(n->key, r->e, "\"%s\" is there already", name);
        }
    }
    if (r->drafts.count == CLUSTER_PROGRAMS_MAX) {
        return yaml_refuse(n->key, r->e, "more than %d programs", CLUSTER_PROGRAMS_MAX);
    }
    vec_push(&r->drafts, (struct draft){.program = {.name = name, .role = role},
                                        .node = n,
                                        .after = yaml_field(n, "after"),
                                        .machine = yaml_field(n, "node")});
    return 0;
}

/* A mapping with these fields, or its command alone. */
static int want_program(struct reader *r, const struct yaml_node *n, const char *const *fields)
{
    return n->kind == YAML_MAP ? yaml_want_fields(n, fields, r->e) : 0;
}

/* One node, or s1, s2, s3 where there is a count. */
static int add_nodes_of(struct reader *r, const struct yaml_node *n)
{
    static const char *const fields[] = {"run",         "ready", "after", "count",
                                         "environment", "files", NULL};
    const struct yaml_node *count = yaml_field(n, "count");
    int64_t number = 1;
    if (want_name(r, n->key) < 0 || want_program(r, n, fields) < 0 ||
        (count != NULL && yaml_want_i64(count, 1, COUNT_MAX, &number, r->e) < 0)) {
        return -1;
    }
    for (int64_t i = 1; i <= number; i++) {
        char name[CLUSTER_NAME_MAX + 8];
        (void)snprintf(name, sizeof name, count == NULL ? "%s" : "%s%d", n->key->text, (int)i);
        const char *kept = keep(r, name);
        if (add_draft(r, n, kept, CLUSTER_NODE) < 0 || add_node(r, n->key, kept) < 0) {
            return -1;
        }
        vec_last(&r->drafts)->program.node = (uint32_t)r->nodes.count - 1;
    }
    return 0;
}

static int add_workload(struct reader *r, const struct yaml_node *n)
{
    static const char *const fields[] = {"run", "node", "after", "environment", "files", NULL};
    if (want_name(r, n->key) < 0 || want_program(r, n, fields) < 0) {
        return -1;
    }
    const struct yaml_node *machine = yaml_field(n, "node");
    const char *name = keep(r, n->key->text);
    if (machine != NULL && (yaml_want(machine, YAML_TEXT, r->e) < 0 || want_name(r, machine) < 0)) {
        return -1;
    }
    if (add_draft(r, n, name, CLUSTER_WORKLOAD) < 0) {
        return -1;
    }
    const char *own = machine == NULL ? name : keep(r, machine->text);
    const size_t at = find_node(r, own);
    vec_last(&r->drafts)->program.node = (uint32_t)at;
    return at == r->nodes.count ? add_node(r, n->key, own) : 0;
}

static int add_check(struct reader *r, const struct yaml_node *n)
{
    static const char *const fields[] = {"run", "environment", "files", NULL};
    if (want_program(r, n, fields) < 0 || add_draft(r, n, "check", CLUSTER_CHECK) < 0) {
        return -1;
    }
    vec_last(&r->drafts)->program.node = (uint32_t)r->nodes.count;
    return add_node(r, n->key, "check");
}

/* The list of what a program waits for: one name, or several; "ready": all nodes. */
static int read_after(struct reader *r, struct draft *d)
{
    const struct yaml_node *n = d->after;
    const bool is_all = n == NULL ? d->program.role != CLUSTER_NODE
                                  : n->kind == YAML_TEXT && strcmp(n->text, "ready") == 0;
    uint32_t *list = arena_array(&r->cluster->arena, uint32_t, r->drafts.count);
    size_t count = 0;
    if (is_all && d->program.role == CLUSTER_NODE) {
        return yaml_refuse(n, r->e, "a node cannot wait for all nodes: name some");
    }
    for (size_t i = 0; is_all && i < r->drafts.count; i++) {
        if (r->drafts.at[i].program.role == CLUSTER_NODE) {
            list[count++] = (uint32_t)i;
        }
    }
    const size_t item_count = is_all || n == NULL ? 0 : n->kind == YAML_TEXT ? 1 : n->item_count;
    for (size_t i = 0; i < item_count; i++) {
        const struct yaml_node *item = n->kind == YAML_TEXT ? n : &n->items[i];
        struct suggest nearest = {.wanted = item->text};
        size_t at = 0;
        if (n->kind == YAML_MAP || yaml_want(item, YAML_TEXT, r->e) < 0) {
            return n->kind == YAML_MAP ? yaml_refuse(n, r->e, "a name was expected, or a list")
                                       : -1;
        }
        for (; at < r->drafts.count && strcmp(r->drafts.at[at].program.name, item->text) != 0;
             at++) {
            suggest_try(&nearest, r->drafts.at[at].program.name);
        }
        if (at == r->drafts.count || r->drafts.at[at].program.role != CLUSTER_NODE ||
            &r->drafts.at[at] == d || item_count > r->drafts.count) {
            return yaml_refuse(item, r->e, "there is no other node %s%s%s%s",
                               shown(item->text, item->size).text,
                               nearest.nearest == NULL ? "" : " (did you mean ",
                               nearest.nearest == NULL ? "" : nearest.nearest,
                               nearest.nearest == NULL ? "" : "?)");
        }
        list[count++] = (uint32_t)at;
    }
    d->program.after = list;
    d->program.after_count = count;
    return 0;
}

/* Each round starts the nodes that wait for none that has not been started. */
static int check_order(struct reader *r)
{
    bool is_started[CLUSTER_PROGRAMS_MAX] = {false};
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (size_t i = 0; i < r->drafts.count; i++) {
            const struct cluster_program *p = &r->drafts.at[i].program;
            bool can_start = !is_started[i];
            for (size_t k = 0; k < p->after_count; k++) {
                can_start = can_start && is_started[p->after[k]];
            }
            is_started[i] = is_started[i] || can_start;
            is_changed = is_changed || can_start;
        }
    }
    vec_each (&r->drafts, d) {
        if (!is_started[d - r->drafts.at]) {
            return yaml_refuse(d->after, r->e,
                               "%s waits for itself: what it waits for waits for it",
                               d->program.name);
        }
    }
    return 0;
}

static int read_programs(struct reader *r)
{
    vec_each (&r->drafts, d) {
        if ((d->node->kind == YAML_MAP ? read_fields(r, d->node, &d->program)
                                       : read_words(r, d->node, &d->program)) < 0 ||
            read_after(r, d) < 0) {
            return -1;
        }
    }
    return check_order(r);
}

/* The file */

static int add_all(struct reader *r, const struct yaml_node *map,
                   int (*add)(struct reader *r, const struct yaml_node *n))
{
    if (yaml_want(map, YAML_MAP, r->e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < map->item_count; i++) {
        if (add(r, &map->items[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

static int read_limits(struct reader *r, const struct yaml_node *n)
{
    static const char *const fields[] = {"steps", "hang", NULL};
    if (yaml_want_fields(n, fields, r->e) < 0) {
        return -1;
    }
    const struct yaml_node *steps = yaml_field(n, "steps");
    const struct yaml_node *hang = yaml_field(n, "hang");
    int64_t number = 0;
    if (steps != NULL) {
        if (yaml_want_i64(steps, 1, STEPS_MAX, &number, r->e) < 0) {
            return -1;
        }
        r->cluster->steps = (uint64_t)number;
    }
    if (hang != NULL) {
        if (yaml_want_i64(hang, 1, HANG_MAX, &number, r->e) < 0) {
            return -1;
        }
        r->cluster->hang_seconds = (uint64_t)number;
    }
    return 0;
}

/* What the history is one of: so far, of registers. */
static int read_history(struct reader *r, const struct yaml_node *n)
{
    static const char *const words[] = {"register", NULL};
    size_t index = 0;
    r->cluster->has_history = true;
    return yaml_want_word(n, words, &index, r->e);
}

static void keep_programs(struct reader *r)
{
    struct cluster *c = r->cluster;
    struct cluster_program *list = arena_array(&c->arena, struct cluster_program, r->drafts.count);
    const char **nodes = arena_array(&c->arena, const char *, r->nodes.count);
    for (size_t i = 0; i < r->drafts.count; i++) {
        list[i] = r->drafts.at[i].program;
        must(list[i].word_count > 0);
        must(list[i].node < r->nodes.count);
    }
    for (size_t i = 0; i < r->nodes.count; i++) {
        nodes[i] = r->nodes.at[i];
    }
    c->programs = list;
    c->program_count = r->drafts.count;
    c->nodes = nodes;
    c->node_count = r->nodes.count;
}

static int read_root(struct reader *r, const struct yaml_node *root)
{
    static const char *const fields[] = {"nodes", "workload", "check", "history", "limits", NULL};
    if (root == NULL) {
        return err_set(r->e, "an empty file: it needs nodes and a workload");
    }
    if (yaml_want_fields(root, fields, r->e) < 0) {
        return -1;
    }
    const struct yaml_node *nodes = yaml_field(root, "nodes");
    const struct yaml_node *workload = yaml_field(root, "workload");
    const struct yaml_node *check = yaml_field(root, "check");
    const struct yaml_node *limits = yaml_field(root, "limits");
    const struct yaml_node *history = yaml_field(root, "history");
    if (history != NULL && read_history(r, history) < 0) {
        return -1;
    }
    if (nodes != NULL && add_all(r, nodes, add_nodes_of) < 0) {
        return -1;
    }
    if (workload == NULL || workload->kind != YAML_MAP || workload->item_count == 0) {
        return yaml_refuse(root, r->e, "there is no workload: a run ends when all of it has ended");
    }
    if (add_all(r, workload, add_workload) < 0 || (check != NULL && add_check(r, check) < 0) ||
        (limits != NULL && read_limits(r, limits) < 0) || read_programs(r) < 0) {
        return -1;
    }
    keep_programs(r);
    return 0;
}

int cluster_parse(struct cluster *c, struct in *in, const char *root, struct err *e)
{
    struct yaml y = {0};
    struct reader r = {.cluster = c, .e = e};
    c->root = keep(&r, root);
    c->history = folder_of(c, "history");
    const size_t size = strlen(c->history) + sizeof "HISTORY=";
    char *variable = arena_array(&c->arena, char, size);
    (void)snprintf(variable, size, "HISTORY=%s", c->history);
    c->history_variable = variable;
    const int result = yaml_read(&y, in, e) < 0 ? -1 : read_root(&r, y.root);
    vec_release(&r.drafts);
    vec_release(&r.nodes);
    yaml_release(&y);
    return result;
}

/* The folder of the file; false when it cannot be told. */
static bool find_root(const char *path, char root[static PATH_MAX])
{
    if (realpath(path, root) == NULL) {
        return false;
    }
    *strrchr(root, '/') = '\0';
    return true;
}

int cluster_read(struct cluster *c, const char *path, struct err *e)
{
    char root[PATH_MAX];
    struct in in;
    if (!find_root(path, root)) {
        return err_set(e, "%s: %s", path, strerror(errno));
    }
    if (root[0] == '\0') {
        return err_set(e, "%s: stands at the root of all files; put it in a folder of its own",
                       path);
    }
    if (in_open(&in, path, e) < 0) {
        return -1;
    }
    const int result = cluster_parse(c, &in, root, e);
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", path) : 0;
}

void cluster_release(struct cluster *c)
{
    arena_release(&c->arena);
    *c = (struct cluster){0};
}

struct cluster_address cluster_address(uint32_t node)
{
    must(node < CLUSTER_NODES_MAX);
    struct cluster_address a;
    (void)snprintf(a.text, sizeof a.text, "127.77.0.%u", node + 1);
    return a;
}
