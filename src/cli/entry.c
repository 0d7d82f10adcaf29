#include "cli/main.h"

int main(int argc, char **argv)
{
    return clew_main(argc, argv);
}
