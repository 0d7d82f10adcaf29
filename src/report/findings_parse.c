/* Reads the findings file with yajl: a table maps keys to fields by place, a stack has the current
 * places. Unknown keys are skipped, so that a newer clew may add some. */
#include "report/findings_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"

enum { DEPTH_MAX = 16, TOKEN_SIZE_MAX = 1 << 20, NUMBER_SIZE_MAX = 40 };

enum place {
    AT_TOP,
    AT_FILE,
    AT_INPUTS,
    AT_STATS,
    AT_GROUP,
    AT_ASSUMPTIONS,
    AT_FINDINGS,
    AT_FINDING,
    AT_EVENTS,
    AT_EVENT,
    AT_WITNESS,
    AT_SKIPPED,
};

enum type { TEXT, COUNT, OBJECT, ARRAY };

/* FIELD(place, ID, key, type, may be null, is required, place it opens) */
#define FIELD_LIST(FIELD)                                                           \
    FIELD(AT_FILE, SCHEMA, "schema", COUNT, false, true, AT_TOP)                    \
    FIELD(AT_FILE, VERB, "verb", TEXT, false, true, AT_TOP)                         \
    FIELD(AT_FILE, INPUTS, "inputs", ARRAY, false, true, AT_INPUTS)                 \
    FIELD(AT_FILE, EVENT_COUNT, "events", COUNT, false, true, AT_TOP)               \
    FIELD(AT_FILE, VERDICT, "verdict", TEXT, false, true, AT_TOP)                   \
    FIELD(AT_FILE, STATS, "stats", OBJECT, false, false, AT_STATS)                  \
    FIELD(AT_FILE, ASSUMPTIONS, "assumptions", ARRAY, false, false, AT_ASSUMPTIONS) \
    FIELD(AT_FILE, FINDINGS, "findings", ARRAY, false, true, AT_FINDINGS)           \
    FIELD(AT_FINDING, ID, "id", COUNT, false, true, AT_TOP)                         \
    FIELD(AT_FINDING, KIND, "kind", TEXT, false, true, AT_TOP)                      \
    FIELD(AT_FINDING, STATUS, "status", TEXT, false, true, AT_TOP)                  \
    FIELD(AT_FINDING, GRADE, "grade", TEXT, true, false, AT_TOP)                    \
    FIELD(AT_FINDING, SEVERITY, "severity", TEXT, false, true, AT_TOP)              \
    FIELD(AT_FINDING, WHAT, "what", TEXT, false, true, AT_TOP)                      \
    FIELD(AT_FINDING, WHY, "why", TEXT, true, false, AT_TOP)                        \
    FIELD(AT_FINDING, KEY, "key", TEXT, false, true, AT_TOP)                        \
    FIELD(AT_FINDING, PAIRS, "pairs", COUNT, false, false, AT_TOP)                  \
    FIELD(AT_FINDING, EVENTS, "events", ARRAY, false, true, AT_EVENTS)              \
    FIELD(AT_FINDING, WITNESS, "witness", ARRAY, true, false, AT_WITNESS)           \
    FIELD(AT_FINDING, REPLAY, "replay", TEXT, true, false, AT_TOP)                  \
    FIELD(AT_EVENT, INPUT, "input", COUNT, false, true, AT_TOP)                     \
    FIELD(AT_EVENT, INDEX, "index", COUNT, false, true, AT_TOP)                     \
    FIELD(AT_EVENT, OFFSET, "offset", COUNT, false, false, AT_TOP)                  \
    FIELD(AT_EVENT, NUMBER, "number", COUNT, false, false, AT_TOP)                  \
    FIELD(AT_EVENT, NODE, "node", TEXT, false, true, AT_TOP)                        \
    FIELD(AT_EVENT, TASK, "task", TEXT, false, true, AT_TOP)                        \
    FIELD(AT_EVENT, ACCESS, "access", TEXT, false, true, AT_TOP)                    \
    FIELD(AT_EVENT, OBJECT, "object", TEXT, false, true, AT_TOP)                    \
    FIELD(AT_EVENT, LOCATION, "location", TEXT, false, true, AT_TOP)                \
    FIELD(AT_EVENT, STACK, "stack", TEXT, false, false, AT_TOP)

enum field_id {
#define FIELD(place, id, ...) FIELD_##id,
    FIELD_LIST(FIELD)
#undef FIELD
        FIELD_UNKNOWN
};

static const struct field {
    enum place place;
    const char *key;
    enum type type;
    bool may_be_null;
    bool is_required;
    enum place opens;
} fields[] = {
#define FIELD(place, id, ...) {place, __VA_ARGS__},
    FIELD_LIST(FIELD)
#undef FIELD
};

_Static_assert(FIELD_UNKNOWN < 64, "the fields met are bits of a word");
_Static_assert(sizeof fields / sizeof *fields == FIELD_UNKNOWN, "a row for each field");

struct parser {
    struct finding_file *file;
    struct arena *texts;
    struct err *e;
    yajl_handle handle;
    uint64_t offset; /* of the bytes handed to yajl, in the file */
    uint64_t end;    /* behind them; at the end of the file yajl adds a byte of its own */

    enum place places[DEPTH_MAX + 1];
    uint64_t met[DEPTH_MAX + 1]; /* a bit per field seen in the object at this depth */
    int depth;
    enum field_id field; /* the field of the last key */
    const char *key;     /* the last key among the stats */
    const char *group;   /* the current object among the stats, or NULL */

    struct finding finding; /* the current one, with its events and witness so far */
    struct finding_event event;
    VEC(struct finding_event) events;
    VEC(uint64_t) witness;

    bool is_in_text; /* the next byte is part of a text; to limit the size of tokens */
    bool is_escaped;
    size_t token_size;
};

/* Sets the error and returns 0 to yajl, which stops it. */
static int refuse(struct parser *p, const char *what, const char *name)
{
    const uint64_t at = p->offset + yajl_get_bytes_consumed(p->handle);
    const bool has_name = name != NULL;
    (void)err_set(p->e, "byte %llu: %s%s%s%s", (unsigned long long)(at < p->end ? at : p->end),
                  has_name ? "\"" : "", has_name ? name : "", has_name ? "\" " : "", what);
    return 0;
}

static int refuse_type(struct parser *p)
{
    static const char *const wanted[] = {
        [TEXT] = "must be a text",
        [COUNT] = "must be a whole number that is not negative and fits in 64 bits",
        [OBJECT] = "must be an object",
        [ARRAY] = "must be an array",
    };
    return refuse(p, wanted[fields[p->field].type], fields[p->field].key);
}

static const char *place_wants(enum place place)
{
    switch (place) {
    case AT_TOP: return "a findings file is one JSON object";
    case AT_INPUTS:
    case AT_ASSUMPTIONS: return "only texts belong here";
    case AT_FINDINGS:
    case AT_EVENTS: return "only objects belong here";
    case AT_WITNESS: return "only indices of events belong here";
    case AT_FILE:
    case AT_STATS:
    case AT_GROUP:
    case AT_FINDING:
    case AT_EVENT:
    case AT_SKIPPED: break;
    }
    bug("a place that takes anything");
}

static bool has_fields(enum place place)
{
    return place == AT_FILE || place == AT_FINDING || place == AT_EVENT;
}

/* Whether a value of this type is allowed here as a field of an object; the field is p->field. */
static bool is_wanted(const struct parser *p, enum type type)
{
    return fields[p->field].type == type;
}

static int set_name(struct parser *p, int number, int *to)
{
    if (number < 0) {
        return refuse(p, "has a value this clew does not know", fields[p->field].key);
    }
    *to = number;
    return 1;
}

static int set_text(struct parser *p, const char *text)
{
    int number = 0;
    int answer = 1;
    switch ((int)p->field) {
    case FIELD_VERB: p->file->verb = text; break;
    case FIELD_VERDICT:
        answer = set_name(p, verdict_find(text), &number);
        p->file->verdict = (enum verdict)number;
        break;
    case FIELD_KIND:
        answer = set_name(p, finding_kind_find(text), &number);
        p->finding.kind = (enum finding_kind)number;
        break;
    case FIELD_STATUS:
        answer = set_name(p, finding_status_find(text), &number);
        p->finding.status = (enum finding_status)number;
        break;
    case FIELD_GRADE:
        answer = set_name(p, finding_grade_find(text), &number);
        p->finding.grade = (enum finding_grade)number;
        break;
    case FIELD_SEVERITY:
        answer = set_name(p, finding_severity_find(text), &number);
        p->finding.severity = (enum finding_severity)number;
        break;
    case FIELD_WHAT: p->finding.what = text; break;
    case FIELD_WHY: p->finding.why = text; break;
    case FIELD_KEY: p->finding.key = text; break;
    case FIELD_REPLAY: p->finding.replay = text; break;
    case FIELD_NODE: p->event.node = text; break;
    case FIELD_TASK: p->event.task = text; break;
    case FIELD_ACCESS: p->event.access = text; break;
    case FIELD_OBJECT: p->event.object = text; break;
    case FIELD_LOCATION: p->event.location = text; break;
    case FIELD_STACK: p->event.stack = text; break;
    default: bug("a field that is no text");
    }
    return answer;
}

static int set_count(struct parser *p, uint64_t count)
{
    switch ((int)p->field) {
    case FIELD_SCHEMA:
        return count == FINDING_SCHEMA ? 1
                                       : refuse(p, "is not 1: written by a newer clew", "schema");
    case FIELD_EVENT_COUNT: p->file->event_count = count; return 1;
    case FIELD_ID:
        p->finding.id = (uint32_t)count;
        return count > 0 && count <= UINT32_MAX ? 1 : refuse(p, "is out of range", "id");
    case FIELD_PAIRS:
        p->finding.pair_count = count;
        return count > 0 ? 1 : refuse(p, "is out of range", "pairs");
    case FIELD_INPUT:
        p->event.input = (uint32_t)count;
        return count <= UINT32_MAX ? 1 : refuse(p, "is out of range", "input");
    case FIELD_INDEX: p->event.index = count; return 1;
    case FIELD_OFFSET: p->event.offset = count; return 1;
    case FIELD_NUMBER:
        p->event.is_joined = true;
        p->event.number = count;
        return 1;
    default: bug("a field that is no number");
    }
}

static void add_figure(struct parser *p, struct figure figure)
{
    must(p->key != NULL);
    figure.group = p->group;
    figure.name = p->key;
    vec_push(&p->file->stats, figure);
}

static int on_null(void *context)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    if (has_fields(place)) {
        return p->field == FIELD_UNKNOWN || fields[p->field].may_be_null ? 1 : refuse_type(p);
    }
    return place == AT_SKIPPED || place == AT_STATS || place == AT_GROUP
               ? 1
               : refuse(p, place_wants(place), NULL);
}

static int on_flag(void *context, int flag)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    if (has_fields(place)) {
        return p->field == FIELD_UNKNOWN ? 1 : refuse_type(p);
    }
    if (place == AT_STATS || place == AT_GROUP) {
        add_figure(p, (struct figure){.type = FIGURE_FLAG, .flag = flag != 0});
        return 1;
    }
    return place == AT_SKIPPED ? 1 : refuse(p, place_wants(place), NULL);
}

static int on_text(void *context, const unsigned char *bytes, size_t size)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    if (place == AT_SKIPPED || (has_fields(place) && p->field == FIELD_UNKNOWN)) {
        return 1;
    }
    if (memchr(bytes, '\0', size) != NULL) {
        return refuse(p, "a text holds a zero byte", NULL);
    }
    const char *text = arena_text(p->texts, (const char *)bytes, size);
    if (has_fields(place)) {
        return is_wanted(p, TEXT) ? set_text(p, text) : refuse_type(p);
    }
    if (place == AT_INPUTS) {
        vec_push(&p->file->inputs, text);
    } else if (place == AT_ASSUMPTIONS) {
        vec_push(&p->file->assumptions, text);
    } else if (place == AT_STATS || place == AT_GROUP) {
        add_figure(p, (struct figure){.type = FIGURE_TEXT, .text = text});
    } else {
        return refuse(p, place_wants(place), NULL);
    }
    return 1;
}

/* Digits only, and at most 64 bits. */
static bool parse_count(const char *digits, size_t size, uint64_t *count)
{
    *count = 0;
    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9' || __builtin_mul_overflow(*count, 10u, count) ||
            __builtin_add_overflow(*count, (uint64_t)(digits[i] - '0'), count)) {
            return false;
        }
    }
    return true;
}

static int on_figure(struct parser *p, const char *digits, size_t size)
{
    uint64_t count = 0;
    if (parse_count(digits, size, &count)) {
        add_figure(p, (struct figure){.type = FIGURE_COUNT, .count = count});
        return 1;
    }
    char text[NUMBER_SIZE_MAX + 1] = {0};
    if (size > NUMBER_SIZE_MAX) {
        return refuse(p, "a number has too many digits", NULL);
    }
    memcpy(text, digits, size);
    const double real = strtod(text, NULL);
    if (!isfinite(real)) {
        return refuse(p, "a number is out of range", NULL);
    }
    add_figure(p, (struct figure){.type = FIGURE_REAL, .real = real});
    return 1;
}

static int on_number(void *context, const char *digits, size_t size)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    if (place == AT_SKIPPED || (has_fields(place) && p->field == FIELD_UNKNOWN)) {
        return 1;
    }
    if (place == AT_STATS || place == AT_GROUP) {
        return on_figure(p, digits, size);
    }
    uint64_t count = 0;
    const bool is_count = parse_count(digits, size, &count);
    if (has_fields(place)) {
        return is_count && is_wanted(p, COUNT) ? set_count(p, count) : refuse_type(p);
    }
    if (place != AT_WITNESS || !is_count) {
        return refuse(p, place_wants(place), NULL);
    }
    vec_push(&p->witness, count);
    return 1;
}

static int enter(struct parser *p, enum place place)
{
    if (p->depth == DEPTH_MAX) {
        return refuse(p, "nested deeper than 16", NULL);
    }
    p->depth++;
    p->places[p->depth] = place;
    p->met[p->depth] = 0;
    return 1;
}

static int on_object(void *context)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    switch (place) {
    case AT_TOP: return enter(p, AT_FILE);
    case AT_FINDINGS:
        p->finding = (struct finding){.pair_count = 1};
        vec_clear(&p->events);
        vec_clear(&p->witness);
        return enter(p, AT_FINDING);
    case AT_EVENTS:
        p->event = (struct finding_event){.offset = UINT64_MAX};
        return enter(p, AT_EVENT);
    case AT_STATS: p->group = p->key; return enter(p, AT_GROUP);
    case AT_GROUP:
    case AT_SKIPPED: return enter(p, AT_SKIPPED);
    case AT_FILE:
    case AT_FINDING:
    case AT_EVENT:
        if (p->field == FIELD_UNKNOWN) {
            return enter(p, AT_SKIPPED);
        }
        return is_wanted(p, OBJECT) ? enter(p, fields[p->field].opens) : refuse_type(p);
    case AT_INPUTS:
    case AT_ASSUMPTIONS:
    case AT_WITNESS: return refuse(p, place_wants(place), NULL);
    }
    bug("place");
}

static int on_array(void *context)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    if (has_fields(place) && p->field != FIELD_UNKNOWN) {
        return is_wanted(p, ARRAY) ? enter(p, fields[p->field].opens) : refuse_type(p);
    }
    if (has_fields(place) || place == AT_STATS || place == AT_GROUP || place == AT_SKIPPED) {
        return enter(p, AT_SKIPPED);
    }
    return refuse(p, place_wants(place), NULL);
}

static int on_key(void *context, const unsigned char *bytes, size_t size)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    if (place == AT_STATS || place == AT_GROUP) {
        p->key = arena_text(p->texts, (const char *)bytes, size);
        return 1;
    }
    p->field = FIELD_UNKNOWN;
    for (int i = 0; i < FIELD_UNKNOWN; i++) {
        if (fields[i].place == place && strlen(fields[i].key) == size &&
            memcmp(fields[i].key, bytes, size) == 0) {
            p->field = (enum field_id)i;
        }
    }
    if (p->field == FIELD_UNKNOWN) {
        return 1;
    }
    const uint64_t bit = UINT64_C(1) << p->field;
    if ((p->met[p->depth] & bit) != 0) {
        return refuse(p, "is there twice", fields[p->field].key);
    }
    p->met[p->depth] |= bit;
    return 1;
}

/* A copy in the arena of the findings; NULL for no elements. */
static void *kept(struct parser *p, const void *from, size_t count, size_t size)
{
    void *copy = arena_take(p->texts, arena_product(count, size), 8);
    if (count > 0) {
        memcpy(copy, from, count * size);
    }
    return copy;
}

static void add_finding(struct parser *p)
{
    struct finding *f = &p->finding;
    f->events = kept(p, p->events.at, p->events.count, sizeof *p->events.at);
    f->event_count = p->events.count;
    findings_add(&p->file->findings, f);
}

static int on_object_end(void *context)
{
    struct parser *p = context;
    const enum place place = p->places[p->depth];
    for (int i = 0; i < FIELD_UNKNOWN; i++) {
        if (fields[i].place == place && fields[i].is_required && (p->met[p->depth] >> i & 1) == 0) {
            return refuse(p, "is missing", fields[i].key);
        }
    }
    must(p->depth > 0);
    p->depth--;
    p->field = FIELD_UNKNOWN;
    p->group = NULL;
    if (place == AT_FINDING) {
        add_finding(p);
    } else if (place == AT_EVENT) {
        vec_push(&p->events, p->event);
    }
    return 1;
}

static int on_array_end(void *context)
{
    struct parser *p = context;
    if (p->places[p->depth] == AT_WITNESS) {
        p->finding.witness = kept(p, p->witness.at, p->witness.count, sizeof *p->witness.at);
        p->finding.witness_count = p->witness.count;
    }
    must(p->depth > 0);
    p->depth--;
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_flag,
    .yajl_number = on_number,
    .yajl_string = on_text,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_object_end,
    .yajl_start_array = on_array,
    .yajl_end_array = on_array_end,
};

static bool is_between_tokens(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == ':' || c == '{' ||
           c == '}' || c == '[' || c == ']';
}

/* yajl scans a token again with every block that continues it, so a huge one must not reach it. */
static int check_tokens(struct parser *p, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char c = bytes[i];
        p->token_size = !p->is_in_text && is_between_tokens(c) ? 0 : p->token_size + 1;
        if (p->token_size > TOKEN_SIZE_MAX) {
            return err_set(p->e, "byte %llu: a text or number of more than %d bytes",
                           (unsigned long long)(p->offset + i), TOKEN_SIZE_MAX);
        }
        if (p->is_escaped) {
            p->is_escaped = false;
        } else if (c == '"') {
            p->is_in_text = !p->is_in_text;
            p->token_size = 0;
        } else {
            p->is_escaped = p->is_in_text && c == '\\';
        }
    }
    return 0;
}

static int explain(struct parser *p, yajl_status status)
{
    if (status != yajl_status_error) {
        return status == yajl_status_ok ? 0 : -1; /* a callback has already set the error */
    }
    unsigned char *message = yajl_get_error(p->handle, 0, NULL, 0);
    (void)refuse(p, (const char *)message, NULL);
    p->e->text[strcspn(p->e->text, "\n")] = '\0';
    yajl_free_error(p->handle, message);
    return -1;
}

static int parse_all(struct parser *p, struct in *in)
{
    ssize_t size = 0;
    while ((size = in_fill(in, 1, p->e)) > 0) {
        p->offset = in->offset;
        p->end = in->offset + (uint64_t)size;
        if (check_tokens(p, in->at, (size_t)size) < 0 ||
            explain(p, yajl_parse(p->handle, (const unsigned char *)in->at, (size_t)size)) < 0) {
            return -1;
        }
        in_skip(in, (size_t)size);
    }
    if (size < 0) {
        return -1;
    }
    p->offset = in->offset;
    return explain(p, yajl_complete_parse(p->handle));
}

/* Findings about a run of a program have no input: their events are of number 0 then. */
static int check_inputs(const struct finding_file *f, struct err *e)
{
    const size_t input_count = f->inputs.count == 0 ? 1 : f->inputs.count;
    vec_each (&f->findings.list, finding) {
        for (size_t i = 0; i < finding->event_count; i++) {
            if (finding->events[i].input >= input_count) {
                return err_set(e, "finding %u: an event is of input %u, but there are %zu inputs",
                               finding->id, finding->events[i].input, f->inputs.count);
            }
        }
    }
    return 0;
}

int finding_file_parse(struct finding_file *f, struct in *in, struct err *e)
{
    struct parser p = {.file = f, .texts = &f->findings.arena, .e = e, .field = FIELD_UNKNOWN};
    p.handle = json_reader_new(&callbacks, &p);
    const int result = parse_all(&p, in) < 0 ? -1 : check_inputs(f, e);
    yajl_free(p.handle);
    vec_release(&p.events);
    vec_release(&p.witness);
    if (result < 0) {
        finding_file_release(f);
    }
    return result;
}
