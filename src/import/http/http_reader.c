#include "import/http/http_reader.h"

#include "base/mem.h"

static int next_batch(struct cursor *c, struct batch *b, struct err *e)
{
    struct http_reader *r = (struct http_reader *)c;
    if (!r->is_read) {
        if (r->ops->read(r, e) < 0 || http_log_seal(&r->log, c->path, c->in.offset, e) < 0) {
            return -1;
        }
        r->is_read = true;
    }
    return http_log_batch(&r->log, b) ? 1 : 0;
}

static void close_reader(struct cursor *c)
{
    struct http_reader *r = (struct http_reader *)c;
    if (r->ops->release != NULL) {
        r->ops->release(r);
    }
    http_exchange_release(&r->exchange);
    http_log_release(&r->log);
}

static const struct cursor_ops reader_ops = {.next = next_batch, .close = close_reader};

struct cursor *http_reader_new(size_t size, const struct http_reader_ops *ops, struct in *in,
                               struct tables *t, struct notes *n)
{
    struct http_reader *r = mem_zero(1, size);
    r->cursor = (struct cursor){.ops = &reader_ops, .tables = t, .notes = n, .in = *in};
    r->ops = ops;
    http_log_init(&r->log, t, n);
    t->order = ORDER_NODE;
    t->source = names_intern_text(&t->names, ops->source);
    return &r->cursor;
}

void http_reader_verb(struct http_reader *r, struct piece word)
{
    if (word.size > 4 && strncasecmp(word.at, "http", 4) == 0) {
        word = piece_after(word, 4);
    }
    for (size_t i = 0; i < word.size; i++) {
        const char c = word.at[i];
        text_add_char(&r->exchange.method, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

int http_reader_status(struct piece text)
{
    int status = 0;
    for (size_t i = 0; i < text.size && i < 3; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') {
            return 0;
        }
        status = status * 10 + (text.at[i] - '0');
    }
    const bool goes_on = text.size > 3 && text.at[3] >= '0' && text.at[3] <= '9';
    return text.size < 3 || goes_on ? 0 : status;
}
