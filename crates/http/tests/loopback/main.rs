//! The HTTP sampler against scripted sites on loopback.

mod auth;
mod closed_idle;
mod departures;
mod embedded;
mod events;
mod exchange;
mod expect;
mod http2;
mod http2_hostile;
mod http2_parts;
mod http2_script;
mod keystore;
mod limits;
mod network;
mod site;
mod templates;
mod uploads;
mod visits;
