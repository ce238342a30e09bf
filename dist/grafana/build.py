#!/usr/bin/env python3
"""Generate the dashboards in this folder, one for each export protocol that Grafana's data sources can query.

Each query uses native histograms if there are any, and classic buckets otherwise. Run this script after a change here and
commit the results; a test of `swell-metrics` compares the metric names in them with those that are exported.
"""

import json
import pathlib

RATE = "[$__rate_interval]"
RUN = 'run=~"$run"'
LABEL = RUN + ', kind="sample", label=~"$label"'


def rate(metric, selector):
    return f"rate({metric}{{{selector}}}{RATE})"


def quantile(q, metric, selector, by=""):
    """A quantile of native histograms, or of classic buckets where there are none."""
    native = f"sum by ({by}) ({rate(metric, selector)})" if by else f"sum({rate(metric, selector)})"
    classic = f"sum by ({by + ', ' if by else ''}le) ({rate(metric + '_bucket', selector)})"
    return f"histogram_quantile({q}, {native}) or on() histogram_quantile({q}, {classic})"


def count_rate(metric, selector):
    """Samples a second of a histogram of either kind."""
    return f"histogram_count(sum({rate(metric, selector)})) or on() sum({rate(metric + '_count', selector)})"


DURATION = "swell_sample_duration_seconds"
TOOL = [("start", "swell_start_delay_seconds"), ("read", "swell_read_delay_seconds"), ("send", "swell_send_delay_seconds")]

# Title, unit, and pairs of a query and its legend.
PANELS = [
    ("Samples a second", "reqps", [
        (f"sum({rate('swell_samples_total', LABEL)})", "reached"),
        (f"sum(swell_wanted_rate_per_second{{{RUN}}})", "wanted"),
    ]),
    ("Service time", "s", [
        (quantile(q, DURATION, LABEL), f"p{legend}") for q, legend in [(0.5, "50"), (0.95, "95"), (0.99, "99"), (0.999, "99.9")]
    ]),
    ("Failed samples a second by cause", "reqps", [
        (f"sum by (cause) ({rate('swell_failures_total', RUN)})", "{{cause}}"),
    ]),
    ("Share of failed samples", "percentunit", [
        (f"sum({rate('swell_errors_total', LABEL)}) / sum({rate('swell_samples_total', LABEL)})", "failed"),
    ]),
    ("Users", "short", [
        (f"sum(swell_users_active{{{RUN}}})", "running"),
        (f"sum(swell_users_wanted{{{RUN}}})", "wanted"),
    ]),
    ("Response time, from when the plan wanted the start", "s", [
        (quantile(q, "swell_response_duration_seconds", LABEL), f"p{legend}") for q, legend in [(0.5, "50"), (0.99, "99")]
    ]),
    ("p99 a label", "s", [(quantile(0.99, DURATION, LABEL, "label"), "{{label}}")]),
    ("Samples a second a label", "reqps", [(f"sum by (label) ({rate('swell_samples_total', LABEL)})", "{{label}}")]),
    ("Bytes a second", "Bps", [
        (f"sum({rate('swell_received_bytes_total', LABEL)})", "received"),
        (f"sum({rate('swell_sent_bytes_total', LABEL)})", "sent"),
    ]),
    ("Connections made a second", "cps", [
        (f"sum({rate('swell_connections_total', RUN)})", "connections"),
        (count_rate("swell_tls_handshake_duration_seconds", RUN), "TLS handshakes"),
    ]),
    ("p99 of connecting and of the first byte", "s", [
        (quantile(0.99, "swell_connect_duration_seconds", RUN), "connection"),
        (quantile(0.99, "swell_tls_handshake_duration_seconds", RUN), "TLS handshake"),
        (quantile(0.99, "swell_first_byte_duration_seconds", RUN), "first byte"),
    ]),
    ("p99 of the tool's own delays", "s", [(quantile(0.99, metric, RUN), name) for name, metric in TOOL]),
    ("How busy the tool and its machine are", "percentunit", [
        (f"max(swell_worker_busy_ratio{{{RUN}}})", "busiest worker"),
        (f"max(swell_worker_waited_ratio{{{RUN}}})", "worker that waited most"),
        (f"max(swell_machine_busy_ratio{{{RUN}}})", "processors"),
        (f"max(swell_machine_steal_ratio{{{RUN}}})", "taken by the hypervisor"),
        (f"min(swell_machine_memory_free_ratio{{{RUN}}})", "memory available"),
    ]),
    ("Transactions: p99", "s", [(quantile(0.99, DURATION, RUN + ', kind="transaction"', "label"), "{{label}}")]),
]

SOURCE = {"type": "prometheus", "uid": "${source}"}


def panel(number, title, unit, targets):
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": title,
        "datasource": SOURCE,
        "gridPos": {"h": 8, "w": 12, "x": 12 * (number % 2), "y": 8 * (number // 2)},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0, "custom": {"showPoints": "never"}}, "overrides": []},
        "options": {"legend": {"displayMode": "table", "placement": "bottom", "calcs": ["mean", "max"]}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + at), "datasource": SOURCE, "expr": query, "legendFormat": legend}
            for at, (query, legend) in enumerate(targets)
        ],
    }


def variable(name, text, query):
    return {
        "name": name, "label": text, "type": "query", "datasource": SOURCE, "query": query, "definition": query,
        "refresh": 2, "sort": 2, "includeAll": name == "label", "multi": True, "current": {},
    }


def board(uid, title, how):
    source = {"name": "source", "label": "Data source", "type": "datasource", "query": "prometheus", "current": {}}
    run = variable("run", "Run", "label_values(swell_run_info, run)")
    label = variable("label", "Label", 'label_values(swell_samples_total{run=~"$run"}, label)')
    return {
        "uid": uid,
        "title": title,
        "description": f"A run of Swell, {how}. docs/reference/exports.md says what each metric means.",
        "tags": ["swell", "load test"],
        "schemaVersion": 39,
        "version": 1,
        "refresh": "5s",
        "time": {"from": "now-15m", "to": "now"},
        "graphTooltip": 1,
        "templating": {"list": [source, run, label]},
        "annotations": {"list": []},
        "panels": [panel(number, *one) for number, one in enumerate(PANELS)],
    }


BOARDS = {
    "prometheus": ("swell-prometheus", "Swell", "fetched by Prometheus (--export prometheus)"),
    "remote-write": ("swell-remote-write", "Swell (remote write)", "sent by Prometheus remote write (--export remote-write)"),
    "otlp": ("swell-otlp", "Swell (OpenTelemetry)", "sent by OTLP (--export otlp) to Prometheus or through a collector"),
}

if __name__ == "__main__":
    for name, words in BOARDS.items():
        path = pathlib.Path(__file__).with_name(f"{name}.json")
        path.write_text(json.dumps(board(*words), indent=2) + "\n")
