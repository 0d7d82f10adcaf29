#include "base/out.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/in.h"
#include "test.h"

static char folder[] = "/tmp/clew-out-XXXXXX";
static char path[64];

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(dir);
    return count;
}

static void make_folder(void)
{
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/file", folder);
}

static void remove_folder(void)
{
    (void)unlink(path);
    CHECK_INT(rmdir(folder), 0);
}

TEST(a_file_has_its_name_only_when_it_is_whole)
{
    make_folder();
    struct out o;
    struct err e;
    CHECK_INT(out_open(&o, path, &e), 0);
    for (int i = 0; i < 100000; i++) {
        out_i64(&o, i - 50000);
        out_char(&o, '\n');
    }
    CHECK(access(path, F_OK) != 0);
    CHECK_INT(out_close(&o, &e), 0);
    CHECK_INT(files_in_folder(), 1);

    struct in in;
    CHECK_INT(in_open(&in, path, &e), 0);
    CHECK_INT(in_fill(&in, 1 << 20, &e), in.size);
    CHECK(strncmp(in.at, "-50000\n-49999\n", 14) == 0);
    in_close(&in);
    remove_folder();
}

TEST(abandoning_leaves_nothing_behind)
{
    make_folder();
    struct out o;
    struct err e;
    CHECK_INT(out_open(&o, path, &e), 0);
    out_text(&o, "half");
    out_abandon(&o);
    CHECK_INT(files_in_folder(), 0);

    CHECK_INT(out_open(&o, path, &e), 0);
    CHECK_INT(files_in_folder(), 1);
    out_abandon_all();
    CHECK_INT(files_in_folder(), 0);
    out_abandon(&o);
    remove_folder();
}

TEST(what_a_link_leads_to_is_replaced_and_the_link_stays)
{
    make_folder();
    char link[80];
    (void)snprintf(link, sizeof link, "%s/link", folder);
    struct out o;
    struct err e;
    CHECK_INT(symlink("file", link), 0);
    for (int i = 0; i < 2; i++) { /* first where it leads to nothing yet */
        CHECK_INT(out_open(&o, i == 0 ? path : link, &e), 0);
        out_text(&o, i == 0 ? "before" : "after");
        CHECK_INT(out_close(&o, &e), 0);
        CHECK_INT(files_in_folder(), 2);
    }
    struct in in;
    CHECK_INT(in_open(&in, path, &e), 0);
    CHECK_INT(in_fill(&in, 100, &e), 5);
    CHECK(strncmp(in.at, "after", 5) == 0);
    in_close(&in);
    CHECK_INT(unlink(link), 0);
    remove_folder();
}

/* Call 1 allocates a name, 2 opens, 3 and 4 allocate the buffer and another name; the rest are
 * writes, close, rename. */
TEST(each_failing_call_is_an_error_and_leaves_nothing_behind)
{
    make_folder();
    bool was_reached = true;
    for (uint64_t call = 2; was_reached; call += call == 2 ? 3 : 1) {
        struct out o;
        struct err e = {0};
        seam_arm(call);
        int result = out_open(&o, path, &e);
        if (result == 0) {
            static const char large[100000];
            out_bytes(&o, large, sizeof large);
            out_text(&o, "tail");
            result = out_close(&o, &e);
        }
        was_reached = seam_disarm();
        CHECK_INT(result, was_reached ? -1 : 0);
        CHECK_INT(files_in_folder(), was_reached ? 0 : 1);
        CHECK(!was_reached || strstr(e.text, "cannot be") != NULL);
    }
    remove_folder();
}

/* Prints in a child whose standard output is the file. Each call that may fail is failed once. */
static _Noreturn void print_apart(void)
{
    struct out early;
    struct out late;
    struct err e;
    const int results = open(path, O_WRONLY | O_CREAT, 0600);
    const int nothing = open("/dev/null", O_WRONLY);
    must(dup2(results, STDOUT_FILENO) == STDOUT_FILENO);
    out_open_fd(&early, STDOUT_FILENO);
    out_text(&early, "early ");
    (void)printf("ours ");
    for (uint64_t call = 1; call <= 2; call++) {
        seam_arm(call);
        must(out_set_apart(nothing, &e) < 0);
        must(seam_disarm());
    }
    must(out_set_apart(nothing, &e) == 0);
    (void)printf("theirs ");
    must(write(STDOUT_FILENO, "theirs ", 7) == 7);
    must(out_flush(&early, &e) == 0);
    must(out_open(&late, "/dev/stdout", &e) == 0);
    out_text(&late, "late");
    must(out_close(&late, &e) == 0);
    must(fflush(stdout) == 0);
    _exit(0);
}

TEST(what_others_print_is_set_apart_from_standard_output)
{
    make_folder();
    (void)fflush(stdout);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        print_apart();
    }
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    struct in in;
    struct err e;
    CHECK_INT(in_open(&in, path, &e), 0);
    CHECK_INT(in_fill(&in, 100, &e), strlen("ours early late"));
    CHECK(strncmp(in.at, "ours early late", in.available) == 0);
    in_close(&in);
    remove_folder();
}

TEST(memory_collects_everything)
{
    struct out o;
    struct err e;
    out_open_memory(&o);
    for (int i = 0; i < 30000; i++) {
        out_format(&o, "%05d", i);
    }
    CHECK_INT(o.used, 150000);
    CHECK(memcmp(o.buffer + 149995, "29999", 5) == 0);
    CHECK_INT(out_flush(&o, &e), 0);
    out_abandon(&o);
}
