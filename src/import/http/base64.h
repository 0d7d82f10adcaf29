/* Base64, by RFC 4648. */
#ifndef CLEW_IMPORT_HTTP_BASE64_H
#define CLEW_IMPORT_HTTP_BASE64_H

#include <stdbool.h>

#include "import/text_builder.h"

/* Decodes the letters and appends the bytes. Ignores blanks and new lines; accepts the URL alphabet
 * (-_); the = at the end may be missing. False on any other character. */
bool base64_decode(struct text *bytes, struct piece letters);

#endif
