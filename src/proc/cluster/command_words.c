#include "proc/cluster/command_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/out.h"
#include "base/quoted_text.h"
#include "base/vec.h"

struct splitter {
    const char *at;
    const struct command_variable *variables;
    struct arena *arena;
    struct out word; /* under construction */
    bool has_word;   /* there is one, perhaps an empty one */
    VEC(const char *) words;
    struct err *e;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_of_name(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Replaces the variable whose dollar sign is the current character. */
static int add_variable(struct splitter *s)
{
    const bool is_braced = s->at[1] == '{';
    const char *name = s->at + 1 + is_braced;
    size_t size = 0;
    while (is_of_name(name[size])) {
        size++;
    }
    if (size == 0 || (is_braced && name[size] != '}')) {
        return err_set(s->e, "a lone $: write \\$ for a dollar sign");
    }
    for (const struct command_variable *v = s->variables; v->name != NULL; v++) {
        if (strlen(v->name) == size && memcmp(v->name, name, size) == 0) {
            out_text(&s->word, v->value);
            s->at = name + size + is_braced;
            return 0;
        }
    }
    return err_set(
        s->e,
        "there is no variable %s here: $NAME, $ADDRESS, $DATA and $HISTORY are; write \\$ "
        "for a dollar sign",
        shown(name, size).text);
}

/* From the quote to the one that ends it. */
static int add_quoted(struct splitter *s)
{
    const char quote = *s->at++;
    while (*s->at != '\0' && *s->at != quote) {
        if (quote == '"' && *s->at == '$') {
            if (add_variable(s) < 0) {
                return -1;
            }
            continue;
        }
        const bool is_escaped = quote == '"' && s->at[0] == '\\' && s->at[1] != '\0' &&
                                strchr("\"\\$", s->at[1]) != NULL;
        s->at += is_escaped;
        out_char(&s->word, *s->at++);
    }
    if (*s->at != quote) {
        return err_set(s->e, "a %c that nothing closes", quote);
    }
    s->at++;
    return 0;
}

static int add_plain(struct splitter *s)
{
    if (*s->at == '\\') {
        if (s->at[1] == '\0') {
            return err_set(s->e, "a backslash at the end");
        }
        s->at++;
    } else if (strchr("|&;<>()`", *s->at) != NULL) {
        return err_set(s->e,
                       "no shell reads this: %c has no meaning here; quote it, or write a script "
                       "and run that",
                       *s->at);
    }
    out_char(&s->word, *s->at++);
    return 0;
}

static const char *keep_word(struct splitter *s)
{
    return s->word.used == 0 ? "" : arena_text(s->arena, s->word.buffer, s->word.used);
}

static void end_word(struct splitter *s)
{
    if (s->has_word) {
        vec_push(&s->words, keep_word(s));
    }
    s->word.used = 0;
    s->has_word = false;
}

static int split(struct splitter *s)
{
    while (*s->at != '\0') {
        if (is_blank(*s->at)) {
            end_word(s);
            s->at++;
            continue;
        }
        s->has_word = true;
        const bool is_quote = *s->at == '"' || *s->at == '\'';
        if ((is_quote ? add_quoted(s) : *s->at == '$' ? add_variable(s) : add_plain(s)) < 0) {
            return -1;
        }
    }
    end_word(s);
    return s->words.count > 0 ? 0 : err_set(s->e, "a command has at least one word");
}

static const char *const *keep_words(struct splitter *s)
{
    const char **list = arena_array(s->arena, const char *, s->words.count + 1);
    for (size_t i = 0; i < s->words.count; i++) {
        list[i] = s->words.at[i];
    }
    return list;
}

int command_words(struct arena *a, const char *text, const struct command_variable *variables,
                  const char *const **words, size_t *count, struct err *e)
{
    struct splitter s = {.at = text, .variables = variables, .arena = a, .e = e};
    out_open_memory(&s.word);
    const int result = split(&s);
    if (result == 0) {
        *words = keep_words(&s);
        *count = s.words.count;
        must(*count > 0);
        must((*words)[*count] == NULL);
    }
    out_abandon(&s.word);
    vec_release(&s.words);
    return result;
}

int command_expand(struct arena *a, const char *text, const struct command_variable *variables,
                   const char **result, struct err *e)
{
    struct splitter s = {.at = text, .variables = variables, .arena = a, .e = e};
    int status = 0;
    out_open_memory(&s.word);
    while (*s.at != '\0' && status == 0) {
        if (*s.at == '$') {
            status = add_variable(&s);
            continue;
        }
        s.at += s.at[0] == '\\' && s.at[1] == '$';
        out_char(&s.word, *s.at++);
    }
    *result = keep_word(&s);
    out_abandon(&s.word);
    return status;
}
