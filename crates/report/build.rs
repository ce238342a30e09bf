//! Compresses script and style of the page: they take 270 KB less of the program.

use std::io::Write;
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The files of the page, in the folder `page`.
const FILES: [&str; 6] = ["app.css", "app.js", "runs.css", "runs.js", "trace.css", "trace.js"];

fn main() {
    let out = env::var("OUT_DIR").expect("Cargo sets it");
    for name in FILES {
        let from = Path::new("page").join(name);
        println!("cargo::rerun-if-changed={}", from.display());
        let text = fs::read(&from).expect("a file of the repository");
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&text).expect("a Vec takes it");
        let packed = packer.finish().expect("a Vec takes it");
        fs::write(Path::new(&out).join(name), packed).expect("a folder of Cargo");
    }
}
