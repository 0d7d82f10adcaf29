#include "base/json_reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

/* yajl requests some blocks of size 0. */
static void *take(void *context, size_t size)
{
    (void)context;
    return mem_resize(NULL, size > 0 ? size : 1);
}

static void *resize(void *context, void *block, size_t size)
{
    (void)context;
    return mem_resize(block, size > 0 ? size : 1);
}

static void give_back(void *context, void *block)
{
    (void)context;
    mem_free(block);
}

yajl_handle json_reader_new(const yajl_callbacks *callbacks, void *context)
{
    yajl_alloc_funcs memory = {.malloc = take, .realloc = resize, .free = give_back};
    yajl_handle parser = yajl_alloc(callbacks, &memory, context);
    must(parser != NULL);
    return parser;
}

int json_reader_feed(yajl_handle parser, const char *bytes, size_t size)
{
    return yajl_parse(parser, (const unsigned char *)bytes, size) == yajl_status_ok ? 0 : -1;
}

/* The text of yajl is "parse error: why", a new line, and more. */
int json_reader_fail(yajl_handle parser, uint64_t offset, struct err *e)
{
    unsigned char *reason = yajl_get_error(parser, 0, NULL, 0);
    const char *text = (const char *)reason;
    const char *colon = strstr(text, ": ");
    text = colon == NULL ? text : colon + 2;
    (void)err_set(e, "byte %" PRIu64 ": not JSON: %.*s", offset, (int)strcspn(text, "\n"), text);
    yajl_free_error(parser, reason);
    return -1;
}
