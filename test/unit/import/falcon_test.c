#include "import/falcon.h"

#include <dirent.h>
#include <stdio.h>

#include "reading.h"
#include "test.h"
#include "trace_of.h"

static void check_reads(const char *text, const char *wanted)
{
    struct reading r = read_text(text);
    CHECK_TEXT(r.error.text, "");
    check_same_trace(&r.trace, trace_of(wanted));
    reading_release(&r);
}

TEST(every_type_becomes_its_kind)
{
    check_reads(
        "{\"thread\":\"T@n\",\"type\":\"R\",\"variable\":\"x\",\"loc\":\"A:1\",\"counter\":0}\n"
        "{\"thread\":\"T@n\",\"type\":\"W\",\"variable\":\"x\",\"counter\":4294967295}\n"
        "{\"thread\":\"T@n\",\"type\":\"LOCK\",\"variable\":\"m\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"UNLOCK\",\"variable\":\"m\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"CREATE\",\"child\":\"U@n\"}\n"
        "{\"thread\":\"U@n\",\"type\":\"START\"}\n"
        "{\"thread\":\"U@n\",\"type\":\"END\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"JOIN\",\"child\":\"U@n\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"WAIT\",\"variable\":\"c\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"NOTIFY\",\"variable\":\"c\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"NOTIFYALL\",\"variable\":\"c\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"HANDLERBEGIN\",\"counter\":3}\n"
        "{\"thread\":\"T@n\",\"type\":\"HANDLEREND\",\"counter\":3}\n"
        "{\"thread\":\"T@n\",\"type\":\"LOG\",\"data\":\"one\"}\n"
        "{\"thread\":\"T@n\",\"type\":\"LOG\",\"message\":\"two\"}\n",
        "tick 1000000; source falcon;"
        "T@n r x @A:1 count=0; T@n w x count=4294967295; T@n acq m; T@n rel m; T@n fork U@n;"
        "U@n begin; U@n end; T@n join U@n; T@n woken c; T@n notify c; T@n notify-all c;"
        "T@n hb count=3; T@n he count=3; T@n log text=one; T@n log text=two");
}

TEST(network_events_hold_their_channel)
{
    check_reads(
        "{\"thread\":\"T@n\",\"type\":\"SND\",\"src\":\"a\",\"src_port\":5,\"dst\":\"b\","
        "\"dst_port\":\"80\",\"size\":7,\"socket_type\":\"UDP\",\"socket\":\"s\","
        "\"message\":971495808,\"timestamp\":0}"
        "{\"thread\":\"U@m\",\"type\":\"RCV\",\"src\":\"a\",\"src_port\":\"5\",\"dst\":\"b\","
        "\"dst_port\":80,\"socket_type\":\"TCP\",\"message\":\"971495808\","
        "\"timestamp\":-1}"
        "{\"thread\":\"T@n\",\"type\":\"CONNECT\",\"dst\":\"::1\",\"socket_type\":\"UNIX\"}"
        "{\"thread\":\"T@n\",\"type\":\"ACCEPT\"}"
        "{\"thread\":\"T@n\",\"type\":\"CLOSE\",\"socket\":\"s\"}"
        "{\"thread\":\"T@n\",\"type\":\"SHUTDOWN\",\"src\":\"a\",\"dst\":\"b\"}",
        "tick 1000000; source falcon;"
        "T@n snd a:5>b:80 size=7 mode=udp text=s msg=971495808 time=0;"
        "U@m rcv a:5>b:80 mode=tcp msg=971495808 time=-1;"
        "T@n connect >::1: mode=unix; T@n accept; T@n close text=s; T@n shutdown a>b");
}

/* Reads the file, writes it, reads that, and compares; returns how many events there were. */
static size_t check_round_trip(const char *path)
{
    struct reading first = read_path(path);
    CHECK_TEXT(first.error.text, "");
    char *text = written(&format_falcon, &first.trace, &first.notes);
    struct reading second = read_text(text);
    CHECK_TEXT(second.error.text, "");
    check_same_trace(&second.trace, &first.trace);
    CHECK_INT(first.notes.list.count, 0);
    const size_t count = first.trace.events.count;
    mem_free(text);
    reading_release(&second);
    reading_release(&first);
    return count;
}

static size_t line_count(const char *path)
{
    FILE *file = fopen(path, "r");
    must(file != NULL);
    size_t count = 0;
    int before = '\n';
    for (int c = 0; (c = fgetc(file)) != EOF; before = c) {
        count += c == '\n';
    }
    (void)fclose(file);
    return before == '\n' ? count : count + 1;
}

TEST(published_traces_survive_writing_and_reading)
{
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s/falcon", test_shared_data());
    DIR *files = opendir(folder);
    must(files != NULL);
    size_t trace_count = 0;
    const struct dirent *file = NULL;
    while ((file = readdir(files)) != NULL) {
        const char *ending = strrchr(file->d_name, '.');
        if (ending == NULL || strcmp(ending, ".log") != 0) {
            continue;
        }
        char path[2048];
        (void)snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        CHECK_INT(check_round_trip(path), line_count(path));
        trace_count++;
    }
    (void)closedir(files);
    CHECK(trace_count >= 16);
}
