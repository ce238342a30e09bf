# Two images of Swell. Both run as a user without rights and have no shell.
#
#   docker build -t swell:0.3.0 .                        one static program, for plans that need no JVM
#   docker build -t swell:0.3.0-jvm --target jvm .       also Java 17 and the classes of JMeter 5.6.3
#   docker run --rm --network host -v "$PWD:/work" --user "$(id -u):$(id -g)" swell:0.3.0 run plan.jmx -l results.jtl
#
# --cap-add BPF --user 0 lets Swell load the program that notes in the kernel when bytes arrive (Linux 5.8): about 2 % less CPU
# a request than stamps with each read, and responses without a length end at the kernel, too. Without it the times are stamped
# by the socket; `swell doctor` says which of the two it is. --ulimit nofile=20000:20000 allows as many connections.
#
# BUILDER: an image with Rust 1.95, rustup, apt and a C compiler. JAVA: an image with Java 11 to 25 and glibc 2.36 or newer.
ARG BUILDER=docker.io/library/rust:1.95-bookworm
ARG JAVA=gcr.io/distroless/java17-debian12:nonroot

FROM ${BUILDER} AS source
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# The packages are tools of the build; none of them is in an image.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates musl-tools tzdata \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /swell
COPY . .

# The same flags as those of releases; .git is not in the image, so the times of files are those of 1970.
FROM source AS build
RUN target=$(uname -m)-unknown-linux-musl && rustup target add "$target" \
 && SOURCE_DATE_EPOCH=0 ./dist/compile.sh "$target" \
 && ./dist/image/rootfs.sh "target/$target/release/swell" /image

# A static program cannot load a JVM, so this one needs glibc. The classes come from Maven Central by fixed digests.
FROM source AS build-jvm
RUN cargo build --release --locked -p swell \
 && install -D target/release/swell /image/usr/bin/swell \
 && XDG_CACHE_HOME=/cache target/release/swell jvm install \
 && mkdir -p /image/opt /image/work \
 && mv /cache/swell/jmeter-5.6.3 /image/opt/jmeter && chmod 1777 /image/work

FROM ${JAVA} AS jvm
COPY --from=build-jvm /image /
ENV JMETER_HOME=/opt/jmeter SWELL_RUNS=off
WORKDIR /work
USER 65534:65534
ENTRYPOINT ["/usr/bin/swell"]
CMD ["--help"]

FROM scratch AS swell
COPY --from=build /image /
# A container ends with its files: --run-dir names a folder of a volume to keep a run in.
ENV SWELL_RUNS=off
WORKDIR /work
USER 65534:65534
ENTRYPOINT ["/bin/swell"]
CMD ["--help"]
