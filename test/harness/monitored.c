#include "monitored.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

struct spec spec_of(const char *text)
{
    struct spec s;
    struct in in;
    struct err e;
    spec_init(&s);
    in_open_memory(&in, text, strlen(text));
    if (spec_parse(&s, &in, &e) < 0) {
        fail_msg("%s: %s", text, e.text);
    }
    in_close(&in);
    return s;
}

struct monitor_answer monitored_findings(const struct trace *t, const struct spec *s,
                                         const struct monitor_options *o, struct notes *n,
                                         struct findings *f)
{
    struct monitor_result result = {0};
    struct notes unread = {0};
    struct err e;
    struct monitor_options asked = *o;
    asked.spec = s;
    if (monitor_find(t, &asked, f, &result, n == NULL ? &unread : n, &e) < 0) {
        fail_msg("%s", e.text);
    }
    const struct monitor_answer answer = *vec_at(&result.properties, 0);
    CHECK_INT(f->list.count, answer.verdict == CUT_YES);
    monitor_result_release(&result);
    notes_release(&unread);
    return answer;
}

struct monitor_answer monitored(const struct trace *t, const struct spec *s,
                                const struct monitor_options *o, struct notes *n)
{
    struct findings findings = {0};
    const struct monitor_answer answer = monitored_findings(t, s, o, n, &findings);
    findings_release(&findings);
    return answer;
}

struct streamed streamed(const struct trace *t, const struct spec *s,
                         const struct stream_options *o, struct notes *n)
{
    struct monitor_result result = {0};
    struct findings findings = {0};
    struct notes unread = {0};
    struct err e;
    struct stream *stream = stream_new(s, &t->tables, o, &findings, n == NULL ? &unread : n);
    if (stream_take(stream, t->events.at, t->events.count, &e) < 0 ||
        stream_end(stream, &result, &e) < 0) {
        fail_msg("%s", e.text);
    }
    struct streamed streamed = {.answer = *vec_at(&result.properties, 0),
                                .stats = *stream_stats(stream),
                                .finding_count = findings.list.count};
    if (findings.list.count > 0) {
        (void)snprintf(streamed.why, sizeof streamed.why, "%s", findings.list.at[0].why);
    }
    stream_free(stream);
    monitor_result_release(&result);
    findings_release(&findings);
    notes_release(&unread);
    return streamed;
}
