#!/bin/sh
# Starts a program in the root of an image like a container: read-only, as 10001, with folders mounted in.
#   image-init.sh ROOT [FROM:TO...] -- PROGRAM [ARGUMENT...]        FROM may be "tmpfs"; TO is read-only unless it ends in :rw
# The program gets the environment.
set -eu
root=$1
shift
mount --bind "$root" "$root"
cd "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
while read -r device minor; do
  mknod -m 666 "$root/dev/$device" c 1 "$minor"
done <<DEVICES
null 3
zero 5
random 8
urandom 9
DEVICES
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$root/run"
# names, like every container runtime
for file in /etc/hosts /etc/resolv.conf; do
  [ -f "$root$file" ] || : > "$root$file"
  mount --bind "$file" "$root$file"
  mount -o remount,bind,ro "$root$file"
done
while [ "$1" != -- ]; do
  from=${1%%:*} to=${1#*:}
  path=$root${to%:rw}
  [ -e "$path" ] || mkdir -p "$path"
  if [ "$from" = tmpfs ]; then
    mount -t tmpfs -o uid=10001,gid=10001,mode=700,nosuid,nodev tmpfs "$path"
  else
    mount --bind "$from" "$path"
    [ "$to" != "${to%:rw}" ] || mount -o remount,bind,ro "$path"
  fi
  shift
done
shift
# the root itself, not the mounts in it
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid chroot --userspec=10001:10001 "$root" "$@"
