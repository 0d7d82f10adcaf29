#include "cli/dispatch.h"
#include "cli/process_setup.h"

int main(int argc, char **argv)
{
    process_prepare();
    return clew_main(argc, (const char *const *)argv);
}
