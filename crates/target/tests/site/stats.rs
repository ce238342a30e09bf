//! The record of true times.

use swell_target::{Options, start};

use super::client::{Client, site};

#[test]
fn times_are_on_record_by_route() {
    let target = site();
    let mut client = Client::new(&target);
    client.get("/delay/20ms");
    client.get("/delay/20ms");
    client.get("/bytes/5");
    let seen = client.get("/stats").json();
    assert_eq!(seen["total"]["residence"]["count"], 3);
    assert_eq!(seen["routes"][0]["route"], "/delay");
    assert!(seen["routes"][0]["residence"]["min_ns"].as_u64().unwrap() >= 19_900_000, "{seen}");
    assert_eq!(seen["routes"][0]["late"]["count"], 2);
    assert_eq!(
        (&seen["routes"][1]["route"], &seen["routes"][1]["late"]["count"]),
        (&"/bytes".into(), &0.into())
    );
    assert_eq!((&seen["open_connections"], &seen["accepted"]), (&1.into(), &1.into()));
    let stats = target.stats();
    assert_eq!(stats.route("/delay").unwrap().residence.count, 2);
    assert!(stats.route("/slow").is_none());
}

#[test]
fn a_reset_forgets_the_times() {
    let target = site();
    let mut client = Client::new(&target);
    client.get("/delay/1us?id=a");
    assert_eq!(client.get("/stats/reset").text(), "reset\n");
    let seen = client.get("/stats").json();
    assert_eq!((&seen["total"]["residence"]["count"], &seen["open_connections"]), (&0.into(), &1.into()));
    assert!(target.log().is_empty());
}

#[test]
fn requests_with_an_id_can_be_joined() {
    let target = site();
    let mut client = Client::new(&target);
    client.get("/delay/5ms?id=first");
    client.get("/delay/5ms");
    client.get("/bytes/3?x=y&id=second");
    let log = client.get("/stats/log").text().to_owned();
    let rows: Vec<Vec<&str>> = log.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["id", "route", "arrival_ns", "asked_ns", "residence_ns", "send_ns", "peer_port"]);
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["id", "first", "second"]);
    assert_eq!((rows[1][1], rows[1][3]), ("/delay", "5000000"));
    assert!(rows[1][4].parse::<i64>().unwrap() >= 5_000_000, "{log}");
    let entries = target.log();
    assert_eq!(rows[1][6].parse(), Ok(entries[0].peer_port));
    assert_ne!(entries[0].peer_port, 0);
    assert!(
        entries[0].arrival_ns < entries[0].before_send_ns
            && entries[0].before_send_ns < entries[0].after_send_ns
    );
    assert!(entries[0].after_send_ns < entries[1].arrival_ns);
}

#[test]
fn workers_share_the_port_and_the_record() {
    let target = start(Options { workers: 4, ..Options::default() }).unwrap();
    for _ in 0..40 {
        assert_eq!(Client::new(&target).get("/bytes/1").text(), "a");
    }
    assert_eq!(target.stats().total.residence.count, 40);
    assert_eq!(target.stats().accepted, 40);
}
