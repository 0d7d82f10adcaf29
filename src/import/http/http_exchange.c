#include "import/http/http_exchange.h"

static void headers_clear(struct http_headers *h)
{
    text_clear(&h->bytes);
    vec_clear(&h->list);
}

static void body_clear(struct http_body *b)
{
    text_clear(&b->text);
    b->is_base64 = b->is_cut = false;
}

void http_exchange_clear(struct http_exchange *x, uint64_t offset)
{
    text_clear(&x->method);
    text_clear(&x->uri);
    text_clear(&x->track);
    text_clear(&x->span);
    text_clear(&x->parent);
    x->view = VIEW_UNSAID;
    headers_clear(&x->asked);
    headers_clear(&x->told);
    body_clear(&x->sent);
    body_clear(&x->got);
    x->status = 0;
    x->start_ns = x->end_ns = 0;
    x->has_start = x->has_end = false;
    x->offset = offset;
}

void http_exchange_release(struct http_exchange *x)
{
    text_release(&x->method);
    text_release(&x->uri);
    text_release(&x->track);
    text_release(&x->span);
    text_release(&x->parent);
    text_release(&x->asked.bytes);
    vec_release(&x->asked.list);
    text_release(&x->told.bytes);
    vec_release(&x->told.list);
    text_release(&x->sent.text);
    text_release(&x->got.text);
}

void http_headers_add(struct http_headers *h, struct piece name, struct piece value)
{
    const struct http_header header = {.name = h->bytes.chars.count,
                                       .name_size = name.size,
                                       .value = h->bytes.chars.count + name.size,
                                       .value_size = value.size};
    text_add(&h->bytes, name);
    text_add(&h->bytes, value);
    vec_push(&h->list, header);
}

bool http_headers_find(const struct http_headers *h, struct piece name, struct piece *value)
{
    vec_each (&h->list, header) {
        if (header->name_size == name.size && name.size > 0 &&
            strncasecmp(h->bytes.chars.at + header->name, name.at, name.size) == 0) {
            const struct piece found = {header->value_size == 0 ? ""
                                                                : h->bytes.chars.at + header->value,
                                        header->value_size};
            *value = piece_trimmed(found);
            return true;
        }
    }
    return false;
}
