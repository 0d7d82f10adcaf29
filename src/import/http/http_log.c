#include "import/http/http_log.h"

#include <stdio.h>

#include "base/mem.h"
#include "import/http/uri.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

enum {
    STATUS_NOT_MODIFIED = 304,
    STATUS_SEE_OTHER = 303,
    STATUS_NOT_FOUND = 404,
    STATUS_GONE = 410,
    KINDS_MAX = 12, /* that are listed separately */
    NAME_SIZE_MAX = 1 << 16,
};

static void kinds_init(struct http_kinds *k)
{
    names_init(&k->names);
    vec_push(&k->tallies, (struct http_tally){0}); /* of the empty name */
}

static void kinds_release(struct http_kinds *k)
{
    names_release(&k->names);
    vec_release(&k->tallies);
}

void http_log_init(struct http_log *l, struct tables *t, struct notes *n)
{
    *l = (struct http_log){.tables = t, .notes = n, .rules = http_rules_in_use()};
    if (l->rules == NULL) {
        http_rules_init(&l->builtin);
        l->rules = &l->builtin;
    }
    names_init(&l->resources);
    names_init(&l->spans);
    kinds_init(&l->untracked);
    kinds_init(&l->uncovered);
}

void http_log_release(struct http_log *l)
{
    http_rules_release(&l->builtin);
    names_release(&l->resources);
    names_release(&l->spans);
    vec_release(&l->span_is_served);
    kinds_release(&l->untracked);
    kinds_release(&l->uncovered);
    vec_release(&l->accesses);
    vec_release(&l->records);
    vec_release(&l->time_of_task);
    text_release(&l->name);
    text_release(&l->template);
    text_release(&l->value);
    vec_release(&l->object_of);
    map_release(&l->version_known);
    vec_release(&l->known);
    mem_free(l->events);
    mem_free(l->offsets);
}

void http_log_count(struct http_log *l, enum http_tally_id id, uint64_t offset)
{
    must(id < HTTP_TALLY_COUNT);
    if (l->tallies[id].count++ == 0) {
        l->tallies[id].offset = offset;
    }
}

static bool has_succeeded(int status)
{
    return (status >= 200 && status < 300) || status == STATUS_SEE_OTHER;
}

/* The absence of a resource is read too. */
static bool has_read(int status)
{
    return has_succeeded(status) || status == STATUS_NOT_MODIFIED || status == STATUS_NOT_FOUND ||
           status == STATUS_GONE;
}

/* A name is no longer than a trace can hold; the end of a URI of such a size carries no
 * information. */
static uint32_t intern(struct names *n, struct piece p)
{
    p.size = p.size < NAME_SIZE_MAX ? p.size : NAME_SIZE_MAX;
    return names_intern(n, p.size == 0 ? "" : p.at, p.size);
}

static void count_body(struct http_log *l, enum http_body_fault fault, uint64_t offset)
{
    switch (fault) {
    case BODY_RIGHT: return;
    case BODY_NOT_JSON: http_log_count(l, HTTP_NOT_JSON, offset); return;
    case BODY_NOT_BASE64: http_log_count(l, HTTP_NOT_BASE64, offset); return;
    case BODY_CUT: http_log_count(l, HTTP_CUT, offset); return;
    }
}

/* A version without the quotes of an ETag and the mark of a weak one; "*" is any version, so none.
 */
static struct piece version_of(const struct text *value)
{
    struct piece version = text_piece(value);
    version = piece_begins(version, "W/") ? piece_after(version, 2) : version;
    if (version.size >= 2 && version.at[0] == '"' && version.at[version.size - 1] == '"') {
        version = (struct piece){version.at + 1, version.size - 2};
    }
    return piece_is(version, "*") ? (struct piece){0} : version;
}

/* A write with If-None-Match: * requires an absent resource, by RFC 9110; 404 and 410 mean that it
 * is. */
static void find_presence(struct http_log *l, const struct http_exchange *x, struct http_access *a)
{
    struct names *names = &l->tables->names;
    const bool is_absent = x->status == STATUS_NOT_FOUND || x->status == STATUS_GONE;
    struct piece asked = {0};
    if (a->kind == EVENT_WRITE && a->sent == 0 &&
        http_headers_find(&x->asked, piece_of("If-None-Match"), &asked) &&
        piece_is(piece_trimmed(asked), "*")) {
        a->sent = names_intern_text(names, "absent");
        a->sent_by = HTTP_PRESENCE;
    }
    a->told[HTTP_PRESENCE] = names_intern_text(names, is_absent ? "absent" : "present");
}

/* The versions that the request requires and the response contains, for an access to its single
 * resource. */
static void find_versions(struct http_log *l, const struct http_exchange *x, struct http_access *a)
{
    enum http_body_fault fault = BODY_RIGHT;
    struct names *names = &l->tables->names;
    must(l->rules->version_count <= HTTP_SOURCES_MAX);
    for (size_t i = 0; i < l->rules->version_count; i++) {
        const struct http_version *v = &l->rules->versions[i];
        if (a->kind == EVENT_WRITE && a->sent == 0 &&
            http_find(&v->sent, x, SIDE_REQUEST, &l->value, &fault)) {
            a->sent = intern(names, version_of(&l->value));
            a->sent_by = (uint32_t)i;
        }
        /* A response that is no JSON has no version; only rules for requests report a fault. */
        if (http_find(&v->told, x, SIDE_ANSWER, &l->value, NULL)) {
            a->told[i] = intern(names, version_of(&l->value));
        }
    }
    find_presence(l, x, a);
    count_body(l, fault, x->offset);
}

/* The resource's name with the pattern's names put back; keys are guessed where the pattern has
 * none. */
static void template_of(const struct pattern *p, const struct pattern_match *m, struct piece name,
                        struct text *template)
{
    text_clear(template);
    if (p->name_count == 0) {
        uri_template(template, name);
        return;
    }
    const char *at = name.at;
    for (size_t i = 0; i < p->name_count; i++) {
        const struct piece value = m->values[i];
        must(value.at >= at);
        must(value.at + value.size <= name.at + name.size);
        text_add(template, (struct piece){at, (size_t)(value.at - at)});
        text_add_char(template, '{');
        text_add(template, p->names[i]);
        text_add_char(template, '}');
        at = value.at + value.size;
    }
    text_add(template, (struct piece){at, (size_t)(name.at + name.size - at)});
}

/* One rule under application to one exchange. */
struct application {
    struct http_log *log;
    const struct http_exchange *exchange;
    const struct http_rule *rule;
    struct pattern_match match;
    uint16_t kind;
};

static void add_access(struct application *a, struct piece name, struct piece template, bool is_own)
{
    struct http_log *l = a->log;
    must(a->kind != 0);
    struct http_access access = {.kind = a->kind,
                                 .object = intern(&l->resources, name),
                                 .template = intern(&l->resources, template)};
    if (is_own && (a->kind == EVENT_READ || a->kind == EVENT_WRITE)) {
        find_versions(l, a->exchange, &access);
    }
    vec_push(&l->accesses, access);
}

/* A resource that a part of the request refers to. */
static void add_referred(void *context, struct piece reference)
{
    struct application *a = context;
    struct text name = {0};
    struct text template = {0};
    if (uri_resolve(&name, text_piece(&a->log->name), reference)) {
        uri_template(&template, text_piece(&name));
        add_access(a, text_piece(&name), text_piece(&template), false);
    }
    text_release(&name);
    text_release(&template);
}

/* The pattern as written, with a '/' before it: the common form of its resources. */
static void print_pattern(const struct pattern *made, const struct pattern *known,
                          struct text *template)
{
    struct pattern_match braced = {0};
    struct text names[PATTERN_NAMES_MAX] = {0};
    must(known->name_count <= PATTERN_NAMES_MAX);
    for (size_t i = 0; i < known->name_count; i++) {
        text_add_char(&names[i], '{');
        text_add(&names[i], known->names[i]);
        text_add_char(&names[i], '}');
        braced.values[i] = text_piece(&names[i]);
    }
    pattern_fill(made, &braced, template);
    for (size_t i = 0; i < known->name_count; i++) {
        text_release(&names[i]);
    }
}

static void add_made(struct application *a, const struct http_target *target)
{
    struct text name = {0};
    struct text template = {0};
    text_add_char(&name, '/');
    text_add_char(&template, '/');
    pattern_fill(&target->made, &a->match, &name);
    print_pattern(&target->made, &a->rule->filter.pattern, &template);
    must(name.chars.count > 1);
    must(template.chars.count > 1);
    const size_t name_doubled = name.chars.at[1] == '/' ? 1 : 0;
    const size_t template_doubled = template.chars.at[1] == '/' ? 1 : 0;
    add_access(a, piece_after(text_piece(&name), name_doubled),
               piece_after(text_piece(&template), template_doubled), true);
    text_release(&name);
    text_release(&template);
}

static void apply_target(struct application *a, const struct http_target *target, uint16_t kind)
{
    struct http_log *l = a->log;
    const size_t before = l->accesses.count;
    a->kind = kind;
    switch (target->type) {
    case TARGET_SELF: add_access(a, text_piece(&l->name), text_piece(&l->template), true); break;
    case TARGET_MADE: add_made(a, target); break;
    case TARGET_REFERRED:
        count_body(l, http_find_all(&target->referred, a->exchange, SIDE_REQUEST, add_referred, a),
                   a->exchange->offset);
        break;
    }
    if (l->accesses.count == before) {
        http_log_count(l, HTTP_NO_RESOURCE, a->exchange->offset);
    }
}

/* Adds the effect that the rule assigns to the exchange, if it succeeded. */
static void apply_rule(struct application *a)
{
    const struct http_exchange *x = a->exchange;
    const struct http_rule *rule = a->rule;
    if (rule->type == RULE_READ) {
        if (has_read(x->status)) {
            apply_target(a, &rule->target, EVENT_READ);
        }
        return;
    }
    if (x->status == 0 || x->status >= 500) {
        http_log_count(a->log, HTTP_UNSURE, x->offset);
    }
    if (!has_succeeded(x->status)) {
        return;
    }
    switch (rule->type) {
    case RULE_WRITE: apply_target(a, &rule->target, EVENT_WRITE); break;
    case RULE_COPY:
        apply_target(a, &rule->source, EVENT_READ);
        apply_target(a, &rule->target, EVENT_WRITE);
        break;
    case RULE_LOCK: {
        const bool locks = piece_equals(rule->filter.verbs[0], text_piece(&x->method));
        apply_target(a, &rule->target, locks ? EVENT_LOCK : EVENT_UNLOCK);
        break;
    }
    case RULE_READ:
    case RULE_IGNORE:
    case RULE_BARRIER: break;
    }
}

/* One end of a barrier, named by the rule and by the values of the later request's names. */
static void add_barrier(struct http_log *l, const struct http_rule *rule, uint16_t kind,
                        const struct pattern *p, const struct pattern_match *m)
{
    char number[32];
    struct text name = {0};
    (void)snprintf(number, sizeof number, "barrier %u", rule->line);
    text_add(&name, piece_of(number));
    for (size_t i = 0; i < rule->later.pattern.name_count; i++) {
        const int index = pattern_name(p, rule->later.pattern.names[i]);
        must(index >= 0);
        text_add_char(&name, ' ');
        text_add(&name, m->values[index]);
    }
    vec_push(&l->accesses, (struct http_access){
                               .kind = kind, .object = intern(&l->resources, text_piece(&name))});
    text_release(&name);
}

/* Adds the barrier ends of this kind that the request matches. */
static void apply_barriers(struct http_log *l, const struct http_exchange *x, uint16_t kind)
{
    if (!has_succeeded(x->status)) {
        return;
    }
    vec_each (&l->rules->list, rule) {
        const struct http_filter *f =
            kind == EVENT_HAPPENS_BEFORE ? &(*rule)->filter : &(*rule)->later;
        struct pattern_match match;
        if ((*rule)->type == RULE_BARRIER &&
            http_filter_fits(f, text_piece(&x->method), text_piece(&l->name), &match)) {
            add_barrier(l, *rule, kind, &f->pattern, &match);
        }
    }
}

/* The first rule that matches, NULL when none does. */
static const struct http_rule *rule_of(struct http_log *l, const struct http_exchange *x,
                                       struct pattern_match *match)
{
    vec_each (&l->rules->list, rule) {
        if ((*rule)->type != RULE_BARRIER &&
            http_filter_fits(&(*rule)->filter, text_piece(&x->method), text_piece(&l->name),
                             match)) {
            return *rule;
        }
    }
    return NULL;
}

/* Sets l->value to the tracking id; false when there is none. */
static bool find_track(struct http_log *l, const struct http_exchange *x)
{
    for (size_t i = 0; i < l->rules->track_count; i++) {
        if (http_find(&l->rules->track[i], x, SIDE_REQUEST, &l->value, NULL)) {
            return true;
        }
    }
    text_set(&l->value, text_piece(&x->track));
    return l->value.chars.count > 0;
}

/* Counts one more of its kind; kinds beyond the first few count together, as `others`. */
static void count_kind(struct http_log *l, struct http_kinds *k, enum http_tally_id others,
                       const struct http_exchange *x)
{
    struct text what = {0};
    text_add(&what, text_piece(&x->method));
    text_add_char(&what, ' ');
    uri_template(&what, text_piece(&l->name));
    const struct piece p = text_piece(&what);
    uint32_t id = names_find(&k->names, p.at, p.size);
    if (id == 0 && k->names.list.count <= KINDS_MAX) {
        id = intern(&k->names, p);
        vec_push(&k->tallies, (struct http_tally){.offset = x->offset});
    }
    must(k->tallies.count == k->names.list.count);
    must(id < k->tallies.count);
    if (id == 0) {
        http_log_count(l, others, x->offset);
    } else {
        k->tallies.at[id].count++;
    }
    text_release(&what);
}

/* The beginning of the task's last request; for a task without any, of the last of all. */
static int64_t *last_time(struct http_log *l, uint32_t task)
{
    while (l->time_of_task.count <= task) {
        vec_push(&l->time_of_task, l->time_last);
    }
    return &l->time_of_task.at[task];
}

/* Sets the beginning and the end of the request; one without a time follows its predecessor. */
static void set_times(struct http_log *l, const struct http_exchange *x, struct http_record *r)
{
    int64_t *last = last_time(l, r->task);
    r->has_time = x->has_start;
    r->start_ns = x->has_start ? x->start_ns : *last;
    r->end_ns = x->has_start && x->has_end ? x->end_ns : r->start_ns;
    if (!x->has_start && !x->is_timeless) {
        http_log_count(l, HTTP_NO_TIME, x->offset);
    }
    if (r->end_ns < r->start_ns) {
        http_log_count(l, HTTP_BACKWARDS, x->offset);
        r->end_ns = r->start_ns;
    }
    must(r->start_ns <= r->end_ns);
    *last = l->time_last = r->start_ns;
}

/* The number of a span by its trace and its id, 0 when it has none. */
static uint32_t span_of(struct http_log *l, const struct http_exchange *x, const struct text *id)
{
    if (id->chars.count == 0) {
        return 0;
    }
    struct text name = {0};
    text_add(&name, text_piece(&x->track));
    text_add_char(&name, ' ');
    text_add(&name, text_piece(id));
    const uint32_t span = intern(&l->spans, text_piece(&name));
    text_release(&name);
    while (l->span_is_served.count <= span) {
        vec_push(&l->span_is_served, false);
    }
    return span;
}

/* Records the reporting side of the request, to drop duplicates. */
static void set_view(struct http_log *l, const struct http_exchange *x, struct http_record *r)
{
    if (x->view == VIEW_CLIENT) {
        r->client = span_of(l, x, &x->span);
    } else if (x->view == VIEW_SERVER) {
        const uint32_t parent = span_of(l, x, &x->parent);
        if (parent != 0) {
            l->span_is_served.at[parent] = true;
        }
    }
}

/* Adds a request of its tracking id, which is in l->value, with its effects. */
static void add_record(struct http_log *l, const struct http_exchange *x, struct application *a)
{
    const struct piece method = text_piece(&x->method);
    struct http_record r = {
        .resource = intern(&l->resources, text_piece(&l->name)),
        .access_first = (uint32_t)l->accesses.count,
        .sequence = (uint32_t)l->records.count,
        .status = (uint16_t)(x->status > 0 && x->status < 1000 ? x->status : 0),
        .verb = mode_find(MODES_VERB, method.at, method.size),
        .is_conflict = http_rules_is_conflict(l->rules, x->status),
        .offset = x->offset,
    };
    const struct piece track = text_piece(&l->value);
    r.task = tables_task(l->tables, 0, intern(&l->tables->names, track));
    set_times(l, x, &r);
    set_view(l, x, &r);
    apply_barriers(l, x, EVENT_HAPPENS_AFTER);
    if (a->rule == NULL) {
        count_kind(l, &l->uncovered, HTTP_OTHER, x);
    } else {
        template_of(&a->rule->filter.pattern, &a->match, text_piece(&l->name), &l->template);
        apply_rule(a);
    }
    apply_barriers(l, x, EVENT_HAPPENS_BEFORE);
    must(r.access_first <= l->accesses.count);
    must(r.task < l->tables->tasks.count);
    r.access_count = (uint32_t)l->accesses.count - r.access_first;
    vec_push(&l->records, r);
}

void http_log_add(struct http_log *l, const struct http_exchange *x)
{
    l->exchange_count++;
    text_clear(&l->name);
    if (x->method.chars.count == 0 || x->uri.chars.count == 0) {
        http_log_count(l, HTTP_INCOMPLETE, x->offset);
        return;
    }
    if (!uri_name(&l->name, text_piece(&x->uri))) {
        http_log_count(l, HTTP_FOREIGN, x->offset);
        return;
    }
    struct application a = {.log = l, .exchange = x};
    a.rule = rule_of(l, x, &a.match);
    if (a.rule != NULL && a.rule->type == RULE_IGNORE) {
        http_log_count(l, HTTP_IGNORED, x->offset);
    } else if (!find_track(l, x)) {
        count_kind(l, &l->untracked, HTTP_UNTRACKED, x);
    } else {
        add_record(l, x, &a);
    }
    must(l->records.count <= l->exchange_count);
}
