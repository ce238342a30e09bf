//! Draws the full-screen view: a function of the figures and the room that there is.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Sparkline, Table, Wrap};
use swell_report::number::{count, duration, ms, rate};
use swell_report::{plain, without_passwords};
use swell_stats::reading::Known;
use swell_stats::verdict::Grade;
use swell_stats::{Histogram, LabelRow, LabelStats, Reading, supports};

use super::figures::{Figures, Question};

/// Below this there is no room for anything that can be read.
const LEAST: (u16, u16) = (40, 12);

/// Draws all of it. `said`: lines that the run said, the last ones of which are shown.
pub(super) fn draw(frame: &mut Frame, figures: &Figures, said: &[String]) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("The view needs {} columns and {} lines.", LEAST.0, LEAST.1);
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    // At 80 by 24 everything is shown: less of each list, all figures and the reason of the
    // verdict.
    let (top, bottom, verdict, most_said) = match area.height {
        ..24 => (6, 0, 1, 1),
        24..30 => (8, 6, 2, 1),
        _ => (9, 7, 2, 3),
    };
    let words = said.len().min(most_said) as u16;
    let rows = [1, top, bottom, verdict, words, 1].map(Constraint::Length);
    let [title, top, bottom, verdict, words, keys] = rows;
    let [title, top, table, bottom, verdict, words, keys] =
        Layout::vertical([title, top, Constraint::Min(3), bottom, verdict, words, keys]).areas(area);
    draw_title(frame, title, figures);
    let halves = [Constraint::Percentage(50), Constraint::Percentage(50)];
    let [left, right] = Layout::horizontal(halves).spacing(1).areas(top);
    draw_figures(frame, left, figures);
    draw_past(frame, right, figures);
    draw_labels(frame, table, figures);
    let [left, right] = Layout::horizontal(halves).spacing(1).areas(bottom);
    draw_errors(frame, left, figures);
    draw_tool(frame, right, figures);
    draw_verdict(frame, verdict, figures);
    let last = &said[said.len() - usize::from(words.height).min(said.len())..];
    let last: Vec<_> = last.iter().map(|line| Line::raw(shown(line))).collect();
    frame.render_widget(Paragraph::new(last), words);
    draw_keys(frame, keys, figures);
}

/// A text of a plan or a server, harmless for the terminal and its readers.
fn shown(text: &str) -> String {
    without_passwords(&plain(text)).into_owned()
}

fn style(figures: &Figures, colour: Color) -> Style {
    if figures.in_colours { Style::new().fg(colour) } else { Style::new() }
}

fn block(title: &str) -> Block<'static> {
    Block::new().borders(Borders::TOP).title(Span::styled(format!(" {title} "), Modifier::BOLD))
}

fn draw_title(frame: &mut Frame, area: Rect, figures: &Figures) {
    let status = figures.last.as_ref().and_then(|second| second.status.as_ref());
    let at_ns = figures.last.as_ref().map_or(0, |second| second.at_ns);
    let mut words =
        vec![Span::styled(format!(" {} ", shown(&figures.title)), Modifier::BOLD | Modifier::REVERSED)];
    match status {
        None => words.push(Span::raw("  starting")),
        Some(status) => {
            let s = |ns: i64| duration(ns.max(0) as f64 / 1e9);
            words.push(Span::raw(format!("  {}", s(at_ns - status.started_ns))));
            let left = status.expected_end_ns.map(|end_ns| format!(", {} left", s(end_ns - at_ns)));
            words.push(Span::raw(left.unwrap_or_default()));
        }
    }
    if figures.is_paused() {
        words.push(Span::styled("  PAUSED", style(figures, Color::Yellow).bold()));
    }
    frame.render_widget(Line::from(words), area);
}

/// A percentile in milliseconds; `-` where there are too few times to state it, as in the summary.
fn percentile(times: &Histogram, quantile: f64) -> String {
    let is_stated = quantile >= 1.0 && !times.is_empty() || supports(times.count(), quantile);
    if is_stated { ms(times.quantile(quantile) as f64 / 1e6) } else { "-".to_owned() }
}

/// Percentiles with their names.
type Quantiles = &'static [(f64, &'static str)];

/// Those for which there is room in that many columns.
fn shown_quantiles(columns: u16) -> Quantiles {
    const ALL: Quantiles =
        &[(0.5, "p50"), (0.9, "p90"), (0.95, "p95"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max")];
    const FEW: Quantiles = &[(0.5, "p50"), (0.95, "p95"), (0.99, "p99"), (1.0, "max")];
    if columns < 52 { FEW } else { ALL }
}

/// These percentiles of times, in milliseconds.
fn percentiles(times: &Histogram, quantiles: Quantiles) -> String {
    let all = quantiles.iter().map(|(quantile, _)| format!("{:>7}", percentile(times, *quantile)));
    all.collect::<Vec<_>>().concat()
}

fn draw_figures(frame: &mut Frame, area: Rect, figures: &Figures) {
    let second = figures.last.as_deref();
    let (users, wanted) = second.map(|second| (second.users(), second.wanted())).unwrap_or_default();
    let now = figures.past.back().copied().unwrap_or_default();
    let of = |wanted: Option<String>| wanted.map(|wanted| format!(" of {wanted}")).unwrap_or_default();
    let (samples, errors) = second.map_or((0, 0), |second| (second.samples, second.errors));
    let share = 100.0 * errors as f64 / samples.max(1) as f64;
    let failed = if errors > 0 { style(figures, Color::Red) } else { Style::new() };
    let quantiles = shown_quantiles(area.width);
    let names = quantiles.iter().map(|(_, name)| format!("{name:>7}")).collect::<Vec<_>>().concat();
    let lines = vec![
        Line::raw(format!("users    {}{}", count(users.active), of(wanted.users.map(count)))),
        Line::raw(format!(
            "rate     {}/s{}",
            rate(now.per_s),
            of(wanted.per_s.map(|per_s| format!("{}/s", rate(per_s))))
        )),
        Line::raw(format!("samples  {}", count(samples))),
        Line::styled(format!("errors   {} ({share:.2} %)", count(errors)), failed),
        Line::styled(format!("{:<10}{names}", "ms"), Modifier::DIM),
        Line::raw(format!("last 10 s {}", percentiles(&figures.recent.times(), quantiles))),
        Line::raw(format!("all       {}", percentiles(&figures.total.elapsed, quantiles))),
    ];
    frame.render_widget(Paragraph::new(lines).block(block("Now")), area);
}

fn draw_past(frame: &mut Frame, area: Rect, figures: &Figures) {
    let parts = [Constraint::Percentage(50), Constraint::Percentage(50)];
    let [upper, lower] = Layout::vertical(parts).areas(area);
    let skipped = figures.past.len().saturating_sub(usize::from(area.width));
    let past = || figures.past.iter().skip(skipped);
    let rates: Vec<u64> = past().map(|second| second.per_s.round() as u64).collect();
    let times: Vec<u64> = past().map(|second| second.p99_ns / 1000).collect();
    let most = |values: &[u64]| values.iter().max().copied().unwrap_or(0);
    let rate_title = format!("Samples a second, up to {}", rate(most(&rates) as f64));
    let time_title = format!("p99 of each second, up to {} ms", ms(most(&times) as f64 / 1e3));
    for (area, values, title, colour) in
        [(upper, rates, rate_title, Color::Green), (lower, times, time_title, Color::Cyan)]
    {
        let line = Sparkline::default().data(values).block(block(&title)).style(style(figures, colour));
        frame.render_widget(line, area);
    }
}

fn draw_labels(frame: &mut Frame, area: Rect, figures: &Figures) {
    let rows = &figures.counted.rows;
    let seconds = figures.total.span_s();
    let names = ["label", "samples", "/s", "errors", "p50", "p95", "p99", "max"];
    let right = |text: String| Cell::from(Line::from(text).alignment(Alignment::Right));
    let head = names
        .iter()
        .enumerate()
        .map(|(at, name)| if at == 0 { Cell::from(*name) } else { right((*name).to_owned()) });
    let row = |row: &LabelRow| {
        let LabelStats { samples, errors, .. } = row.stats;
        let quantile = |quantile| right(percentile(&row.stats.elapsed, quantile));
        let name = if row.is_transaction { format!("[{}]", shown(&row.label)) } else { shown(&row.label) };
        let cells = vec![
            Cell::from(name),
            right(count(samples)),
            right(rate(if seconds > 0.0 { samples as f64 / seconds } else { 0.0 })),
            right(count(errors)),
            quantile(0.5),
            quantile(0.95),
            quantile(0.99),
            quantile(1.0),
        ];
        let failed = if errors > 0 { style(figures, Color::Red) } else { Style::new() };
        Row::new(cells).style(failed)
    };
    let widths = [Constraint::Min(12), Constraint::Length(11), Constraint::Length(7), Constraint::Length(7)];
    let widths = widths.into_iter().chain([Constraint::Length(6); 4]);
    let first = figures.scrolled.min(rows.len().saturating_sub(1));
    let room = usize::from(area.height).saturating_sub(2);
    let title = if rows.len() > room {
        format!("Labels {} to {} of {}, times in ms", first + 1, (first + room).min(rows.len()), rows.len())
    } else {
        "Labels, times in ms".to_owned()
    };
    let table = Table::new(rows.iter().skip(first).take(room).map(row), widths)
        .header(Row::new(head).style(Modifier::DIM))
        .block(block(&title));
    frame.render_widget(table, area);
}

fn draw_errors(frame: &mut Frame, area: Rect, figures: &Figures) {
    let errors = &figures.counted.errors;
    let mut kinds: Vec<_> = errors.kinds().collect();
    kinds.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let mut lines: Vec<_> = kinds
        .iter()
        .take(4)
        .map(|(kind, times)| Line::raw(format!("{:>10}  {}", count(*times), kind.name().replace('_', " "))))
        .collect();
    if lines.is_empty() {
        lines.push(Line::raw("none"));
    }
    // The cause of most of them, in the words of the server or the system.
    let worst = errors.rows().into_iter().next();
    lines.extend(worst.map(|row| {
        Line::styled(format!("most: {} {}", shown(&row.code), shown(&row.message)), Modifier::DIM)
    }));
    frame.render_widget(Paragraph::new(lines).block(block("Errors by kind")), area);
}

fn draw_tool(frame: &mut Frame, area: Rect, figures: &Figures) {
    let load = figures.last.as_ref().map(|second| second.load).unwrap_or_default();
    let percent =
        |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.0} %", 100.0 * share));
    let p99 = |delays: &Histogram| ms(delays.quantile(0.99) as f64 / 1e6);
    let total = &figures.total;
    let mut lines = vec![
        Line::raw(format!(
            "busiest worker {}, waited {}",
            percent(load.worker_busy),
            percent(load.worker_waited)
        )),
        Line::raw(format!(
            "processors {}, memory free {}{}",
            percent(load.machine_busy),
            percent(load.memory_free),
            load.steal
                .filter(|part| *part >= 0.005)
                .map(|part| format!(", stolen {}", percent(Some(part))))
                .unwrap_or_default()
        )),
        Line::raw(format!(
            "own p99 ms: starts {}, reads {}",
            p99(&total.start_delay),
            p99(&total.read_delay)
        )),
    ];
    lines.extend(target(&figures.readings).map(Line::raw));
    let text = Paragraph::new(lines).wrap(Wrap { trim: true });
    frame.render_widget(text.block(block("The tool itself")), area);
}

/// How well is measured so far, with the worst reason, over the whole width.
fn draw_verdict(frame: &mut Frame, area: Rect, figures: &Figures) {
    let Some(verdict) = &figures.verdict else { return };
    let grade = verdict.grade;
    let colour = match grade {
        Grade::Valid => Color::Green,
        Grade::Degraded => Color::Yellow,
        Grade::Invalid => Color::Red,
    };
    let reason = swell_report::reasons(verdict).into_iter().next();
    let line = Line::from(vec![
        Span::raw("Measurement so far: "),
        Span::styled(grade.measurement(), style(figures, colour).bold()),
        Span::raw(reason.map(|reason| format!("; {}", shown(&reason))).unwrap_or_default()),
    ]);
    frame.render_widget(Paragraph::new(line).wrap(Wrap { trim: true }), area);
}

/// What is known of the target, the most telling figures first; none without a monitor.
fn target(readings: &[Reading]) -> Option<String> {
    let of = |known| Reading::mean_of(readings, known);
    let share = |part: f64| format!("{:.0} %", 100.0 * part);
    let memory = of(Known::MachineMemoryUsed).zip(of(Known::MachineMemoryTotal).filter(|all| *all > 0.0));
    let figures = [
        of(Known::MachineIdle).map(|idle| format!("processors {}", share(1.0 - idle))),
        of(Known::ProcessCpu).map(|busy| format!("{busy:.1} by the process")),
        of(Known::AcceptQueue).filter(|waiting| *waiting > 0.0).map(|n| format!("not accepted {n:.0}")),
        of(Known::HeapAfterGc).map(|heap| format!("heap {}", share(heap))),
        of(Known::GcTime).map(|time| format!("collections {}", share(time))),
        memory.map(|(used, all)| format!("memory {}", share(used / all))),
        of(Known::Threads).or_else(|| of(Known::JvmThreads)).map(|n| format!("threads {n:.0}")),
        of(Known::LoadAverage).map(|load| format!("load {load:.1}")),
    ];
    let told: Vec<_> = figures.into_iter().flatten().collect();
    (!told.is_empty()).then(|| format!("target: {}", told.join(", ")))
}

fn draw_keys(frame: &mut Frame, area: Rect, figures: &Figures) {
    let line = match figures.question {
        Some(Question::Stop) => {
            Line::styled("Stop the test? Running samples finish. y: yes, any other key: no", Modifier::BOLD)
        }
        Some(Question::StopNow) => Line::styled(
            "Stop at once? Running samples are aborted. y: yes, any other key: no",
            Modifier::BOLD,
        ),
        None => {
            let group = figures.chosen().filter(|_| figures.groups().len() > 1);
            let group =
                group.map(|group| format!(" of `{}` (Tab: next)", shown(&group.name))).unwrap_or_default();
            let pause = if figures.is_paused() { "go on" } else { "pause" };
            let word =
                if figures.word.is_empty() { String::new() } else { format!("   {}", shown(&figures.word)) };
            Line::from(vec![
                Span::styled(
                    format!("+ - load{group}  p {pause}  s stop  S stop now  q leave view  ↑↓ labels"),
                    Modifier::DIM,
                ),
                Span::raw(word),
            ])
        }
    };
    frame.render_widget(line, area);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use swell_run::Second;
    use swell_stats::verdict::Evidence;
    use swell_stats::{FailureKind, Observation, Recorder};

    use super::*;

    /// The lines of a screen of that size.
    fn screen(figures: &Figures, said: &[String], (width, height): (u16, u16)) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
        terminal.draw(|frame| draw(frame, figures, said)).expect("it cannot fail");
        let buffer = terminal.backend().buffer().clone();
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(line).collect()
    }

    fn figures(labels: usize) -> Figures {
        let mut figures = Figures::new("shop\u{1b}[2J".into(), true);
        let mut recorder = Recorder::default();
        for label in 0..labels {
            let label = format!("label {label:02}");
            let seen = Observation {
                label: &label,
                success: label != "label 01",
                kind: FailureKind::Refused,
                code: "Non HTTP response code",
                message: "refused by \u{1b}[31mx",
                elapsed_ns: 5_000_000,
                end_ns: 2_000_000_000,
                ..Observation::default()
            };
            (0..10).for_each(|_| recorder.record(&seen));
        }
        let mut second = Second::of(0, 1_000_000_000, recorder.take_interval());
        second.load.worker_busy = Some(0.42);
        let machine: Arc<str> = "machine".into();
        second.readings = [(Known::MachineIdle, 0.25), (Known::ProcessCpu, 1.46), (Known::Threads, 33.0)]
            .map(|(known, value)| Reading::new(&machine, known, value, 1.0))
            .to_vec();
        figures.add(&Arc::new(second));
        figures
    }

    #[test]
    fn a_screen_has_all_figures() {
        let lines = screen(&figures(3), &["Given up".to_owned()], (100, 30));
        let all = lines.join("\n");
        for text in [
            "shop␛[2J",
            "rate     30.0/s",
            "errors   10 (33.33 %)",
            "last 10 s",
            "label 02",
            "connection refused",
            "busiest worker 42 %",
            "target: processors 75 %, 1.5 by the process",
            "Measurement so far: ",
            "Given up",
            "q leave view",
        ] {
            assert!(all.contains(text), "{text} is not in\n{all}");
        }
        assert!(!all.contains('\u{1b}'));
    }

    #[test]
    fn at_80_by_24_nothing_that_matters_is_cut() {
        let mut figures = figures(3);
        let seen =
            Evidence { late_starts: None, start_delay_p99_ns: Some(12_340_000), ..Evidence::default() };
        figures.verdict = Some(swell_stats::verdict(&seen));
        let lines = screen(&figures, &["Given up".to_owned()], (80, 24));
        let all = lines.join("\n");
        let one_line = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        let reason = "Measurement so far: unusable; requests were sent late: p99 12.34 ms after they were due (limit 10.00 ms)";
        assert!(one_line.contains(reason), "{all}");
        let percentiles = lines.iter().find(|line| line.starts_with("ms")).expect("the heads of percentiles");
        assert!(["p50", "p95", "p99", "max"].iter().all(|name| percentiles[..40].contains(name)), "{all}");
        for text in
            ["last 10 s", "all  ", "label 00", "label 02", "p99    max", "connection refused", "q leave view"]
        {
            assert!(all.contains(text), "{text} is not in\n{all}");
        }
    }

    #[test]
    fn a_long_table_is_moved_and_says_where_it_is() {
        let mut figures = figures(50);
        figures.scroll(20);
        let all = screen(&figures, &[], (100, 30)).join("\n");
        assert!(
            all.contains("Labels 21 to 28 of 50") && all.contains("label 20") && !all.contains("label 19"),
            "{all}"
        );
        figures.scroll(isize::MIN);
        figures.scroll(-1);
        assert_eq!(figures.scrolled, 0);
        figures.scroll(1000);
        assert_eq!(figures.scrolled, 49);
    }

    #[test]
    fn every_size_of_a_terminal_is_drawn() {
        let figures = figures(5);
        let said: Vec<_> = (0..10).map(|n| format!("word {n}")).collect();
        for width in [1, 20, 39, 40, 80, 300] {
            for height in [1, 5, 11, 12, 23, 24, 100] {
                let lines = screen(&figures, &said, (width, height));
                assert_eq!(lines.len(), usize::from(height));
            }
        }
        assert!(screen(&figures, &[], (39, 20))[0].starts_with("The view needs 40 columns"));
    }

    #[test]
    fn before_the_first_second_it_says_so() {
        let all = screen(&Figures::new("shop".into(), false), &[], (80, 24)).join("\n");
        assert!(all.contains("starting") && all.contains("none"), "{all}");
    }
}
