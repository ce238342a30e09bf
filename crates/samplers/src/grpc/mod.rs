//! gRPC: the sampler of "JMeter gRPC Request" (`vn.zalopay.benchmark`), and what it lacks: streams,
//! server reflection, binary metadata, compression.

mod call;
mod channel;
mod failure;
mod methods;
mod outcome;
mod reflect;
mod request;
mod sampler;
mod settings;

use std::rc::Rc;

use swell_api::{
    CompileContext, ElementKind, FileProperty, FileUse, Make, Role, SamplerInput, is_as_planned,
};

use sampler::GrpcSampler;

const FILES: &[FileProperty] = &[
    ("GRPCSampler.protoFolder", FileUse::ReadFolder(".proto")),
    ("GRPCSampler.libFolder", FileUse::ReadFolders(',', ".proto")),
];

/// This folder's part of the table of elements.
pub(crate) fn kinds() -> Vec<ElementKind> {
    let make = Make::sampler(|input: &SamplerInput<'_>, compile: &CompileContext| {
        Rc::new(GrpcSampler::new(input, compile))
    });
    vec![
        ElementKind::native(Role::Sampler, "vn.zalopay.benchmark.GRPCSampler", "GRPC Request", make)
            .only(is_as_planned)
            .files(FILES),
    ]
}
