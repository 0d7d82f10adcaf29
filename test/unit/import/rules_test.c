#include "import/http/http_rules.h"

#include "fault.h"
#include "fuzz.h"
#include "mutate.h"
#include "scratch.h"
#include "test.h"

FUZZ_DECLARE(rules);

/* Everything that is wrong with the text, a line each. */
static void check_faults(const char *text, const char *wanted)
{
    struct http_rules r;
    struct http_faults f = {0};
    struct text got = {0};
    CHECK_INT(http_rules_parse(&r, text, strlen(text), &f), wanted[0] == '\0' ? 0 : -1);
    vec_each (&f.list, fault) {
        char line[256];
        (void)snprintf(line, sizeof line, "%u:%u: %s\n", fault->line, fault->column, fault->text);
        text_add(&got, piece_of(line));
    }
    text_add_char(&got, '\0');
    CHECK_TEXT(got.chars.at, wanted);
    text_release(&got);
    http_faults_release(&f);
    http_rules_release(&r);
}

TEST(every_rule_is_read)
{
    check_faults("# all of them\n"
                 "\n"
                 "track  header traceparent:trace-id | X-Request-ID | User-Agent\n"
                 "lock   POST|DELETE  */locks/{id}   # a comment\n"
                 "read   POST  */{db}/_all_docs        res=body:$.keys[*]\r\n"
                 "copy   POST  */b/{sb}/o/{so}/copyTo/b/{b}/o/{o}  read={sb}/{so} write={b}/{o}\n"
                 "version header:If-Match | body:$._rev | query:rev | query:ifGenerationMatch\n"
                 "version query:generation from header:x-goog-generation\n"
                 "conflict 409 412\n"
                 "ignore GET|HEAD */health\n"
                 "write  DELETE */things/{id}\n"
                 "barrier POST */jobs/{id}/done        before GET */jobs/{id}/result\n"
                 "line   '%t %level [%task] %verb %res %status'\n"
                 "line   %task %verb %res\n"
                 "track cookie:session|query:id|body:$.id",
                 "");
}

TEST(faults_have_their_line_and_column_and_a_suggestion)
{
    check_faults(
        "tarck X\n"
        "read PSOT */a\n"
        "read GET */a ress=x\n"
        "  read GET */{a res=x\n"
        "read GET */{id} res={idd}\n"
        "version heder:If-Match\n"
        "barrier POST */a befor GET */b\n"
        "line '%t %tsak %verb %res'\n",
        "1:1: no rule begins with \"tarck\", did you mean track?\n"
        "2:6: no verb of HTTP: \"PSOT\", did you mean POST?\n"
        "3:14: not known here: \"ress=x\", did you mean res?\n"
        "4:14: a { without its }\n"
        "5:22: a name that the pattern does not have \"idd\", did you mean id?\n"
        "6:9: header:, query:, cookie: or body: is wanted, not \"heder:If-Match\", did you "
        "mean header?\n"
        "7:18: before is wanted, not \"befor\", did you mean before?\n"
        "8:10: no field of this name: %tsak, did you mean %task?\n");
}

TEST(a_wrong_field_of_a_line_is_quoted)
{
    check_faults("line '%t %zzqq %verb %res'\n"
                 "line '%Task %verb %res'\n"
                 "line '%t % %verb %res'\n"
                 "line '%verb%res'\n"
                 "line '%verb %res %verb'\n",
                 "1:10: no field of this name: %zzqq; there are %t, %task, %verb, %res, %status, "
                 "%version, %etag, %level, %*\n"
                 "2:7: no field of this name: %Task, did you mean %task?\n"
                 "3:10: a % without the name of a field; %% stands for itself\n"
                 "4:12: two fields without anything between them\n"
                 "5:18: a field that is there twice\n");
}

TEST(what_is_missing_or_too_much_is_named)
{
    check_faults("track\n"
                 "track header\n"
                 "version\n"
                 "conflict\n"
                 "conflict 409 4x2\n"
                 "conflict 1409\n"
                 "read\n"
                 "read GET\n"
                 "read GET| */a\n"
                 "lock POST */a\n"
                 "copy POST */{a} read={a}\n"
                 "ignore GET */a */b\n"
                 "barrier POST */{a}\n"
                 "barrier POST */a before GET */{id}\n"
                 "line\n"
                 "line '%t\n"
                 "line '%verb%res'\n"
                 "line '%verb %res %verb'\n"
                 "read POST */a res=body:keys\n"
                 "track X-Id:span\n"
                 "track header:\n",
                 "1:6: the name of a header is missing\n"
                 "2:13: the name of a header is missing\n"
                 "3:8: where a write has its version is missing (header:If-Match)\n"
                 "4:9: a status from 100 to 599 is wanted, not \"\"\n"
                 "5:14: a status from 100 to 599 is wanted, not \"4x2\"\n"
                 "6:10: a status from 100 to 599 is wanted, not \"1409\"\n"
                 "7:5: a verb of HTTP is missing\n"
                 "8:9: the resource is missing (*/things/{id})\n"
                 "9:11: no verb of HTTP: \"*/a\"\n"
                 "10:6: a lock has two verbs, the one that locks and the one that unlocks "
                 "(POST|DELETE)\n"
                 "11:25: write= is missing\n"
                 "12:16: more than the rule needs: \"*/b\"\n"
                 "13:19: before is wanted, not \"\"\n"
                 "14:25: the name \"id\" is not one of the request before\n"
                 "15:5: no %verb in it\n"
                 "16:6: a quote without its end\n"
                 "17:12: two fields without anything between them\n"
                 "18:18: a field that is there twice\n"
                 "19:24: a path begins with $\n"
                 "20:11: a header's part is trace-id, not \"span\"\n");
}

TEST(a_file_replaces_what_it_says_and_keeps_the_rest)
{
    struct http_rules r;
    struct http_faults f = {0};
    const char text[] = "conflict 423\nread POST */search\n";
    CHECK_INT(http_rules_parse(&r, text, strlen(text), &f), 0);
    CHECK_INT(r.written, 2);
    CHECK(http_rules_is_conflict(&r, 423));
    CHECK(!http_rules_is_conflict(&r, 409));
    CHECK_INT(r.track_count, 2);
    CHECK_INT(r.list.count, 4);
    CHECK_INT(r.list.at[0]->line, 2);
    CHECK_INT(r.list.at[1]->type, RULE_LOCK);
    CHECK(!r.wants_body);
    http_rules_release(&r);
}

static int read_file(void *context)
{
    struct http_rules r;
    struct http_faults f = {0};
    struct err e = {0};
    const int status = http_rules_read(&r, context, &f, &e);
    http_faults_release(&f);
    http_rules_release(&r);
    return status < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_reading_rules_may_fail)
{
    const char text[] = "track X\nread POST */{a} res={a}\nline '%verb %res'\n";
    static char path[1024];
    (void)snprintf(path, sizeof path, "%s", scratch_write("x.rules", text, strlen(text)));
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_file, .context = path}) > 5);
}

TEST(rules_survive_any_bytes)
{
    mutate_entry("rules", fuzz_rules);
}

static void check_line(const char *pattern, const char *line, const char *wanted)
{
    struct arena a = {0};
    struct line_pattern p;
    struct line_fields f;
    struct text got = {0};
    const char *wrong = NULL;
    size_t at = 0;
    struct piece word;
    CHECK(line_pattern_parse(&p, &a, piece_of(pattern), &wrong, &at, &word));
    if (line_pattern_matches(&p, piece_of(line), &f)) {
        for (size_t i = 0; i < LINE_FIELD_COUNT; i++) {
            text_add(&got, f.values[i]);
            text_add_char(&got, ';');
        }
    }
    text_add_char(&got, '\0');
    CHECK_TEXT(got.chars.at, wanted);
    text_release(&got);
    arena_release(&a);
}

TEST(lines_are_taken_apart)
{
    const char pattern[] = "%t %level [%task] %verb %res %status";
    check_line(pattern, "2024-05-01 10:00:00,123  INFO [req-1] GET /a/b 200 OK",
               "2024-05-01 10:00:00,123;req-1;GET;/a/b;200 OK;;;INFO;;");
    check_line(pattern, "2024-05-01 10:00:00,123 INFO started", "");
    check_line(pattern, "yesterday INFO [req-1] GET /a/b 200", "");
    check_line("%%%task: %verb=%res", "%1 2: PUT=/x", ";1 2;PUT;/x;;;;;;");
    check_line("%verb %res %*", "PUT /x and more", ";;PUT;/x;;;;;and more;");
    check_line("%verb %res v%version e%etag", "PUT /x v1 e2", ";;PUT;/x;;1;2;;;");
}
