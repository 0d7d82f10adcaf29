#include "import/task_text.h"

#include <string.h>

#include "wire/must.h"

static void append(struct task_text *text, const char *bytes, size_t size)
{
    vec_reserve(&text->chars, text->chars.count + size);
    if (size > 0) {
        memcpy(text->chars.at + text->chars.count, bytes, size);
    }
    text->chars.count += size;
}

void task_text_set(struct task_text *text, const struct tables *t, uint32_t task, struct lost *l)
{
    must(task < t->tasks.count);
    const struct name *name = &t->names.list.at[t->tasks.at[task].name];
    const struct name *node = &t->names.list.at[t->tasks.at[task].node];
    vec_clear(&text->chars);
    must(t->tasks.at[task].name < t->names.list.count);
    append(text, name->text, name->size);
    if (node->size == 0 && name->size > 0 && memchr(name->text, '@', name->size) == NULL) {
        return;
    }
    append(text, "@", 1);
    for (size_t i = 0; i < node->size; i++) {
        const bool is_at = node->text[i] == '@';
        lost_add(l, is_at ? LOST_BIT(LOST_CODED) : 0);
        append(text, is_at ? "%40" : &node->text[i], is_at ? 3 : 1);
    }
}

void task_text_release(struct task_text *text)
{
    vec_release(&text->chars);
}
