//! Documents and expressions on them, as the libraries of JMeter read them.

mod bounds;
mod css;
mod tables;
mod xalan;
