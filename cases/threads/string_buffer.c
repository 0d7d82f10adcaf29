/* A string buffer with a lock for each of its methods. To append another buffer, its length is
 * asked for and then its bytes: who shortens it in between has them read beyond its end. */
#include <string.h>

#include "threads.h"

struct buffer {
    pthread_mutex_t lock;
    size_t size;
    char *bytes;
};

static struct buffer text = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void buffer_set(struct buffer *buffer, size_t size)
{
    free(buffer->bytes);
    buffer->bytes = malloc(size);
    assert(buffer->bytes != NULL);
    memset(buffer->bytes, 'x', size);
    buffer->size = size;
}

static size_t buffer_size(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    const size_t size = buffer->size;
    pthread_mutex_unlock(&buffer->lock);
    return size;
}

static void buffer_read(struct buffer *buffer, char *into, size_t size)
{
    pthread_mutex_lock(&buffer->lock);
#ifdef FIXED
    size = size < buffer->size ? size : buffer->size;
#endif
    for (size_t i = 0; i < size; i++) {
        into[i] = buffer->bytes[i];
    }
    pthread_mutex_unlock(&buffer->lock);
}

static void *append(void *unused)
{
    char own[8];
    const size_t size = buffer_size(&text);
    buffer_read(&text, own, size);
    return unused;
}

static void *cut(void *unused)
{
    pthread_mutex_lock(&text.lock);
    buffer_set(&text, 2);
    pthread_mutex_unlock(&text.lock);
    return unused;
}

int main(void)
{
    buffer_set(&text, 8);
    RUN(append, cut);
    free(text.bytes);
    return 0;
}
