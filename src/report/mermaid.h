/* A sequence diagram for Mermaid (https://mermaid.js.org): a participant for each task, an arrow
 * for each message, a note for each other event. */
#ifndef CLEW_REPORT_MERMAID_H
#define CLEW_REPORT_MERMAID_H

#include "base/out.h"
#include "trace/format.h"

extern const struct format format_mermaid;

/* Writes text so that Mermaid shows it as it is: #NUMBER; is a character, and ';' ends a statement.
 */
void mermaid_text(struct out *out, const char *text);

#endif
