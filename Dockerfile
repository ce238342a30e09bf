# swell in an image of its own: one static program, no shell, no root.
#
#   docker build -t swell .
#   docker run --rm --network host -v "$PWD:/work" --user "$(id -u):$(id -g)" swell run plan.jmx -l results.jtl
#
# --cap-add BPF --user 0 lets Swell load the program that notes in the kernel when bytes arrive (Linux 5.8): about 2 % less CPU
# a request than stamps with each read, and responses without a length end at the kernel, too. Without it the times are stamped
# by the socket; `swell doctor` says which of the two it is. --ulimit nofile=20000:20000 allows as many connections.
# BUILDER: an image with Rust 1.95, rustup, apt and a C compiler; another one for a mirror of your own.
ARG BUILDER=docker.io/library/rust:1.95-bookworm
FROM ${BUILDER} AS build
WORKDIR /swell
COPY . .
# The same build as that of releases; .git is not in the image, so the times of files are those of 1970.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates musl-tools tzdata \
 && target=$(uname -m)-unknown-linux-musl && rustup target add "$target" \
 && SOURCE_DATE_EPOCH=0 ./dist/build.sh "$target" \
 && install -D "target/$target/release/swell" /image/bin/swell \
 && install -D /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt \
 && mkdir -p /image/usr/share /image/work /image/tmp && cp -r /usr/share/zoneinfo /image/usr/share/ \
 && chmod 1777 /image/work /image/tmp

FROM scratch
COPY --from=build /image /
WORKDIR /work
USER 65534:65534
ENTRYPOINT ["/bin/swell"]
CMD ["--help"]
