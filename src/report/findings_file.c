#include "report/findings_file.h"

#include <string.h>

void finding_file_release(struct finding_file *f)
{
    vec_release(&f->inputs);
    vec_release(&f->stats);
    vec_release(&f->assumptions);
    findings_release(&f->findings);
    *f = (struct finding_file){0};
}

void finding_file_count(struct finding_file *f, const char *name, uint64_t count)
{
    vec_push(&f->stats, (struct figure){.name = name, .type = FIGURE_COUNT, .count = count});
}

void finding_file_real(struct finding_file *f, const char *name, double real)
{
    vec_push(&f->stats, (struct figure){.name = name, .type = FIGURE_REAL, .real = real});
}

void finding_file_flag(struct finding_file *f, const char *name, bool flag)
{
    vec_push(&f->stats, (struct figure){.name = name, .type = FIGURE_FLAG, .flag = flag});
}

void finding_file_text(struct finding_file *f, const char *name, const char *text)
{
    vec_push(&f->stats, (struct figure){.name = name, .type = FIGURE_TEXT, .text = text});
}

static const char *const verdict_names[] = {
    [VERDICT_CLEAN] = "clean", [VERDICT_FOUND] = "found", [VERDICT_UNKNOWN] = "unknown"};

static const char *verdict_name(enum verdict verdict)
{
    must(verdict <= VERDICT_UNKNOWN);
    return verdict_names[verdict];
}

int verdict_find(const char *name)
{
    for (int i = VERDICT_CLEAN; i <= VERDICT_UNKNOWN; i++) {
        if (strcmp(verdict_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static void print_text_or_null(struct json *j, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(j, key);
    } else {
        json_text(j, key, text);
    }
}

static void print_event(const struct finding_event *event, struct json *j)
{
    json_object(j, NULL);
    json_u64(j, "input", event->input);
    json_u64(j, "index", event->index);
    if (event->offset != UINT64_MAX) {
        json_u64(j, "offset", event->offset);
    }
    if (event->is_joined) {
        json_u64(j, "number", event->number);
    }
    json_text(j, "node", event->node);
    json_text(j, "task", event->task);
    json_text(j, "access", event->access);
    json_text(j, "object", event->object);
    json_text(j, "location", event->location);
    if (event->stack != NULL && event->stack[0] != '\0') {
        json_text(j, "stack", event->stack);
    }
    json_end(j);
}

static void print_witness(const struct finding *finding, struct json *j)
{
    if (finding->witness == NULL) {
        json_null(j, "witness");
        return;
    }
    json_array(j, "witness");
    for (size_t i = 0; i < finding->witness_count; i++) {
        json_u64(j, NULL, finding->witness[i]);
    }
    json_end(j);
}

static void print_state(const struct finding_state *state, struct json *j)
{
    json_object(j, NULL);
    json_text(j, "process", state->process);
    json_object(j, "values");
    for (size_t i = 0; i < state->value_count; i++) {
        json_i64(j, state->values[i].name, state->values[i].value);
    }
    json_end(j);
    if (state->has_from) {
        json_i64(j, "from", state->from);
    }
    if (state->has_to) {
        json_i64(j, "to", state->to);
    }
    json_end(j);
}

static void print_moment(const struct finding_moment *moment, struct json *j)
{
    json_object(j, "moment");
    json_array(j, "states");
    for (size_t i = 0; i < moment->count; i++) {
        print_state(&moment->states[i], j);
    }
    json_end(j);
    if (moment->has_clocks) {
        json_text(j, "early", moment->early);
        json_text(j, "late", moment->late);
        json_i64(j, "skew_needed", moment->skew_needed);
    }
    if (moment->has_least) {
        json_i64(j, "skew_least", moment->skew_least);
    }
    json_end(j);
}

void finding_print(const struct finding *finding, uint32_t id, struct json *j)
{
    const bool is_pretty = j->is_pretty; /* a line per finding, not per value */
    json_object(j, NULL);
    j->is_pretty = false;
    json_u64(j, "id", finding->id == 0 ? id : finding->id);
    json_text(j, "kind", finding_kind_name(finding->kind));
    json_text(j, "status", finding_status_name(finding->status));
    print_text_or_null(j, "grade",
                       finding->grade == GRADE_NONE ? NULL : finding_grade_name(finding->grade));
    json_text(j, "severity", finding_severity_name(finding->severity));
    json_text(j, "what", finding->what);
    if (finding->why != NULL && finding->why[0] != '\0') {
        json_text(j, "why", finding->why);
    }
    json_text(j, "key", finding->key);
    if (finding->pair_count > 1) {
        json_u64(j, "pairs", finding->pair_count);
    }
    json_array(j, "events");
    for (size_t i = 0; i < finding->event_count; i++) {
        print_event(&finding->events[i], j);
    }
    json_end(j);
    print_witness(finding, j);
    if (finding->moment != NULL) {
        print_moment(finding->moment, j);
    }
    print_text_or_null(j, "replay", finding->replay);
    json_end(j);
    j->is_pretty = is_pretty;
}

static void print_figure(const struct figure *figure, struct json *j)
{
    switch (figure->type) {
    case FIGURE_COUNT: json_u64(j, figure->name, figure->count); return;
    case FIGURE_REAL: json_double(j, figure->name, figure->real); return;
    case FIGURE_FLAG: json_bool(j, figure->name, figure->flag); return;
    case FIGURE_TEXT: json_text(j, figure->name, figure->text); return;
    }
    bug("figure type");
}

static bool is_same_group(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void print_stats(const struct finding_file *f, struct json *j)
{
    json_object(j, "stats");
    const char *group = NULL;
    vec_each (&f->stats, figure) {
        if (!is_same_group(group, figure->group)) {
            if (group != NULL) {
                json_end(j);
            }
            if (figure->group != NULL) {
                json_object(j, figure->group);
            }
            group = figure->group;
        }
        print_figure(figure, j);
    }
    if (group != NULL) {
        json_end(j);
    }
    json_end(j);
}

void finding_file_print(const struct finding_file *f, struct out *out)
{
    must(f->findings.list.count < UINT32_MAX);
    struct json j = json_begin(out);
    j.is_pretty = true;
    json_object(&j, NULL);
    json_text(&j, "clew", CLEW_VERSION);
    json_u64(&j, "schema", FINDING_SCHEMA);
    json_text(&j, "verb", f->verb);
    json_array(&j, "inputs");
    vec_each (&f->inputs, input) {
        json_text(&j, NULL, *input);
    }
    json_end(&j);
    json_u64(&j, "events", f->event_count);
    json_text(&j, "verdict", verdict_name(f->verdict));
    print_stats(f, &j);
    if (f->print_more != NULL) {
        f->print_more(f->context, &j);
    }
    json_array(&j, "assumptions");
    vec_each (&f->assumptions, assumption) {
        json_text(&j, NULL, *assumption);
    }
    json_end(&j);
    json_array(&j, "findings");
    uint32_t id = 1;
    vec_each (&f->findings.list, finding) {
        finding_print(finding, id++, &j);
    }
    must(id == f->findings.list.count + 1);
    json_end(&j);
    json_end(&j);
    out_char(out, '\n');
}
