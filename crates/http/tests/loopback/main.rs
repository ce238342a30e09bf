//! The HTTP sampler against scripted sites on loopback.

mod exchange;
mod site;
mod uploads;
mod visits;
