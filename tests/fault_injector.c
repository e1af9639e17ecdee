/* Loaded into a command by LD_PRELOAD: counts what it does to files under one folder, and at one moment has a call fail
   or kills the process. The Python side, with what the variables mean, is fault_injector.py.

   Calls inside libc (fwrite) do not pass here; Python, sqlite, Rust and libstdc++ call write() from outside. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, SYNC, KINDS }; /* what takes room; what makes it last (fsync, rename) */

static uint64_t *counted; /* one counter a kind, shared by all processes of the command */
static const char *under;
static int kind = -1, failure; /* failure: an errno; 0 is a kill */
static uint64_t moment;

__attribute__((constructor)) void fault_set_up(void) {
    const char *file = getenv("FAULT_COUNTERS"), *at = getenv("FAULT_AT");
    under = getenv("FAULT_UNDER");
    if (!file || !under)
        return;
    int fd = open(file, O_RDWR | O_CLOEXEC);
    void *shared = fd < 0 ? MAP_FAILED : mmap(NULL, KINDS * sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        _exit(99);
    close(fd);
    counted = shared;
    if (at) {
        unsigned long long number;
        if (sscanf(at, "%d:%llu:%d", &kind, &number, &failure) != 3)
            _exit(99);
        moment = number;
    }
}

static int inside(const char *path) {
    size_t length = strlen(under);
    return strncmp(path, under, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int watched_fd(int fd) {
    char link[64], path[PATH_MAX];
    if (!counted)
        return 0;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length < 0)
        return 0;
    path[length] = 0;
    return inside(path);
}

static int watched_path(int folder, const char *path) {
    char link[64], whole[PATH_MAX + 2];
    if (!counted)
        return 0;
    if (path[0] == '/')
        return inside(path);
    int before = errno;
    if (folder == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, whole, sizeof whole - 2);
    errno = before;
    if (length < 0)
        return 0;
    snprintf(whole + length, sizeof whole - length, "/%s", path);
    return inside(whole);
}

/* Count a call; 1 at the moment, 2 after it (a disk stays full), 0 before. */
static int reached(int of) {
    uint64_t number = __atomic_add_fetch(&counted[of], 1, __ATOMIC_SEQ_CST);
    return of != kind || number < moment ? 0 : number == moment ? 1 : 2;
}

static void die(void) { kill(getpid(), SIGKILL); }

/* For calls that do all or nothing: whether this one is to fail, with errno set. */
static int fails(int of) {
    int when = reached(of);
    if (when && !failure)
        return when == 1 ? (die(), 1) : 0;
    if (when)
        errno = failure;
    return when != 0;
}

/* How much of a write is still done: half of it at the moment, as where a disk runs full in the middle. */
static ssize_t granted(size_t size) {
    int when = reached(WRITE);
    if (!when || (when == 2 && !failure))
        return (ssize_t)size;
    return when == 1 ? (ssize_t)(size / 2) : 0;
}

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define CUT(call_with_granted) \
    ssize_t room = granted(size); \
    if ((size_t)room == size) \
        return call_with_granted; \
    ssize_t done = room ? call_with_granted : -1; \
    if (!failure) \
        die(); \
    if (done < 0) \
        errno = failure; \
    return done

ssize_t write(int fd, const void *bytes, size_t size) {
    NEXT(write);
    if (!watched_fd(fd))
        return next(fd, bytes, size);
    CUT(next(fd, bytes, (size_t)room));
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    NEXT(pwrite);
    if (!watched_fd(fd))
        return next(fd, bytes, size, at);
    CUT(next(fd, bytes, (size_t)room, at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    NEXT(pwrite64);
    if (!watched_fd(fd))
        return next(fd, bytes, size, at);
    CUT(next(fd, bytes, (size_t)room, at));
}

ssize_t sendfile(int fd, int from, off_t *at, size_t size) {
    NEXT(sendfile);
    if (!watched_fd(fd))
        return next(fd, from, at, size);
    CUT(next(fd, from, at, (size_t)room));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    NEXT(writev);
    if (watched_fd(fd) && fails(WRITE))
        return -1;
    return next(fd, parts, count);
}

int ftruncate64(int fd, off64_t size) {
    NEXT(ftruncate64);
    struct stat found;
    if (watched_fd(fd) && fstat(fd, &found) == 0 && size > found.st_size && fails(WRITE))
        return -1;
    return next(fd, size);
}

int posix_fallocate64(int fd, off64_t at, off64_t size) {
    NEXT(posix_fallocate64);
    if (watched_fd(fd) && fails(WRITE))
        return errno;
    return next(fd, at, size);
}

static int makes_file(int folder, const char *path, int flags) {
    return (flags & O_CREAT) && watched_path(folder, path) && faccessat(folder, path, F_OK, 0) != 0;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        if (makes_file(AT_FDCWD, path, flags) && fails(WRITE)) \
            return -1; \
        return next(path, flags, mode); \
    }

OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        NEXT(name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        if (makes_file(folder, path, flags) && fails(WRITE)) \
            return -1; \
        return next(folder, path, flags, mode); \
    }

OPENAT(openat)
OPENAT(openat64)

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    if (watched_path(AT_FDCWD, path) && access(path, F_OK) != 0 && fails(WRITE))
        return -1;
    return next(path, mode);
}

int fsync(int fd) {
    NEXT(fsync);
    if (watched_fd(fd) && fails(SYNC))
        return -1;
    return next(fd);
}

int fdatasync(int fd) {
    NEXT(fdatasync);
    if (watched_fd(fd) && fails(SYNC))
        return -1;
    return next(fd);
}

int rename(const char *old, const char *new) {
    NEXT(rename);
    if (watched_path(AT_FDCWD, new) && fails(SYNC))
        return -1;
    return next(old, new);
}

int renameat(int from, const char *old, int to, const char *new) {
    NEXT(renameat);
    if (watched_path(to, new) && fails(SYNC))
        return -1;
    return next(from, old, to, new);
}
