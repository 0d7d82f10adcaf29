#include "cli/main.h"
#include "cli/process.h"

int main(int argc, char **argv)
{
    process_prepare();
    return clew_main(argc, (const char *const *)argv);
}
