#include "import/falcon_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "trace/channel.h"
#include "trace/kind.h"

const struct falcon_type falcon_types[] = {
#define TYPE(name, kind, fields) {name, sizeof(name) - 1, fields, EVENT_##kind},
    FALCON_TYPE_LIST(TYPE)
#undef TYPE
        {0},
};

static const char *const field_names[FALCON_FIELD_COUNT] = {
#define FIELD(id, name) name,
    FALCON_FIELD_LIST(FIELD)
#undef FIELD
};

void falcon_object_init(struct falcon_object *o, struct tables *t)
{
    *o = (struct falcon_object){.tables = t};
    names_init(&o->strange);
}

void falcon_object_release(struct falcon_object *o)
{
    vec_release(&o->endpoints);
    id_set_release(&o->ids);
    names_release(&o->strange);
}

static void count(struct tally *t, uint64_t offset)
{
    if (t->count++ == 0) {
        t->offset = offset;
    }
}

void falcon_object_begin(struct falcon_object *o, uint64_t offset)
{
    o->offset = offset;
    o->seen = 0;
    o->given = 0;
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

static void count_strange(struct falcon_object *o, const char *key, size_t size)
{
    uint32_t name = names_find(&o->strange, key, size);
    if (name == 0 && size > 0) {
        if (o->strange.list.count > FALCON_STRANGE_MAX) {
            count(&o->strange_more, o->offset);
            return;
        }
        name = names_intern(&o->strange, key, size);
    }
    count(&o->strange_tally[name], o->offset);
}

int falcon_object_key(struct falcon_object *o, const char *key, size_t size,
                      enum falcon_field *field, struct err *e)
{
    *field = field_of(key, size);
    if (*field == FALCON_UNKNOWN) {
        count_strange(o, key, size);
        return 0;
    }
    if ((o->seen & FALCON_BIT(*field)) != 0) {
        return err_set(e, "the event has two fields \"%s\"", field_names[*field]);
    }
    o->seen |= FALCON_BIT(*field);
    return 0;
}

int falcon_object_wrong(enum falcon_field field, const char *what, struct err *e)
{
    return err_set(e, "the event's %s is %s", field_names[field], what);
}

static int set_type(struct falcon_object *o, const char *text, size_t size, struct err *e)
{
    for (const struct falcon_type *type = falcon_types; type->name != NULL; type++) {
        if (type->name_size == size && memcmp(type->name, text, size) == 0) {
            o->type = type;
            return 0;
        }
    }
    return err_set(e, "%s is no type of Falcon event", shown(text, size).text);
}

static int set_task(struct falcon_object *o, enum falcon_field field, const char *text, size_t size,
                    struct err *e)
{
    if (size == 0) {
        return falcon_object_wrong(field, "empty; it should be tid@node", e);
    }
    o->number[field] = memo_task(&o->tasks, o->tables, text, size);
    return 0;
}

static int set_endpoint(struct falcon_object *o, enum falcon_field field, const char *text,
                        size_t size, struct err *e)
{
    if (o->endpoints.count + size > FALCON_CHANNEL_SIZE_MAX) {
        return err_set(e, "the event's endpoints have more than %d bytes", FALCON_CHANNEL_SIZE_MAX);
    }
    vec_reserve(&o->endpoints, o->endpoints.count + size);
    if (size > 0) {
        memcpy(o->endpoints.at + o->endpoints.count, text, size);
    }
    o->endpoint[field].start = o->endpoints.count;
    o->endpoint[field].size = size;
    o->endpoints.count += size;
    return 0;
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
}

static int check_id(bool is_new, const char *text, size_t size, struct err *e)
{
    return is_new ? 0 : err_set(e, "the event's id %s was there before", shown(text, size).text);
}

int falcon_object_text(struct falcon_object *o, enum falcon_field field, const char *text,
                       size_t size, struct err *e)
{
    o->given |= FALCON_BIT(field);
    switch (field) {
    case FALCON_TYPE: return set_type(o, text, size, e);
    case FALCON_THREAD:
    case FALCON_CHILD: return set_task(o, field, text, size, e);
    case FALCON_LOC:
    case FALCON_VARIABLE:
    case FALCON_SOCKET:
        o->number[field] = memo_name(&o->names, &o->tables->names, text, size);
        return 0;
    case FALCON_MESSAGE:
    case FALCON_DATA: o->number[field] = names_intern(&o->tables->names, text, size); return 0;
    case FALCON_SRC:
    case FALCON_SRC_PORT:
    case FALCON_DST:
    case FALCON_DST_PORT: return set_endpoint(o, field, text, size, e);
    case FALCON_SOCKET_TYPE: set_transport(o, text, size); return 0;
    case FALCON_ID: return check_id(id_set_add_text(&o->ids, text, size), text, size, e);
    case FALCON_TIMESTAMP:
    case FALCON_COUNTER:
    case FALCON_SIZE: return falcon_object_wrong(field, "a string, not a number", e);
    case FALCON_UNKNOWN: break;
    }
    bug("a text for no field");
}

/* A whole number as JSON has it. */
struct whole {
    uint64_t magnitude;
    bool is_negative;
    bool fits; /* into 64 bits; else the magnitude means nothing */
};

/* Parses a JSON number, which has no superfluous zeros. False when it has a fraction or an
 * exponent.
 */
static bool parse_whole(struct whole *whole, const char *digits, size_t size)
{
    *whole = (struct whole){.is_negative = digits[0] == '-', .fits = true};
    for (size_t i = whole->is_negative ? 1 : 0; i < size; i++) {
        const unsigned digit = (unsigned)(unsigned char)digits[i] - '0';
        if (digit > 9) {
            return false;
        }
        if (i >= 19) {
            uint64_t tenfold = 0;
            whole->fits = whole->fits && !__builtin_mul_overflow(whole->magnitude, 10, &tenfold) &&
                          tenfold + digit >= tenfold;
        }
        whole->magnitude = whole->magnitude * 10 + digit;
    }
    return true;
}

/* Whether the field can hold the number: times and ids are signed, counters small. */
static bool is_in_range(enum falcon_field field, const struct whole *whole)
{
    if (field == FALCON_TIMESTAMP || field == FALCON_ID) {
        return whole->fits && whole->magnitude <= (uint64_t)INT64_MAX + whole->is_negative;
    }
    const uint64_t most = field == FALCON_COUNTER ? UINT32_MAX : UINT64_MAX;
    return whole->fits && whole->magnitude <= most &&
           (!whole->is_negative || whole->magnitude == 0);
}

/* A number where a text will do stands for its digits. */
static int set_digits(struct falcon_object *o, enum falcon_field field, const char *digits,
                      size_t size, struct err *e)
{
    struct whole whole;
    if (!parse_whole(&whole, digits, size)) {
        return falcon_object_wrong(field, "not a whole number", e);
    }
    return falcon_object_text(o, field, digits, size, e);
}

static int set_whole(struct falcon_object *o, enum falcon_field field, const char *digits,
                     size_t size, struct err *e)
{
    struct whole whole;
    if (!parse_whole(&whole, digits, size)) {
        return falcon_object_wrong(field, "not a whole number", e);
    }
    if (!is_in_range(field, &whole)) {
        return err_set(e, "the event's %s %s is out of range", field_names[field],
                       shown(digits, size).text);
    }
    o->whole[field] = whole.is_negative ? 0 - whole.magnitude : whole.magnitude;
    o->given |= FALCON_BIT(field);
    if (field == FALCON_ID) {
        return check_id(id_set_add(&o->ids, (int64_t)o->whole[field]), digits, size, e);
    }
    return 0;
}

int falcon_object_number(struct falcon_object *o, enum falcon_field field, const char *digits,
                         size_t size, struct err *e)
{
    must(size > 0);
    switch (field) {
    case FALCON_SRC_PORT:
    case FALCON_DST_PORT:
    case FALCON_MESSAGE:
    case FALCON_DATA: return set_digits(o, field, digits, size, e);
    case FALCON_TIMESTAMP:
    case FALCON_COUNTER:
    case FALCON_SIZE:
    case FALCON_ID: return set_whole(o, field, digits, size, e);
    case FALCON_THREAD:
    case FALCON_TYPE:
    case FALCON_LOC:
    case FALCON_VARIABLE:
    case FALCON_CHILD:
    case FALCON_SRC:
    case FALCON_DST:
    case FALCON_SOCKET_TYPE:
    case FALCON_SOCKET: return falcon_object_wrong(field, "a number, not a string", e);
    case FALCON_UNKNOWN: break;
    }
    bug("a number for no field");
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

int falcon_object_end(struct falcon_object *o, struct event *event, struct err *e)
{
    if (!has(o, FALCON_TYPE)) {
        return err_set(e, "an object without \"type\" is no Falcon event");
    }
    if (!has(o, FALCON_THREAD)) {
        return err_set(e, "the event has no \"thread\"");
    }
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
        event->count = (uint32_t)o->whole[FALCON_COUNTER];
        event->has |= HAS_COUNT;
    }
    return 0;
}

/* Remarks `count` things and forgets them. */
static void note(struct notes *n, const char *path, struct tally *t, const char *text)
{
    char place[160];
    (void)snprintf(place, sizeof place, "%s: byte %" PRIu64, path, t->offset);
    notes_add_many(n, t->count, place, text);
    *t = (struct tally){0};
}

void falcon_object_note(struct falcon_object *o, struct notes *n, const char *path)
{
    char text[160];
    for (uint32_t i = 0; i < o->strange.list.count; i++) {
        const struct shown name = shown(names_text(&o->strange, i), names_size(&o->strange, i));
        (void)snprintf(text, sizeof text, "Falcon has no field %s: skipped", name.text);
        note(n, path, &o->strange_tally[i], text);
    }
    note(n, path, &o->strange_more, "more fields that Falcon does not have: skipped");
    for (int field = 0; field < FALCON_FIELD_COUNT; field++) {
        (void)snprintf(text, sizeof text,
                       "field \"%s\" means nothing for its type of event: skipped",
                       field_names[field]);
        note(n, path, &o->misplaced[field], text);
    }
    note(n, path, &o->transport, "socket types that are not known: left unsaid");
}
