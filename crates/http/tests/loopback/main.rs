//! The HTTP sampler against scripted sites on loopback.

mod auth;
mod exchange;
mod site;
mod uploads;
mod visits;
