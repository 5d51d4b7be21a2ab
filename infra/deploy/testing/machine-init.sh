#!/bin/sh
# The first process of a machine in its own namespaces: creates the mounts of a container and becomes systemd.
#   machine-init.sh ROOT-OF-DEBIAN FOLDER CGROUP [FROM:TO...]
# FOLDER has changes, work and root: it keeps the changes of the machine. Each FROM is mounted read-only at TO.
set -eu
lower=$1 folder=$2 cgroup=$3
shift 3
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$folder/changes,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t sysfs -o nosuid,nodev,noexec sysfs sys
# root of the cgroups that the machine sees
echo 0 > "$cgroup/cgroup.procs"
unshare --cgroup mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755,nosuid tmpfs dev
while read -r device minor; do
  mknod -m 666 "dev/$device" c 1 "$minor"
done <<DEVICES
null 3
zero 5
full 7
random 8
urandom 9
DEVICES
mknod -m 666 dev/tty c 5 0
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%%:*}" "dev/${stream#*:}"; done
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs dev/shm
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs run
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs tmp
for pair in "$@"; do
  mkdir -p ".${pair#*:}"
  mount --bind "${pair%%:*}" ".${pair#*:}"
  mount -o remount,bind,ro ".${pair#*:}"
done
mkdir -p mnt
pivot_root . mnt
cd /
umount -l /mnt
mount --make-rshared /
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare --cgroup /lib/systemd/systemd
