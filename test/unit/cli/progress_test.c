#include "cli/text/progress.h"

#include "test.h"

static const char *line_of(struct progress_state state)
{
    static char line[200];
    state.subject = "run.clew";
    state.unit = "events";
    progress_print(line, sizeof line, &state);
    return line;
}

TEST(a_rate_is_told_from_the_start)
{
    CHECK_TEXT(line_of((struct progress_state){.count = 950, .elapsed_ns = 2000000000}),
               "run.clew: 950 events, 475/s");
    CHECK_TEXT(line_of((struct progress_state){.count = 0, .elapsed_ns = 0}),
               "run.clew: 0 events, 0/s");
    CHECK_TEXT(line_of((struct progress_state){.count = 12345678, .elapsed_ns = 1000000000}),
               "run.clew: 12.3M events, 12.3M/s");
}

TEST(what_is_left_is_told_where_the_size_is_known)
{
    CHECK_TEXT(line_of((struct progress_state){
                   .count = 4000, .done = 25, .total = 100, .elapsed_ns = 4000000000}),
               "run.clew: 4.00k events, 1.00k/s, 25%, 12 s left");
    CHECK_TEXT(line_of((struct progress_state){
                   .count = 4000, .done = 1, .total = 100, .elapsed_ns = 4000000000}),
               "run.clew: 4.00k events, 1.00k/s, 1%, 7 min left");
    CHECK_TEXT(line_of((struct progress_state){
                   .count = 4000, .done = 1, .total = 10000, .elapsed_ns = 4000000000}),
               "run.clew: 4.00k events, 1.00k/s, 0%, 11.1 h left");
    CHECK_TEXT(line_of((struct progress_state){
                   .count = 4000, .done = 120, .total = 100, .elapsed_ns = 4000000000}),
               "run.clew: 4.00k events, 1.00k/s, 100%, 0 s left");
}

TEST(a_long_name_does_not_push_the_figures_out)
{
    char line[200];
    char name[300];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    progress_print(line, sizeof line,
                   &(struct progress_state){
                       .subject = name, .unit = "events", .count = 1, .elapsed_ns = 1000000000});
    CHECK(strstr(line, "1 events, 1/s") != NULL);
}
