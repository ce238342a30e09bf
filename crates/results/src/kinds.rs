//! This crate's part of the table of elements.

use swell_api::{ElementKind, FileProperty, FileUse, ListenerMaker, Make, Role};

use crate::collectors::COLLECTORS;
use crate::flexible::FLEXIBLE;
use crate::{
    ResultFiles, flexible_writer_factory, response_saver_factory, result_collector_factory,
    summariser_factory,
};

/// This crate's part of the table of elements. What listeners write goes to `files`.
pub fn kinds(files: &ResultFiles) -> Vec<ElementKind> {
    let documentation = include_str!("../elements.toml");
    let saver = response_saver_factory(files);
    let mut kinds = collectors(files);
    kinds.extend([
        listener("Summariser", "Generate Summary Results", summariser_factory(files)),
        listener("ResultSaver", "Save Responses to a file", saver)
            .files(&[("FileSaver.filename", FileUse::Write)]),
        listener(FLEXIBLE, "jp@gc - Flexible File Writer", flexible_writer_factory(files))
            .files(&[("filename", FileUse::Write)]),
    ]);
    kinds.into_iter().map(|kind| ElementKind { documentation, ..kind }).collect()
}

fn collectors(files: &ResultFiles) -> Vec<ElementKind> {
    let make = result_collector_factory(files);
    let [own, corrected, composite, flushing, aggregate] = COLLECTORS;
    let names = [
        "Simple Data Writer, View Results Tree, Summary Report, Aggregate Report and all other listeners with a file",
        "jp@gc graphs: Response Times Over Time, Transactions per Second, Active Threads Over Time and others",
        "Statistical Aggregate Report, and other collectors of plug-ins",
    ];
    const RESULTS: &[FileProperty] = &[("filename", FileUse::WriteResults)];
    vec![
        listener(own, names[0], make.clone()).files(RESULTS),
        listener(corrected, names[1], make.clone()).also(&[composite]).files(RESULTS),
        listener(aggregate, names[2], make).also(&[flushing]).files(RESULTS),
    ]
}

fn listener(class: &'static str, name: &'static str, make: ListenerMaker) -> ElementKind {
    ElementKind::native(Role::Listener, class, name, Make::Listener(make))
}
