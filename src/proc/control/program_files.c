/* The private files of a controlled program's runs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proc/control/program_state.h"

static void put(char to[CONTROL_PATH_MAX], const char *text)
{
    (void)snprintf(to, CONTROL_PATH_MAX, "%s", text);
}

/* Where the files are, as the process has to know it. */
static void tell(struct controlled *c)
{
    struct control_files *f = &c->page->files;
    const char *root = private_files_root(c->files);
    const char *lower = private_files_lower(c->files);
    put(f->root, root);
    put(f->lower, strcmp(root, lower) == 0 ? "" : lower);
    put(f->upper, private_files_upper(c->files));
    f->is_private = 1;
    f->is_changed =
        c->cluster.root != NULL || f->lower[0] != '\0' || private_files_is_changed(c->files);
}

void files_begin(struct controlled *c)
{
    if (c->files != NULL) {
        private_files_begin(c->files);
        tell(c);
    }
}

/* A program of a cluster changes files of its node alone; the launcher, those of all. */
static const char *writable_of(const struct controlled *c, char path[CONTROL_PATH_MAX])
{
    const uint32_t node = c->page->files.node;
    if (c->cluster.root == NULL) {
        return NULL;
    }
    (void)snprintf(path, CONTROL_PATH_MAX, "%s/" CLUSTER_DATA "%s%s", c->cluster.root,
                   node == 0 ? "" : "/",
                   node == 0 || node > c->cluster.node_count ? "" : c->cluster.nodes[node - 1]);
    return path;
}

/* The nodes' names have their addresses from a file that the launcher has written; no other machine
 * is asked for names. */
static void replace_network_files(struct controlled *c, const char *real)
{
    char hosts[CONTROL_PATH_MAX];
    (void)snprintf(hosts, sizeof hosts, "%s/" CLUSTER_DATA "/hosts", private_files_upper(c->files));
    if (strcmp(real, "/etc/hosts") == 0) {
        put(c->page->files.real, hosts);
    } else if (strcmp(real, "/etc/resolv.conf") == 0) {
        put(c->page->files.real, "/dev/null");
    }
}

int files_answer(struct controlled *c, struct err *e)
{
    struct control_files *f = &c->page->files;
    must(c->files != NULL);
    must(f->use <= CONTROL_PATH_REPLACE);
    f->base[CONTROL_PATH_MAX - 1] = '\0';
    f->path[CONTROL_PATH_MAX - 1] = '\0';
    char writable[CONTROL_PATH_MAX];
    struct private_path p = {.base = f->base,
                             .path = f->path,
                             .use = (enum control_path_use)f->use,
                             .writable = writable_of(c, writable),
                             .writable_file = c->cluster.history};
    if (private_files_translate(c->files, &p, e) < 0) {
        return err_wrap(e, "%s", c->options.command[0]);
    }
    f->error = p.is_refused ? EROFS : 0;
    put(f->real, p.real);
    if (c->cluster.root != NULL) {
        replace_network_files(c, p.real);
    }
    tell(c);
    return 0;
}

int files_keep(struct world *w, const char *folder, bool *is_kept, struct err *e)
{
    struct controlled *c = (struct controlled *)w;
    *is_kept = c->files != NULL && private_files_is_changed(c->files);
    return *is_kept ? private_files_keep(c->files, folder, e) : 0;
}
