#!/usr/bin/env bash
# Run the program of a release in the root file system of an older distribution, which shows what symbols do not: that nothing calls a
# function that its glibc lacks. If the root has a Java in /usr/lib/jvm and JMeter in /opt/jmeter, a plan with a script runs there too.
# Usage: old-root.sh ROOT [DIR]      as root; DIR: default dist-out
#   debootstrap --variant=minbase bionic ROOT http://archive.ubuntu.com/ubuntu makes such a root (glibc 2.27)
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(realpath "${1:?usage: old-root.sh ROOT [DIR]}")
out=$(realpath "${2:-dist-out}")
place=$(mktemp -d "$root/tmp/swell-XXXXXX")
trap 'rm -rf "$place"' EXIT

tar -xzf "$out"/swell-*.tar.gz -C "$place" --strip-components=1
cp examples/first.jmx dist/old-root.jmx "$place/"
cat >"$place/try.sh" <<'TRY'
set -eu
cd "$1"
export HOME=$1 SWELL_RUNS=$1/runs PATH=$1/bin:$PATH
swell run first.jmx --with-target -f -l results.jtl -e -o report
swell hit http://127.0.0.1:1/ -n 1 >/dev/null 2>&1 && exit 1 # There is no server.
swell report results.jtl -o report.html
grep -q '<script' report.html
set -- /usr/lib/jvm/*/bin/java
if [ -x "$1" ] && [ -d /opt/jmeter ]; then
  export JAVA_HOME=${1%/bin/java} JMETER_HOME=/opt/jmeter
  swell run old-root.jmx -f -l script.jtl
  test "$(grep -c ",from Groovy,200,.*,true," script.jtl)" = 100
else
  echo "without a JVM: the root has no Java in /usr/lib/jvm or no JMeter in /opt/jmeter"
fi
TRY
# A JVM reads /proc.
# shellcheck disable=SC2016
unshare --mount sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" /bin/sh "$2/try.sh" "$2"' \
  sh "$root" "${place#"$root"}" || { echo "old-root.sh: the program does not work in $root" >&2; exit 1; }
echo "old root: fine, with $(chroot "$root" ldd --version | head -1)"
