/* After java.lang.StringBuffer: append asks the other buffer for its length and then for its
 * characters. Each is synchronized, the two together are not: a buffer that became shorter between
 * them has no characters where append wants some.
 *
 * couple: heap length, heap bounds
 * couple: heap length, heap characters */
#include "kernel.h"

#include <mutex>
#include <stdexcept>

class StringBuffer
{
  public:
    explicit StringBuffer(const char *text)
    {
        while (text[count_] != '\0') {
            value_[count_] = text[count_];
            count_++;
        }
    }

    size_t length() const
    {
        const std::lock_guard<std::recursive_mutex> guard(lock_);
        return count_; /* length */
    }

    void characters(size_t begin, size_t end, char *to) const
    {
        const std::lock_guard<std::recursive_mutex> guard(lock_);
        if (end > count_) { /* bounds */
            throw std::out_of_range("StringIndexOutOfBounds");
        }
        for (size_t i = begin; i < end; i++) {
            to[i - begin] = value_[i]; /* characters */
        }
    }

    void append(const StringBuffer &other)
    {
        const std::lock_guard<std::recursive_mutex> guard(lock_);
#ifdef FIXED
        const std::lock_guard<std::recursive_mutex> other_guard(other.lock_);
#endif
        const size_t more = other.length();
        other.characters(0, more, value_ + count_);
        count_ += more;
    }

    void truncate(size_t length)
    {
        const std::lock_guard<std::recursive_mutex> guard(lock_);
        for (size_t i = length; i < count_; i++) {
            value_[i] = '\0';
        }
        count_ = length;
    }

  private:
    enum { CAPACITY = 64 };

    mutable std::recursive_mutex lock_;
    char value_[CAPACITY] = {};
    size_t count_ = 0;
};

static StringBuffer *source;
static StringBuffer *target;
static int failures;

static void *append(void *unused)
{
    try {
        target->append(*source);
    } catch (const std::out_of_range &) {
        failures++;
    }
    return unused;
}

static void *truncate(void *unused)
{
    kernel_late();
    source->truncate(3);
    return unused;
}

static int is_wrong(void)
{
    return failures != 0;
}

int main(void)
{
    source = new StringBuffer("abcdef");
    target = new StringBuffer("x");
    const int status = kernel_run(append, truncate, is_wrong);
    delete source;
    delete target;
    return status;
}
