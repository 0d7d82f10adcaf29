#include "trace/channel.h"

#include "base/mem.h"
#include "test.h"
#include "wire/prng.h"

static struct channel_part part(const char *text)
{
    return (struct channel_part){text, strlen(text)};
}

static struct channel channel(const char *source_host, const char *source_port,
                              const char *destination_host, const char *destination_port)
{
    return (struct channel){.source_host = part(source_host),
                            .source_port = part(source_port),
                            .destination_host = part(destination_host),
                            .destination_port = part(destination_port)};
}

static void check_part(struct channel_part got, struct channel_part wanted)
{
    CHECK_INT(got.size, wanted.size);
    if (wanted.size > 0) {
        assert_memory_equal(got.text, wanted.text, wanted.size);
    }
}

/* The name of the channel, after checking that it gives back the parts. */
static const char *name_of(struct names *n, const struct channel *c)
{
    const uint32_t id = channel_intern(n, c);
    struct channel back;
    CHECK(channel_parse(&back, names_text(n, id), names_size(n, id)));
    check_part(back.source_host, c->source_host);
    check_part(back.source_port, c->source_port);
    check_part(back.destination_host, c->destination_host);
    check_part(back.destination_port, c->destination_port);
    CHECK_INT(channel_intern(n, &back), id);
    return names_text(n, id);
}

TEST(a_channel_is_named_by_its_endpoints)
{
    struct names n;
    names_init(&n);
    const struct channel both = channel("10.0.0.1", "80", "10.0.0.2", "4711");
    CHECK_TEXT(name_of(&n, &both), "10.0.0.1:80>10.0.0.2:4711");
    const struct channel no_ports = channel("a", "", "b", "");
    CHECK_TEXT(name_of(&n, &no_ports), "a>b");
    const struct channel nothing = channel("", "", "", "");
    CHECK_TEXT(name_of(&n, &nothing), ">");
    const struct channel six = channel("::1", "", "fe80::1", "80");
    CHECK_TEXT(name_of(&n, &six), "::1:>fe80::1:80");
    const struct channel odd = channel("a>b", "5", "c", "80");
    CHECK_TEXT(name_of(&n, &odd), "#3.1.1#a>b:5>c:80");
    names_release(&n);
}

TEST(endpoints_are_given_whole)
{
    struct channel c;
    CHECK(channel_parse(&c, "::1:80>b:1", 10));
    check_part(c.source, part("::1:80"));
    check_part(c.destination, part("b:1"));
    CHECK(channel_parse(&c, "#3.1.1#a>b:5>c:80", 17));
    check_part(c.source, part("a>b:5"));
    check_part(c.destination, part("c:80"));
    CHECK(!channel_parse(&c, "no channel", 10));
    CHECK(!channel_parse(&c, "", 0));
    CHECK(!channel_parse(&c, "#1.2.3#", 7));
}

TEST(a_long_name_is_kept_whole)
{
    enum { SIZE = 5000 };
    char *host = mem_resize(NULL, SIZE + 1);
    memset(host, 'h', SIZE);
    host[SIZE] = '\0';
    struct names n;
    names_init(&n);
    const struct channel c = channel(host, "1", host, "2");
    CHECK_INT(strlen(name_of(&n, &c)), 2 * SIZE + 5);
    names_release(&n);
    mem_free(host);
}

/* Different parts never share a name: names of all channels over few letters, the separators among
 * them, give back their parts. */
TEST(any_parts_come_back_from_the_name)
{
    static const char letters[] = {':', '>', '#', '.', '1', 'a', '\0'};
    struct names n;
    names_init(&n);
    struct prng prng;
    prng_init(&prng, 7);
    for (uint64_t i = test_count(20000, 2000000); i > 0; i--) {
        char texts[4][4];
        struct channel_part parts[4];
        for (int p = 0; p < 4; p++) {
            parts[p] = (struct channel_part){texts[p], (size_t)prng_below(&prng, 4)};
            for (size_t at = 0; at < parts[p].size; at++) {
                texts[p][at] = letters[prng_below(&prng, sizeof letters)];
            }
        }
        const struct channel c = {.source_host = parts[0],
                                  .source_port = parts[1],
                                  .destination_host = parts[2],
                                  .destination_port = parts[3]};
        (void)name_of(&n, &c);
    }
    names_release(&n);
}
