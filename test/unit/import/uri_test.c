#include "import/http/uri.h"

#include "test.h"

static const char *shown_text(struct text *t)
{
    text_add_char(t, '\0');
    return t->chars.at;
}

static void check_name(const char *uri, const char *wanted)
{
    struct text name = {0};
    CHECK_INT(uri_name(&name, piece_of(uri)), wanted != NULL);
    CHECK_TEXT(shown_text(&name), wanted == NULL ? "" : wanted);
    text_release(&name);
}

TEST(a_name_is_host_and_path)
{
    check_name("http://localhost/accounts/7/balance", "localhost/accounts/7/balance");
    check_name("https://user:secret@Shop.Example:8443/A/b?x=1#y", "shop.example:8443/A/b");
    check_name("localhost:5984/main/doc", "localhost:5984/main/doc");
    check_name("/accounts/7", "/accounts/7");
    check_name("http://localhost", "localhost");
}

TEST(what_means_the_same_has_one_name)
{
    check_name("http://localhost:80/a", "localhost/a");
    check_name("https://localhost:443/a", "localhost/a");
    check_name("http://localhost:443/a", "localhost:443/a");
    check_name("http://localhost/a/", "localhost/a");
    check_name("http://localhost//a///b", "localhost/a/b");
    check_name("http://localhost/%61%2Fb%7e", "localhost/a%2Fb~");
    check_name("http://localhost/%6", "localhost/%6");
}

TEST(what_is_no_http_has_no_name)
{
    check_name("data:text/plain,hello", NULL);
    check_name("ws://localhost/socket", NULL);
    check_name("chrome-extension://abc/x", NULL);
    check_name("http:localhost", NULL);
    check_name("", NULL);
}

static void check_resolved(const char *base, const char *reference, const char *wanted)
{
    struct text name = {0};
    CHECK_INT(uri_resolve(&name, piece_of(base), piece_of(reference)), wanted != NULL);
    CHECK_TEXT(shown_text(&name), wanted == NULL ? "" : wanted);
    text_release(&name);
}

TEST(references_are_resolved_as_links_are)
{
    check_resolved("localhost:5984/main/_all_docs", "visit_1", "localhost:5984/main/visit_1");
    check_resolved("localhost/a/b", "/c/d", "localhost/c/d");
    check_resolved("localhost/a/b", "http://other/c", "other/c");
    check_resolved("localhost", "c", "localhost/c");
    check_resolved("localhost/a", "", NULL);
}

static void check_template(const char *name, const char *wanted)
{
    struct text template = {0};
    uri_template(&template, piece_of(name));
    CHECK_TEXT(shown_text(&template), wanted);
    text_release(&template);
}

TEST(keys_are_told_from_words)
{
    check_template("localhost:5984/accounts/123456/balance",
                   "localhost:5984/accounts/{id}/balance");
    check_template("h/main/visit_2_ff493467-7087-407d-b9f9-f0cc03fbc167", "h/main/visit_{id}_{id}");
    check_template("h/api/v1/orders/5f1d7f3e9b", "h/api/v1/orders/{id}");
    check_template("h/users/aZ3kd82JfmqPzt01x", "h/users/{id}");
    check_template("h/deadbeef/internationalization", "h/deadbeef/internationalization");
    check_template("10.0.0.1/x", "10.0.0.1/x");
}

static void check_query(const char *uri, const char *parameter, const char *wanted)
{
    struct piece value = {0};
    CHECK_INT(uri_query(piece_of(uri), piece_of(parameter), &value), wanted != NULL);
    CHECK(wanted == NULL || piece_is(value, wanted));
}

TEST(parameters_are_found_by_name)
{
    check_query("http://h/a?rev=1&x=2", "rev", "1");
    check_query("http://h/a?rev=1&x=2", "x", "2");
    check_query("http://h/a?revision=1&x", "rev", NULL);
    check_query("http://h/a?x#rev=1", "rev", NULL);
    check_query("http://h/a?x", "x", "");
    check_query("http://h/a", "x", NULL);
}
