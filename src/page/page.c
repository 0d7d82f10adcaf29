#include "page/page.h"

#include "base/mem.h"
#include "order/pair_events.h"
#include "page/document.h"
#include "page/page_data.h"
#include "page/trace_columns.h"

static int check_findings(const struct page *p, struct err *e)
{
    for (size_t i = 0; p->findings != NULL && i < p->findings->list.count; i++) {
        const struct finding *f = &p->findings->list.at[i];
        for (size_t k = 0; k < f->event_count; k++) {
            if (page_position_of(&f->events[k]) >= p->runs[0].trace->events.count) {
                return err_set(e, "%s: finding %zu names event %llu of %zu: the trace has changed",
                               p->title, i + 1, (unsigned long long)page_position_of(&f->events[k]),
                               p->runs[0].trace->events.count);
            }
        }
        for (size_t k = 0; k < f->witness_count; k++) {
            if (f->witness[k] >= p->runs[0].trace->events.count) {
                return err_set(e, "%s: the witness of finding %zu is of another trace", p->title,
                               i + 1);
            }
        }
    }
    return 0;
}

/* Both runs, and which events they share. */
static int write_runs(const struct page *p, const event_id *partners, struct out *out,
                      struct err *e)
{
    for (size_t i = 0; i < p->run_count; i++) {
        must(p->runs[i].trace->is_sealed);
        if (trace_columns_write(&p->runs[i], i, out, e) < 0) {
            return -1;
        }
    }
    if (partners != NULL) {
        trace_columns_write_partners(p->runs[0].trace, partners, out);
    }
    return 0;
}

int page_write(const struct page *p, struct out *out, struct err *e)
{
    must(p->run_count == 1 || p->run_count == 2);
    if (check_findings(p, e) < 0) {
        return -1;
    }
    event_id *partners = NULL;
    event_id divergence = EVENT_NONE;
    if (p->run_count == 2) {
        partners = mem_zero(p->runs[0].trace->events.count + 1, sizeof *partners);
        pair_events(p->runs[0].trace, p->runs[1].trace, partners);
        divergence = pair_divergence(p->runs[0].trace, p->runs[1].trace, partners);
    }
    document_begin(p, out);
    page_data_write(p, divergence, out);
    const int result = write_runs(p, partners, out, e);
    if (result == 0) {
        document_end(out);
    }
    mem_free(partners);
    return result;
}
