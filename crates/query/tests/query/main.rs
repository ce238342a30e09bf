//! Documents and queries, compared with JMeter's libraries.

mod bounds;
mod css;
mod tables;
mod xalan;
