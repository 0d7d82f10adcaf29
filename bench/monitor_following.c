#include "monitor_following.h"

#include <string.h>

void following_begin(struct following *f, const struct trace *t, const char *property, int64_t skew)
{
    struct in in;
    struct err e;
    *f = (struct following){.stream = NULL};
    spec_init(&f->spec);
    in_open_memory(&in, property, strlen(property));
    must(spec_parse(&f->spec, &in, &e) == 0);
    in_close(&in);
    const struct stream_options options = {
        .skew = skew, .lag = INT64_MAX, .knows_processes = true, .check_ticks = skew};
    f->stream = stream_new(&f->spec, &t->tables, &options, &f->findings, &f->notes);
}

void following_end(struct following *f)
{
    struct err e;
    must(stream_end(f->stream, &f->result, &e) == 0);
}

void following_release(struct following *f)
{
    stream_free(f->stream);
    monitor_result_release(&f->result);
    findings_release(&f->findings);
    notes_release(&f->notes);
    spec_release(&f->spec);
}
