#!/bin/sh
# Assemble a headless Apache JMeter 5.6.3 from Maven Central in the given folder, unless it exists.
# Needs mvn, Java 17 or later and unzip; if one is missing, prints that and ends with status 3.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
home=${1:?usage: assemble.sh DIR}
if [ -f "$home/assembled" ]; then exit 0; fi
for tool in java mvn unzip; do
    command -v "$tool" >/dev/null 2>&1 || { echo "no JMeter: $tool is missing" >&2; exit 3; }
done
version=5.6.3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "assembling JMeter $version in $home ..." >&2
mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" >"$work/mvn.log" 2>&1 ||
    { cat "$work/mvn.log" >&2; echo "no JMeter: Maven could not download it" >&2; exit 3; }
mkdir -p "$work/home/lib/ext" "$work/home/lib/junit"
unzip -qo "$work/jars/ApacheJMeter_config-$version.jar" 'bin/*' -d "$work/home"
# Old plug-in sets, of which only one plug-in each is needed: newer jars contain the rest.
part_of() {
    if command -v jar >/dev/null 2>&1; then
        unzip -qo "$1" "$2" -d "$work/part" && jar cf "$work/home/lib/ext/$3" -C "$work/part" . && rm -rf "$work/part"
    else
        echo "without $3: jar is missing" >&2
    fi
}
for jar in "$work"/jars/*.jar; do
    name=$(basename "$jar")
    case $name in
        jmeter-plugins-extras-libs-*) part_of "$jar" 'com/atlantbh/jmeter/plugins/jsonutils/*' jsonutils.jar ;;
        jmeter-plugins-standard-*) part_of "$jar" 'kg/apc/jmeter/reporters/FlexibleFileWriter*' ffw.jar ;;
        "ApacheJMeter-$version.jar") cp "$jar" "$work/home/bin/ApacheJMeter.jar" ;;
        ApacheJMeter_config-*) ;;
        jmeter-p*|jmeter-websocket-samplers-*) cp "$jar" "$work/home/lib/ext/" ;;
        ApacheJMeter_*) cp "$jar" "$work/home/lib/ext/${name%-"$version".jar}.jar" ;;
        *) cp "$jar" "$work/home/lib/$name" ;;
    esac
done
mkdir -p "$home"
cp -R "$work/home/." "$home/"
# A class-data archive halves the start time of the many short runs. It is optional: some JVMs cannot make one.
java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit="$home/swell.jsa" -jar "$home/bin/ApacheJMeter.jar" \
    -n -t "$here/../cases/transaction_parent.jmx" -l "$work/warm.jtl" -j "$work/warm.log" -Jparity.port=1 >/dev/null 2>&1 || true
touch "$home/assembled"
