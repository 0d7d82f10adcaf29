/* Put if absent, by contains and put of a map that locks in each. Two threads that intern a name at
 * the same time both find it absent, and the map has it twice.
 *
 * couple: buckets_ contains, buckets_ put */
#include "kernel.h"

#include <cstring>
#include <mutex>

class NameMap
{
  public:
    ~NameMap()
    {
        for (Entry *&bucket : buckets_) {
            while (bucket != nullptr) {
                Entry *next = bucket->next;
                delete bucket;
                bucket = next;
            }
        }
    }

    bool contains(const char *name) const
    {
        const std::lock_guard<std::recursive_mutex> guard(lock_);
        for (const Entry *e = buckets_[hash(name)]; e != nullptr; e = e->next) { /* contains */
            if (std::strcmp(e->name, name) == 0) {
                return true;
            }
        }
        return false;
    }

    void put(const char *name)
    {
        const std::lock_guard<std::recursive_mutex> guard(lock_);
        Entry *e = new Entry{name, buckets_[hash(name)]}; /* put */
        buckets_[hash(name)] = e;                         /* put */
    }

    void put_if_absent(const char *name)
    {
#ifdef FIXED
        const std::lock_guard<std::recursive_mutex> guard(lock_);
#endif
        if (!contains(name)) {
            put(name);
        }
    }

    int count(const char *name) const
    {
        int found = 0;
        for (const Entry *e = buckets_[hash(name)]; e != nullptr; e = e->next) {
            found += std::strcmp(e->name, name) == 0;
        }
        return found;
    }

  private:
    enum { BUCKETS = 2 };

    struct Entry {
        const char *name;
        Entry *next;
    };

    static size_t hash(const char *name)
    {
        return std::strlen(name) % BUCKETS;
    }

    mutable std::recursive_mutex lock_;
    Entry *buckets_[BUCKETS] = {};
};

static NameMap names;

static void *parse(void *unused)
{
    for (const char *name : {"width", "depth"}) {
        names.put_if_absent(name);
    }
    return unused;
}

static void *compile(void *unused)
{
    kernel_late();
    for (const char *name : {"width", "color"}) {
        names.put_if_absent(name);
    }
    return unused;
}

static int is_wrong(void)
{
    return names.count("width") != 1 || names.count("depth") != 1 || names.count("color") != 1;
}

int main(void)
{
    return kernel_run(parse, compile, is_wrong);
}
