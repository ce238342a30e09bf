#!/usr/bin/env bash
# Assemble the root file system of the container image: the program, certificate authorities and time zones only.
# Usage: rootfs.sh PROGRAM FOLDER
#
# A static program needs no libraries. Otherwise its libraries are copied too, so that the result runs on any Linux.
set -euo pipefail
program=${1:?usage: rootfs.sh PROGRAM FOLDER}
root=${2:?usage: rootfs.sh PROGRAM FOLDER}
umask 022

# Print the files that ldd lists for a program or library, by the paths where the loader looks for them.
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
# Java looks up the name of its user.
echo 'swell:x:65534:65534::/work:/bin/swell' >"$root/etc/passwd"
echo 'swell:x:65534:' >"$root/etc/group"
# Any user may write here, because --user may name any.
mkdir -p "$root/work" "$root/tmp"
chmod 1777 "$root/work" "$root/tmp"
