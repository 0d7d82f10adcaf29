#include "import/import.h"

const struct format *const import_formats[] = {
#define IMPORT(name) &format_##name,
    IMPORT_LIST(IMPORT)
#undef IMPORT
        NULL,
};
