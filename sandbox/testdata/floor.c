// The least that a run in an overlay costs: namespaces, a tmpfs, an overlay over the folder's own path, the program, and a walk over what it
// wrote. No lock-down, no streams, no protocol: what a run takes beyond this is ours.
//
// floor FOLDER STAGE SCRIPT prints the number of changed files.
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[1 << 20], base[1 << 20];

static ssize_t slurp(int dir, const char *name, char *into) {
  int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = read(fd, into, sizeof text);
  close(fd);
  return n;
}

// changes counts the files that differ from the ones below; a whiteout is a change.
static int changes(int up, int low) {
  int n = 0;
  struct dirent *e;
  struct stat st;
  DIR *d = fdopendir(dup(up));
  if (!d) err(1, "read upper folder");
  while ((e = readdir(d))) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    if (fstatat(up, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) err(1, "stat %s", e->d_name);
    if (S_ISDIR(st.st_mode)) {
      int u = openat(up, e->d_name, O_RDONLY | O_DIRECTORY), l = openat(low, e->d_name, O_RDONLY | O_DIRECTORY);
      n += changes(u, l);
      close(u);
      close(l);
    } else if (!S_ISREG(st.st_mode)) {
      n++;
    } else {
      ssize_t a = slurp(up, e->d_name, text), b = slurp(low, e->d_name, base);
      n += a != b || memcmp(text, base, a < 0 ? 0 : a);
    }
  }
  closedir(d);
  return n;
}

static void put(const char *path, const char *s) {
  int fd = open(path, O_WRONLY);
  if (fd < 0 || write(fd, s, strlen(s)) < 0) err(1, "%s", path);
  close(fd);
}

int main(int argc, char **argv) {
  if (argc != 4) errx(2, "usage: floor FOLDER STAGE SCRIPT");
  char uid[64], gid[64], options[8192];
  snprintf(uid, sizeof uid, "%d %d 1", getuid(), getuid());
  snprintf(gid, sizeof gid, "%d %d 1", getgid(), getgid());
  pid_t pid = syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
  if (pid < 0) err(1, "clone");
  if (pid) {
    int status;
    if (waitpid(pid, &status, 0) < 0) err(1, "wait");
    return status != 0;
  }
  put("/proc/self/setgroups", "deny");
  put("/proc/self/uid_map", uid);
  put("/proc/self/gid_map", gid);
  int low = open(argv[1], O_RDONLY | O_DIRECTORY);
  if (low < 0) err(1, "%s", argv[1]);
  if (mount("", "/", 0, MS_REC | MS_PRIVATE, 0)) err(1, "private");
  if (mount("tmpfs", argv[2], "tmpfs", 0, "mode=0755")) err(1, "tmpfs");
  if (chdir(argv[2]) || mkdir("upper", 0755) || mkdir("work", 0755)) err(1, "stage");
  int up = open("upper", O_RDONLY | O_DIRECTORY);
  snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s/upper,workdir=%s/work,userxattr", argv[1], argv[2], argv[2]);
  if (mount("overlay", argv[1], "overlay", 0, options)) err(1, "overlay");
  pid_t agent = fork();
  if (agent < 0) err(1, "fork");
  if (!agent) {
    if (chdir(argv[1])) err(1, "chdir");
    execl("/bin/sh", "sh", "-c", argv[3], (char *)0);
    err(1, "exec");
  }
  int status;
  if (waitpid(agent, &status, 0) < 0 || status) errx(1, "the program ended with %d", status);
  printf("%d\n", changes(up, low));
  return 0;
}
