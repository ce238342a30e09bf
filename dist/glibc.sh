# The oldest glibc on which the program of a release runs: Red Hat 7, Debian 8, Ubuntu 14.04 and all that are newer.
# shellcheck shell=bash disable=SC2034
OLDEST_GLIBC=2.17
