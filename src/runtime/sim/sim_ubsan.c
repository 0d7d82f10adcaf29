/* Undefined behaviour in simulated systems: the functions that code compiled with
 * -fsanitize=undefined calls when a check fails. Each reports the kind and ends the run. The
 * functions and their arguments are those of compiler-rt's ubsan_handlers.h, which the archive
 * replaces. */
#include <stdint.h>

#include "runtime/sim/sim_calls.h"

/* The compiler's description of a type. */
struct type {
    uint16_t kind; /* 0: an integer */
    uint16_t info; /* width as a power of two, and a bit for the sign below */
};

struct place {
    const char *file;
    uint32_t line;
    uint32_t column;
};

_Static_assert(sizeof(struct type) == 4, "as struct TypeDescriptor begins");
_Static_assert(sizeof(struct place) == 16, "as struct SourceLocation");

struct on_type {
    struct place place;
    const struct type *type;
};

struct on_access {
    struct place place;
    const struct type *type;
    unsigned char alignment; /* as a power of two */
    unsigned char kind;
};

struct on_shift {
    struct place place;
    const struct type *left;
    const struct type *right;
};

#define SAY(what) (sim_calls()->undefined((what), __builtin_return_address(0)))

/* Compilers call the second name with -fno-sanitize-recover: it must not return. */
#define HANDLER(name, parameters)                          \
    void __ubsan_handle_##name parameters;                 \
    void __ubsan_handle_##name##_abort parameters;         \
    SIM_LIBC void __ubsan_handle_##name##_abort parameters \
        __attribute__((alias("__ubsan_handle_" #name)));   \
    SIM_LIBC void __ubsan_handle_##name parameters

/* True if the value is 0. A value that fits into a word is passed itself, a larger one by address.
 */
static int is_zero(const struct type *type, uintptr_t value)
{
    const unsigned width = 1u << (type->info >> 1);
    if (width <= 8 * sizeof value) {
        return value == 0;
    }
    const uint64_t *words = (const uint64_t *)value;
    return (words[0] | words[1]) == 0;
}

HANDLER(type_mismatch_v1, (const struct on_access *data, uintptr_t address))
{
    const uintptr_t rest = address & (((uintptr_t)1 << data->alignment) - 1);
    SAY(address == 0 ? "uses a null pointer"
        : rest != 0  ? "uses an address that is not aligned"
                     : "uses an object that is too small");
}

HANDLER(add_overflow, (const struct on_type *data, uintptr_t left, uintptr_t right))
{
    (void)data;
    (void)left;
    (void)right;
    SAY("a sum overflows");
}

HANDLER(sub_overflow, (const struct on_type *data, uintptr_t left, uintptr_t right))
{
    (void)data;
    (void)left;
    (void)right;
    SAY("a difference overflows");
}

HANDLER(mul_overflow, (const struct on_type *data, uintptr_t left, uintptr_t right))
{
    (void)data;
    (void)left;
    (void)right;
    SAY("a product overflows");
}

HANDLER(negate_overflow, (const struct on_type *data, uintptr_t value))
{
    (void)data;
    (void)value;
    SAY("a negation overflows");
}

HANDLER(divrem_overflow, (const struct on_type *data, uintptr_t left, uintptr_t right))
{
    (void)left;
    SAY(is_zero(data->type, right) ? "divides by zero" : "a quotient overflows");
}

HANDLER(shift_out_of_bounds, (const struct on_shift *data, uintptr_t left, uintptr_t right))
{
    (void)data;
    (void)left;
    (void)right;
    SAY("shifts by too many bits, or a negative number");
}

HANDLER(out_of_bounds, (const struct on_type *data, uintptr_t index))
{
    (void)data;
    (void)index;
    SAY("an index is beyond its array");
}

HANDLER(builtin_unreachable, (const struct place *data))
{
    (void)data;
    SAY("reaches code that is declared unreachable");
}

HANDLER(missing_return, (const struct place *data))
{
    (void)data;
    SAY("a function ends without the value that it returns");
}

HANDLER(vla_bound_not_positive, (const struct on_type *data, uintptr_t bound))
{
    (void)data;
    (void)bound;
    SAY("an array has no positive size");
}

HANDLER(float_cast_overflow, (const void *data, uintptr_t from))
{
    (void)data;
    (void)from;
    SAY("a number does not fit into the integer it is converted to");
}

HANDLER(load_invalid_value, (const struct on_type *data, uintptr_t value))
{
    (void)data;
    (void)value;
    SAY("reads a bool or an enum that has no such value");
}

HANDLER(invalid_builtin, (const void *data))
{
    (void)data;
    SAY("counts the zeros of zero");
}

HANDLER(pointer_overflow, (const struct place *data, uintptr_t base, uintptr_t result))
{
    (void)data;
    SAY(base == 0 || result == 0 ? "computes with a null pointer" : "an address overflows");
}

HANDLER(nonnull_arg, (const void *data))
{
    (void)data;
    SAY("passes a null pointer to a parameter that must not be null");
}

HANDLER(nonnull_return_v1, (const void *data, const struct place *place))
{
    (void)data;
    (void)place;
    SAY("returns a null pointer where none may be");
}

HANDLER(function_type_mismatch, (const void *data, uintptr_t function))
{
    (void)data;
    (void)function;
    SAY("calls a function of another type");
}
