#!/bin/sh
# Builds the Java side and puts it where crates/jvm embeds it, with the digest of its sources. Needs a JDK and Maven.
set -eu
cd "$(dirname -- "$0")"
mvn -q -B clean package
cp target/bridge.jar ../crates/jvm/src/bridge.jar
find pom.xml src -type f | LC_ALL=C sort | xargs sha256sum >../crates/jvm/src/bridge.sources
