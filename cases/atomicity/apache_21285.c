/* After bug 21285 of Apache's mod_mem_cache: an object enters the cache when its headers are known.
 * When its body is complete, it is taken out and inserted again with its real size. A request that
 * comes between finds nothing and inserts an object of its own: the URL is there twice.
 *
 * couple: objects remove, objects insert
 * couple: objects remove, objects free_slot
 * couple: heap size_out, heap size_in */
#include "kernel.h"

#include <string.h>

enum { SLOTS = 4 };

struct object {
    const char *url;
    size_t size;
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects[SLOTS];
static size_t cache_size;

/* These three are called with the lock held. */
static int cache_find(const char *url)
{
    for (int i = 0; i < SLOTS; i++) {
        if (objects[i] != NULL && strcmp(objects[i]->url, url) == 0) {
            return i;
        }
    }
    return -1;
}

static void cache_insert(struct object *o)
{
    int i = 0;
    while (objects[i] != NULL) { /* free_slot */
        i++;
    }
    objects[i] = o; /* insert */
    cache_size += o->size;
}

static void cache_remove(int slot)
{
    cache_size -= objects[slot]->size; /* size_out */
    objects[slot] = NULL;              /* remove */
}

static struct object *open_entity(const char *url)
{
    pthread_mutex_lock(&cache_lock);
    const int slot = cache_find(url);
    struct object *o = slot < 0 ? NULL : objects[slot];
    if (slot < 0) {
        o = calloc(1, sizeof *o);
        if (o == NULL) {
            abort();
        }
        o->url = url;
        cache_insert(o);
    }
    pthread_mutex_unlock(&cache_lock);
    return o;
}

static void write_body(struct object *o, size_t size)
{
    pthread_mutex_lock(&cache_lock);
    cache_remove(cache_find(o->url));
#ifndef FIXED
    pthread_mutex_unlock(&cache_lock);
    pthread_mutex_lock(&cache_lock);
#endif
    o->size = size; /* size_in */
    cache_insert(o);
    pthread_mutex_unlock(&cache_lock);
}

/* The filter that saves a response: called for the headers, and again for the body. */
static void save(struct object **o, size_t size)
{
    if (*o == NULL) {
        *o = open_entity("/index.html");
    } else {
        write_body(*o, size);
    }
}

static void *request(void *unused)
{
    struct object *o = NULL;
    for (int brigade = 0; brigade < 2; brigade++) {
        save(&o, 700);
    }
    return unused;
}

static void *second_request(void *unused)
{
    kernel_late();
    return request(unused);
}

static int is_wrong(void)
{
    return cache_size != 700 || objects[0] == NULL || objects[1] != NULL;
}

int main(void)
{
    const int status = kernel_run(request, second_request, is_wrong);
    free(objects[0]);
    return status;
}
