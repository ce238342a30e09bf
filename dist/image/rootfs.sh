#!/usr/bin/env bash
# Assembles the root file system of the container image: the program, certificate authorities, time zones, and nothing else.
# Usage: rootfs.sh PROGRAM FOLDER
#
# A static program needs no libraries. Those of another one are copied with it, so that the result runs on any Linux.
set -euo pipefail
program=${1:?usage: rootfs.sh PROGRAM FOLDER}
root=${2:?usage: rootfs.sh PROGRAM FOLDER}
umask 022

# The files that ldd names for a program or library, by the paths where the loader looks for them.
libraries() {
  { ldd "$1" 2>/dev/null || true; } | grep -o '/[^ ]*' | sort -u
}

install -D -m 755 "$program" "$root/bin/swell"
libraries "$program" | while read -r library; do
  install -D -m 755 "$library" "$root$library"
done
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$root/usr/share"
cp -r /usr/share/zoneinfo "$root/usr/share/"
# Java asks for the name of its user.
echo 'swell:x:65534:65534::/work:/bin/swell' >"$root/etc/passwd"
echo 'swell:x:65534:' >"$root/etc/group"
# Anyone may write here, since --user may name anyone.
mkdir -p "$root/work" "$root/tmp"
chmod 1777 "$root/work" "$root/tmp"
