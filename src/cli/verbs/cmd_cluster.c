/* clew cluster: checks a cluster file, or prints an example of one. */
#include <string.h>

#include "cli/session.h"
#include "cli/text/embedded.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "proc/cluster/client_history.h"
#include "proc/cluster/cluster_file.h"

struct cluster_options {
    struct common common;
};

static size_t count_of(const struct cluster *c, enum cluster_role role)
{
    size_t count = 0;
    for (size_t i = 0; i < c->program_count; i++) {
        count += c->programs[i].role == role;
    }
    return count;
}

static void print_text(struct session *s, const char *path, const struct cluster *c)
{
    session_text(s, path);
    out_text(&s->out, ": ");
    report_count(&s->out, count_of(c, CLUSTER_NODE), "node", "nodes");
    out_text(&s->out, ", ");
    report_count(&s->out, count_of(c, CLUSTER_WORKLOAD), "program of the workload",
                 "programs of the workload");
    out_text(&s->out,
             count_of(c, CLUSTER_CHECK) > 0 ? ", a check, nothing wrong\n" : ", nothing wrong\n");
}

static void print_json(struct session *s, const struct cluster *c)
{
    struct finding_file file = {0};
    report_begin(&file, s);
    file.verdict = verdict_of(false, false);
    finding_file_count(&file, "nodes", count_of(c, CLUSTER_NODE));
    finding_file_count(&file, "workload", count_of(c, CLUSTER_WORKLOAD));
    report_print(&file, s);
    finding_file_release(&file);
}

static int check(struct session *s, const char *path, struct err *e)
{
    struct cluster c = {0};
    const int result = cluster_read(&c, path, e);
    if (result == 0 && s->common->json) {
        print_json(s, &c);
    } else if (result == 0) {
        print_text(s, path, &c);
    }
    cluster_release(&c);
    return result < 0 ? -1 : EXIT_CLEAN;
}

/* Reads a history and judges it, or prints it as Jepsen has it. */
static int history(struct session *s, const char *path, bool is_printed, struct err *e)
{
    struct client_history h;
    struct client_history_fault fault;
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return -1;
    }
    client_history_init(&h);
    int status = client_history_read(&h, &in, e);
    if (status < 0) {
        (void)err_wrap(e, "%s", path);
    } else if (is_printed) {
        client_history_print_edn(&h, &s->out);
    } else {
        const enum client_history_verdict verdict =
            client_history_check(&h, HISTORY_BUDGET, &fault);
        status = verdict_status(verdict_of(verdict == HISTORY_BAD, verdict == HISTORY_UNKNOWN));
        session_text(s, path);
        out_text(&s->out, ": ");
        session_text(s, verdict == HISTORY_BAD       ? fault.what
                        : verdict == HISTORY_UNKNOWN ? "too many operations overlap to decide"
                                                     : "linearizable");
        out_char(&s->out, '\n');
    }
    client_history_release(&h);
    in_close(&in);
    return status;
}

static int init(struct session *s, const char *kind, struct err *e)
{
    const size_t size = strlen(kind);
    for (const struct embedded *f = cluster_files; f->name != NULL; f++) {
        if (strncmp(f->name, kind, size) == 0 && strcmp(f->name + size, ".yaml") == 0) {
            out_bytes(&s->out, f->bytes, f->size);
            return EXIT_CLEAN;
        }
    }
    return session_misused(e, "cluster init: there is no example \"%.40s\": generic or redis",
                           kind);
}

static int run(struct session *s, __attribute__((unused)) const void *options, struct err *e)
{
    const char *word = s->inputs[0];
    if (strcmp(word, "init") == 0) {
        return init(s, s->input_count > 1 ? s->inputs[1] : "generic", e);
    }
    if (strcmp(word, "check") == 0 && s->input_count == 2) {
        return check(s, s->inputs[1], e);
    }
    if (strcmp(word, "history") == 0 && s->input_count == 2) {
        return history(s, s->inputs[1], false, e);
    }
    if (strcmp(word, "edn") == 0 && s->input_count == 2) {
        return history(s, s->inputs[1], true, e);
    }
    return session_misused(
        e, "cluster wants check FILE, history FILE, edn FILE, or init [generic|redis]");
}

static const struct option options[] = {COMMON_JSON, COMMON_ALWAYS, {0}};
static const struct cluster_options defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew cluster init redis > cluster.yaml", "Start from an example that runs."},
    {"clew cluster check cluster.yaml", "Name the line and column of a mistake; run nothing."},
    {0},
};

const struct verb verb_cluster = {
    .name = "cluster",
    .summary = "check a cluster file, or print an example of one",
    .operands = "check FILE | history FILE | edn FILE | init [KIND]",
    .operand_min = 1,
    .operand_max = 2,
    .about = "A cluster file names several programs as the nodes of a system, with a workload and "
             "a check; clew-cluster(5) describes it. check names the line and column of the first "
             "mistake and runs nothing. history decides whether a history of clients is "
             "linearizable; edn prints it for Jepsen's tools. init prints a commented example: "
             "generic or redis.",
    .exit_statuses = "0 the file has no errors, or the example was printed\n1 the history is not "
                     "linearizable\n2 the file has an "
                     "error or could not be read",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct cluster_options),
    .examples = examples,
    .run = run,
};
