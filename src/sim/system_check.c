#include "sim/system_check.h"

#include <string.h>

#include "sim/net.h"
#include "sim/state_hash.h"

enum { NAME_SIZE_MAX = 60, STATE_SIZE_MAX = 16 << 20 };

/* Names stand in schedules and targets without quotes. */
static int check_name(const char *what, const char *name, struct err *e)
{
    if (name == NULL || name[0] == '\0' || strlen(name) > NAME_SIZE_MAX) {
        return err_set(e, "the name of a %s is empty or longer than %d bytes", what, NAME_SIZE_MAX);
    }
    for (const char *c = name; *c != '\0'; c++) {
        const bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                              (*c >= '0' && *c <= '9') || *c == '-' || *c == '_' || *c == '.';
        if (!is_plain) {
            return err_set(e, "the name of the %s \"%s\" may have letters, digits, - _ . only",
                           what, name);
        }
    }
    return 0;
}

static int check_names(const char *what, const char *const *names, uint32_t count, struct err *e)
{
    for (uint32_t i = 0; i < count; i++) {
        if (check_name(what, names[i], e) < 0) {
            return -1;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(names[i], names[k]) == 0) {
                return err_set(e, "two of the %ss are called %s", what, names[i]);
            }
        }
    }
    return 0;
}

static uint32_t count_names(const char *const *names, uint32_t count_max)
{
    uint32_t count = 0;
    while (names != NULL && count <= count_max && names[count] != NULL) {
        count++;
    }
    return count;
}

/* The types of a system that does not name them. */
static const char *const numbered_messages[] = {"message-0", "message-1", "message-2",
                                                "message-3", "message-4", "message-5",
                                                "message-6", "message-7", NULL};

static int check_counts(const struct sim *s, struct err *e)
{
    if (s->node_count == 0 || s->node_count > SIM_NODES_MAX) {
        return err_set(e, "%u nodes; there may be 1 to %d", s->node_count, SIM_NODES_MAX);
    }
    if (s->type_count == 0 || s->type_count > SIM_TYPES_MAX) {
        return err_set(e, "%u types of messages; there may be 1 to %d", s->type_count,
                       SIM_TYPES_MAX);
    }
    if (s->timer_count > SIM_TIMERS_MAX) {
        return err_set(e, "more than %d timers", SIM_TIMERS_MAX);
    }
    if (s->helper_count > SIM_HELPERS_MAX) {
        return err_set(e, "more than %d helpers", SIM_HELPERS_MAX);
    }
    return 0;
}

/* The struct grows at its end: one that is shorter was built with an older header, and one that is
 * longer asks for features that this clew does not have. */
int check_version(struct sim *s, struct err *e)
{
    const struct clew_system *system = s->system;
    if (system->version == 0 && system->size == 0) {
        return err_set(e, "its system does not say what it was built for: write it as "
                          "CLEW_SYSTEM(...) of clew/sim.h, which does");
    }
    if (system->version != CLEW_SIM_VERSION) {
        return err_set(e,
                       "was built for version %u of clew/sim.h, and this clew has %d: build it "
                       "again with clew cc --sim",
                       system->version, CLEW_SIM_VERSION);
    }
    if (system->size < offsetof(struct clew_system, helpers) || system->size > sizeof *system) {
        return err_set(e,
                       "was built with another clew/sim.h (its system has %u bytes, and here it "
                       "has %zu): build it again with clew cc --sim",
                       system->size, sizeof *system);
    }
    memcpy(&s->described, system, system->size);
    s->system = &s->described;
    return 0;
}

int check_system(struct sim *s, struct err *e)
{
    const struct clew_system *system = s->system;
    s->node_count =
        system->node_count_chosen != NULL ? *system->node_count_chosen : system->node_count;
    if (system->messages == NULL) {
        s->described.messages = numbered_messages;
    }
    s->type_count = count_names(system->messages, SIM_TYPES_MAX);
    s->timer_count = count_names(system->timers, SIM_TIMERS_MAX);
    s->helper_count = count_names(system->helpers, SIM_HELPERS_MAX);
    if (check_counts(s, e) < 0 || check_name("system", system->name, e) < 0 ||
        check_names("message", system->messages, s->type_count, e) < 0 ||
        check_names("timer", system->timers, s->timer_count, e) < 0 ||
        check_names("helper", system->helpers, s->helper_count, e) < 0) {
        return -1;
    }
    if (system->nodes != NULL && system->node_count_chosen != NULL) {
        return err_set(e, "has names for its nodes, and a number of them that can be chosen");
    }
    if (system->nodes != NULL && check_names("node", system->nodes, s->node_count, e) < 0) {
        return -1;
    }
    if (system->message == NULL) {
        return err_set(e, "has no function for messages");
    }
    s->skew_max = system->clock_skew_max != NULL ? *system->clock_skew_max : 0;
    if (s->skew_max > 0 && system->timers_independent) {
        return err_set(e, "has independent timers and a bound on the skew of clocks: a node has "
                          "one clock, or none");
    }
    if (s->helper_count > 0 && system->help == NULL) {
        return err_set(e, "has helpers, and no function for what they do");
    }
    if (system->state_size > STATE_SIZE_MAX || system->disk_size > STATE_SIZE_MAX) {
        return err_set(e, "a state or disk is larger than %d bytes", STATE_SIZE_MAX);
    }
    return 0;
}
