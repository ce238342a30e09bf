#!/bin/sh
# Fetch from Maven Central what JMeter's batch plans need beyond the JMeter that `assemble.sh` made in the given folder:
# JMeter's FTP and JMS elements, and the servers that the plans start. Writes to `batch` in that folder, which is on no class
# path.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
home=${1:?usage: batch.sh DIR}
if [ -d "$home/batch" ]; then exit 0; fi
command -v mvn >/dev/null 2>&1 || { echo "no servers for JMeter's batch plans: mvn is missing" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mvn -q -B -f "$here/batch/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" >"$work/mvn.log" 2>&1 ||
    { cat "$work/mvn.log" >&2; echo "no servers for JMeter's batch plans: Maven could not download them" >&2; exit 3; }
mkdir -p "$work/batch"
for jar in "$work"/jars/*.jar; do
    name=$(basename "$jar")
    case $name in
        ApacheJMeter_ftp-* | ApacheJMeter_jms-*) cp "$jar" "$work/batch/" ;;
        ApacheJMeter*) ;;
        # Part of JMeter already.
        *) [ -e "$home/lib/$name" ] || cp "$jar" "$work/batch/" ;;
    esac
done
mv "$work/batch" "$home/batch"
