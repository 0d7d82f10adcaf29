#include "import/import.h"

const struct format *const import_formats[] = {&format_falcon, &format_std, NULL};
