/* Included by `clew cc` before every source that gcc compiles. gcc makes plain stores of a copy or
 * a fill of constant size, which nothing reports; behind these names it makes calls, which clew
 * sees. Calls of memcpy and its kin by their own names are left to -fno-builtin. Sources in
 * assembly language are preprocessed too and get nothing of it. */
#if !defined(CLEW_BUILTINS_H) && !defined(__ASSEMBLER__)
#define CLEW_BUILTINS_H

#ifdef __cplusplus
#define CLEW_BUILTIN extern "C"
#define CLEW_NOTHROW noexcept(true)
#if __cplusplus < 201103L
#undef CLEW_NOTHROW
#define CLEW_NOTHROW throw()
#endif
#else
#define CLEW_BUILTIN extern
#define CLEW_NOTHROW
#endif

CLEW_BUILTIN void *clew_builtin_memcpy(void *to, const void *from, __SIZE_TYPE__ size) CLEW_NOTHROW
    __asm__("memcpy");
CLEW_BUILTIN void *clew_builtin_memmove(void *to, const void *from, __SIZE_TYPE__ size) CLEW_NOTHROW
    __asm__("memmove");
CLEW_BUILTIN void *clew_builtin_memset(void *to, int byte, __SIZE_TYPE__ size) CLEW_NOTHROW
    __asm__("memset");
CLEW_BUILTIN void *clew_builtin_memcpy_chk(void *to, const void *from, __SIZE_TYPE__ size,
                                           __SIZE_TYPE__ room) CLEW_NOTHROW __asm__("__memcpy_chk");
CLEW_BUILTIN void *clew_builtin_memmove_chk(void *to, const void *from, __SIZE_TYPE__ size,
                                            __SIZE_TYPE__ room) CLEW_NOTHROW
    __asm__("__memmove_chk");
CLEW_BUILTIN void *clew_builtin_memset_chk(void *to, int byte, __SIZE_TYPE__ size,
                                           __SIZE_TYPE__ room) CLEW_NOTHROW __asm__("__memset_chk");

CLEW_BUILTIN char *clew_builtin_strcpy_chk(char *to, const char *from,
                                           __SIZE_TYPE__ room) CLEW_NOTHROW __asm__("__strcpy_chk");
CLEW_BUILTIN char *clew_builtin_strcat_chk(char *to, const char *from,
                                           __SIZE_TYPE__ room) CLEW_NOTHROW __asm__("__strcat_chk");
CLEW_BUILTIN char *clew_builtin_strncpy_chk(char *to, const char *from, __SIZE_TYPE__ size,
                                            __SIZE_TYPE__ room) CLEW_NOTHROW
    __asm__("__strncpy_chk");

#define __builtin_memcpy clew_builtin_memcpy
#define __builtin_memmove clew_builtin_memmove
#define __builtin_memset clew_builtin_memset
#define __builtin___memcpy_chk clew_builtin_memcpy_chk
#define __builtin___memmove_chk clew_builtin_memmove_chk
#define __builtin___memset_chk clew_builtin_memset_chk
#define __builtin___strcpy_chk clew_builtin_strcpy_chk
#define __builtin___strcat_chk clew_builtin_strcat_chk
#define __builtin___strncpy_chk clew_builtin_strncpy_chk

#undef CLEW_BUILTIN
#undef CLEW_NOTHROW
#endif
