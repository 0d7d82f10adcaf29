#include "page/page.h"

#include "page/document.h"
#include "page/page_data.h"
#include "page/trace_columns.h"

static int check_findings(const struct page *p, struct err *e)
{
    for (size_t i = 0; p->findings != NULL && i < p->findings->list.count; i++) {
        const struct finding *f = &p->findings->list.at[i];
        for (size_t k = 0; k < f->event_count; k++) {
            if (page_position_of(&f->events[k]) >= p->trace->events.count) {
                return err_set(e, "%s: finding %zu names event %llu of %zu: the trace has changed",
                               p->title, i + 1, (unsigned long long)page_position_of(&f->events[k]),
                               p->trace->events.count);
            }
        }
        for (size_t k = 0; k < f->witness_count; k++) {
            if (f->witness[k] >= p->trace->events.count) {
                return err_set(e, "%s: the witness of finding %zu is of another trace", p->title,
                               i + 1);
            }
        }
    }
    return 0;
}

int page_write(const struct page *p, struct out *out, struct err *e)
{
    must(p->trace->is_sealed);
    if (check_findings(p, e) < 0) {
        return -1;
    }
    document_begin(p, out);
    page_data_write(p, out);
    if (trace_columns_write(p, out, e) < 0) {
        return -1;
    }
    document_end(out);
    return 0;
}
