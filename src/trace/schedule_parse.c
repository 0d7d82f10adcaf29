#include "trace/schedule.h"

#include <stdio.h>
#include <string.h>

#include "base/quoted_text.h"
#include "trace/kind_table.h"
#include "trace/line_reader.h"
#include "trace/quoted_word.h"

struct parser {
    struct schedule *schedule;
    struct lines lines;
    struct words words;  /* the rest of the line */
    unsigned header_met; /* a bit per line of the header */
    bool has_body;
    struct err *e;
};

static int refuse(struct parser *p, const char *what)
{
    const uint64_t column = (uint64_t)(p->words.at - p->lines.text);
    return err_set(p->e, "byte %llu: line %llu, column %llu: %s",
                   (unsigned long long)(p->lines.offset + column),
                   (unsigned long long)p->lines.number, (unsigned long long)column + 1, what);
}

static int refuse_word(struct parser *p, const char *what, const struct word *word)
{
    char text[100];
    (void)snprintf(text, sizeof text, "there is no %s %s", what,
                   shown(word->text, word->size).text);
    p->words.at = word->is_quoted ? p->words.at : word->text;
    return refuse(p, text);
}

static int take_word(struct parser *p, struct word *word)
{
    (void)words_are_left(&p->words);
    return words_take(&p->words, word) ? 0 : refuse(p, p->words.wrong);
}

/* Takes a name without blanks before it. */
static int take_joined(struct parser *p, const char *stops, uint32_t *name)
{
    struct word word;
    if (!words_take_part(&p->words, stops, &word)) {
        return refuse(p, p->words.wrong);
    }
    *name = names_intern(&p->schedule->names, word.text, word.size);
    return 0;
}

static int take_name(struct parser *p, uint32_t *name)
{
    (void)words_are_left(&p->words);
    return take_joined(p, "", name);
}

/* Takes the character c, which must come next. */
static int expect(struct parser *p, char c, const char *what)
{
    return words_skip(&p->words, c) ? 0 : refuse(p, what);
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *digit = memchr(digits, c, sizeof digits - 1);
    return digit == NULL ? -1 : (int)(digit - digits);
}

/* Skips the key if it is next; returns whether it was. */
static bool skip_key(struct parser *p, const char *key)
{
    struct words *w = &p->words;
    const size_t size = strlen(key);
    if (!words_are_left(w) || (size_t)(w->end - w->at) < size || memcmp(w->at, key, size) != 0) {
        return false;
    }
    w->at += size;
    return true;
}

/* Takes up to sixteen digits. */
static int take_hash(struct parser *p, uint64_t *hash)
{
    struct words *w = &p->words;
    int count = 0;
    *hash = 0;
    for (; w->at < w->end && hex_digit(*w->at) >= 0 && count <= 16; w->at++, count++) {
        *hash = *hash << 4 | (unsigned)hex_digit(*w->at);
    }
    return count > 0 && count <= 16 ? 0 : refuse(p, "a fingerprint has 1 to 16 digits of base 16");
}

/* Takes a number from 1. */
static int take_count(struct parser *p, uint32_t *count)
{
    uint64_t number = 0;
    if (!words_take_u64(&p->words, &number)) {
        return refuse(p, p->words.wrong);
    }
    if (number == 0 || number > UINT32_MAX) {
        return refuse(p, "the number is out of range");
    }
    *count = (uint32_t)number;
    return 0;
}

/* Takes #n, n from 1. */
static int take_occurrence(struct parser *p, uint32_t *occurrence)
{
    (void)words_are_left(&p->words);
    return expect(p, '#', "# and a number were expected") < 0 ? -1 : take_count(p, occurrence);
}

/* Takes the rest of an operation after its task: kind, object, occurrence. */
static int take_operation_rest(struct parser *p, struct operation *o)
{
    struct word kind;
    if (take_word(p, &kind) < 0) {
        return -1;
    }
    o->kind = kind_find(kind.text, kind.size);
    if (o->kind == 0) {
        return refuse_word(p, "kind of event called", &kind);
    }
    return take_name(p, &o->object) < 0 ? -1 : take_occurrence(p, &o->occurrence);
}

/* Takes the task of an operation, name or name@node. */
static int take_task(struct parser *p, struct operation *o)
{
    o->node = 0;
    if (take_name(p, &o->task) < 0) {
        return -1;
    }
    return words_skip(&p->words, '@') ? take_joined(p, "", &o->node) : 0;
}

static int take_operation(struct parser *p, struct operation *o)
{
    return take_task(p, o) < 0 ? -1 : take_operation_rest(p, o);
}

static int take_message(struct parser *p, struct message_name *m)
{
    static const char stops[] = ">/";
    (void)words_are_left(&p->words);
    if (take_joined(p, stops, &m->source) < 0 ||
        expect(p, '>', "a message is written source>destination/type#n") < 0 ||
        take_joined(p, stops, &m->destination) < 0 ||
        expect(p, '/', "a message is written source>destination/type#n") < 0 ||
        take_joined(p, stops, &m->type) < 0 || take_occurrence(p, &m->occurrence) < 0) {
        return -1;
    }
    m->has_fingerprint = skip_key(p, "fp=");
    return m->has_fingerprint ? take_hash(p, &m->fingerprint) : 0;
}

static int take_fault(struct parser *p, uint8_t *fault)
{
    struct word word;
    if (take_word(p, &word) < 0) {
        return -1;
    }
    *fault = mode_find(MODES_FAULT, word.text, word.size);
    return *fault == MODE_UNSAID ? refuse_word(p, "fault called", &word) : 0;
}

static int take_value(struct parser *p, int64_t *value)
{
    if (!skip_key(p, "value=")) {
        return refuse(p, "value= was expected");
    }
    return words_take_i64(&p->words, value) ? 0 : refuse(p, p->words.wrong);
}

static int parse_choice(struct parser *p, uint8_t kind)
{
    struct choice c = {.kind = kind, .line = (uint32_t)p->lines.number};
    int result = 0;
    switch (kind) {
    case CHOICE_TASK:
    case CHOICE_TIMER: result = take_operation(p, &c.operation); break;
    case CHOICE_MESSAGE: result = take_message(p, &c.message); break;
    case CHOICE_FAULT: result = take_fault(p, &c.fault) < 0 ? -1 : take_name(p, &c.target); break;
    case CHOICE_RANDOM:
    case CHOICE_SHORT_COUNT:
    case CHOICE_READY_ORDER:
    case CHOICE_LOAD_VALUE:
        result = take_operation(p, &c.operation) < 0 ? -1 : take_value(p, &c.value);
        break;
    default: bug("kind of choice");
    }
    if (result == 0 && skip_key(p, "at=")) {
        result = take_count(p, &c.step);
    }
    vec_push(&p->schedule->choices, c);
    return result;
}

static int parse_constraint(struct parser *p, bool is_negated)
{
    struct constraint c = {.is_negated = is_negated};
    struct word relation;
    if (take_operation(p, &c.first) < 0 || take_word(p, &relation) < 0) {
        return -1;
    }
    c.kind = word_is(&relation, "from") ? CONSTRAINT_FROM : CONSTRAINT_BEFORE;
    if (c.kind == CONSTRAINT_BEFORE && !word_is(&relation, "before")) {
        return refuse_word(p, "relation called", &relation);
    }
    if (take_task(p, &c.second) < 0) {
        return -1;
    }
    /* "from start" and no more is the initial value; a task may have that name too. */
    const uint32_t start = names_intern_text(&p->schedule->names, "start");
    c.is_from_start = c.kind == CONSTRAINT_FROM && c.second.task == start && c.second.node == 0 &&
                      !words_are_left(&p->words);
    if (c.is_from_start) {
        c.second = (struct operation){0};
    } else if (take_operation_rest(p, &c.second) < 0) {
        return -1;
    }
    vec_push(&p->schedule->constraints, c);
    return 0;
}

_Static_assert(SCHEDULE_CONTENT_MAX * 2 <= WORD_SIZE_MAX, "a content is one word");

/* Takes bytes, two digits each; - for none. */
static int parse_content(struct parser *p)
{
    struct schedule *s = p->schedule;
    struct content c = {.offset = (uint32_t)s->content_bytes.count};
    struct word word;
    if (take_message(p, &c.message) < 0 || take_word(p, &word) < 0) {
        return -1;
    }
    if (strcmp(names_text(&s->names, c.message.source), "client") != 0) {
        return refuse(p, "only requests have a content, which come from client");
    }
    const size_t digits = word_is(&word, "-") ? 0 : word.size;
    if (digits % 2 != 0 || digits / 2 > SCHEDULE_CONTENT_MAX) {
        return refuse(p, "a content is - or pairs of digits of base 16, of at most 524288 bytes");
    }
    if (digits / 2 > SCHEDULE_CONTENTS_MAX - s->content_bytes.count) {
        return refuse(p, "all contents together are of at most 67108864 bytes");
    }
    for (size_t i = 0; i < digits; i += 2) {
        const int high = hex_digit(word.text[i]);
        const int low = hex_digit(word.text[i + 1]);
        if (high < 0 || low < 0) {
            return refuse(p, "a content is written in digits of base 16, 0 to 9 and a to f");
        }
        vec_push(&s->content_bytes, (uint8_t)(high << 4 | low));
    }
    c.size = (uint32_t)(digits / 2);
    vec_push(&s->contents, c);
    return 0;
}

static int parse_command(struct parser *p)
{
    while (words_are_left(&p->words)) {
        uint32_t argument = 0;
        if (take_name(p, &argument) < 0) {
            return -1;
        }
        vec_push(&p->schedule->command, argument);
    }
    return 0;
}

static int parse_faults(struct parser *p)
{
    while (words_are_left(&p->words)) {
        uint8_t fault = 0;
        if (take_fault(p, &fault) < 0) {
            return -1;
        }
        vec_push(&p->schedule->faults, fault);
    }
    return 0;
}

static int parse_seed(struct parser *p)
{
    (void)words_are_left(&p->words);
    return words_take_u64(&p->words, &p->schedule->seed) ? 0 : refuse(p, p->words.wrong);
}

static int parse_then(struct parser *p)
{
    struct word word;
    if (take_word(p, &word) < 0) {
        return -1;
    }
    p->schedule->then_line = (uint32_t)p->lines.number;
    const bool is_stop = word_is(&word, "stop");
    p->schedule->then = is_stop ? 0 : names_intern(&p->schedule->names, word.text, word.size);
    return 0;
}

static int parse_without(struct parser *p)
{
    struct schedule *s = p->schedule;
    while (words_are_left(&p->words)) {
        uint32_t event = 0;
        if (take_count(p, &event) < 0) {
            return -1;
        }
        if (s->without.count > 0 && *vec_last(&s->without) >= event) {
            return refuse(p, "what does not come from outside is listed in ascending order");
        }
        vec_push(&s->without, event);
    }
    return s->without.count > 0 ? 0 : refuse(p, "the number of an event was expected");
}

static int parse_ignore(struct parser *p)
{
    struct schedule *s = p->schedule;
    while (words_are_left(&p->words)) {
        struct word word;
        if (take_word(p, &word) < 0) {
            return -1;
        }
        vec_push(&s->ignored, names_intern(&s->names, word.text, word.size));
    }
    return s->ignored.count > 0 ? 0 : refuse(p, "the key of a violation was expected");
}

static int parse_steps(struct parser *p)
{
    (void)words_are_left(&p->words);
    return take_count(p, &p->schedule->steps);
}

static int parse_hash(struct parser *p)
{
    (void)words_are_left(&p->words);
    if (take_hash(p, &p->schedule->hash) < 0) {
        return -1;
    }
    return p->schedule->hash == 0 ? refuse(p, "a hash of nothing but 0 says nothing") : 0;
}

static int parse_system(struct parser *p)
{
    return take_name(p, &p->schedule->system);
}

static int parse_build(struct parser *p)
{
    return take_name(p, &p->schedule->build);
}

static int parse_world(struct parser *p)
{
    return take_name(p, &p->schedule->world);
}

static int parse_net(struct parser *p)
{
    p->schedule->net_line = (uint32_t)p->lines.number;
    return take_name(p, &p->schedule->net);
}

static int parse_with(struct parser *p)
{
    p->schedule->with_line = (uint32_t)p->lines.number;
    return take_name(p, &p->schedule->with);
}

/* The lines of the header; each may occur once, before anything else. */
static const struct {
    const char *word;
    int (*parse)(struct parser *p);
} header[] = {
    {"system", parse_system}, {"command", parse_command}, {"build", parse_build},
    {"world", parse_world},   {"net", parse_net},         {"faults", parse_faults},
    {"seed", parse_seed},     {"then", parse_then},       {"steps", parse_steps},
    {"hash", parse_hash},     {"with", parse_with},       {"without", parse_without},
    {"ignore", parse_ignore},
};

static int parse_header(struct parser *p, size_t index)
{
    if (p->has_body || (p->header_met >> index & 1) != 0) {
        p->words.at = p->lines.text;
        return refuse(p, p->has_body ? "the header comes before choices and constraints"
                                     : "this line of the header is there twice");
    }
    p->header_met |= 1u << index;
    return header[index].parse(p);
}

static int parse_line(struct parser *p)
{
    struct word word;
    if (take_word(p, &word) < 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        if (word_is(&word, header[i].word)) {
            return parse_header(p, i);
        }
    }
    p->has_body = true;
    const bool is_negated = word_is(&word, "forbid");
    if (is_negated || word_is(&word, "require")) {
        return parse_constraint(p, is_negated);
    }
    if (word_is(&word, "content")) {
        return parse_content(p);
    }
    const uint8_t kind = mode_find(MODES_CHOICE, word.text, word.size);
    if (kind == MODE_UNSAID) {
        return refuse_word(p, "choice, constraint or line of the header called", &word);
    }
    return parse_choice(p, kind);
}

static int next_line(struct parser *p)
{
    const int more = lines_next(&p->lines, p->e);
    if (more > 0) {
        p->words.at = p->lines.text;
        p->words.end = p->lines.text + p->lines.size;
    }
    return more;
}

static int parse_first_line(struct parser *p)
{
    static const char magic[] = "clew-schedule ";
    const int more = next_line(p);
    if (more < 0) {
        return -1;
    }
    if (more == 0 || p->lines.size < sizeof magic - 1 ||
        memcmp(p->lines.text, magic, sizeof magic - 1) != 0) {
        return err_set(p->e, "byte 0: line 1, column 1: does not begin with \"clew-schedule 1\"");
    }
    uint64_t version = 0;
    p->words.at += sizeof magic - 1;
    if (!words_take_u64(&p->words, &version)) {
        return refuse(p, p->words.wrong);
    }
    return version == SCHEDULE_VERSION ? 0 : refuse(p, "this clew reads version 1 only");
}

static int parse_all(struct parser *p)
{
    if (parse_first_line(p) < 0) {
        return -1;
    }
    int more = 0;
    do {
        if (words_are_left(&p->words)) {
            return refuse(p, "nothing more was expected on this line");
        }
        more = next_line(p);
        if (more > 0 && words_are_left(&p->words)) {
            if (*p->words.at == '#') {
                p->words.at = p->words.end;
            } else if (parse_line(p) < 0) {
                return -1;
            }
        }
    } while (more > 0);
    return more;
}

int schedule_parse(struct schedule *s, struct in *in, struct err *e)
{
    struct parser p = {.schedule = s, .lines = {.in = in}, .e = e};
    const int result = parse_all(&p);
    words_release(&p.words);
    return result;
}
