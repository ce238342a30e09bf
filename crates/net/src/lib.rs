//! The only door to sockets, TLS, DNS, the clock and timers.
