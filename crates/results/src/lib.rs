//! What a run leaves: JTL files in JMeter's CSV and XML formats.
