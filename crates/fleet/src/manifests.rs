//! What starts agents elsewhere: texts for Kubernetes, Docker Compose, systemd and ssh.

use crate::Join;
use crate::broker::{names_of_agents, user_of_agent};
use crate::run_id::secret;

/// The image of the broker. Its version must know what [`crate::broker`] asks for.
const BROKER_IMAGE: &str = "nats:2.11-alpine";

/// Where agents are to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Kubernetes: an Indexed Job, next to a broker and a controller.
    Kubernetes,
    /// Docker Compose.
    Compose,
    /// A systemd unit.
    Systemd,
    /// Lines for a shell.
    Ssh,
    /// Settings of a separate broker, in which each agent has a separate credential.
    Nats,
}

/// The text that starts this many agents with that image, joining there.
pub fn manifest(place: Platform, agents: u32, image: &str, join: &str, hosts: &[String]) -> String {
    match place {
        Platform::Kubernetes => kubernetes(agents, image),
        Platform::Compose => compose(agents, image),
        Platform::Systemd => systemd(join),
        Platform::Ssh => ssh(join, hosts),
        Platform::Nats => nats(agents, join),
    }
}

fn nats(agents: u32, join: &str) -> String {
    let at =
        join.parse::<Join>().map_or_else(|_| "controller.example.com:4222".to_owned(), |join| join.place());
    let controller = secret();
    let agents: Vec<_> = names_of_agents(agents as usize).map(|user| (user, secret())).collect();
    let lines =
        agents.iter().map(|(user, password)| format!("#   swell agent 'nats://{user}:{password}@{at}'\n"));
    // Names of runs are not known before, and match all names.
    let users = agents.iter().map(|(user, password)| user_of_agent("", true, user, password));
    format!(
        "# nats-server -c this-file\n# Controller: swell run plan.jmx --agents {} --nats \
        'nats://controller:{controller}@{at}'\n# Agents, each with a separate user so that no agent \
        can act as another; the last line is for all agents that join later:\n{}listen: \
        \"0.0.0.0:4222\"\nmax_payload: 1MiB\nping_interval: \"2s\"\nping_max: 2\nwrite_deadline: \
        \"5s\"\njetstream {{}}\nauthorization {{ timeout: 10, users = [\n{{ user: controller, \
        password: \"{controller}\" }}\n{}] }}\n# On a network that you do not control, add tls {{ \
        cert_file, key_file }} and use nats+tls:// in the addresses.\n",
        agents.len() - 1,
        lines.collect::<String>(),
        users.collect::<String>()
    )
}

fn kubernetes(agents: u32, image: &str) -> String {
    format!(
        r#"# kubectl create configmap swell-plan --from-file=plan.jmx
# kubectl create secret generic swell-nats --from-literal=password="$(head -c 24 /dev/urandom | base64 | tr -d '/+=')"
# kubectl apply -f this-file; the exit status of the job swell-controller is that of the test
apiVersion: apps/v1
kind: Deployment
metadata: {{ name: swell-nats, labels: {{ app: swell-nats }} }}
spec:
  replicas: 1
  selector: {{ matchLabels: {{ app: swell-nats }} }}
  template:
    metadata: {{ labels: {{ app: swell-nats }} }}
    spec:
      containers:
        - name: nats
          image: {BROKER_IMAGE}
          args: ["-js", "--user", "swell", "--pass", "$(PASSWORD)"]
          env: [{{ name: PASSWORD, valueFrom: {{ secretKeyRef: {{ name: swell-nats, key: password }} }} }}]
          ports: [{{ containerPort: 4222 }}]
---
apiVersion: v1
kind: Service
metadata: {{ name: swell-nats }}
spec:
  selector: {{ app: swell-nats }}
  ports: [{{ port: 4222 }}]
---
apiVersion: batch/v1
kind: Job
metadata: {{ name: swell-agents }}
spec:
  completionMode: Indexed
  completions: {agents}
  parallelism: {agents}
  backoffLimitPerIndex: 1
  podFailurePolicy:
    rules: [{{ action: Ignore, onPodConditions: [{{ type: DisruptionTarget }}] }}]
  template:
    metadata: {{ labels: {{ app: swell-agent }} }}
    spec:
      restartPolicy: Never
      topologySpreadConstraints:
        - {{ maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {{ matchLabels: {{ app: swell-agent }} }} }}
      initContainers: [{{ name: wait-for-broker, image: {BROKER_IMAGE}, command: ["sh", "-c", "until nc -z swell-nats 4222; do sleep 1; done"] }}]
      containers:
        - name: agent
          image: {image}
          args: ["agent", "nats://swell:$(PASSWORD)@swell-nats:4222", "--once"]
          env: [{{ name: PASSWORD, valueFrom: {{ secretKeyRef: {{ name: swell-nats, key: password }} }} }}]
          resources: {{ requests: {{ cpu: "2", memory: 2Gi }}, limits: {{ cpu: "2", memory: 2Gi }} }}
---
apiVersion: batch/v1
kind: Job
metadata: {{ name: swell-controller }}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      initContainers: [{{ name: wait-for-broker, image: {BROKER_IMAGE}, command: ["sh", "-c", "until nc -z swell-nats 4222; do sleep 1; done"] }}]
      containers:
        - name: controller
          image: {image}
          args: ["controller", "/plan/plan.jmx", "--agents", "{agents}", "--agents-timeout", "5m", "--nats", "nats://swell:$(PASSWORD)@swell-nats:4222"]
          env: [{{ name: PASSWORD, valueFrom: {{ secretKeyRef: {{ name: swell-nats, key: password }} }} }}]
          volumeMounts: [{{ name: plan, mountPath: /plan }}]
      volumes: [{{ name: plan, configMap: {{ name: swell-plan }} }}]
"#
    )
}

fn compose(agents: u32, image: &str) -> String {
    format!(
        r#"# docker compose up --exit-code-from controller; the plan is ./plan.jmx
services:
  nats:
    image: {BROKER_IMAGE}
    command: ["-js", "-m", "8222"]
    healthcheck: {{ test: ["CMD", "wget", "-qO-", "http://127.0.0.1:8222/healthz"], interval: 1s, retries: 60 }}
  agent:
    image: {image}
    command: ["agent", "nats://nats:4222", "--once"]
    depends_on: {{ nats: {{ condition: service_healthy }} }}
    deploy: {{ replicas: {agents} }}
    ulimits: {{ nofile: 1048576 }}
  controller:
    image: {image}
    command: ["controller", "/plan/plan.jmx", "--agents", "{agents}", "--agents-timeout", "2m", "--nats", "nats://nats:4222"]
    depends_on: {{ nats: {{ condition: service_healthy }}, agent: {{ condition: service_started }} }}
    volumes: ["./:/plan"]
"#
    )
}

fn systemd(join: &str) -> String {
    format!(
        r"# /etc/systemd/system/swell-agent.service; put the broker address in /etc/swell-agent, readable only by root:
#   SWELL_NATS={join}
[Unit]
Description=Swell agent
After=network-online.target
Wants=network-online.target

[Service]
EnvironmentFile=/etc/swell-agent
ExecStart=/usr/bin/swell agent
DynamicUser=yes
StateDirectory=swell-agent
WorkingDirectory=/var/lib/swell-agent
LimitNOFILE=1048576
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
"
    )
}

fn ssh(join: &str, hosts: &[String]) -> String {
    let hosts = if hosts.is_empty() { &["host1".to_owned(), "host2".to_owned()][..] } else { hosts };
    let lines = hosts.iter().map(|host| {
        // The password goes over standard input: a command line can be read by all users of a
        // machine.
        format!("printf '%s\\n' '{join}' | ssh {host} 'read -r SWELL_NATS; export SWELL_NATS; exec swell agent --once' &\n")
    });
    format!("{}wait\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_what_they_were_asked_for() {
        let of = |place| manifest(place, 20, "registry/swell:1", "nats://a:b@h:4222", &["u@h1".to_owned()]);
        let job = of(Platform::Kubernetes);
        assert!(
            job.contains("completions: 20")
                && job.contains("registry/swell:1")
                && job.contains(r#""--agents", "20""#)
        );
        assert!(of(Platform::Compose).contains("replicas: 20"));
        assert!(of(Platform::Systemd).contains("SWELL_NATS=nats://a:b@h:4222"));
        assert_eq!(of(Platform::Ssh).lines().count(), 2);
        let broker = of(Platform::Nats);
        assert_eq!(broker.matches("#   swell agent 'nats://").count(), 21, "{broker}");
        assert!(broker.contains("sw.*.up.hb.agent20") && broker.contains("@h:4222'"), "{broker}");
    }
}
