//! Worlds: what they refuse, what they report, and what holds in them.

mod alone;
mod corpus;
mod hangs;
mod load;
mod real_time;
mod sources;
mod timing;
mod trial;
