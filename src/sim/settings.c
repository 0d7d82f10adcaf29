#include "sim/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/state_hash.h"

/* A word of the list. */
struct word {
    const char *text;
    int size; /* up to "=", the next word or the end */
};

static bool is_word(struct word word, const char *name)
{
    return strlen(name) == (size_t)word.size && memcmp(name, word.text, (size_t)word.size) == 0;
}

static int turn_on(const struct sim *s, struct word word, struct err *e)
{
    char all[300] = "";
    size_t used = 0;
    for (const struct clew_bug *bug = s->system->bugs; bug != NULL && bug->name != NULL; bug++) {
        if (is_word(word, bug->name)) {
            *bug->is_on = true;
            return 0;
        }
        if (used < sizeof all) {
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                     used == 0 ? " (it has " : ", ", bug->name);
        }
    }
    return err_set(e, "%s has no bug called \"%.*s\"%s%s", s->system->name, word.size, word.text,
                   all, used == 0 ? "" : ")");
}

static int set_number(const struct sim *s, struct word word, struct err *e)
{
    const char *digits = word.text + word.size + 1;
    char *end = NULL;
    const unsigned long long value = strtoull(digits, &end, 10);
    const struct clew_setting *setting = s->system->settings;
    while (setting != NULL && setting->name != NULL && !is_word(word, setting->name)) {
        setting++;
    }
    if (setting == NULL || setting->name == NULL) {
        return err_set(e, "%s has no setting called \"%.*s\"", s->system->name, word.size,
                       word.text);
    }
    if (*digits < '0' || *digits > '9' || (*end != ',' && *end != '\0') || value < setting->least ||
        value > setting->most) {
        return err_set(e, "%s=%.*s: %s is a number from %u to %u", setting->name,
                       (int)strcspn(digits, ","), digits, setting->name, setting->least,
                       setting->most);
    }
    *setting->value = (uint32_t)value;
    return 0;
}

static int choose_all(struct sim *s, const char *list, struct err *e)
{
    for (const char *at = list; true; at++) {
        const struct word word = {.text = at, .size = (int)strcspn(at, "=,")};
        if ((at[word.size] == '=' ? set_number(s, word, e) : turn_on(s, word, e)) < 0) {
            return -1;
        }
        at += strcspn(at, ",");
        if (*at == '\0') {
            break;
        }
    }
    s->with = mem_text(list, strlen(list));
    s->world.with = s->with;
    return 0;
}

static void adjust(struct sim *s)
{
    s->run.doing = "adjust";
    s->described.adjust(&s->described);
}

int settings_choose(struct sim *s, const char *list, struct err *e)
{
    if (list != NULL && choose_all(s, list, e) < 0) {
        return -1;
    }
    return s->described.adjust == NULL || guard_try(s, adjust, e) ? 0 : -1;
}
