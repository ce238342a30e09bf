#!/bin/sh
# Find a Tomcat's knee over users and maxThreads, and the limit that causes it. Five cases, as in a study of 2016:
#   1  maxThreads 200   2  maxThreads 500   3  maxThreads 5000 with a process limit   4  without that limit   5  with a larger heap
# The server is one servlet that responds after 200 ms. Tables go to standard output, reports to the folder.
#
#   examples/tomcat/run.sh [--article] [FOLDER]
#
# By default, runs are short and users few: some minutes on two processors. --article uses the sizes of the study.
# Needs Java 17, Maven, and `swell` on the path or in SWELL. As root, case 3 runs the server as user 65534; otherwise its
# process limit also counts your other processes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
swell=${SWELL:-swell}
each=6s warm=4s limit=400
one=100,500,1000 two=500,1000,1500 three=100,300,500,1000 four=500,1000 five=500,1000
if [ "${1:-}" = --article ]; then
    shift
    each=30s warm=15s limit=1024
    one=100,500,1000,1500 two=500,1000,1500,2000,3000 three=100,500,1000,1500 four=500,1000,1500,2000 five=500,1000,1500,2000
fi
out=${1:-tomcat-study}
built=${TMPDIR:-/tmp}/swell-example-tomcat
if [ -z "$(find "$built/target/tomcat-site-1.jar" -newer "$here/src/main/java/Site.java" 2>/dev/null)" ]; then
    mkdir -p "$built"
    cp -r "$here/pom.xml" "$here/src" "$built"
    (cd "$built" && mvn -q -B package)
fi
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
# The user of case 3 must be able to read the jars and write there.
chmod 777 "$base"
chmod -R a+rX "$built"
java="-cp '$built/target/tomcat-site-1.jar:$built/target/lib/*' -DmaxThreads={maxThreads} -Dbase=$base/site -Ddelay=200 -DacceptCount=4096"
limited="prlimit --nproc=$limit"
if [ "$(id -u)" = 0 ]; then
    limited="$limited setpriv --reuid=65534 --regid=65534 --clear-groups"
fi

# Run a case: number, description, users, maxThreads, server command.
case_of() {
    printf '\n== Case %s: %s\n' "$1" "$2"
    "$swell" sweep 'http://127.0.0.1:{port}/' --vary "users=$3" --setting "maxThreads=$4" --server "$5" --ready 'line:ready (\d+)' \
        --each "$each" --server-warm-up "$warm" -o "$out/case$1" -f || [ $? -eq 98 ]
}

small='-Xms64m -Xmx512m -Xss256k'
case_of 1 'the default of Tomcat' "$one" 200 "exec java $java $small Site"
case_of 2 'more threads' "$two" 500 "exec java $java $small Site"
case_of 3 "5,000 threads, but at most $limit processes" "$three" 5000 "exec $limited java $java $small Site"
case_of 4 '5,000 threads without that limit' "$four" 5000 "exec java $java $small Site"
case_of 5 'with a larger heap as well' "$five" 5000 "exec java $java -Xms1g -Xmx3g -Xss512k Site"
