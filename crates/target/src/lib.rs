//! The web site under test: every delay it makes is known.
