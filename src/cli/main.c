#include "cli/main.h"

#include <stdio.h>

int clew_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    (void)puts("clew " CLEW_VERSION);
    return 0;
}
