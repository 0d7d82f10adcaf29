#include <string.h>

#include "fuzz.h"
#include "proc/cluster/cluster_file.h"

/* Every program has a command, a node, and waits for other nodes alone. */
static void check_program(const struct cluster *c, const struct cluster_program *p)
{
    must(p->word_count > 0);
    must(p->words[p->word_count] == NULL);
    must(p->node < c->node_count);
    for (size_t i = 0; i < p->after_count; i++) {
        must(p->after[i] < c->program_count);
        must(&c->programs[p->after[i]] != p);
        must(c->programs[p->after[i]].role == CLUSTER_NODE);
    }
    for (size_t i = 0; i < p->copy_count; i++) {
        must(p->copies[i].to[0] != '/');
        must(strncmp(p->copies[i].to, "../", 3) != 0);
    }
}

FUZZ_ENTRY(cluster)
{
    struct cluster c = {0};
    struct err e = {.text = ""};
    struct in in;
    in_open_memory(&in, bytes, size);
    if (cluster_parse(&c, &in, "/nowhere", &e) < 0) {
        must(e.text[0] != '\0');
    } else {
        must(c.program_count > 0);
        for (size_t i = 0; i < c.program_count; i++) {
            check_program(&c, &c.programs[i]);
        }
    }
    cluster_release(&c);
}
