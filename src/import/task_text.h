/* A task as foreign formats write it: "name@node", or "name" where there is no node. The last '@'
 * splits it again: a node's own is written %40, and a name that holds one gets one behind it. */
#ifndef CLEW_IMPORT_TASK_TEXT_H
#define CLEW_IMPORT_TASK_TEXT_H

#include "base/vec.h"
#include "import/lost_fields.h"
#include "trace/tables.h"

/* {0} is empty. */
struct task_text {
    VEC(char) chars;
};

/* Sets the text of this task; counts the parts that had to be changed. */
void task_text_set(struct task_text *text, const struct tables *t, uint32_t task, struct lost *l);

void task_text_release(struct task_text *text);

#endif
