//! Words and tables from results: summariser lines, final summary, HTML report.
