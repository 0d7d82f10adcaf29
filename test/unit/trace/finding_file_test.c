#include "report/findings_file.h"

#include "base/mem.h"
#include "fault.h"
#include "scratch.h"
#include "test.h"
#include "trace_of.h"

static void fill(struct finding_file *f)
{
    static const uint64_t witness[] = {0, 2, 1};
    const struct trace *t = trace_of("T1@a w x @A.java:1; T2@a r x; T1@a snd c msg=m");
    f->verb = "races";
    vec_push(&f->inputs, "a.log");
    vec_push(&f->inputs, "odd \"name\"\n.log");
    f->event_count = UINT64_MAX;
    f->verdict = VERDICT_FOUND;
    finding_file_count(f, "data_races", 1);
    finding_file_text(f, "order", "exact");
    vec_push(&f->stats, (struct figure){.group = "kinds", .name = "write", .count = 1});
    vec_push(&f->stats, (struct figure){.group = "kinds", .name = "read", .count = 1});
    finding_file_flag(f, "exhausted", true);
    finding_file_real(f, "cpu_seconds", 0.25);
    vec_push(&f->assumptions, "locks are scoped to their node");

    struct finding_event *events = arena_array(&f->findings.arena, struct finding_event, 2);
    events[0] = findings_event(&f->findings, t, 0, 0);
    events[0].offset = 4096;
    events[1] = findings_event(&f->findings, t, 1, 1);
    events[1].is_joined = true;
    events[1].number = 5;
    events[1].stack = "get < main a.c:3";
    findings_add(&f->findings, &(struct finding){
                                   .kind = FINDING_DATA_RACE,
                                   .grade = GRADE_SOUND,
                                   .what = "T1 writes x while T2 reads it",
                                   .why = "nothing orders them",
                                   .key = "data-race:x",
                                   .events = events,
                                   .event_count = 2,
                                   .witness = witness,
                                   .witness_count = 3,
                                   .replay = "clew replay a.sched",
                                   .pair_count = 7,
                               });
    findings_add(&f->findings, &(struct finding){
                                   .kind = FINDING_UNFINISHED,
                                   .status = STATUS_UNKNOWN,
                                   .severity = SEVERITY_NOTE,
                                   .what = "m is held at the end",
                                   .key = "unfinished:m",
                                   .pair_count = 1,
                               });
}

static int parse(struct finding_file *f, const char *text, size_t size, struct err *e)
{
    struct in in;
    in_open_memory(&in, text, size);
    return finding_file_parse(f, &in, e);
}

TEST(a_file_is_one_object_with_a_finding_a_line)
{
    struct finding_file f = {0};
    fill(&f);
    struct out out;
    out_open_memory(&out);
    finding_file_print(&f, &out);
    out_char(&out, '\0');
    CHECK_TEXT(
        out.buffer,
        "{\n"
        "  \"clew\": \"" CLEW_VERSION "\",\n"
        "  \"schema\": 1,\n"
        "  \"verb\": \"races\",\n"
        "  \"inputs\": [\n"
        "    \"a.log\",\n"
        "    \"odd \\\"name\\\"\\n.log\"\n"
        "  ],\n"
        "  \"events\": 18446744073709551615,\n"
        "  \"verdict\": \"found\",\n"
        "  \"stats\": {\n"
        "    \"data_races\": 1,\n"
        "    \"order\": \"exact\",\n"
        "    \"kinds\": {\n"
        "      \"write\": 1,\n"
        "      \"read\": 1\n"
        "    },\n"
        "    \"exhausted\": true,\n"
        "    \"cpu_seconds\": 0.25\n"
        "  },\n"
        "  \"assumptions\": [\n"
        "    \"locks are scoped to their node\"\n"
        "  ],\n"
        "  \"findings\": [\n"
        "    {\"id\":1,\"kind\":\"data-race\",\"status\":\"predicted\",\"grade\":\"sound\","
        "\"severity\":\"error\",\"what\":\"T1 writes x while T2 reads it\","
        "\"why\":\"nothing orders them\",\"key\":\"data-race:x\",\"pairs\":7,\"events\":["
        "{\"input\":0,\"index\":0,\"offset\":4096,\"node\":\"a\",\"task\":\"T1\",\"access\":\"W\","
        "\"object\":\"x\",\"location\":\"A.java:1\"},"
        "{\"input\":1,\"index\":1,\"number\":5,\"node\":\"a\",\"task\":\"T2\",\"access\":\"R\","
        "\"object\":\"x\",\"location\":\"\",\"stack\":\"get < main a.c:3\"}],"
        "\"witness\":[0,2,1],\"replay\":\"clew replay a.sched\"},\n"
        "    {\"id\":2,\"kind\":\"unfinished\",\"status\":\"unknown\",\"grade\":null,"
        "\"severity\":\"note\",\"what\":\"m is held at the end\",\"key\":\"unfinished:m\","
        "\"events\":[],\"witness\":null,\"replay\":null}\n"
        "  ]\n"
        "}\n");
    out_abandon(&out);
    finding_file_release(&f);
}

static void print_weather(const void *context, struct json *j)
{
    json_text(j, "weather", context);
}

TEST(what_only_one_verb_says_stands_in_the_object_and_is_skipped)
{
    struct finding_file f = {.print_more = print_weather, .context = "fine"};
    fill(&f);
    struct out out;
    out_open_memory(&out);
    finding_file_print(&f, &out);
    finding_file_release(&f);
    out_char(&out, '\0');
    CHECK(strstr(out.buffer, "\n  \"weather\": \"fine\",\n") != NULL);

    struct err e;
    f = (struct finding_file){0};
    CHECK_INT(parse(&f, out.buffer, out.used - 1, &e), 0);
    CHECK_INT(f.findings.list.count, 2);
    finding_file_release(&f);
    out_abandon(&out);
}

TEST(what_is_printed_is_read_back_the_same)
{
    struct finding_file f = {0};
    fill(&f);
    struct out first, second;
    out_open_memory(&first);
    finding_file_print(&f, &first);
    finding_file_release(&f);

    struct err e;
    CHECK_INT(parse(&f, first.buffer, first.used, &e), 0);
    CHECK_INT(f.findings.list.count, 2);
    CHECK_INT(f.findings.list.at[0].witness_count, 3);
    CHECK(f.findings.list.at[1].witness == NULL);
    out_open_memory(&second);
    finding_file_print(&f, &second);
    CHECK_INT(first.used, second.used);
    CHECK(memcmp(first.buffer, second.buffer, first.used) == 0);
    finding_file_release(&f);
    out_abandon(&first);
    out_abandon(&second);
}

#define HEAD "{\"schema\":1,\"verb\":\"v\",\"inputs\":[],\"events\":0,\"verdict\":\"clean\","

TEST(what_is_not_known_is_skipped)
{
    struct finding_file f = {0};
    struct err e;
    const char text[] = HEAD "\"new\":{\"a\":[1,{\"b\":null}]},\"findings\":[],\"later\":[[]],"
                             "\"stats\":{\"list\":[1],\"none\":null,\"n\":3}}";
    CHECK_INT(parse(&f, text, sizeof text - 1, &e), 0);
    CHECK_INT(f.stats.count, 1);
    CHECK_TEXT(f.stats.at[0].name, "n");
    finding_file_release(&f);
}

TEST(what_is_wrong_is_named_with_its_byte)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "byte 0: parse error: premature EOF"},
        {"[]", "byte 1: a findings file is one JSON object"},
        {"{}", "byte 2: \"schema\" is missing"},
        {"{\"schema\":2}", "byte 11: \"schema\" is not 1: written by a newer clew"},
        {"{\"schema\":-1}", "byte 12: \"schema\" must be a whole number that is not negative and "
                            "fits in 64 bits"},
        {"{\"verb\":1}", "byte 9: \"verb\" must be a text"},
        {"{\"verb\":{}}", "byte 9: \"verb\" must be a text"},
        {"{\"verb\":null}", "byte 12: \"verb\" must be a text"},
        {"{\"verb\":\"a\",\"verb\":\"b\"}", "byte 18: \"verb\" is there twice"},
        {"{\"verb\":\"a\\u0000b\"}", "byte 18: a text holds a zero byte"},
        {"{\"verdict\":\"guilty\"}", "byte 19: \"verdict\" has a value this clew does not know"},
        {"{\"inputs\":[1]}", "byte 12: only texts belong here"},
        {"{\"inputs\":[\"\xff\"]}", "byte 13: lexical error: invalid bytes in UTF8 string."},
        {"{\"events\":18446744073709551616}", "byte 30: \"events\" must be a whole number that is "
                                              "not negative and fits in 64 bits"},
        {"{\"stats\":{\"x\":1e999}}", "byte 19: a number is out of range"},
        {"{\"findings\":[{\"events\":[{}]}]}", "byte 26: \"input\" is missing"},
        {"{\"findings\":[{\"id\":0}]}", "byte 20: \"id\" is out of range"},
        {"{\"a\":[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]}", "byte 21: nested deeper than 16"},
        {HEAD "\"findings\":[]}x", "byte 79: parse error: trailing garbage"},
        {HEAD "\"findings\":[{\"id\":3,\"kind\":\"hang\",\"status\":\"refuted\",\"severity\":"
              "\"error\",\"what\":\"\",\"key\":\"\",\"events\":[{\"input\":1,\"index\":0,\"node\":"
              "\"\",\"task\":\"\",\"access\":\"\",\"object\":\"\",\"location\":\"\"}]}]}",
         "finding 3: an event is of input 1, but there are 0 inputs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct finding_file f = {0};
        struct err e;
        CHECK_INT(parse(&f, cases[i].text, strlen(cases[i].text), &e), -1);
        CHECK_TEXT(e.text, cases[i].message);
    }
}

TEST(a_huge_token_is_refused_before_it_is_kept)
{
    const size_t size = 8 << 20;
    char *text = mem_resize(NULL, size);
    memset(text, 'x', size);
    memcpy(text, "{\"verb\":\"", 9);
    struct finding_file f = {0};
    struct err e;
    CHECK_INT(parse(&f, text, size, &e), -1);
    CHECK_TEXT(e.text, "byte 1048585: a text or number of more than 1048576 bytes");
    mem_free(text);
}

static int read_file(void *path)
{
    struct err e;
    struct in in;
    if (in_open(&in, path, &e) < 0) {
        return fault_told(&e);
    }
    struct finding_file f = {0};
    const int result = finding_file_parse(&f, &in, &e);
    in_close(&in);
    finding_file_release(&f);
    return result < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_the_reader_fails_once)
{
    struct finding_file f = {0};
    fill(&f);
    struct out out;
    out_open_memory(&out);
    finding_file_print(&f, &out);
    char path[200];
    (void)snprintf(path, sizeof path, "%s", scratch_write("a.findings", out.buffer, out.used));
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_file, .context = path}) > 10);
    out_abandon(&out);
    finding_file_release(&f);
}
