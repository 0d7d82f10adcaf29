/* Files of the current directory, changed in every way: each run finds them as they were before the
 * first. The directory has: old, big, dir/one, dir/two, dir/sub/three, link -> dir/one. */
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static void *t(void *p)
{
    return p;
}
static void put(const char *path, const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    assert(f);
    fputs(text, f);
    assert(fclose(f) == 0);
}
static void is(const char *path, const char *text)
{
    char b[100] = "";
    FILE *f = fopen(path, "r");
    assert(f);
    size_t n = fread(b, 1, 99, f);
    b[n] = 0;
    fclose(f);
    if (strcmp(b, text)) {
        fprintf(stderr, "%s: %s\n", path, b);
        abort();
    }
}
static int count(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    assert(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}
int main(void)
{
    pthread_t x;
    char cwd[4096], abs[5000];
    struct stat s;
    pthread_create(&x, 0, t, 0);
    assert(getcwd(cwd, sizeof cwd));
    int before = count(".");
    is("old", "old\n");
    is("dir/one", "one\n");
    is("link", "one\n");
    assert(access("new", F_OK) != 0);
    put("new", "w", "new");
    is("new", "new");
    assert(count(".") == before + 1);
    put("old", "a", "more");
    is("old", "old\nmore");
    snprintf(abs, sizeof abs, "%s/old", cwd);
    is(abs, "old\nmore");
    put("link", "w", "through");
    is("dir/one", "through");
    assert(lstat("link", &s) == 0 && S_ISLNK(s.st_mode));
    assert(rename("dir", "moved") == 0);
    is("moved/one", "through");
    is("moved/two", "two\n");
    is("moved/sub/three", "three\n");
    assert(access("dir", F_OK) != 0);
    assert(access("dir/two", F_OK) != 0);
    assert(unlink("moved/two") == 0);
    assert(stat("moved/two", &s) != 0);
    assert(rmdir("moved") != 0);
    assert(mkdir("made", 0755) == 0);
    assert(mkdir("made", 0755) != 0);
    assert(chdir("made") == 0);
    put("inside", "w", "in");
    assert(getcwd(abs, sizeof abs));
    char want[5000];
    snprintf(want, sizeof want, "%s/made", cwd);
    assert(strcmp(abs, want) == 0);
    is("../old", "old\nmore");
    assert(chdir("..") == 0);
    is("made/inside", "in");
    assert(getcwd(abs, sizeof abs) && strcmp(abs, cwd) == 0);
    assert(truncate("old", 3) == 0);
    is("old", "old");
    int d = open("moved", O_RDONLY | O_DIRECTORY);
    assert(d >= 0);
    int f = openat(d, "sub/four", O_CREAT | O_EXCL | O_RDWR, 0600);
    assert(f >= 0);
    assert(ftruncate(f, 10) == 0);
    char *m = mmap(0, 10, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    assert(m != MAP_FAILED);
    memcpy(m, "mapped", sizeof "mapped");
    munmap(m, 10);
    assert(fsync(f) == 0);
    close(f);
    close(d);
    is("moved/sub/four", "mapped");
    assert(rename("moved/sub/four", "old") == 0);
    is("old", "mapped");
    assert(symlink("old", "alias") == 0);
    is("alias", "mapped");
    assert(unlink("alias") == 0);
    assert(link("old", "hard") == 0);
    is("hard", "mapped");
    char tmp[] = "tmpXXXXXX";
    int e = mkstemp(tmp);
    assert(e >= 0);
    close(e);
    assert(chmod(tmp, 0400) == 0 && stat(tmp, &s) == 0 && (s.st_mode & 0777) == 0400);
    assert(open("old", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0);
    assert(unlink("big") == 0 && access("big", F_OK) != 0);
    put("big", "w", "small");
    is("big", "small");
    pthread_join(x, 0);
#ifdef FAIL
    abort();
#endif
    return 0;
}
