/* The file system of Flanagan and Godefroid (Dynamic partial-order reduction, POPL 2005): a thread
 * gives its inode the next free block. Here it looks whether a block is free before it takes the
 * block's lock, and two threads may get one block. Threads start at 26 / 2 different blocks, so
 * that they meet only from the 14th on. The argument is the number of threads, 14 when there is
 * none. */
#include "threads.h"

enum { INODES = 32, BLOCKS = 26 };

static pthread_mutex_t inode_locks[INODES];
static pthread_mutex_t block_locks[BLOCKS];
static int block_of[INODES];
static int owners[BLOCKS];

static int is_busy(int block)
{
    return __atomic_load_n(&owners[block], __ATOMIC_SEQ_CST) > 0;
}

static int try_block(int block)
{
#ifndef FIXED
    if (is_busy(block)) {
        return 0;
    }
#endif
    pthread_mutex_lock(&block_locks[block]);
#ifdef FIXED
    const int is_taken = !is_busy(block);
#else
    const int is_taken = 1;
#endif
    if (is_taken) {
        const int before = __atomic_fetch_add(&owners[block], 1, __ATOMIC_SEQ_CST);
        assert(before == 0);
    }
    pthread_mutex_unlock(&block_locks[block]);
    return is_taken;
}

static void *allocate(void *which)
{
    const intptr_t inode = (intptr_t)which % INODES;
    pthread_mutex_lock(&inode_locks[inode]);
    if (block_of[inode] == 0) {
        int block = (int)(inode * 2 % BLOCKS);
        while (!try_block(block)) {
            block = (block + 1) % BLOCKS;
        }
        block_of[inode] = block + 1;
    }
    pthread_mutex_unlock(&inode_locks[inode]);
    return NULL;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < INODES; i++) {
        pthread_mutex_init(&inode_locks[i], NULL);
    }
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_init(&block_locks[i], NULL);
    }
    threads_run_last(allocate, allocate, threads_asked(argc, argv, 14));
    return 0;
}
