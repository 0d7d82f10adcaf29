/* Debian's archive of the library is not built for shared objects: its tracer, which is never
 * enabled here, refers to stderr as programs do. With the archive, unlike with the shared library,
 * findings name the library's functions. */
__attribute__((visibility("hidden"))) void *stderr;
