/* Bytes that were written as letters, as RFC 4648 has it. */
#ifndef CLEW_IMPORT_HTTP_BASE64_H
#define CLEW_IMPORT_HTTP_BASE64_H

#include <stdbool.h>

#include "import/text_builder.h"

/* Adds the bytes that the letters stand for. Blanks and new lines are passed over; the alphabet of
 * URLs (-_) is known too; the = at the end may be missing. False when something else is met. */
bool base64_decode(struct text *bytes, struct piece letters);

#endif
