/* rumor - see rumor.h. Each value has a version; of two versions the higher one wins, and of equal
 * ones that of the member with the higher number. */
#include "rumor.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 100 };

struct entry {
    struct entry *next;
    uint32_t version;
    int32_t author;
    bool is_deleted;
    char key[TEXT_MAX + 1];
    char value[TEXT_MAX + 1];
};

struct rumor {
    int self;
    int count;
    uint32_t version; /* the highest that was seen */
    rumor_send *send;
    void *context;
    struct entry *entries;
};

/* A message: this head, then the key and the value with the zero bytes that end them. */
struct head {
    uint32_t version;
    int32_t author;
    uint32_t is_deleted;
};

static struct entry *find(const struct rumor *r, const char *key)
{
    struct entry *e = r->entries;
    while (e != NULL && strcmp(e->key, key) != 0) {
        e = e->next;
    }
    return e;
}

static struct entry *add(struct rumor *r, const char *key)
{
    struct entry *e = calloc(1, sizeof *e);
    if (e == NULL) {
        abort();
    }
    snprintf(e->key, sizeof e->key, "%s", key);
    e->next = r->entries;
    r->entries = e;
    return e;
}

static void take_out(struct rumor *r, struct entry *gone)
{
    struct entry **at = &r->entries;
    while (*at != gone) {
        at = &(*at)->next;
    }
    *at = gone->next;
    free(gone);
}

static bool is_newer(const struct entry *news, const struct entry *known)
{
    return known == NULL || news->version > known->version ||
           (news->version == known->version && news->author > known->author);
}

/* Tells all others but one. */
static void spread(struct rumor *r, const struct entry *e, int but)
{
    const struct head head = {e->version, e->author, e->is_deleted};
    const size_t key_size = strlen(e->key) + 1;
    const size_t value_size = strlen(e->value) + 1;
    char *bytes = malloc(sizeof head + key_size + value_size);
    if (bytes == NULL) {
        abort();
    }
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, e->key, key_size);
    memcpy(bytes + sizeof head + key_size, e->value, value_size);
    for (int to = 0; to < r->count; to++) {
        if (to != r->self && to != but) {
            r->send(r->context, to, bytes, sizeof head + key_size + value_size);
        }
    }
    free(bytes);
}

/* Takes the news into the table, unless it has newer ones. */
static void learn(struct rumor *r, const struct entry *news, int from)
{
    struct entry *known = find(r, news->key);
    if (news->is_deleted) {
        if (known != NULL && is_newer(news, known)) {
            spread(r, news, from);
            take_out(r, known);
        }
        return;
    }
    if (!is_newer(news, known)) {
        return;
    }
    spread(r, news, from);
    known = known == NULL ? add(r, news->key) : known;
    known->version = news->version;
    known->author = news->author;
    known->is_deleted = news->is_deleted;
    memcpy(known->value, news->value, sizeof known->value);
}

static void change(struct rumor *r, const char *key, const char *value, bool is_deleted)
{
    struct entry news = {.version = ++r->version, .author = r->self, .is_deleted = is_deleted};
    snprintf(news.key, sizeof news.key, "%s", key);
    snprintf(news.value, sizeof news.value, "%s", value);
    learn(r, &news, r->self);
}

struct rumor *rumor_new(int self, int count, rumor_send *send, void *context)
{
    struct rumor *r = calloc(1, sizeof *r);
    if (r != NULL) {
        *r = (struct rumor){.self = self, .count = count, .send = send, .context = context};
    }
    return r;
}

void rumor_free(struct rumor *r)
{
    while (r->entries != NULL) {
        take_out(r, r->entries);
    }
    free(r);
}

void rumor_put(struct rumor *r, const char *key, const char *value)
{
    change(r, key, value, false);
}

void rumor_delete(struct rumor *r, const char *key)
{
    change(r, key, "", true);
}

const char *rumor_get(const struct rumor *r, const char *key)
{
    const struct entry *e = find(r, key);
    return e == NULL || e->is_deleted ? NULL : e->value;
}

/* False for bytes that no member sends. */
static bool parse(struct entry *news, const void *bytes, size_t size)
{
    struct head head;
    const char *text = (const char *)bytes + sizeof head;
    if (size < sizeof head + 2 || ((const char *)bytes)[size - 1] != '\0') {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    const size_t key_size = strnlen(text, size - sizeof head) + 1;
    if (key_size > TEXT_MAX + 1 || sizeof head + key_size >= size ||
        size - sizeof head - key_size > TEXT_MAX + 1) {
        return false;
    }
    *news = (struct entry){
        .version = head.version, .author = head.author, .is_deleted = head.is_deleted != 0};
    memcpy(news->key, text, key_size);
    memcpy(news->value, text + key_size, size - sizeof head - key_size);
    return true;
}

void rumor_receive(struct rumor *r, int from, const void *bytes, size_t size)
{
    struct entry news;
    if (parse(&news, bytes, size)) {
        r->version = news.version > r->version ? news.version : r->version;
        learn(r, &news, from);
    }
}

static void print_entry(const struct entry *e, char *text, size_t size)
{
    snprintf(text, size, e->is_deleted ? "%s deleted%s (version %u)" : "%s=%s (version %u)", e->key,
             e->value, e->version);
}

void rumor_print(const struct rumor *r, char *text, size_t size)
{
    snprintf(text, size, "knows nothing");
    for (const struct entry *e = r->entries; e != NULL && size > 1; e = e->next) {
        print_entry(e, text, size);
        const size_t used = strlen(text);
        text += used;
        size -= used;
    }
}

void rumor_print_message(const void *bytes, size_t message_size, char *text, size_t size)
{
    struct entry news;
    if (parse(&news, bytes, message_size)) {
        print_entry(&news, text, size);
    }
}
