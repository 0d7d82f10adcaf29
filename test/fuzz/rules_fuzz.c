#include "fuzz.h"

#include "import/http/http_rules.h"

/* Whatever a file of rules holds, its faults have a place in it; what is right can be applied. */
FUZZ_ENTRY(rules)
{
    static const char *const names[] = {"localhost/locks/a", "h/main/_all_docs", "h/b/x/o/y/z", ""};
    struct http_rules r;
    struct http_faults f = {0};
    if (http_rules_parse(&r, (const char *)bytes, size, &f) < 0) {
        vec_each (&f.list, fault) {
            must(fault->line >= 1);
            must(fault->line <= size + 1);
            must(fault->column >= 1);
            must(fault->column <= size + 1);
            must(fault->text[0] != '\0');
        }
    }
    vec_each (&r.list, rule) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct pattern_match match;
            struct text filled = {0};
            if (http_filter_fits(&(*rule)->filter, piece_of("POST"), piece_of(names[i]), &match) &&
                (*rule)->target.type == TARGET_MADE) {
                pattern_fill(&(*rule)->target.made, &match, &filled);
            }
            text_release(&filled);
        }
    }
    vec_each (&r.lines, line) {
        struct line_fields fields;
        (void)line_pattern_matches(*line, (struct piece){(const char *)bytes, size}, &fields);
    }
    http_faults_release(&f);
    http_rules_release(&r);
}
