//! `swell hit grpc://…` of a build without gRPC.

use std::convert::Infallible;

use swell_plan::Element;

use super::urls::{GRPC, rest_of};
use crate::args::HitArgs;
use crate::exit::Failure;

/// There is none.
pub(super) struct Grpc(Infallible);

/// Whether a URL is one of gRPC.
pub(super) fn is_grpc(url: &str) -> bool {
    rest_of(url, GRPC).is_some()
}

impl Grpc {
    /// None, or an error where the command line asks for gRPC.
    pub(super) fn of(args: &HitArgs) -> Result<Option<Self>, Failure> {
        let is_wanted =
            args.urls.iter().any(|url| is_grpc(url)) || args.request.proto.is_some() || args.request.reflect;
        if is_wanted {
            return Err(
                Failure::settings("this build has no gRPC").hint("build Swell with its feature `grpc`")
            );
        }
        Ok(None)
    }

    /// There is none.
    pub(super) fn sampler(&self, _: &HitArgs) -> Element {
        match self.0 {}
    }
}
