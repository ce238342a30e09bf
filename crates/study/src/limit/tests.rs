//! Each cause by the figures that it leaves.

use super::*;

fn level(load: f64, per_s: f64, mean_ms: f64) -> Level {
    Level { load, passed: true, offered_per_s: Some(load), per_s, mean_ms: Some(mean_ms), ..Level::default() }
}

/// A server with 25 threads of 20 ms, whose processors have little to do.
fn pool() -> Vec<Level> {
    let cpu = |level: Level| Level { server_cpu: Some(0.12), ..level };
    vec![
        cpu(level(50.0, 50.0, 20.5)),
        cpu(level(1200.0, 1199.0, 24.0)),
        cpu(Level { passed: false, ..level(1260.0, 1219.0, 90.0) }),
        cpu(Level { passed: false, ..level(2400.0, 1221.0, 900.0) }),
    ]
}

#[test]
fn a_pool_is_named_with_its_size() {
    let found = whose(&pool(), false);
    assert_eq!((found.cause, &*found.words), (Cause::Pool, "a pool of about 25 in the server"));
    assert!(found.evidence.iter().any(|line| line.contains("12 % busy")), "{found:?}");
    let size = found.pool.expect("a pool");
    assert!((size - 25.0).abs() < 0.5, "{size}");
}

#[test]
fn a_pool_is_named_where_users_set_the_pace() {
    let level = |users: f64, per_s, mean_ms, passed| Level {
        passed,
        offered_per_s: None,
        ..level(users, per_s, mean_ms)
    };
    let levels = [
        level(10.0, 484.0, 20.5, true),
        level(25.0, 1213.0, 20.5, true),
        level(30.0, 1224.0, 24.2, false),
        level(50.0, 1234.0, 40.2, false),
    ];
    let found = whose(&levels, false);
    assert_eq!(found.cause, Cause::Pool);
    assert!((found.pool.expect("a pool") - 25.2).abs() < 0.5, "{found:?}");
}

/// A Tomcat with 200 threads of 200 ms: 500 users are answered in step, and late to ask again.
fn in_step() -> Vec<Level> {
    let level = |users: f64, per_s, mean_ms, passed| Level {
        passed,
        offered_per_s: None,
        server_cpu: Some(0.07),
        tool_cpu: Some(0.05),
        tool: vec!["requests were sent late: p99 23.59 ms".to_owned()],
        ..level(users, per_s, mean_ms)
    };
    vec![
        level(100.0, 498.0, 200.6, true),
        level(500.0, 1000.0, 500.8, true),
        level(1000.0, 1000.0, 1001.0, false),
    ]
}

#[test]
fn a_pool_is_named_from_a_plateau_of_users_though_late_starts_spoil_trials() {
    let found = whose(&in_step(), true);
    assert_eq!((found.cause, &*found.words), (Cause::Pool, "a pool of about 201 in the server"));
    let with = |change: fn(&mut Level)| {
        let mut levels = in_step();
        levels.iter_mut().for_each(change);
        whose(&levels, true).cause
    };
    assert_eq!(with(|level| level.tool_cpu = Some(0.6)), Cause::Generator, "the tool has enough to do");
    assert_eq!(with(|level| level.tool_cpu = None), Cause::Generator, "unknown");
    assert_eq!(with(|level| level.server_cpu = Some(0.9)), Cause::Generator, "so has the server");
    assert_eq!(with(|level| level.mean_ms = Some(200.0)), Cause::Generator, "the time passes elsewhere");
    assert_eq!(with(|level| level.accept_queue = Some(0.2)), Cause::AcceptQueue);
    let compilers = |level: &mut Level| {
        level.other_programs = Some("other programs took 1.44".to_owned());
        (level.server_cpu, level.machine_busy) = (Some(0.2), Some(0.85));
    };
    assert_eq!(with(compilers), Cause::Pool, "the machine has room for server and tool");
    let full = |level: &mut Level| {
        level.other_programs = Some("other programs took 1.9".to_owned());
        (level.server_cpu, level.machine_busy) = (Some(0.2), Some(0.99));
    };
    assert_eq!(with(full), Cause::OtherPrograms, "server and tool may have waited for a processor");
}

/// The pool with one more figure at the loads that fail.
fn with(change: impl Fn(&mut Level)) -> Cause {
    let mut levels = pool();
    levels.iter_mut().filter(|level| !level.passed).for_each(change);
    whose(&levels, false).cause
}

#[test]
fn stronger_evidence_comes_first() {
    assert_eq!(with(|level| level.server_cpu = Some(0.97)), Cause::ServerCpu);
    assert_eq!(with(|level| level.server_cpu = Some(0.8)), Cause::Unknown);
    assert_eq!(with(|level| level.gc_time = Some(0.2)), Cause::ServerMemory);
    assert_eq!(with(|level| level.heap_after_gc = Some(0.95)), Cause::ServerMemory);
    assert_eq!(with(|level| level.threads_of_limit = Some(0.99)), Cause::ProcessLimit);
    assert_eq!(with(|level| level.accept_queue = Some(0.2)), Cause::AcceptQueue);
    assert_eq!(with(|level| level.late_connections = 0.01), Cause::AcceptQueue);
    assert_eq!(with(|level| level.retransmits = Some(0.02)), Cause::Network);
    assert_eq!(with(|level| level.died = Some("the server ended".to_owned())), Cause::Crash);
    assert_eq!(with(|level| level.descriptors_of_limit = Some(1.0)), Cause::DescriptorLimit);
    let lossy = |level: &mut Level| (level.late_connections, level.retransmits) = (0.01, Some(0.02));
    assert_eq!(with(lossy), Cause::Network, "it loses handshakes as well");
    assert_eq!(with(|level| level.exhausted = 0.01), Cause::Resources);
    let refuses = |level: &mut Level| (level.errors, level.turned_down) = (0.05, 0.05);
    assert_eq!(with(refuses), Cause::AdmissionControl);
    let shared = |level: &mut Level| (level.machine_busy, level.tool_cpu) = (Some(0.98), Some(0.5));
    assert_eq!(with(shared), Cause::Generator);
}

#[test]
fn other_programs_are_named_before_what_they_do_to_server_and_tool() {
    let who = "other programs took 1.9 of 2 cores: python3 ×4";
    let busy = |level: &mut Level| {
        (level.other_programs, level.server_cpu) = (Some(who.to_owned()), Some(0.95));
        level.late_connections = 0.1;
    };
    assert_eq!(with(busy), Cause::OtherPrograms);
    let dies =
        |level: &mut Level| (level.other_programs, level.died) = (Some(who.to_owned()), Some(String::new()));
    assert_eq!(with(dies), Cause::Crash, "a fact of the server");
    let refuses = |level: &mut Level| {
        (level.other_programs, level.errors, level.turned_down) = (Some(who.to_owned()), 0.05, 0.05);
    };
    assert_eq!(with(refuses), Cause::AdmissionControl, "independent of processors");
    let loses =
        |level: &mut Level| (level.other_programs, level.retransmits) = (Some(who.to_owned()), Some(0.02));
    assert_eq!(with(loses), Cause::Network, "nor is this");
    let waits =
        |level: &mut Level| (level.other_programs, level.server_cpu) = (Some(who.to_owned()), Some(0.02));
    assert_eq!(with(waits), Cause::Pool, "nor are places of a server that hardly runs");
    let mut levels = pool();
    levels.truncate(2);
    let void =
        Level { tool: vec!["late".to_owned()], other_programs: Some(who.to_owned()), ..levels[1].clone() };
    levels.push(Level { load: 1500.0, ..void });
    let found = whose(&levels, true);
    assert_eq!((found.cause, &*found.evidence[0]), (Cause::OtherPrograms, who));
    // If they used much at a load that the server can handle, they explain nothing.
    let mut levels = pool();
    levels[0].other_programs = Some(who.to_owned());
    assert_eq!(whose(&levels, false).cause, Cause::Pool);
}

#[test]
fn a_tool_that_cannot_ask_for_more_is_never_the_servers_limit() {
    let mut levels = pool();
    levels[3].tool = vec!["worker 1 was 99 % busy".to_owned()];
    let found = whose(&levels, true);
    assert_eq!(found.cause, Cause::Generator);
    assert_eq!(found.evidence[0], "worker 1 was 99 % busy");
}

#[test]
fn times_that_grow_long_before_the_plateau_are_no_pool() {
    let mut levels = pool();
    levels[1] = Level { passed: false, ..level(600.0, 600.0, 30.0) };
    levels[2].passed = false;
    let found = whose(&levels, false);
    assert_eq!(found.cause, Cause::Unknown);
    assert!(found.evidence[0].contains("highest throughput"), "{found:?}");
    assert_eq!(whose(&[], false).cause, Cause::Unknown);
}

#[test]
fn a_full_queue_is_a_symptom_of_threads_and_descriptors_that_are_all_used() {
    let full = |level: &mut Level| (level.accept_queue, level.late_connections) = (Some(0.2), 0.2);
    for (cause, used) in [
        (Cause::ProcessLimit, (Some(0.99), None)),
        (Cause::DescriptorLimit, (None, Some(1.0))),
        (Cause::AcceptQueue, (Some(0.5), Some(0.5))),
    ] {
        let change = |level: &mut Level| {
            full(level);
            (level.threads_of_limit, level.descriptors_of_limit) = used;
        };
        assert_eq!(with(change), cause);
    }
}

#[test]
fn a_link_that_is_full_is_told_from_a_pool_by_the_time_of_handshakes() {
    let of = |idle: f64, full: f64| {
        let mut levels = pool();
        for level in &mut levels {
            level.round_trip_ms = Some(if level.passed { idle } else { full });
        }
        whose(&levels, false)
    };
    let found = of(0.1, 400.0);
    assert_eq!((found.cause, &*found.words), (Cause::Network, "the network: it is saturated at this load"));
    assert!(found.evidence[0].ends_with("took 400.0 ms; at light load 0.10 ms"), "{found:?}");
    assert_eq!(of(0.1, 1.5).cause, Cause::Pool, "a busy machine");
    assert_eq!(of(0.1, 10.0).cause, Cause::Pool, "far less than what response times grew by");
    assert_eq!(of(80.0, 90.0).cause, Cause::Pool, "the server is far away");
}

#[test]
fn a_server_that_answers_nothing_any_more_is_no_pool_of_none() {
    let mut levels = pool();
    for level in levels.iter_mut().filter(|level| !level.passed) {
        (level.per_s, level.mean_ms) = (0.0, None);
    }
    assert_eq!(whose(&levels, false).cause, Cause::Unknown);
    levels[2].hung = true;
    // A server that hangs makes the kernel retransmit a few segments.
    levels[2].retransmits = Some(0.01);
    let found = whose(&levels, false);
    assert_eq!(found.cause, Cause::Hang);
    assert!(found.evidence[0].starts_with("at 1,260 it stopped responding"), "{found:?}");
}

#[test]
fn failures_that_are_always_there_are_no_admission_control() {
    let lost = |level: Level, share| Level { errors: share, turned_down: share, ..level };
    let least = Level { passed: false, ..lost(level(200.0, 200.0, 1.0), 0.005) };
    assert_eq!(whose(std::slice::from_ref(&least), false).cause, Cause::Errors);
    let found = whose(&[lost(level(100.0, 100.0, 1.0), 0.004), least], false);
    assert_eq!(found.cause, Cause::Errors);
    assert_eq!(found.evidence[1], "0.40 % at 100.0, which holds");
    let far_too_much = Level { passed: false, ..lost(level(1000.0, 1000.0, 1.0), 0.5) };
    assert_eq!(whose(&[far_too_much], false).cause, Cause::AdmissionControl);
}

#[test]
fn users_who_are_never_served_tell_how_many_connections_are() {
    let mut levels = pool();
    levels[2].starved = Some((64.0, 56.0));
    let found = whose(&levels, false);
    assert_eq!((found.cause, found.pool), (Cause::Pool, Some(8.0)));
    assert!(found.words.starts_with("a pool of about 8 connections in the server"), "{found:?}");
    levels[2].descriptors_of_limit = Some(1.0);
    assert_eq!(whose(&levels, false).cause, Cause::DescriptorLimit);
}

/// They wait for a connection while those of others end with each response.
#[test]
fn users_who_are_never_served_by_a_full_accept_queue_tell_of_that() {
    let mut levels = pool();
    levels[2].starved = Some((64.0, 56.0));
    levels[2].accept_queue = Some(0.4);
    assert_eq!(whose(&levels, false).cause, Cause::Pool, "connections are kept, so the queue is a symptom");
    levels[2].connects = 1.0;
    assert_eq!(whose(&levels, false).cause, Cause::AcceptQueue);
}
