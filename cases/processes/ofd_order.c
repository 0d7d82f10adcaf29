/* A backup and a restore lock the data and the index, in opposite order. Locks of open file
 * descriptions: the kernel does not look for processes that wait for each other. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void lock(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    struct flock whole = {.l_type = F_WRLCK};
    if (file < 0 || fcntl(file, F_OFD_SETLKW, &whole) != 0) {
        exit(1);
    }
}

int main(void)
{
    if (fork() == 0) { /* the backup */
        lock("data");
        lock("index");
        exit(0);
    }
    if (fork() == 0) { /* the restore */
#ifdef FIXED
        lock("data");
        lock("index");
#else
        lock("index");
        lock("data");
#endif
        exit(0);
    }
    int status = 0;
    while (wait(&status) > 0) {
        if (status != 0) {
            return 1;
        }
    }
    return 0;
}
