#!/bin/sh
# Tomcat against Undertow, the web server of WildFly: ten URLs with a session, compression and an upload, as in a comparison of 2007.
# First a sweep over users, then one longer run each, compared with their warm-up found and cut.
#
#   examples/tomcat-vs-wildfly/run.sh [--article] [FOLDER]
#
# By default some minutes on two processors; --article takes 50 to 1,000 users as there. Needs a JDK 17, Maven, and `swell` on the path or in SWELL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
swell=${SWELL:-swell}
plan=$here/../ten-urls.jmx
users=50,200 each=8s warm=8s loops=40 at=50
if [ "${1:-}" = --article ]; then
    shift
    users=50,75,100,125,150,200,300,400,500,600,700,800,1000 each=30s warm=20s loops=1000 at=100
fi
out=${1:-tomcat-vs-wildfly}
mkdir -p "$out"
built=${TMPDIR:-/tmp}/swell-example-shop
for server in tomcat undertow; do
    if [ ! -f "$built/$server/Main.class" ]; then
        mkdir -p "$built/$server"
        mvn -q -B -f "$here/$server/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies "-DoutputDirectory=$built/$server-lib"
        javac --release 17 -d "$built/$server" -cp "$built/$server-lib/*" "$here/src/Shop.java" "$here/$server/Main.java"
    fi
done
base=$(mktemp -d)
pid=
# shellcheck disable=SC2329 # The trap calls it.
end() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    rm -rf "$base"
}
trap end EXIT
options="-Xms64m -Xmx512m -Dbase=$base -Dthreads=200"

"$swell" sweep "$plan" --vary "threads=$users" --setting server=tomcat,undertow -Jloops=-1 --each "$each" --server-warm-up "$warm" \
    --server "exec java $options -cp '$built/{server}:$built/{server}-lib/*' Main" --ready 'line:ready (\d+)' -o "$out/sweep" -f

# One run of many loops: the warm-up is part of it, and is found and cut when the two are compared.
for server in tomcat undertow; do
    # shellcheck disable=SC2086 # Several options.
    java $options -cp "$built/$server:$built/$server-lib/*" Main > "$base/$server.out" 2> "$base/$server.log" &
    pid=$!
    until grep -q '^ready ' "$base/$server.out"; do
        kill -0 "$pid" || { cat "$base/$server.log"; exit 1; }
        sleep 0.1
    done
    port=$(sed -n 's/^ready //p' "$base/$server.out")
    "$swell" run "$plan" "-Jport=$port" "-Jthreads=$at" "-Jloops=$loops" --run-dir "$out/$server" -f -j "$base/$server-run.log"
    kill "$pid"
    wait "$pid" || true
    pid=
done
"$swell" compare "$out/tomcat" "$out/undertow"
