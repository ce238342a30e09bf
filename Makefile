# Commands of the project. They need a Rust toolchain; cargo installs the rest.
.PHONY: build web packages nats jmeter release demo test lint fuzz simulate simulate-searches bench parity dist dist-test docs pictures clean

CARGO ?= cargo
BUILT = $(or $(CARGO_TARGET_DIR),target)
SWELL = $(BUILT)/demo/swell
RELEASED = $(BUILT)/release/swell

# Builds target/demo/swell in a quarter of the time of a release, for trying it out. Leaves out many machines, the history of runs, PKCS #12
# key stores and the full-screen view, whose libraries take minutes to build.
build:
	$(CARGO) build --profile demo --locked -p swell --no-default-features

# After a change in web/ (TypeScript): builds the page of reports and of the live view into crates/report/page, which is committed. Needs
# Node 18 or later.
web:
	./web/build.sh

# Fully optimised, for real measurements: target/release/swell.
release:
	$(CARGO) build --release --locked -p swell

# A real JMeter plan against a real website at about 1,300 requests per second, for two cores shared with the site; ends with a summary
# and demo-out/report/index.html.
demo: build
	@mkdir -p demo-out
	$(SWELL) run examples/ten-urls.jmx --with-target -Jthreads=200 -Jloops=15 -Jpause=100 -f -l demo-out/results.jtl -e -o demo-out/report -j demo-out/swell.log

# Every test of every crate. The last line shows their number.
test: packages nats jmeter
	./bench/count-tests.sh $(CARGO) test --workspace --locked --no-fail-fast

# npm's packages for the tests of the page, if Node is installed. Without them they are skipped with a reason.
packages:
	@command -v npm >/dev/null && ./web/build.sh --packages || echo "no packages of web/: tests of the page are skipped"

# nats-server for the tests of many machines, if Go is installed. Without it they are skipped with a reason.
NATS_FOLDER = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/swell/bin
nats:
	@command -v nats-server >/dev/null || test -x $(NATS_FOLDER)/nats-server || { command -v go >/dev/null \
	  && GOBIN=$(NATS_FOLDER) go install github.com/nats-io/nats-server/v2@latest; } \
	  || echo "no nats-server, and no Go to install it with: tests of many machines are skipped"

# JMeter 5.6.3 for the tests that need it, if Java and Maven are installed and JMETER_HOME is not set. Without it they are skipped with
# a reason.
jmeter:
	@test -n "$$JMETER_HOME" || ./parity/jmeter/assemble.sh $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/swell/jmeter-5.6.3 \
	  || echo "no JMeter: tests that need it are skipped"

# Hostile bytes for every parser, for MINUTES (an hour by default). Failing inputs go to fuzz/failures/.
MINUTES ?= 60
fuzz:
	CARGO="$(CARGO)" ./fuzz/run.sh $(MINUTES)

# Worlds with simulated time, sockets and clocks, of the seeds from SEED on, for SECONDS. The first that fails is shrunk and printed.
SECONDS ?= 60
SEED ?= 1
simulate:
	$(CARGO) run --quiet --locked -p swell-world --example simulate -- swarm $(SECONDS) $(SEED)

# Searches of SERVERS simulated servers, of the seeds from SEED on, compared with the limit and the cause that each server has.
SERVERS ?= 2000
simulate-searches:
	SEED=$(SEED) SERVERS=$(SERVERS) $(CARGO) test --profile profiling --quiet --locked -p swell-study --lib simulated::bench -- --ignored --nocapture

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy -p swell --no-default-features --locked -- -D warnings
	./dist/lint.sh

# Compares Swell with wrk against nginx; needs both. Output goes to bench/results/.
bench: release
	./bench/run.sh $(RELEASED)

# Compares Swell with JMeter 5.6.3 on the same plans. Downloads JMeter once if Java and Maven are installed.
parity: build
	./parity/run.sh $(abspath $(SWELL))

# What is published, in dist-out/: tarball, packages for Debian, Red Hat, pip and npm, licences, bill of materials, checksums. Needs
# Python, Go and, for npm, Node. TARGET=x86_64-unknown-linux-musl gives a static program without a JVM.
dist:
	./dist/build.sh $(TARGET)

# Unpacks and checks each file of dist-out/, installs each in an empty folder and runs the commands of the README there.
dist-test:
	./dist/check.sh
	./dist/try.sh

# The documents as a site with a search, in site-out/book, with each link checked. Needs mdBook; docs/site/build.sh says how to install it.
docs:
	./docs/site/build.sh

# The pictures of the documents, from real runs. Needs Node and Chromium.
pictures: build packages
	SWELL=$(abspath $(SWELL)) node docs/pictures/make.mjs

clean:
	$(CARGO) clean
	rm -rf demo-out dist-out site-out web/node_modules web/dist-test
