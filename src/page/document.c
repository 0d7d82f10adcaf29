#include "page/document.h"

#include <string.h>

#include "page/assets.h"
#include "wire/must.h"

/* Writes text as the content of an element. */
static void print_text(struct out *out, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        const size_t plain = strcspn(at, "&<>\"'");
        out_bytes(out, at, plain);
        at += plain;
        if (*at != '\0') {
            out_format(out, "&#%d;", *at);
            at++;
        }
    }
}

void document_json(struct out *out, const char *json, size_t size)
{
    const char *end = json + size;
    while (json < end) {
        const char *mark = memchr(json, '<', (size_t)(end - json));
        out_bytes(out, json, (size_t)((mark == NULL ? end : mark) - json));
        json = mark == NULL ? end : mark + 1;
        if (mark != NULL) {
            out_text(out, "\\u003c");
        }
    }
}

static void print_head(const struct page *p, struct out *out)
{
    out_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    out_format(out, "script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'\">\n",
               page_script.hash, page_style.hash);
    out_text(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"generator\" content=\"clew " CLEW_VERSION "\">\n<title>");
    print_text(out, p->title);
    out_text(out, "</title>\n<style>");
    out_bytes(out, page_style.text, page_style.size);
    out_text(out, "</style>\n</head>\n<body>\n");
}

static void print_item(struct out *out, const char *before, const char *text)
{
    out_text(out, before);
    print_text(out, text);
}

/* The verdict, the command and the assumptions, which the script shows in its own way. */
static void print_summary(const struct page *p, struct out *out)
{
    print_item(out, "<header id=\"summary\">\n<h1 id=\"verdict\">",
               p->verdict == NULL ? p->title : p->verdict);
    out_text(out, "</h1>\n");
    if (p->replay != NULL) {
        print_item(out, "<p id=\"replay\"><code>", p->replay);
        out_text(out, "</code></p>\n");
    }
    if (p->assumption_count > 0) {
        out_text(out, "<details id=\"assumptions\"><summary>Assumptions</summary>\n<ul>\n");
        for (size_t i = 0; i < p->assumption_count; i++) {
            print_item(out, "<li>", p->assumptions[i]);
            out_text(out, "</li>\n");
        }
        out_text(out, "</ul></details>\n");
    }
    out_text(out, "</header>\n<main id=\"main\"><noscript><p>The diagram needs the script of this "
                  "page, which is part of the file.</p></noscript></main>\n");
}

void document_begin(const struct page *p, struct out *out)
{
    must(p->title != NULL);
    print_head(p, out);
    print_summary(p, out);
}

void document_end(struct out *out)
{
    out_text(out, "<script>");
    out_bytes(out, page_script.text, page_script.size);
    out_text(out, "</script>\n</body>\n</html>\n");
}
