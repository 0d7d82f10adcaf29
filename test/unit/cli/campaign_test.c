/* What clew campaign tells of a campaign, word for word. */
#include "campaign/campaign.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "campaigns.h"
#include "cli/dispatch.h"
#include "fault.h"
#include "scratch.h"
#include "test.h"

/* A campaign of 40 runs in the folder bank.campaign of the scratch folder. */
static void make_campaign(const char *path)
{
    struct campaign *c = NULL;
    struct err e = {.text = ""};
    const struct campaign_options options = campaign_for(path, false);
    static const struct campaign_block blocks[] = {{.index = 0, .place = "bank.c:12 deposit"},
                                                   {.index = 9, .place = "bank.c:40 audit"}};
    struct campaign_job job;
    if (campaign_open(&c, &options, &e) < 0 || campaign_take(c, 40, &job, &e) < 0) {
        fail_msg("%s", e.text);
    }
    campaign_cover(c, &blocks[0]);
    campaign_cover(c, &blocks[1]);
    if (campaign_work(c, &job, NULL, NULL, &e) < 0 || campaign_take(c, 40, &job, &e) < 0) {
        fail_msg("%s", e.text);
    }
    campaign_close(c);
}

/* What the command prints, to be given back with mem_free. */
static char *output_of(const char *const *words, int count)
{
    const char *path = scratch_path("output");
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        must(chdir(scratch_folder()) == 0);
        must(freopen(path, "w", stdout) != NULL);
        _exit(clew_main(count, words));
    }
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    return scratch_read(path, NULL);
}

TEST(a_campaign_is_told_in_full)
{
    make_campaign(scratch_path("bank.campaign"));
    static const char *const words[] = {"clew", "campaign", "bank.campaign"};
    char *text = output_of(words, 3);
    CHECK_TEXT(text, "bank.campaign: 40 runs, 3 violations\n"
                     "  system      ./bank.so\n"
                     "  build       5f3a9c\n"
                     "  world       sim\n"
                     "  strategy    auto\n"
                     "  settings    net fifo, faults crash=1\n"
                     "  seed        42\n"
                     "  sessions    1, 1 job running or to be repeated\n"
                     "runs\n"
                     "  steps       480, 10 to 14 a run, 12.0 on average\n"
                     "  different   40 executions, 7 final states\n"
                     "              pct, passed: 19 runs\n"
                     "              pos, passed: 18 runs\n"
                     "              pos, property: 2 runs\n"
                     "              pct, property: 1 run\n"
                     "violations\n"
                     "  1. property: money was lost\n"
                     "     first in run 6, step 5; in 1 run\n"
                     "     bank.campaign/violations/1.sched\n"
                     "  2. property: money was lost\n"
                     "     first in run 23, step 1; in 1 run\n"
                     "     bank.campaign/violations/2.sched\n"
                     "  3. property: money was lost\n"
                     "     first in run 40, step 4; in 1 run\n"
                     "     bank.campaign/violations/3.sched\n"
                     "properties\n"
                     "  balance: always n1.balance >= 0\n"
                     "     400 checks, 20 skips, 3 failures\n"
                     "     property first in run 6, step 5: n1.balance = 3\n"
                     "     property first in run 23, step 1: n1.balance = 3\n"
                     "     property first in run 40, step 4: n1.balance = 3\n"
                     "coverage\n"
                     "  blocks      3 of 4 covered (75.0 %)\n"
                     "          28 times  bank.c:12 deposit, by 4 nodes\n"
                     "          26 times  block 1, by 4 nodes\n"
                     "          26 times  block 2, by 4 nodes\n"
                     "             never  bank.c:40 audit\n");
    mem_free(text);
}

TEST(a_part_is_told_up_to_the_limit)
{
    static const char *const words[] = {"clew",    "campaign", "--show",       "coverage",
                                        "--limit", "1",        "bank.campaign"};
    char *text = output_of(words, 7);
    CHECK(strstr(text, "\nviolations\n") == NULL);
    CHECK(strstr(text, "coverage\n"
                       "  blocks      3 of 4 covered (75.0 %)\n"
                       "          28 times  bank.c:12 deposit, by 4 nodes\n"
                       "  and 2 more\n"
                       "             never  bank.c:40 audit\n") != NULL);
    mem_free(text);
}

TEST(violations_are_findings_in_json)
{
    static const char *const words[] = {"clew", "campaign", "--json", "bank.campaign"};
    char *text = output_of(words, 4);
    CHECK(strstr(text, "\"verdict\": \"found\"") != NULL);
    CHECK(strstr(text, "\"blocks_total\": 4") != NULL);
    CHECK(strstr(text, "\"outcomes of pos\": {") != NULL);
    CHECK(strstr(text, "{\"id\":2,\"kind\":\"property\",\"status\":\"confirmed\"") != NULL);
    CHECK(strstr(text, "\"replay\":\"clew replay bank.campaign/violations/2.sched ./bank.so\"") !=
          NULL);
    mem_free(text);
}

static int tell(void *path)
{
    const char *const words[] = {"clew", "campaign", path};
    return clew_main(3, words);
}

TEST(every_call_of_the_command_fails_once)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s", scratch_path("bank.campaign"));
    CHECK(fault_sweep(&(struct fault_sweep){.run = tell, .context = path}) > 20);
}
