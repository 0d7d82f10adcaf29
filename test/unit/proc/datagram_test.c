/* Datagrams under way, found again by destination and content. */
#include "proc/record/datagram.h"

#include "test.h"

struct network {
    struct names names;
    struct datagrams datagrams;
};

static struct network network_new(void)
{
    struct network n = {0};
    names_init(&n.names);
    return n;
}

static void network_release(struct network *n)
{
    datagrams_release(&n->datagrams);
    names_release(&n->names);
}

static struct datagram datagram(struct network *n, const char *source, const char *destination,
                                uint64_t hash)
{
    return (struct datagram){.hash = hash,
                             .size = 8,
                             .source = names_intern_text(&n->names, source),
                             .destination = names_intern_text(&n->names, destination)};
}

static const char *send(struct network *n, const char *source, const char *destination,
                        uint64_t hash)
{
    struct datagram d = datagram(n, source, destination, hash);
    datagrams_send(&n->datagrams, &n->names, &d);
    return names_text(&n->names, d.message);
}

/* The name of what is received; "" when nobody sent it. */
static const char *receive(struct network *n, const char *source, const char *destination,
                           uint64_t hash, uint64_t size)
{
    struct datagram d = datagram(n, source, destination, hash);
    d.size = size;
    const struct datagram *sent = datagrams_receive(&n->datagrams, &n->names, &d);
    return sent == NULL ? "" : names_text(&n->names, sent->message);
}

TEST(equal_datagrams_have_names_of_their_own_and_arrive_in_order)
{
    struct network n = network_new();
    CHECK_TEXT(send(&n, "a:1", "b:2", 0xabc), "abc");
    CHECK_TEXT(send(&n, "a:1", "b:2", 0xabc), "abc#2");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 0xabc, 8), "abc");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 0xabc, 8), "abc#2");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 0xabc, 8), "");
    network_release(&n);
}

TEST(datagrams_may_overtake_each_other)
{
    struct network n = network_new();
    (void)send(&n, "a:1", "b:2", 1);
    (void)send(&n, "a:1", "b:2", 2);
    (void)send(&n, "a:1", "b:2", 3);
    CHECK_TEXT(receive(&n, "a:1", "b:2", 3, 8), "3");
    CHECK_TEXT(send(&n, "a:1", "b:2", 4), "4");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 2, 8), "2");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 4, 8), "4");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 1, 8), "1");
    network_release(&n);
}

TEST(a_receiver_may_not_know_the_sender_nor_its_own_address)
{
    struct network n = network_new();
    (void)send(&n, "127.0.0.1:5", "127.0.0.1:2", 1);
    CHECK_TEXT(receive(&n, "", "0.0.0.0:2", 1, 8), "1");
    network_release(&n);
}

TEST(another_destination_or_sender_is_another_datagram)
{
    struct network n = network_new();
    (void)send(&n, "a:1", "b:2", 1);
    CHECK_TEXT(receive(&n, "a:1", "c:2", 1, 8), "");
    CHECK_TEXT(receive(&n, "a:7", "b:2", 1, 8), "");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 1, 8), "1");
    network_release(&n);
}

TEST(one_that_was_cut_is_known_by_its_way)
{
    struct network n = network_new();
    (void)send(&n, "a:1", "b:2", 1);
    CHECK_TEXT(receive(&n, "a:1", "b:2", 99, 8), "");
    CHECK_TEXT(receive(&n, "a:1", "b:2", 99, 3), "1");
    network_release(&n);
}
