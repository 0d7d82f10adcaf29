/* rumor - a table of keys and values that all members of a group share, spread by gossip.
 *
 *     struct rumor *r = rumor_new(self, count, send, context);
 *     rumor_put(r, "color", "blue");          every member will know
 *     rumor_receive(r, from, bytes, size);    what send() was given elsewhere
 *     puts(rumor_get(r, "color"));
 *
 * A member that hears something new tells all others but the one it heard it from, so news arrive
 * even where two members cannot reach each other. */
#ifndef RUMOR_H
#define RUMOR_H

#include <stddef.h>

struct rumor;

/* Delivers bytes to another member, some time; messages to one member arrive in order. */
typedef void rumor_send(void *context, int to, const void *bytes, size_t size);

/* A member of a group of `count`, numbered from 0. */
struct rumor *rumor_new(int self, int count, rumor_send *send, void *context);
void rumor_free(struct rumor *r);

/* Keys and values have at most 100 bytes. */
void rumor_put(struct rumor *r, const char *key, const char *value);
void rumor_delete(struct rumor *r, const char *key);
const char *rumor_get(const struct rumor *r, const char *key); /* NULL: no value */

/* What another member sent. */
void rumor_receive(struct rumor *r, int from, const void *bytes, size_t size);

/* For people: the whole table, and one message. */
void rumor_print(const struct rumor *r, char *text, size_t size);
void rumor_print_message(const void *bytes, size_t message_size, char *text, size_t size);

#endif
