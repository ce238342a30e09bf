//! The gRPC sampler.

mod bench;
mod calls;
mod hostile;
mod independent;
mod scripted;
