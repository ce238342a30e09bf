//! Lets libraries that look a function up by its name find those of `src/real_time.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for kind in ["tests", "examples"] {
        println!("cargo:rustc-link-arg-{kind}=-Wl,--export-dynamic-symbol=getrandom");
    }
}
