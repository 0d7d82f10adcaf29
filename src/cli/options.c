#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

const char *color_word(size_t index)
{
    static const char *const words[] = {"auto", "always", "never"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

/* A whole number in decimal, nothing around it. */
static int parse_number(const char *text, uint64_t *number, struct err *e)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return err_set(e, "%.40s is more than %llu", text, (unsigned long long)UINT64_MAX);
        }
    }
    if (at == text || *at != '\0') {
        return err_set(e, "\"%.40s\" is not a whole number", text);
    }
    *number = value;
    return 0;
}

int moment_parse(struct moment *m, const char *text, struct err *e)
{
    struct moment parsed = {.is_given = true};
    uint64_t number = 0;
    const bool is_negative = text[0] == '-';
    if (parse_number(text + (is_negative ? 1 : 0), &number, e) == 0 && number <= INT64_MAX) {
        parsed.ticks = is_negative ? -(int64_t)number : (int64_t)number;
    } else if (limit_parse_time(&parsed.time_ns, text, e) == 0) {
        parsed.is_relative = true;
    } else {
        return err_set(e,
                       "\"%.40s\" is no time of a trace such as 1700000000042 or 1.5s "
                       "(units: ns us ms s m h d)",
                       text);
    }
    *m = parsed;
    return 0;
}

int moment_ticks(const struct moment *m, int64_t time_first, uint64_t tick_ns, int64_t *ticks,
                 struct err *e)
{
    must(m->is_given);
    if (!m->is_relative) {
        *ticks = m->ticks;
        return 0;
    }
    if (tick_ns == 0) {
        return err_set(e,
                       "the trace does not say what a unit of its time is; give times as it does");
    }
    *ticks = INT64_MAX;
    const uint64_t span = m->time_ns / tick_ns;
    if (span <= INT64_MAX && __builtin_add_overflow(time_first, (int64_t)span, ticks)) {
        *ticks = INT64_MAX;
    }
    return 0;
}

int moment_span(const struct moment *m, uint64_t tick_ns, int64_t *ticks, struct err *e)
{
    if (moment_ticks(m, 0, tick_ns, ticks, e) < 0) {
        return -1;
    }
    must(tick_ns > 0 || !m->is_relative);
    *ticks += m->is_relative && m->time_ns % tick_ns != 0 && *ticks < INT64_MAX;
    return 0;
}

static int set_choice(const struct option *option, int *target, const char *value, struct err *e)
{
    must(option->word != NULL);
    struct suggest nearest = {.wanted = value};
    for (int i = 0; option->word((size_t)i) != NULL; i++) {
        if (strcmp(option->word((size_t)i), value) == 0) {
            *target = i;
            return 0;
        }
        suggest_try(&nearest, option->word((size_t)i));
    }
    if (nearest.nearest != NULL) {
        return err_set(e, "unknown %s \"%.40s\", did you mean %s?", option->argument, value,
                       nearest.nearest);
    }
    (void)err_set(e, "unknown %s \"%.40s\"; there is", option->argument, value);
    for (size_t i = 0; option->word(i) != NULL; i++) {
        const size_t used = strlen(e->text);
        (void)snprintf(e->text + used, sizeof e->text - used, "%s %s", i == 0 ? "" : ",",
                       option->word(i));
    }
    return -1;
}

static int add_choice(const struct option *option, uint32_t *target, const char *value,
                      struct err *e)
{
    int choice = 0;
    if (set_choice(option, &choice, value, e) < 0) {
        return -1;
    }
    must(choice < 32);
    *target |= UINT32_C(1) << choice;
    return 0;
}

static int add_text(struct texts *texts, const char *value, struct err *e)
{
    if (texts->count == TEXTS_MAX) {
        return err_set(e, "it may be given %d times at most", (int)TEXTS_MAX);
    }
    texts->at[texts->count++] = value;
    must(texts->count <= TEXTS_MAX);
    return 0;
}

static bool takes_value(const struct option *option)
{
    return option->type != OPTION_FLAG && option->type != OPTION_SWITCH;
}

static int set_value(const struct option *option, void *target, const char *value, struct err *e)
{
    must(value != NULL);
    void *field = (char *)target + option->target;
    int result = 0;
    switch (option->type) {
    case OPTION_FLAG:
    case OPTION_SWITCH: bug("a flag has no value");
    case OPTION_NUMBER: result = parse_number(value, field, e); break;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_OUTPUT: *(const char **)field = value; break;
    case OPTION_TEXTS: result = add_text(field, value, e); break;
    case OPTION_CHOICE: result = set_choice(option, field, value, e); break;
    case OPTION_CHOICES: result = add_choice(option, field, value, e); break;
    case OPTION_BUDGET: result = limit_parse(field, value, e); break;
    case OPTION_MOMENT: result = moment_parse(field, value, e); break;
    }
    return result < 0 ? err_wrap(e, "--%s", option->name) : 0;
}

/* The words of a command line that are still to be read. */
struct words {
    const char *const *at;
    size_t count;
};

static int take_value(const struct option *option, struct words *words, const char **value,
                      struct err *e)
{
    if (words->count == 0) {
        return err_set(e, "--%s needs a value: %s", option->name, option->argument);
    }
    must(takes_value(option));
    *value = *words->at++;
    words->count--;
    return 0;
}

/* A word "name", "no-name" or "name=value" whose name has `size` letters: its row, or NULL. */
static const struct option *find_long(const struct option *table, const char *name, size_t size,
                                      bool *is_on)
{
    for (const struct option *option = table; option->name != NULL; option++) {
        *is_on = true;
        if (strlen(option->name) == size && memcmp(option->name, name, size) == 0) {
            return option;
        }
        *is_on = false;
        if (option->type == OPTION_SWITCH && size > 3 && memcmp(name, "no-", 3) == 0 &&
            strlen(option->name) == size - 3 && memcmp(option->name, name + 3, size - 3) == 0) {
            return option;
        }
    }
    return NULL;
}

/* Names of other tools for a limit of runs or time. */
static bool is_one_of(const char *wanted, const char *words)
{
    const size_t size = strlen(wanted);
    for (const char *at = strstr(words, wanted); size > 0 && at != NULL;
         at = strstr(at + 1, wanted)) {
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0')) {
            return true;
        }
    }
    return false;
}

static int unknown_long(const struct option *table, const char *name, size_t size, struct err *e)
{
    must(size <= strlen(name));
    char wanted[40] = {0};
    memcpy(wanted, name, size < sizeof wanted ? size : sizeof wanted - 1);
    struct suggest nearest = {.wanted = wanted};
    bool has_budget = false;
    for (const struct option *option = table; option->name != NULL; option++) {
        suggest_try(&nearest, option->name);
        has_budget = has_budget || option->type == OPTION_BUDGET;
    }
    if (has_budget && is_one_of(wanted, "runs iterations executions schedules")) {
        return err_set(e, "unknown option --%s, did you mean --budget Nruns?", wanted);
    }
    if (has_budget && is_one_of(wanted, "time timeout seconds duration")) {
        return err_set(e, "unknown option --%s, did you mean --budget 60s?", wanted);
    }
    if (nearest.nearest == NULL) {
        return err_set(e, "unknown option --%s", wanted);
    }
    return err_set(e, "unknown option --%s, did you mean --%s?", wanted, nearest.nearest);
}

static int parse_long(const struct option *table, void *target, const char *word,
                      struct words *words, struct err *e)
{
    const size_t size = strcspn(word, "=");
    const char *value = word[size] == '=' ? word + size + 1 : NULL;
    bool is_on = false;
    const struct option *option = find_long(table, word, size, &is_on);
    if (option == NULL) {
        return unknown_long(table, word, size, e);
    }
    if (takes_value(option)) {
        if (value == NULL && take_value(option, words, &value, e) < 0) {
            return -1;
        }
        return set_value(option, target, value, e);
    }
    if (value != NULL) {
        return err_set(e, "--%s takes no value", option->name);
    }
    *(bool *)((char *)target + option->target) = is_on;
    return 0;
}

/* Letters behind one dash: flags, up to the first that takes a value, which is the rest of the word
 * or else the next one. */
static int parse_short(const struct option *table, void *target, const char *letters,
                       struct words *words, struct err *e)
{
    for (; *letters != '\0'; letters++) {
        const struct option *option = table;
        while (option->name != NULL && option->letter != *letters) {
            option++;
        }
        if (option->name == NULL) {
            /* Of letters beyond ASCII one byte would be half a letter. */
            return err_set(e, "unknown option -%.*s", (*letters & 0x80) != 0 ? 40 : 1, letters);
        }
        if (takes_value(option)) {
            const char *value = letters + 1;
            if (*value == '\0' && take_value(option, words, &value, e) < 0) {
                return -1;
            }
            return set_value(option, target, value, e);
        }
        must(option->type == OPTION_FLAG || option->type == OPTION_SWITCH);
        *(bool *)((char *)target + option->target) = true;
    }
    return 0;
}

int options_parse(const struct option *table, void *target, const char *const *words,
                  size_t word_count, struct operands *operands, struct err *e)
{
    struct words rest = {.at = words, .count = word_count};
    bool is_ended = false;
    while (rest.count > 0) {
        const char *word = *rest.at++;
        rest.count--;
        int result = 0;
        if (is_ended || word[0] != '-' || word[1] == '\0') {
            vec_push(&operands->list, word);
        } else if (strcmp(word, "--") == 0) {
            is_ended = true;
            operands->has_command = true;
            operands->command = operands->list.count;
        } else if (word[1] == '-') {
            result = parse_long(table, target, word + 2, &rest, e);
        } else {
            result = parse_short(table, target, word + 1, &rest, e);
        }
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}
