#!/bin/sh
# Builds the Java side and puts each jar where it belongs, with the digests of its sources. Needs a JDK and Maven.
# Usage: build.sh [bridge|dsl]     default: both
#   bridge  the embedded JVM's side, which crates/jvm embeds
#   dsl     the engine for jmeter-java-dsl, which releases have as a file
set -eu
cd "$(dirname -- "$0")"

sources() {
  find pom.xml src -type f | LC_ALL=C sort | xargs sha256sum
}

bridge() {
  mvn -q -B clean package
  cp target/bridge.jar ../crates/jvm/src/bridge.jar
  sources >../crates/jvm/src/bridge.sources
}

dsl() (
  cd dsl
  mvn -q -B clean package
  cp target/jmeter-java-dsl-swell-*.jar jmeter-java-dsl-swell.jar
  sources >jmeter-java-dsl-swell.sources
)

case ${1:-both} in
  both) bridge && dsl ;;
  bridge | dsl) "$1" ;;
  *) echo "build.sh: unknown part \`$1\`; expected bridge or dsl" >&2; exit 2 ;;
esac
