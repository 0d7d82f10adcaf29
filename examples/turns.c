/* Two processes take turns: the parent first, then, when it says so, the child.
 *
 *     clew cc examples/turns.c -o turns
 *     clew record -o turns.clew -- ./turns
 *     clew monitor --spec examples/turns.spec --skew 10ms turns.clew
 */
#include <clew/clew.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void use(void)
{
    clew_var("use", 1);
    clew_var("use", 0);
}

int main(void)
{
    int ends[2];
    char word = 'x';
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) {
        return 1;
    }
    const pid_t child = fork();
    clew_var("use", 0);
    if (child == 0) {
        if (read(ends[1], &word, 1) != 1) {
            return 1;
        }
        use();
        return 0;
    }
    use();
    return child < 0 || write(ends[0], &word, 1) != 1 || wait(NULL) != child;
}
