/* `clew cc` finds this file before the one of this name in libstdc++, which it includes. libstdc++
 * tells the compiler that the functions of std::string are in the library, where no code reports
 * its accesses. The value -1 undoes that for std::string alone: its functions are compiled with the
 * source that calls them. */
#include_next <bits/c++config.h>

#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
