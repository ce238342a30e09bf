#!/bin/sh
# Compare Tomcat with Undertow, the web server of WildFly, on ten URLs with a session, compression and an upload, as in a
# comparison of 2007. First, a sweep over users finds each server's highest throughput on this machine. Then both run at an
# eighth of the weaker server's throughput. If Swell then changed its figures, since it shares the processors with the
# server, both run at half of that, at most twice. The runs are repeated with twice the duration, up to 8 minutes each,
# until the comparison can decide every total within 10 %.
#
#   examples/tomcat-vs-wildfly/run.sh [--article] [FOLDER]
#
# Takes 5 to 40 minutes on two processors; --article uses 50 to 1,000 users as the original did. Needs a JDK 17, Maven, and
# `swell` on the path or in SWELL.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
swell=${SWELL:-swell}
plan=$here/../ten-urls.jmx
users=50,200 each=8s warm=8s at=50 seconds=60
if [ "${1:-}" = --article ]; then
    shift
    users=50,75,100,125,150,200,300,400,500,600,700,800,1000 each=30s warm=20s at=100 seconds=240
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

# Find each server's highest rate, and an eighth of the lower one. Before each request a user pauses, 1.5 times `pause` on average.
rate=$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { server = $column["server"]; per_s = $column["per_s"] + 0; if ($column["errors"] == 0 && per_s > most[server]) most[server] = per_s }
    END { for (server in most) if (!least || most[server] < least) least = most[server]; printf "%d", least / 8 }' "$out/sweep/surface.csv")
[ "${rate:-0}" -gt 0 ] || { echo "the sweep found no throughput: see $out/sweep" >&2; exit 1; }
# A run at full load first: while Java compiles, it takes all processors, also from the tool.
measure() {
    # shellcheck disable=SC2086 # Several options.
    java $options -cp "$built/$1:$built/$1-lib/*" Main > "$base/$1.out" 2> "$base/$1.log" &
    pid=$!
    until grep -q '^ready ' "$base/$1.out"; do
        kill -0 "$pid" || { cat "$base/$1.log"; exit 1; }
        sleep 0.1
    done
    port=$(sed -n 's/^ready //p' "$base/$1.out")
    "$swell" run "$plan" "-Jport=$port" "-Jthreads=$at" -Jloops=-1 -Jpause=0 --shape "hold($at, 20s)" --no-run-dir -j "$base/$1-warm-up.log" \
        > "$base/$1-warm-up.txt" || { cat "$base/$1-warm-up.txt"; exit 1; }
    "$swell" run "$plan" "-Jport=$port" "-Jthreads=$at" -Jloops=-1 "-Jpause=$pause" --shape "hold($at, ${seconds}s)" --run-dir "$out/$1" -f \
        -j "$base/$1-run.log"
    kill "$pid"
    wait "$pid" || true
    pid=
}

is_good() {
    grep -q '^    "level": "VALID"' "$out/$1/summary.json"
}

repeats=0
while :; do
    pause=$((at * 1000 * 2 / 3 / rate))
    echo "Comparing both servers at about $rate samples a second: $at users with a pause of ${pause} to $((2 * pause)) ms before each request"
    measure tomcat
    measure undertow
    if { ! is_good tomcat || ! is_good undertow; } && [ "$repeats" -lt 2 ]; then
        repeats=$((repeats + 1))
        rate=$((rate / 2))
        echo "The processors leave too little room for the measurement: repeating with half of the load"
        continue
    fi
    status=0
    "$swell" compare "$out/tomcat" "$out/undertow" --fail-on-unknown || status=$?
    # 110: undecided, neither a change nor equal.
    if [ "$status" -ne 110 ] || [ "$seconds" -ge 480 ]; then
        exit "$status"
    fi
    seconds=$((seconds * 2))
    echo "Undecided: repeating with $seconds s each"
done
