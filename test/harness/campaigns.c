#include "campaigns.h"

#include <stdio.h>

struct campaign_options campaign_for(const char *path, bool is_resumed)
{
    return (struct campaign_options){.path = path,
                                     .is_resumed = is_resumed,
                                     .about = {.system = "./bank.so",
                                               .build = "5f3a9c",
                                               .world = "sim",
                                               .strategy = "auto",
                                               .settings = "net fifo, faults crash=1",
                                               .replay = "",
                                               .seed = 42}};
}

const char *campaign_key_of(uint64_t number)
{
    static char key[40];
    (void)snprintf(key, sizeof key, "bug:%llu", (unsigned long long)(number / 17 % 40));
    return number % 17 == 5 ? key : "";
}

static int save(struct campaign *c, uint64_t number, const char *key, struct err *e)
{
    char name[CAMPAIGN_NAME_SIZE];
    char schedule[CAMPAIGN_NAME_SIZE + 8];
    if (campaign_name(c, name, e) < 0) {
        return -1;
    }
    (void)snprintf(schedule, sizeof schedule, "%s.sched", name);
    return campaign_save(c,
                         &(struct campaign_violation){.key = key,
                                                      .kind = "property",
                                                      .property = "balance",
                                                      .what = "money was lost",
                                                      .values = "n1.balance = 3",
                                                      .run = number,
                                                      .step = number % 7,
                                                      .schedule = schedule,
                                                      .trace = ""},
                         e);
}

int campaign_work(struct campaign *c, const struct campaign_job *job,
                  void (*saved)(void *context, const char *key), void *context, struct err *e)
{
    for (uint64_t number = job->first; number < job->first + job->count; number++) {
        const char *key = campaign_key_of(number);
        bool is_known = true;
        if (*key != '\0' && campaign_is_known(c, key, &is_known, e) < 0) {
            return -1;
        }
        if (!is_known) {
            if (save(c, number, key, e) < 0) {
                return -1;
            }
            if (saved != NULL) {
                saved(context, key);
            }
        }
        campaign_run(c, &(struct campaign_run){.number = number,
                                               .seed = number * 3,
                                               .strategy = number % 2 == 0 ? "pct" : "pos",
                                               .outcome = *key == '\0' ? "passed" : "property",
                                               .violation = key,
                                               .steps = 10 + number % 5,
                                               .execution_hash = number % 64,
                                               .state_hash = number % 8});
        campaign_cover(c, &(struct campaign_block){.index = (uint32_t)(number % 3),
                                                   .count = 2,
                                                   .nodes = UINT64_C(1) << number % 4,
                                                   .place = ""});
        campaign_check(c, &(struct campaign_property){.name = "balance",
                                                      .text = "always n1.balance >= 0",
                                                      .checks = 10,
                                                      .skips = number % 2,
                                                      .failures = *key != '\0'});
    }
    return campaign_done(c, e);
}
