/* Whether a store that the compiler reports is the end of a load, a change and a store: a
 * bit-field. gcc calls __tsan_write for the whole of it before it loads, and nothing for the load.
 * The code behind the call shows it:
 *
 *     call  __tsan_write1                      call  __tsan_write1
 *     and   byte ptr [rip + g], 0xf0    or     movzx eax, byte ptr [rbx]
 *     or    byte ptr [rip + g], 3              or    eax, 3
 *                                              mov   byte ptr [rbx], al
 */
#include <capstone/capstone.h>
#include <string.h>

#include "base/map.h"
#include "place/code.h"
#include "place/module_state.h"

enum { INSTRUCTIONS_MAX = 24, LOADS_MAX = 8 };

/* A memory operand. Registers keep their values between the load and the store of a bit-field. */
struct operand {
    uint32_t base, index, scale;
    int64_t offset; /* of one relative to the instruction: the address */
    uint32_t size;
};

struct loads {
    struct operand list[LOADS_MAX];
    uint32_t count;
};

static struct operand operand_of(const cs_insn *i, const cs_x86_op *op)
{
    const bool is_relative = op->mem.base == X86_REG_RIP;
    return (struct operand){
        .base = op->mem.base,
        .index = op->mem.index,
        .scale = (uint32_t)op->mem.scale,
        .offset = op->mem.disp + (is_relative ? (int64_t)(i->address + i->size) : 0),
        .size = op->size,
    };
}

static bool is_same(const struct operand *a, const struct operand *b)
{
    return a->base == b->base && a->index == b->index && a->scale == b->scale &&
           a->offset == b->offset;
}

/* Variables in the frame and spilled registers are no bit-fields that others see. */
static bool is_of_frame(const cs_x86_op *op)
{
    return op->mem.base == X86_REG_RBP || op->mem.base == X86_REG_RSP;
}

/* The bytes that the instruction changes in memory, which it or an earlier one has loaded. */
static uint32_t width_of(const cs_insn *i, struct loads *loads)
{
    const cs_x86 *x = &i->detail->x86;
    for (uint8_t k = 0; k < x->op_count; k++) {
        const cs_x86_op *op = &x->operands[k];
        if (op->type != X86_OP_MEM || is_of_frame(op) || i->id == X86_INS_LEA) {
            continue;
        }
        const struct operand o = operand_of(i, op);
        const bool is_read = (op->access & CS_AC_READ) != 0;
        if ((op->access & CS_AC_WRITE) == 0) {
            if (loads->count < LOADS_MAX) {
                loads->list[loads->count++] = o;
            }
            continue;
        }
        for (uint32_t n = 0; n < loads->count; n++) {
            if (is_same(&loads->list[n], &o)) {
                return o.size;
            }
        }
        return is_read ? o.size : 0;
    }
    return 0;
}

static bool ends(csh decoder, const cs_insn *i)
{
    return cs_insn_group(decoder, i, CS_GRP_CALL) || cs_insn_group(decoder, i, CS_GRP_JUMP) ||
           cs_insn_group(decoder, i, CS_GRP_RET);
}

static uint32_t width_behind(csh decoder, cs_insn *i, const struct code *code)
{
    struct loads loads = {0};
    const uint8_t *at = code->bytes;
    size_t left = code->size;
    uint64_t address = code->address;
    for (int n = 0; n < INSTRUCTIONS_MAX; n++) {
        if (!cs_disasm_iter(decoder, &at, &left, &address, i) || ends(decoder, i)) {
            break;
        }
        const uint32_t width = width_of(i, &loads);
        if (width > 0) {
            return width;
        }
    }
    return 0;
}

uint32_t places_updated(struct places *p, uint64_t address)
{
    struct code code;
    csh decoder = 0;
    uint32_t width = 0;
    if (!code_at(p, address, &code) || cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) != CS_ERR_OK) {
        return 0;
    }
    (void)cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *instruction = cs_malloc(decoder);
    if (instruction != NULL) {
        width = width_behind(decoder, instruction, &code);
        cs_free(instruction, 1);
    }
    (void)cs_close(&decoder);
    return width;
}
