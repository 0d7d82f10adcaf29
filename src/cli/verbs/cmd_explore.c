/* clew explore: run a system under many schedules, and keep those that break it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/input/fuzz_option.h"
#include "cli/input/program_file.h"
#include "cli/input/schedule_file.h"
#include "cli/input/spec_file.h"
#include "cli/text/search_progress.h"
#include "cli/text/stdout_redirect.h"
#include "cli/verbs/explore_run.h"
#include "cli/verbs/interactive_replay.h"
#include "explore/replay.h"
#include "pick/operation_name.h"
#include "predict/predict.h"
#include "sim/sim.h"
#include "trace/kind_table.h"

enum {
    DEPTH_DEFAULT = 1000,
    DELAYS_DEFAULT = 3,
    JOBS_MAX = 1024,
    FOLDERS_MAX = 10000,
    VERIFY_EVERY = 100,
};

static const int strategies[] = {
    EXPLORE_AUTO,
    EXPLORE_DIRECTED,
#define STRATEGY(id, name) PICK_##id,
    PICK_SAMPLING_LIST(STRATEGY)
#undef STRATEGY
        EXPLORE_DELAY,
    EXPLORE_DPOR,
};

static const char *strategy_word(size_t index)
{
    return index < sizeof strategies / sizeof *strategies ? explore_strategy_name(strategies[index])
                                                          : NULL;
}

static int check_command(const struct exploration *x, struct err *e)
{
    const struct explore_command *c = x->command;
    if (exploration_is_program(x) &&
        (c->config != NULL || c->net != NULL || c->bug != NULL || c->set != NULL ||
         c->faults != NULL || c->weights != NULL || c->until != NULL || c->interactive)) {
        return session_misused(e, "--config, --net, --bug, --set, --faults, --weights, --until and "
                                  "--interactive are for systems, not for programs");
    }
    if (command_check(x->session, &c->program, e) < 0) {
        return MISUSED;
    }
    const bool is_systematic =
        strategies[c->strategy] == EXPLORE_DELAY || strategies[c->strategy] == EXPLORE_DPOR;
    if (c->from != NULL && (is_systematic || c->interactive)) {
        return session_misused(e, "--from needs a sampling strategy, not delay or dpor");
    }
    if (c->seed_schedule != NULL && (is_systematic || c->interactive || c->from != NULL)) {
        return session_misused(
            e, "--seed-schedule needs a sampling strategy, not delay or dpor, and excludes --from");
    }
    if (c->common.jobs == 0 || c->common.jobs > JOBS_MAX) {
        return session_misused(e, "--jobs: must be from 1 to %d", JOBS_MAX);
    }
    if (exploration_is_program(x) && c->depth > CONTROL_STEPS_MAX) {
        return session_misused(e, "--depth: at most %d for a program", (int)CONTROL_STEPS_MAX);
    }
    if (c->depth > UINT32_MAX / 2 || c->delays > 1000 || c->pct_depth > 16) {
        return session_misused(e, "--depth, --delays or --pct-depth is too large");
    }
    return 0;
}

/* Whether --until names a property of the system. */
static int check_until(const struct exploration *x, struct err *e)
{
    const struct world_property *properties = NULL;
    const uint32_t count =
        x->world->ops->properties == NULL ? 0 : x->world->ops->properties(x->world, &properties);
    char all[300] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(properties[i].name, x->command->until) == 0) {
            return 0;
        }
        if (used < sizeof all) {
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ",
                                     properties[i].name);
        }
    }
    return err_set(e, "--until: %s has no property \"%s\"; its properties: %s", x->world->system,
                   x->command->until, count == 0 ? "none" : all);
}

static int choose_options(struct exploration *x, struct err *e)
{
    const struct explore_command *c = x->command;
    const struct sim_defaults own =
        exploration_is_program(x)
            ? (struct sim_defaults){.faults = "", .depth = control_steps_max(x->world)}
            : sim_defaults(x->world);
    /* Where a property speaks of more than one moment, equal states do not go on alike. */
    const bool has_history = spec_count_temporal(&x->spec) > 0;
    struct search_options *search = &x->options.search;
    x->options.strategy = strategies[c->strategy];
    x->options.budget = x->session->budget;
    if (x->options.budget.time_ns == 0 && x->options.budget.runs == 0) {
        x->options.budget.time_ns = UINT64_C(60000000000);
    }
    x->options.jobs = (uint32_t)c->common.jobs;
    x->options.stops_at_violation = c->first || c->until != NULL;
    x->options.is_known = exploration_is_known;
    x->options.known_context = x;
    *search = (struct search_options){.depth = (uint32_t)(c->depth != 0    ? c->depth
                                                          : own.depth != 0 ? own.depth
                                                                           : DEPTH_DEFAULT),
                                      .delays_max = (uint32_t)c->delays,
                                      .pct_depth = (uint32_t)c->pct_depth,
                                      .prunes_states = c->prune && !has_history,
                                      .has_states = x->world->ops->state_hash != NULL,
                                      .is_mixed = exploration_is_program(x),
                                      .is_drawn = own.is_drawn,
                                      .seed = c->seed,
                                      .predict = exploration_is_program(x) ? predict_aims : NULL};
    const char *faults = c->faults != NULL       ? c->faults
                         : own.faults[0] != '\0' ? own.faults
                                                 : "none";
    if (fault_budget_parse(&search->faults, faults, e) < 0) {
        return err_wrap(e, c->faults != NULL ? "--faults" : "the system's faults");
    }
    if (c->until != NULL && check_until(x, e) < 0) {
        return -1;
    }
    const char *weights = c->weights != NULL ? c->weights : own.weights;
    return weights != NULL && weights[0] != '\0' && weights_parse(&search->weights, weights, e) < 0
               ? err_wrap(e, "--weights")
               : 0;
}

/* The campaign */

/* SYSTEM.campaign, or with a number where that is there already. */
static void choose_folder(struct exploration *x)
{
    const struct explore_command *c = x->command;
    const char *wanted = c->resume != NULL ? c->resume : x->session->common->output;
    if (wanted != NULL) {
        (void)snprintf(x->folder, sizeof x->folder, "%s", wanted);
        return;
    }
    (void)snprintf(x->folder, sizeof x->folder, "%s.campaign", x->world->system);
    for (int i = 2; access(x->folder, F_OK) == 0 && i < FOLDERS_MAX; i++) {
        (void)snprintf(x->folder, sizeof x->folder, "%s-%d.campaign", x->world->system, i);
    }
}

/* Builds and fuzz files are known by their bytes. */
static int name_file(const char *path, char name[20], struct err *e)
{
    struct in in;
    uint64_t hash = 0;
    ssize_t available = 0;
    if (in_open(&in, path, e) < 0) {
        return -1;
    }
    while ((available = in_fill(&in, 1, e)) > 0) {
        hash = name_mix(hash, name_text(in.at, (size_t)available));
        in_skip(&in, (size_t)available);
    }
    in_close(&in);
    (void)snprintf(name, 20, "%016llx", (unsigned long long)hash);
    return available < 0 ? -1 : 0;
}

/* The settings that determine a run, besides system, strategy and seed; `config` identifies the
 * fuzz file. */
static void print_settings(const struct exploration *x, const char *config, struct out *out)
{
    const struct search_options *s = &x->options.search;
    out_format(out, "net %s, depth %u, delays %u, pct depth %u, %s, faults", x->world->net,
               s->depth, s->delays_max, s->pct_depth, s->prunes_states ? "pruning" : "no pruning");
    const char *separator = " ";
    for (unsigned fault = 1; fault < FAULT_LIMIT; fault++) {
        if (s->faults.most[fault] > 0) {
            out_format(out, "%s%s=%u", separator, mode_name(MODES_FAULT, (uint8_t)fault),
                       s->faults.most[fault]);
            separator = ",";
        }
    }
    out_text(out, *separator == ' ' ? " none" : "");
    for (unsigned i = 0; i < PICK_CLASS_COUNT && pick_weights_are_any(&s->weights); i++) {
        out_format(out, "%s%s=%u", i == 0 ? ", weights " : ",", pick_class_name((enum pick_class)i),
                   s->weights.of[i]);
    }
    if (x->world->with != NULL) {
        out_format(out, ", with %s", x->world->with);
    }
    if (x->command->spec != NULL) {
        out_format(out, ", spec %s", x->command->spec);
    }
    if (x->command->program.property != NULL) {
        out_format(out, ", property %s", x->command->program.property);
    }
    if (x->command->config != NULL) {
        out_format(out, ", config %s %s", x->command->config, config);
    }
    if (x->command->from != NULL) {
        out_format(out, ", from %s", x->command->from);
    }
    if (x->command->seed_schedule != NULL) {
        out_format(out, ", first %s", x->command->seed_schedule);
    }
    for (size_t i = 0; i < x->command->ignore.count; i++) {
        out_format(out, ", ignoring %s", x->command->ignore.at[i]);
    }
    out_char(out, '\0');
}

static int open_campaign(struct exploration *x, struct err *e)
{
    const bool has_file = !exploration_is_program(x) || strchr(x->session->command[0], '/') != NULL;
    const char *system = exploration_is_program(x) ? x->session->command[0] : x->session->inputs[0];
    const char *files[] = {has_file ? system : NULL, x->command->config};
    char names[2][20] = {"", ""};
    struct out settings;
    struct out replay;
    for (size_t i = 0; i < 2; i++) {
        if (files[i] != NULL && name_file(files[i], names[i], e) < 0) {
            return err_wrap(e, "%s", files[i]);
        }
    }
    choose_folder(x);
    out_open_memory(&settings);
    print_settings(x, names[1], &settings);
    out_open_memory(&replay);
    command_print_options(&replay, &x->command->program, x->command->spec, x->command->config);
    out_char(&replay, '\0');
    const struct campaign_options options = {
        .path = x->folder,
        .is_resumed = x->command->resume != NULL,
        .about = {.system = x->target,
                  .build = names[0],
                  .world = x->world->ops->name,
                  .strategy = explore_strategy_name(x->options.strategy),
                  .settings = settings.buffer,
                  .replay = replay.buffer,
                  .seed = x->options.search.seed}};
    const int result = campaign_open(&x->options.campaign, &options, e);
    out_abandon(&settings);
    out_abandon(&replay);
    return result;
}

/* Other processes made the runs: one more, here, finds the code that runs do not see. */
static int learn_world(struct exploration *x, struct err *e)
{
    struct execution execution = {0};
    const struct plan plan = {.steps_max = x->options.search.depth};
    const int result = world_run(x->world, &plan, &execution, e);
    execution_release(&execution);
    return result;
}

/* A property that no run gave a value to says nothing: an error where all runs were made, else a
 * warning, for a later run might. */
static int check_reported(struct exploration *x, struct err *e)
{
    struct err unreported;
    if (exploration_is_program(x) || x->found.violations.count > 0 ||
        sim_check_reported(x->world, &unreported) == 0) {
        return 0;
    }
    if (x->found.is_complete) {
        return err_set(e, "%s: %s", x->session->inputs[0], unreported.text);
    }
    struct notes notes = {0};
    notes_add(&notes, "", "%s in these runs", unreported.text);
    session_warn(x->session, x->session->inputs[0], &notes);
    notes_release(&notes);
    return 0;
}

static int search(struct exploration *x, struct err *e)
{
    struct searching line;
    searching_begin(&line, x->session, x->world->system);
    x->options.progress = searching_progress;
    x->options.context = &line;
    x->options.is_stopped = stopping_wish();
    const int result = explore(x->world, &x->options, &x->found, e);
    searching_end(&line);
    if (result == 0 && x->found.is_complete && x->options.jobs > 1 && learn_world(x, e) < 0) {
        return -1;
    }
    if (result == 0 && check_reported(x, e) < 0) {
        return -1;
    }
    x->found.is_complete = x->found.is_complete && exploration_is_controlled(x);
    x->is_unseen = x->found.is_complete && exploration_has_unseen(x);
    x->found.is_complete = x->found.is_complete && !x->is_unseen;
    return result;
}

/* Bugs and settings in one list, as schedules have them; NULL when there are none. */
static char *join_choices(const struct explore_command *c)
{
    const char *bug = c->bug == NULL ? "" : c->bug;
    const char *set = c->set == NULL ? "" : c->set;
    const size_t size = strlen(bug) + strlen(set) + 2;
    if (c->bug == NULL && c->set == NULL) {
        return NULL;
    }
    char *list = mem_resize(NULL, size);
    (void)snprintf(list, size, "%s%s%s", bug, c->bug != NULL && c->set != NULL ? "," : "", set);
    return list;
}

static int open_world(struct exploration *x, struct err *e)
{
    const struct explore_command *c = x->command;
    if (c->spec != NULL && spec_file_read(&x->spec, c->spec, e) < 0) {
        return -1;
    }
    if (c->config != NULL && fuzz_file_read(&x->fuzz, c->config, e) < 0) {
        return -1;
    }
    if (exploration_is_program(x)) {
        struct command_choice choice = c->program;
        choice.verify_every = c->verify ? 1 : VERIFY_EVERY;
        return command_open(&x->world, x->session, &choice, c->spec == NULL ? NULL : &x->spec, e);
    }
    char *with = join_choices(c);
    const struct sim_options options = {.net = c->net,
                                        .with = with,
                                        .spec = c->spec == NULL ? NULL : &x->spec,
                                        .fuzz = c->config == NULL ? NULL : &x->fuzz,
                                        .fuzz_name = c->config,
                                        .ignored = c->ignore.at,
                                        .ignored_count = c->ignore.count};
    int result = printed_drop(e);
    if (result == 0) {
        result = program_file_is(x->session->inputs[0])
                     ? program_file_misused(x->session, x->session->inputs[0], e)
                     : sim_open(&x->world, x->session->inputs[0], &options, e);
    }
    mem_free(with);
    return result;
}

static char *print_target(const struct session *s)
{
    return s->command != NULL ? command_print(s) : command_print_one(s->inputs[0]);
}

/* Reads a schedule and replays it: its run must be one that this system can make. The caller
 * releases the result, also on failure. */
static int follow_schedule(struct exploration *x, const char *path, struct recipe *recipe,
                           struct replayed *r, struct err *e)
{
    struct schedule s;
    schedule_init(&s);
    int result = schedule_file_read(&s, path, e);
    if (result == 0) {
        result = replay(x->world, &s, &(struct replay_options){0}, r, e) < 0
                     ? err_wrap(e, "%s", path)
                     : recipe_parse(recipe, &s, e);
    }
    if (result == 0 && r->divergence[0] != '\0') {
        result = err_set(e, "%s: the schedule cannot be followed: %s", path, r->divergence);
    }
    if (result == 0) {
        recipe->plan.pick.is_lenient = x->world->has_drawn; /* other seeds draw other numbers */
    }
    schedule_release(&s);
    return result;
}

/* --from: where the run of the schedule ends in a violation, the search begins before the last
 * step. */
static int read_from(struct exploration *x, struct err *e)
{
    struct replayed r = {0};
    const int result = follow_schedule(x, x->command->from, &x->from, &r, e);
    if (result == 0) {
        struct plan *from = &x->from.plan;
        const bool is_violation = outcome_is_violation(r.execution.outcome);
        const size_t steps = r.execution.steps.count;
        from->steps_max = (uint32_t)(is_violation && steps > 0 ? steps - 1 : steps);
        while (from->pick.turn_count > 0 &&
               from->pick.turns[from->pick.turn_count - 1].step >= from->steps_max) {
            from->pick.turn_count--;
        }
        for (size_t i = 0; i < from->steps_max; i++) {
            const uint8_t fault = r.execution.steps.at[i].operation.fault;
            if (fault != 0) {
                x->options.search.faults.most[fault]++;
            }
        }
        x->options.search.from = from;
    }
    replayed_release(&r);
    return result;
}

/* --seed-schedule: the first run. */
static int read_seed_schedule(struct exploration *x, struct err *e)
{
    struct replayed r = {0};
    const int result = follow_schedule(x, x->command->seed_schedule, &x->seeded, &r, e);
    if (result == 0) {
        x->options.search.seeded = &x->seeded.plan;
    }
    replayed_release(&r);
    return result;
}

static int go_by_hand(struct exploration *x, struct err *e)
{
    struct plan plan = search_plan(&x->options.search);
    plan.is_learning = false; /* nobody chooses who could learn */
    struct out replay;
    out_open_memory(&replay);
    command_print_options(&replay, &x->command->program, x->command->spec, x->command->config);
    out_char(&replay, '\0');
    const int status = interactive(x->session, x->world, &plan, replay.buffer, e);
    out_abandon(&replay);
    return status;
}

static int search_and_report(struct exploration *x, struct err *e)
{
    if (open_campaign(x, e) < 0 || search(x, e) < 0 ||
        account_read(&x->account, x->folder, e) < 0) {
        return -1;
    }
    return exploration_report(x);
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct exploration x = {.session = s, .command = options};
    if (check_command(&x, e) < 0) {
        return MISUSED;
    }
    x.target = print_target(s);
    spec_init(&x.spec);
    int status = open_world(&x, e);
    if (status == 0) {
        status = choose_options(&x, e);
    }
    if (status == 0 && x.command->from != NULL) {
        status = read_from(&x, e);
    }
    if (status == 0 && x.command->seed_schedule != NULL) {
        status = read_seed_schedule(&x, e);
    }
    if (status == 0) {
        status = x.command->interactive ? go_by_hand(&x, e) : search_and_report(&x, e);
    }
    if (status < 0 && x.found.runs == 0) {
        campaign_discard(x.options.campaign);
    } else {
        campaign_close(x.options.campaign);
    }
    recipe_release(&x.from);
    recipe_release(&x.seeded);
    account_release(&x.account);
    explored_release(&x.found);
    world_close(x.world);
    fuzz_release(&x.fuzz);
    spec_release(&x.spec);
    mem_free(x.target);
    return status;
}

static const struct option options[] = {
    {.name = "strategy",
     .type = OPTION_CHOICE,
     .argument = "NAME",
     .word = strategy_word,
     .target = offsetof(struct explore_command, strategy),
     .help = "how to search: auto (alternates the others), directed (toward conflicting accesses "
             "of threads), random, pct, pos, surw (sampling), unique, frequency, nodefreq "
             "(coverage-guided), delay, dpor (systematic)"},
    {.name = "bug",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct explore_command, bug),
     .help = "enable these bugs of a case study (clew cases lists them)"},
    {.name = "set",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct explore_command, set),
     .help = "set parameters of the system: nodes=5,cycles=10"},
    {.name = "faults",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct explore_command, faults),
     .help = "maximum number of faults of each kind in a run: crash=1,restart=1,drop=2 ..., or "
             "none (default: set by the system)"},
    {.name = "weights",
     .type = OPTION_TEXT,
     .argument = "LIST",
     .target = offsetof(struct explore_command, weights),
     .help = "relative probability with which sampling picks a pending message, timer, write, "
             "helper or request: timer=1,message=8 (default: auto tries several weights; other "
             "strategies use equal weights)"},
    {.name = "net",
     .type = OPTION_TEXT,
     .argument = "NET",
     .target = offsetof(struct explore_command, net),
     .help = "network model: fifo or datagram (default: set by the system, else fifo)"},
    {.name = "spec",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct explore_command, spec),
     .help = "check these properties of reported variables (man 5 clew-spec)"},
    {.name = "config",
     .type = OPTION_FILE,
     .argument = "FILE",
     .target = offsetof(struct explore_command, config),
     .help = "external events and further settings, in YAML (man 5 clew-fuzz; default: set by the "
             "system)"},
    {.name = "depth",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, depth),
     .help = "maximum number of steps in a run (default: 20000 for a program; for a system set by "
             "the system, else 1000)"},
    {.name = "delays",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, delays),
     .help = "maximum number of delays in a run, with --strategy delay (default: 3)"},
    {.name = "pct-depth",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, pct_depth),
     .help = "bug depth for pct (default: 3; for programs drawn at random for each run)"},
    {.name = "prune",
     .type = OPTION_SWITCH,
     .target = offsetof(struct explore_command, prune),
     .help = "do not explore a state twice (default: yes)"},
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct explore_command, seed),
     .help = "seed of all random choices (default: 1)"},
    {.name = "first",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, first),
     .help = "stop at the first violation"},
    {.name = "until",
     .type = OPTION_TEXT,
     .argument = "PROPERTY",
     .target = offsetof(struct explore_command, until),
     .help = "stop when this property is broken; continue after other violations"},
    {.name = "require-exhaustive",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, require_exhaustive),
     .help = "exit with status 3 unless all executions were explored"},
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_FILE, .argument = "DIR",
               .help = "campaign directory: the search's state, and a schedule and a trace for "
                       "each violation (default: SYSTEM.campaign)"),
    {.name = "interactive",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, interactive),
     .help = "choose each step interactively, go back, save the schedule"},
    {.name = "resume",
     .type = OPTION_FILE,
     .argument = "DIR",
     .target = offsetof(struct explore_command, resume),
     .help = "continue the campaign in this directory, with the system and the options that "
             "started it"},
    {.name = "from",
     .type = OPTION_FILE,
     .argument = "SCHEDULE",
     .target = offsetof(struct explore_command, from),
     .help = "start every run with the steps of this schedule (without the last step if it "
             "violates) and search from there"},
    {.name = "seed-schedule",
     .type = OPTION_FILE,
     .argument = "SCHEDULE",
     .target = offsetof(struct explore_command, seed_schedule),
     .help = "follow this schedule in the first run; coverage-guided strategies start from its "
             "coverage"},
    {.name = "ignore",
     .type = OPTION_TEXTS,
     .argument = "KEY",
     .target = offsetof(struct explore_command, ignore),
     .help = "do not report the violation with this key (\"property: one leader\") and continue "
             "after it; may be repeated"},
    {.name = "verify",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, verify),
     .help = "programs: repeat every run and compare, instead of one in a hundred"},
    {.name = "allow-uncontrolled",
     .type = OPTION_FLAG,
     .target = offsetof(struct explore_command, allow_uncontrolled),
     .help = "programs: do not exit with status 3 because of uncontrolled calls"},
    COMMON_CLUSTER,
    COMMAND_OPTIONS(struct explore_command),
    COMMON_JSON,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
    COMMON_EXPORTS,
    COMMON_ROW(jobs, .name = "jobs", .letter = 'j', .type = OPTION_NUMBER, .argument = "N",
               .help = "use N processes; with a budget in runs, the result of random and pos does "
                       "not depend on N, that of other strategies does"),
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct explore_command defaults = {.common = COMMON_DEFAULTS,
                                                .delays = DELAYS_DEFAULT,
                                                .seed = 1,
                                                .prune = true,
                                                .program = COMMAND_CHOICE_DEFAULTS};

static const struct example examples[] = {
    {"clew explore ./ring.so", "Search for a minute, alternating all strategies."},
    {"clew explore -- ./bank 3", "Explore a multithreaded program, built with clew cc or not."},
    {"clew explore --budget 10s --faults crash=1,restart=1 ./commit.so",
     "Let one node crash and restart."},
    {"clew explore --resume ring.campaign ./ring.so",
     "Continue a search that was stopped or killed."},
    {"clew explore --strategy dpor --require-exhaustive ./small.so",
     "Explore every execution, or exit with status 3."},
    {0},
};

const struct verb verb_explore = {
    .name = "explore",
    .summary = "run a system or program under many schedules and report violations",
    .operands = "SYSTEM.so | -- PROGRAM...",
    .operand_min = 1,
    .operand_max = 1,
    .takes_command = true,
    .runs_program = true,
    .is_stopped_softly = true,
    .about =
        "Runs a system again and again, each time with another order of messages, timers and "
        "faults, until the budget (60 s) is used up or all executions are explored. The system "
        "uses clew/sim.h and is built with clew cc --sim. Reports each distinct violation once: a "
        "broken property, a failed assertion, a crash, undefined behaviour, a handler that does "
        "not return. Saves each violation as a schedule, which clew replay repeats exactly, and as "
        "a trace. For a program after --, clew runs one thread at a time. Each operation on a "
        "lock, a condition variable, a thread or a clock is a scheduling point, and so is each "
        "memory access if the program was built with clew cc. Violations of a program are crashes, "
        "failed assertions, deadlocks, memory errors and, with --fail-on exit, a nonzero exit "
        "status. The program's standard input is empty, and its output is discarded.",
    .exit_statuses =
        "0 no violation in all executions, or in those that the budget allowed\n1 a violation\n2 "
        "the system could not be loaded\n3 no violation, but the answer is not known: some calls "
        "were not controlled (see --allow-uncontrolled), a run did not end, no client connected to "
        "the server, the program is not deterministic, or the search ended and rests on an "
        "assumption, as on memory accesses that are not visible; with --require-exhaustive: not "
        "all executions were explored",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct explore_command),
    .examples = examples,
    .run = run,
};
