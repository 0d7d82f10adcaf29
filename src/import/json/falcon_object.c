#include "import/json/falcon_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quoted_text.h"
#include "import/http/wall_time.h"
#include "trace/channel.h"
#include "trace/kind_table.h"
#include "wire/must.h"

const struct falcon_type falcon_types[] = {
#define TYPE(name, number, kind, fields) {name, sizeof(name) - 1, number, fields, EVENT_##kind},
    FALCON_TYPE_LIST(TYPE)
#undef TYPE
        {0},
};

static const char *const field_names[FALCON_FIELD_COUNT] = {
#define FIELD(id, name) name,
    FALCON_FIELD_LIST(FIELD)
#undef FIELD
};

static const char *const faults[FALCON_FAULT_COUNT] = {
#define FAULT(id, meaning) meaning,
    FALCON_FAULT_LIST(FAULT)
#undef FAULT
};

void falcon_object_init(struct falcon_object *o, struct tables *t)
{
    *o = (struct falcon_object){.tables = t};
    names_init(&o->unknown_fields.names);
    names_init(&o->unknown_types.names);
}

void falcon_object_release(struct falcon_object *o)
{
    vec_release(&o->endpoints);
    id_set_release(&o->ids);
    names_release(&o->unknown_fields.names);
    names_release(&o->unknown_types.names);
}

static void count(struct tally *t, uint64_t offset)
{
    if (t->count++ == 0) {
        t->offset = offset;
    }
}

static void count_named(struct named_tallies *t, const char *name, size_t size, uint64_t offset)
{
    uint32_t number = names_find(&t->names, name, size);
    if (number == 0 && size > 0) {
        if (t->names.list.count > FALCON_NAMED_MAX) {
            count(&t->more, offset);
            return;
        }
        number = names_intern(&t->names, name, size);
    }
    must(number <= FALCON_NAMED_MAX);
    count(&t->of[number], offset);
}

void falcon_object_begin(struct falcon_object *o, uint64_t offset)
{
    o->offset = offset;
    o->seen = 0;
    o->given = 0;
    o->type = NULL;
    o->has_unknown_type = false;
    o->endpoints.count = 0;
}

static enum falcon_field field_of(const char *key, size_t size)
{
#define FIELD(id, name)                                                         \
    if (size == sizeof(name) - 1 && memcmp(key, name, sizeof(name) - 1) == 0) { \
        return FALCON_##id;                                                     \
    }
    FALCON_FIELD_LIST(FIELD)
#undef FIELD
    return FALCON_UNKNOWN;
}

enum falcon_field falcon_object_key(struct falcon_object *o, const char *key, size_t size)
{
    const enum falcon_field field = field_of(key, size);
    if (field == FALCON_UNKNOWN) {
        count_named(&o->unknown_fields, key, size, o->offset);
        return field;
    }
    if ((o->seen & FALCON_BIT(field)) != 0) {
        count(&o->repeated[field], o->offset);
    }
    o->seen |= FALCON_BIT(field);
    o->given &= ~FALCON_BIT(field);
    return field;
}

void falcon_object_fault(struct falcon_object *o, enum falcon_field field, enum falcon_fault fault)
{
    must(field < FALCON_FIELD_COUNT);
    count(&o->unusable[field][fault], o->offset);
    o->given &= ~FALCON_BIT(field);
}

static void give(struct falcon_object *o, enum falcon_field field)
{
    o->given |= FALCON_BIT(field);
}

/* ---- decimal numbers ---- */

/* The whole part of a decimal number. */
struct decimal {
    uint64_t magnitude;
    bool is_negative;
    bool fits;     /* into 64 bits; else the magnitude is undefined */
    bool has_rest; /* there is a fraction other than 0 */
};

static size_t digit_count(const char *text, size_t size)
{
    size_t count = 0;
    while (count < size && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

static void decimal_append(struct decimal *d, unsigned digit)
{
    d->fits = d->fits && !__builtin_mul_overflow(d->magnitude, 10, &d->magnitude) &&
              !__builtin_add_overflow(d->magnitude, digit, &d->magnitude);
}

enum { EXPONENT_MAX = 10000 }; /* beyond it a number is 0 or does not fit, for all digits */

/* Parses "e-12" at the front of text; *size is its length. False when no digit follows. */
static bool parse_exponent(const char *text, size_t *size, int *exponent)
{
    size_t at = 1;
    const bool is_negative = *size > 1 && text[1] == '-';
    at += is_negative || (*size > 1 && text[1] == '+') ? 1 : 0;
    const size_t digits = digit_count(text + at, *size - at);
    *exponent = 0;
    for (size_t i = 0; i < digits && *exponent < EXPONENT_MAX; i++) {
        *exponent = *exponent * 10 + (text[at + i] - '0');
    }
    *exponent = is_negative ? -*exponent : *exponent;
    *size = at + digits;
    return digits > 0;
}

/* Parses all of text as a number such as -12, 12.5 or 1.5784e12. */
static bool decimal_parse(struct decimal *d, const char *text, size_t size)
{
    *d = (struct decimal){.is_negative = size > 0 && text[0] == '-', .fits = true};
    const char *whole = text + (d->is_negative ? 1 : 0);
    const char *end = text + size;
    const size_t whole_size = digit_count(whole, (size_t)(end - whole));
    const char *at = whole + whole_size;
    const char *fraction = at < end && *at == '.' ? at + 1 : at;
    const size_t fraction_size =
        fraction > at ? digit_count(fraction, (size_t)(end - fraction)) : 0;
    at = fraction + fraction_size;
    int exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        size_t exponent_size = (size_t)(end - at);
        if (!parse_exponent(at, &exponent_size, &exponent)) {
            return false;
        }
        at += exponent_size;
    }
    if (at != end || whole_size == 0) {
        return false;
    }
    const size_t digits = whole_size + fraction_size;
    const int64_t point =
        (int64_t)whole_size + exponent; /* the number of digits before the point */
    for (size_t i = 0; i < digits; i++) {
        const char digit = i < whole_size ? whole[i] : fraction[i - whole_size];
        if ((int64_t)i < point) {
            decimal_append(d, (unsigned)(digit - '0'));
        } else {
            d->has_rest = d->has_rest || digit != '0';
        }
    }
    for (int64_t i = (int64_t)digits; i < point && d->fits && d->magnitude > 0; i++) {
        decimal_append(d, 0);
    }
    return true;
}

/* ---- values ---- */

static void set_type(struct falcon_object *o, const char *text, size_t size)
{
    struct decimal number;
    const bool is_number = size > 0 && digit_count(text, size) == size &&
                           decimal_parse(&number, text, size) && number.fits;
    for (const struct falcon_type *type = falcon_types; type->name != NULL; type++) {
        const bool is_it = is_number
                               ? type->number != 0 && type->number == number.magnitude
                               : type->name_size == size && memcmp(type->name, text, size) == 0;
        if (is_it) {
            o->type = type;
            give(o, FALCON_TYPE);
            return;
        }
    }
    o->has_unknown_type = true;
    count_named(&o->unknown_types, text, size, o->offset);
}

static void set_task(struct falcon_object *o, enum falcon_field field, const char *text,
                     size_t size)
{
    if (size == 0) {
        falcon_object_fault(o, field, FALCON_FAULT_EMPTY);
        return;
    }
    o->number[field] = memo_task(&o->tasks, o->tables, text, size);
    give(o, field);
}

static void set_endpoint(struct falcon_object *o, enum falcon_field field, const char *text,
                         size_t size)
{
    if (o->endpoints.count + size > FALCON_CHANNEL_SIZE_MAX) {
        falcon_object_fault(o, field, FALCON_FAULT_TOO_LONG);
        return;
    }
    vec_reserve(&o->endpoints, o->endpoints.count + size);
    if (size > 0) {
        memcpy(o->endpoints.at + o->endpoints.count, text, size);
    }
    o->endpoint[field].start = o->endpoints.count;
    o->endpoint[field].size = size;
    o->endpoints.count += size;
    give(o, field);
}

/* Falcon spells transports in capitals. */
static void set_transport(struct falcon_object *o, const char *text, size_t size)
{
    char small[16] = "";
    o->mode = MODE_UNSAID;
    if (size <= sizeof small) {
        for (size_t i = 0; i < size; i++) {
            small[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
        }
        o->mode = mode_find(MODES_TRANSPORT, small, size);
    }
    if (o->mode == MODE_UNSAID && size > 0) {
        count(&o->transport, o->offset);
    }
    give(o, FALCON_SOCKET_TYPE);
}

/* A time in milliseconds, rounded down: a number, or a date and time of day. */
static void set_time(struct falcon_object *o, const char *text, size_t size)
{
    struct decimal d;
    int64_t time = 0;
    bool has_rest = false;
    if (decimal_parse(&d, text, size)) {
        has_rest = d.has_rest;
        const uint64_t magnitude = d.magnitude + (d.is_negative && has_rest);
        if (!d.fits || magnitude < d.magnitude || magnitude > (uint64_t)INT64_MAX + d.is_negative) {
            falcon_object_fault(o, FALCON_TIMESTAMP, FALCON_FAULT_RANGE);
            return;
        }
        time = (int64_t)(d.is_negative ? 0 - magnitude : magnitude);
    } else {
        int64_t ns = 0;
        if (size == 0 || wall_time_parse((struct piece){text, size}, &ns) != size) {
            falcon_object_fault(o, FALCON_TIMESTAMP, FALCON_FAULT_NO_TIME);
            return;
        }
        has_rest = ns % FALCON_TICK_NS != 0;
        time = ns / FALCON_TICK_NS - (ns % FALCON_TICK_NS < 0);
    }
    if (has_rest) {
        count(&o->fractions, o->offset);
    }
    o->whole[FALCON_TIMESTAMP] = (uint64_t)time;
    give(o, FALCON_TIMESTAMP);
}

static void set_amount(struct falcon_object *o, enum falcon_field field, const char *text,
                       size_t size)
{
    struct decimal d;
    const uint64_t most = field == FALCON_COUNTER ? UINT32_MAX : UINT64_MAX;
    if (!decimal_parse(&d, text, size)) {
        falcon_object_fault(o, field, size == 0 ? FALCON_FAULT_EMPTY : FALCON_FAULT_NO_NUMBER);
    } else if (d.has_rest) {
        falcon_object_fault(o, field, FALCON_FAULT_FRACTION);
    } else if (!d.fits || d.magnitude > most || (d.is_negative && d.magnitude > 0)) {
        falcon_object_fault(o, field, FALCON_FAULT_RANGE);
    } else {
        o->whole[field] = d.magnitude;
        give(o, field);
    }
}

static void set_id(struct falcon_object *o, bool is_new)
{
    if (!is_new) {
        count(&o->repeated_ids, o->offset);
    }
    give(o, FALCON_ID);
}

void falcon_object_text(struct falcon_object *o, enum falcon_field field, const char *text,
                        size_t size)
{
    switch (field) {
    case FALCON_TYPE: set_type(o, text, size); return;
    case FALCON_THREAD:
    case FALCON_CHILD: set_task(o, field, text, size); return;
    case FALCON_LOC:
    case FALCON_VARIABLE:
    case FALCON_SOCKET:
        o->number[field] = memo_name(&o->names, &o->tables->names, text, size);
        give(o, field);
        return;
    case FALCON_MESSAGE:
    case FALCON_DATA:
        o->number[field] = names_intern(&o->tables->names, text, size);
        give(o, field);
        return;
    case FALCON_SRC:
    case FALCON_SRC_PORT:
    case FALCON_DST:
    case FALCON_DST_PORT: set_endpoint(o, field, text, size); return;
    case FALCON_SOCKET_TYPE: set_transport(o, text, size); return;
    case FALCON_ID: set_id(o, id_set_add_text(&o->ids, text, size)); return;
    case FALCON_TIMESTAMP: set_time(o, text, size); return;
    case FALCON_COUNTER:
    case FALCON_SIZE: set_amount(o, field, text, size); return;
    case FALCON_UNKNOWN: break;
    }
    bug("a text for no field");
}

/* A number equals its digits, except for ids: 7 and "7" are two. */
void falcon_object_number(struct falcon_object *o, enum falcon_field field, const char *digits,
                          size_t size)
{
    must(size > 0);
    struct decimal d;
    if (field == FALCON_ID && decimal_parse(&d, digits, size) && d.fits && !d.has_rest &&
        d.magnitude <= INT64_MAX) {
        const int64_t id = (int64_t)d.magnitude;
        set_id(o, id_set_add(&o->ids, d.is_negative ? -id : id));
        return;
    }
    falcon_object_text(o, field, digits, size);
}

static bool has(const struct falcon_object *o, enum falcon_field field)
{
    return (o->given & FALCON_BIT(field)) != 0;
}

static uint32_t number_if(const struct falcon_object *o, enum falcon_field field)
{
    return has(o, field) ? o->number[field] : 0;
}

static struct channel_part endpoint_if(const struct falcon_object *o, enum falcon_field field)
{
    if (!has(o, field)) {
        return (struct channel_part){"", 0};
    }
    must(o->endpoint[field].start + o->endpoint[field].size <= o->endpoints.count);
    return (struct channel_part){o->endpoints.at + o->endpoint[field].start,
                                 o->endpoint[field].size};
}

static uint32_t channel_of(struct falcon_object *o)
{
    if ((o->given & FALCON_ENDPOINTS) == 0) {
        return 0;
    }
    const struct channel c = {.source_host = endpoint_if(o, FALCON_SRC),
                              .source_port = endpoint_if(o, FALCON_SRC_PORT),
                              .destination_host = endpoint_if(o, FALCON_DST),
                              .destination_port = endpoint_if(o, FALCON_DST_PORT)};
    return channel_intern(&o->tables->names, &c);
}

static void count_misplaced(struct falcon_object *o)
{
    const uint32_t misplaced = o->given & ~o->type->fields;
    for (uint32_t field = 0; misplaced >> field != 0; field++) {
        if ((misplaced >> field & 1) != 0) {
            count(&o->misplaced[field], o->offset);
        }
    }
    o->given &= o->type->fields;
}

/* Whether the object is an event; counts the reason if not. */
static bool is_event(struct falcon_object *o)
{
    if (!has(o, FALCON_TYPE)) {
        if (!o->has_unknown_type) {
            count(&o->untyped, o->offset);
        }
        return false;
    }
    if (!has(o, FALCON_THREAD)) {
        count(&o->unthreaded, o->offset);
        return false;
    }
    return true;
}

bool falcon_object_end(struct falcon_object *o, struct event *event)
{
    if (!is_event(o)) {
        return false;
    }
    must(o->type != NULL);
    if ((o->given & ~o->type->fields) != 0) {
        count_misplaced(o);
    }
    *event = (struct event){.kind = o->type->kind,
                            .task = o->number[FALCON_THREAD],
                            .object = number_if(o, FALCON_VARIABLE),
                            .location = number_if(o, FALCON_LOC),
                            .message = number_if(o, FALCON_MESSAGE),
                            .text = number_if(o, FALCON_SOCKET)};
    if (o->type->kind == EVENT_LOG) {
        event->text = has(o, FALCON_DATA) ? o->number[FALCON_DATA] : event->message;
        event->message = 0;
        if (has(o, FALCON_DATA) && has(o, FALCON_MESSAGE)) {
            count(&o->misplaced[FALCON_MESSAGE], o->offset);
        }
    }
    if ((o->type->fields & FALCON_ENDPOINTS) != 0) {
        event->object = channel_of(o);
        event->mode = has(o, FALCON_SOCKET_TYPE) ? o->mode : MODE_UNSAID;
    }
    if (has(o, FALCON_CHILD)) {
        event->peer = o->number[FALCON_CHILD];
        event->has |= HAS_PEER;
    }
    if (has(o, FALCON_TIMESTAMP)) {
        event->time = (int64_t)o->whole[FALCON_TIMESTAMP];
        event->has |= HAS_TIME;
    }
    if (has(o, FALCON_SIZE)) {
        event->size = o->whole[FALCON_SIZE];
        event->has |= HAS_SIZE;
    }
    if (has(o, FALCON_COUNTER)) {
        must(o->whole[FALCON_COUNTER] <= UINT32_MAX);
        event->count = (uint32_t)o->whole[FALCON_COUNTER];
        event->has |= HAS_COUNT;
    }
    return true;
}

int falcon_object_fail(const struct falcon_object *o, struct err *e)
{
    const struct tally *first = NULL;
    const char *what = "";
    const struct {
        const struct tally *tally;
        const char *what;
    } reasons[] = {
        {&o->untyped, "an object without \"type\" is no Falcon event"},
        {&o->unthreaded, "the event has no \"thread\""},
        {&o->unknown_types.of[0], "the event's type is empty"},
        {&o->unknown_types.of[1], "is no type of Falcon event"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].tally->count > 0 &&
            (first == NULL || reasons[i].tally->offset < first->offset)) {
            first = reasons[i].tally;
            what = reasons[i].what;
        }
    }
    if (first == NULL) {
        return 0;
    }
    if (first == &o->unknown_types.of[1]) {
        const struct names *names = &o->unknown_types.names;
        const struct shown type = shown(names_text(names, 1), names_size(names, 1));
        return err_set(e, "byte %" PRIu64 ": %s %s", first->offset, type.text, what);
    }
    return err_set(e, "byte %" PRIu64 ": %s", first->offset, what);
}

/* Notes the count, if there is one, and resets it. */
static void note(struct notes *n, const char *path, struct tally *t, const char *text)
{
    char place[160];
    if (t->count > 0) {
        (void)snprintf(place, sizeof place, "%s: byte %" PRIu64, path, t->offset);
        notes_add_many(n, t->count, place, text);
        *t = (struct tally){0};
    }
}

/* Notes a count per name: the name stands between `before` and `after`. */
static void note_named(struct notes *n, const char *path, struct named_tallies *t,
                       const char *const texts[3])
{
    char text[160];
    for (uint32_t i = 0; i < t->names.list.count; i++) {
        const struct shown name = shown(names_text(&t->names, i), names_size(&t->names, i));
        (void)snprintf(text, sizeof text, "%s %s: %s", texts[0], name.text, texts[1]);
        note(n, path, &t->of[i], text);
    }
    note(n, path, &t->more, texts[2]);
}

_Static_assert(FALCON_FIELD_COUNT <= 32, "a set of fields is a word");

static void note_field(struct falcon_object *o, int field, struct notes *n, const char *path)
{
    char text[160];
    (void)snprintf(text, sizeof text, "field \"%s\" means nothing for its type of event: skipped",
                   field_names[field]);
    note(n, path, &o->misplaced[field], text);
    (void)snprintf(text, sizeof text, "field \"%s\" twice in one event: the last one counts",
                   field_names[field]);
    note(n, path, &o->repeated[field], text);
    for (int fault = 0; fault < FALCON_FAULT_COUNT; fault++) {
        (void)snprintf(text, sizeof text, "field \"%s\" is %s: skipped", field_names[field],
                       faults[fault]);
        note(n, path, &o->unusable[field][fault], text);
    }
}

void falcon_object_note(struct falcon_object *o, struct notes *n, const char *path)
{
    note(n, path, &o->untyped, "objects without a \"type\": skipped");
    note(n, path, &o->unthreaded, "events without a \"thread\": skipped");
    note_named(n, path, &o->unknown_types,
               (const char *const[]){"Falcon has no type", "events skipped",
                                     "more events of types that Falcon does not have: skipped"});
    note_named(n, path, &o->unknown_fields,
               (const char *const[]){"Falcon has no field", "skipped",
                                     "more fields that Falcon does not have: skipped"});
    for (int field = 0; field < FALCON_FIELD_COUNT; field++) {
        note_field(o, field, n, path);
    }
    note(n, path, &o->fractions, "parts of a time below a millisecond: dropped");
    note(n, path, &o->repeated_ids, "ids that an earlier event has: both events are read");
    note(n, path, &o->transport, "socket types that are not known: left unsaid");
}
