# blastoise: build, test, try. `make help` lists the targets.
#
# The user's seven packages alone are enough for `swift build`, `swift test` and
# `swift run blastoise demo`. `make` installs what is missing, and builds in what else it finds.

SWIFT ?= swift
# How many tests run at once: all of them would wait for each other on a small machine, each against
# its own limit of time.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 12
PREFIX ?= /usr/local
DESTDIR ?=

# What the program is built on; the seven that must do.
NEEDED = libcurl4-openssl-dev libwebsockets-dev libmpg123-dev libvorbis-dev libflac-dev \
	libasound2-dev libsqlite3-dev
# One package a trait, each with its one job: Opus reads .opus, SndFile reads .wav and .aiff,
# LineEditing gives the prompt of `listen` history and completion.
OPTIONAL = pkg-config libopusfile-dev libsndfile1-dev libedit-dev
# A sound server, by which the tests hear the ALSA sink, and its ALSA plug-in. For `make test` alone.
TESTING = pulseaudio libasound2-plugins
# Programs that `make bench` compares with, or makes its tracks by.
BENCHING = mpg123 flac vorbis-tools sox libsox-fmt-mp3 lame

# The traits whose libraries are there.
comma := ,
empty :=
space := $(empty) $(empty)
FOUND = $(if $(shell pkg-config --exists opusfile 2>/dev/null && echo yes),Opus) \
	$(if $(shell pkg-config --exists sndfile 2>/dev/null && echo yes),SndFile) \
	$(if $(shell pkg-config --exists libedit 2>/dev/null && echo yes),LineEditing)
TRAITS = $(if $(strip $(FOUND)),--traits $(subst $(space),$(comma),$(strip $(FOUND))))

SOURCES = Package.swift Sources Tests

.PHONY: help setup setup-test setup-bench demo build test test-plain torture sanitize lint format bench release install install-texts clean

help:
	@echo "make demo      an embedded room with built-in tracks, joined and played"
	@echo "make test      build and run the tests"
	@echo "make torture   kill the program 200 times while it fills its cache, fail its disk, and worse"
	@echo "make lint      check the formatting"
	@echo "make format    format the sources"
	@echo "make bench     measure, beside the figures to reach"
	@echo "make install   a stripped release build, man page and completions below $(PREFIX) (DESTDIR)"
	@echo "make setup     install the Debian packages that are missing (the others do it first)"

# Installs the missing ones of some packages, having said which. Who can't become root learns what
# to have installed, and goes on if that is only what could be done without.
define install-missing
	@absent() { for p in "$$@"; do \
	  dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || printf ' %s' $$p; done; }; \
	missing="$$(absent $(1))"; \
	if [ -z "$$missing" ]; then exit 0; \
	elif [ "$$(id -u)" = 0 ]; then sudo=; \
	elif command -v sudo >/dev/null; then sudo=sudo; \
	else \
	  echo "setup: missing; as root, run: apt-get install$$missing" >&2; \
	  if [ -n "$$(absent $(NEEDED))" ]; then exit 1; fi; \
	  echo "setup: none of these must be: going on without" >&2; exit 0; \
	fi; \
	echo "setup: installing these Debian packages:$$missing"; \
	$$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends $$missing >/dev/null
endef

setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "setup: Swift 6.3 is not on the PATH; it is to be had from swift.org (Linux, Debian 12)" >&2; exit 1; }
	$(call install-missing,$(NEEDED) $(OPTIONAL))

setup-test: setup
	$(call install-missing,$(TESTING))

setup-bench: setup
	$(call install-missing,$(BENCHING))

# Each recipe asks for the traits anew, since setup may just have brought them.
demo: setup
	$(MAKE) --no-print-directory build
	.build/debug/blastoise demo

build:
	$(SWIFT) build $(TRAITS) --product blastoise

test: setup-test
	$(MAKE) --no-print-directory run-tests

.PHONY: run-tests run-bench
run-tests:
	$(SWIFT) build $(TRAITS) --build-tests
	$(SWIFT) test $(TRAITS) --skip-build --disable-xctest

# The same with none of the optional libraries, in a folder of its own, and with no debug
# information, which is a quarter of the work; what torments the cache needs none of them.
PLAIN = --scratch-path .build/plain -Xswiftc -gnone
test-plain:
	$(SWIFT) build $(PLAIN) --build-tests
	$(SWIFT) test $(PLAIN) --skip-build --disable-xctest \
	  --skip 'ProgramTests.Cache(Trials|Encounters)'

# What kills, crowds and starves the cache, at length: 200 kills, from a seed of the hour that is
# printed (BLASTOISE_SEED=4 make torture repeats one).
torture: export BLASTOISE_TORTURE = 200
torture: export BLASTOISE_SEED ?= $(shell date +%s)
torture: setup-test
	$(SWIFT) build $(TRAITS) --build-tests
	$(SWIFT) test $(TRAITS) --skip-build --disable-xctest --filter 'ProgramTests.Cache(Trials|Encounters)'

# The modules with threads of their own, under the thread and the address sanitizer; Caching touches
# memory by Swift's own means alone. Threads that end by themselves, as tests make them, are no leak.
THREADED = PlaybackTests,TransportTests,ControlTests
sanitize:
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/thread-sanitizer.supp report_thread_leaks=0" \
	  BLASTOISE_TESTS=$(THREADED),CachingTests \
	  $(SWIFT) test --scratch-path .build/tsan --sanitize=thread --disable-xctest
	BLASTOISE_TESTS=$(THREADED) \
	  $(SWIFT) test --scratch-path .build/asan --sanitize=address --disable-xctest

lint:
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)

format:
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

bench: setup-bench
	$(MAKE) --no-print-directory run-bench

run-bench: release
	$(SWIFT) build $(TRAITS) -c release --product blastoise-bench
	.build/release/blastoise-bench .build/static/release/blastoise

# One file but for the system's C libraries: Swift's own runtime is inside. Relative relocations
# packed by lld save 1 MB (they need glibc 2.36, as Debian 12 has it), equal functions folded and no
# unwind tables 3 MB more.
PACKED = -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all \
	-Xlinker -T -Xlinker $(CURDIR)/packaging/no-unwind-tables.ld
release:
	$(SWIFT) build $(TRAITS) -c release --scratch-path .build/static --static-swift-stdlib $(PACKED) --product blastoise
	strip .build/static/release/blastoise

install: setup
	$(MAKE) --no-print-directory release
	install -D -m 755 .build/static/release/blastoise $(DESTDIR)$(PREFIX)/bin/blastoise
	$(MAKE) --no-print-directory install-texts BUILT=.build/static/release/blastoise

# The man page and the completions, as the built program makes them from its own tables.
BUILT = .build/debug/blastoise
SHARE = $(DESTDIR)$(PREFIX)/share
install-texts:
	mkdir -p $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	  $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(BUILT) __man > $(SHARE)/man/man1/blastoise.1
	$(BUILT) completions bash > $(SHARE)/bash-completion/completions/blastoise
	$(BUILT) completions zsh > $(SHARE)/zsh/site-functions/_blastoise
	$(BUILT) completions fish > $(SHARE)/fish/vendor_completions.d/blastoise.fish

clean:
	rm -rf .build
