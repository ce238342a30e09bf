//! The HTTP sampler against scripted sites on loopback.

mod auth;
mod embedded;
mod exchange;
mod keystore;
mod limits;
mod moulds;
mod network;
mod site;
mod uploads;
mod visits;
