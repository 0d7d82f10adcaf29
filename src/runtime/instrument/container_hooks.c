/* Wrappers of the functions of libstdc++ that link and unlink the nodes of std::map, std::set and
 * std::list. `clew cc` has not built the library, so its writes to a tree's root would go
 * unreported. `clew cc` links with --wrap for each of them (wire/libc_calls.h).
 *
 * The library rotates the nodes of a tree as its balance needs it. The wrappers report the accesses
 * that every call makes: to the node, its neighbours, and the root. By the C++ standard each
 * insertion and removal accesses the whole container, so a program must expect the write of the
 * root. */
#include "runtime/instrument/wrap.h"

struct tree_node {
    int color;
    struct tree_node *parent, *left, *right;
};

struct list_node {
    struct list_node *next, *prev;
};

/* The layouts of _Rb_tree_node_base and _List_node_base in libstdc++'s ABI. */
_Static_assert(offsetof(struct tree_node, parent) == 8, "behind the color");
_Static_assert(offsetof(struct tree_node, right) == 24, "behind parent and left");
_Static_assert(sizeof(struct tree_node) == 32, "the value follows");
_Static_assert(sizeof(struct list_node) == 16, "the value follows");

#define READS(field) hook_read(&(field), sizeof(field), place)
#define WRITES(field) hook_write(&(field), sizeof(field), place)

/* The header of a tree: its parent is the root, its left and right are the first and the last node.
 * A node that is linked at an end, or unlinked from it, changes the end as well. */
static void header_changed(const struct tree_node *header, const struct tree_node *node,
                           const void *place)
{
    READS(header->parent);
    WRITES(header->parent);
    READS(header->left);
    if (header->left == node || header == node) {
        WRITES(header->left);
    }
    READS(header->right);
    if (header->right == node || header == node) {
        WRITES(header->right);
    }
}

WRAPPED(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
        (bool is_left, struct tree_node *node, struct tree_node *parent, struct tree_node *header))
{
    const void *place = PLACE;
    WRITES(node->color);
    WRITES(node->parent);
    WRITES(node->left);
    WRITES(node->right);
    if (parent != header) {
        hook_write(is_left ? &parent->left : &parent->right, sizeof(void *), place);
    }
    header_changed(header, parent, place);
    __real__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(is_left, node, parent,
                                                                             header);
}

WRAPPED(struct tree_node *, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
        (struct tree_node * node, struct tree_node *header))
{
    const void *place = PLACE;
    READS(node->left);
    READS(node->right);
    READS(node->parent);
    if (node->left != NULL) {
        WRITES(node->left->parent);
    }
    if (node->right != NULL) {
        WRITES(node->right->parent);
    }
    if (node->parent != header) {
        const bool is_left = node->parent->left == node;
        hook_write(is_left ? &node->parent->left : &node->parent->right, sizeof(void *), place);
    }
    header_changed(header, node, place);
    return __real__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(node, header);
}

/* A step to the next node or the one before: down from the node, or up from it. */
#define STEP(name, down)                                         \
    WRAPPED(struct tree_node *, name, (struct tree_node * node)) \
    {                                                            \
        const void *place = PLACE;                               \
        READS(node->down);                                       \
        if (node->down == NULL) {                                \
            READS(node->parent);                                 \
        }                                                        \
        return __real_##name(node);                              \
    }
STEP(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, right)
STEP(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, right)
STEP(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, left)
STEP(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, left)

WRAPPED(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_,
        (struct list_node * node, struct list_node *behind))
{
    const void *place = PLACE;
    READS(behind->prev);
    WRITES(node->next);
    WRITES(node->prev);
    WRITES(behind->prev->next);
    WRITES(behind->prev);
    __real__ZNSt8__detail15_List_node_base7_M_hookEPS0_(node, behind);
}

WRAPPED(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, (struct list_node * node))
{
    const void *place = PLACE;
    READS(node->next);
    READS(node->prev);
    WRITES(node->prev->next);
    WRITES(node->next->prev);
    __real__ZNSt8__detail15_List_node_base9_M_unhookEv(node);
}

/* Moves the nodes [first, last) in front of `behind`. */
WRAPPED(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
        (struct list_node * behind, struct list_node *first, struct list_node *last))
{
    const void *place = PLACE;
    if (behind != last) {
        READS(last->prev);
        READS(first->prev);
        READS(behind->prev);
        WRITES(last->prev->next);
        WRITES(first->prev->next);
        WRITES(behind->prev->next);
        WRITES(behind->prev);
        WRITES(last->prev);
        WRITES(first->prev);
    }
    __real__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(behind, first, last);
}

static void list_moved(const struct list_node *header, const void *place)
{
    READS(header->next);
    READS(header->prev);
    if (header->next != header) {
        WRITES(header->next->prev);
        WRITES(header->prev->next);
    }
    WRITES(header->next);
    WRITES(header->prev);
}

WRAPPED(void, _ZNSt8__detail15_List_node_base4swapERS0_S1_,
        (struct list_node * one, struct list_node *other))
{
    list_moved(one, PLACE);
    list_moved(other, PLACE);
    __real__ZNSt8__detail15_List_node_base4swapERS0_S1_(one, other);
}

WRAPPED(void, _ZNSt8__detail15_List_node_base10_M_reverseEv, (struct list_node * header))
{
    const void *place = PLACE;
    struct list_node *node = header;
    do {
        READS(node->next);
        READS(node->prev);
        WRITES(node->next);
        WRITES(node->prev);
        node = node->next;
    } while (node != header);
    __real__ZNSt8__detail15_List_node_base10_M_reverseEv(header);
}
