/* Found by `clew cc` before the file of this name in libstdc++, which it includes. libstdc++ tells
 * the compiler that the functions of std::string are in the library, where nobody reports what they
 * access. The value -1 takes that back, for std::string alone: the functions are compiled with the
 * source that calls them. */
#include_next <bits/c++config.h>

#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
