# The project's own commands. Everything they need besides a Rust toolchain is installed by cargo, and for the page by npm (Node 18 or
# later); without Node all works but the page.
.PHONY: build web nats jmeter release demo test lint fuzz bench parity dist clean

CARGO ?= cargo
BUILT = $(or $(CARGO_TARGET_DIR),target)
SWELL = $(BUILT)/demo/swell
RELEASED = $(BUILT)/release/swell

# Builds in a quarter of the time of a release, for trying it out: target/demo/swell. Without tests on many machines and key stores of the
# PKCS #12 kind, whose libraries take minutes to build.
build: web
	$(CARGO) build --profile demo --locked -p swell --no-default-features

# The page of reports and of the live view, which the program embeds: TypeScript from web/. Without Node it says so and goes on.
web:
	./web/build.sh

# Fully optimised, for loads that count and figures that are published: target/release/swell.
release: web
	$(CARGO) build --release --locked -p swell

# A real JMeter plan against a real web site at some 1,300 requests a second, a load for two cores that the site shares; ends with a summary and demo-out/report/index.html.
demo: build
	@mkdir -p demo-out
	$(SWELL) run examples/ten-urls.jmx --with-target -Jthreads=200 -Jloops=15 -Jpause=100 -f -l demo-out/results.jtl -e -o demo-out/report -j demo-out/swell.log

# Every test of every crate. The last line counts them.
test: web nats jmeter
	./bench/count-tests.sh $(CARGO) test --workspace --locked --no-fail-fast

# nats-server for the tests of many machines, where Go is. Without it they say why they are skipped.
NATS_FOLDER = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/swell/bin
nats:
	@command -v nats-server >/dev/null || test -x $(NATS_FOLDER)/nats-server || { command -v go >/dev/null \
	  && GOBIN=$(NATS_FOLDER) go install github.com/nats-io/nats-server/v2@latest; } \
	  || echo "no nats-server, and no Go to install it with: tests of many machines are skipped"

# JMeter 5.6.3 for the tests that run plans on it and take classes from it, where Java and Maven are, and JMETER_HOME names none. Without
# it they say why they are skipped.
jmeter:
	@test -n "$$JMETER_HOME" || ./parity/jmeter/assemble.sh $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/swell/jmeter-5.6.3 \
	  || echo "no JMeter: tests that need it are skipped"

# Hostile bytes for every parser, for an hour or as many MINUTES as are given. What is at fault goes to fuzz/failures/.
MINUTES ?= 60
fuzz:
	CARGO="$(CARGO)" ./fuzz/run.sh $(MINUTES)

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy -p swell --no-default-features --locked -- -D warnings
	./dist/lint.sh

# Swell beside wrk against nginx; needs both, and says so. Output goes to bench/results/.
bench: release
	./bench/run.sh $(RELEASED)

# Swell beside JMeter 5.6.3: the same plans, compared. Fetches JMeter once where there is Java and Maven.
parity: build
	./parity/run.sh $(abspath $(SWELL))

# What is published: a tarball and, where dpkg-deb is there, a Debian package, in dist-out/; fully optimised, and without any
# library where Rust's musl target and musl-gcc are installed. TARGET=x86_64-unknown-linux-gnu gives a program for glibc.
dist:
	./web/build.sh --required
	./dist/build.sh $(TARGET)

clean:
	$(CARGO) clean
	rm -rf demo-out dist-out web/node_modules web/dist-test web/dist/app.*
