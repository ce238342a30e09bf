//! The model of the broker and a real nats-server give the same answers to one script.

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::{self, Context, stream};
use bytes::Bytes;
use futures_util::StreamExt as _;
use swell_fleet::Join;
use swell_fleet::broker::{Broker, BrokerOptions, find};
use swell_fleet::lease::{Answer, LEASE};
use swell_fleet::outbox::Publish;
use swell_world::fleet::{BrokerUnderTest, answers, answers_of_model};

/// A nats-server with the streams of a run (`Streams::make` of the controller).
struct Nats {
    jet: Context,
    work: PullConsumer,
    began: Instant,
}

impl Nats {
    async fn connect(join: &Join) -> Self {
        let (user, password) = join.user.clone().expect("its controller has a password");
        let options = async_nats::ConnectOptions::new()
            .user_and_password(user, password)
            .request_timeout(Some(Duration::from_secs(3)));
        let client = options.connect(format!("{}:{}", join.host, join.port)).await.expect("a broker");
        let jet = jetstream::new(client);
        let of = |name: &str, subject: &str| stream::Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            storage: stream::StorageType::File,
            discard: stream::DiscardPolicy::New,
            ..stream::Config::default()
        };
        let work = stream::Config {
            retention: stream::RetentionPolicy::WorkQueue,
            ..of("SW_world_WORK", "sw.world.work.>")
        };
        let counts = stream::Config {
            duplicate_window: Duration::from_mins(2),
            ..of("SW_world_M", "sw.world.up.m.*")
        };
        let work = jet.create_stream(work).await.expect("a queue");
        jet.create_stream(counts).await.expect("a stream");
        let consumer = pull::Config {
            durable_name: Some("agents".to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: LEASE,
            max_ack_pending: 10_000,
            ..pull::Config::default()
        };
        let work = work.create_consumer(consumer).await.expect("a consumer");
        Self { jet, work, began: Instant::now() }
    }
}

impl BrokerUnderTest for Nats {
    type Slice = jetstream::Message;

    fn offer(&self, slices: u32) -> Answer<()> {
        let jet = self.jet.clone();
        Box::pin(async move {
            for slice in 0..slices {
                let subject = format!("sw.world.work.{slice}");
                let sent = jet.publish(subject, slice.to_string().into()).await.expect("it is sent");
                sent.await.expect("the broker has it");
            }
        })
    }

    fn pull(&self, most: usize, wait: Duration) -> Answer<Vec<jetstream::Message>> {
        let work = self.work.clone();
        Box::pin(async move {
            let batch = work.batch().max_messages(most).expires(wait).messages().await.expect("a batch");
            batch.filter_map(|message| async move { message.ok() }).take(most).collect().await
        })
    }

    fn publish(&self, id: &str, payload: &'static str) -> Answer<bool> {
        let payload = Bytes::from_static(payload.as_bytes());
        let taken = Publish::publish(&self.jet, "sw.world.up.m.a", id, payload);
        Box::pin(async move { taken.await.is_ok() })
    }

    fn published(&self) -> Answer<Vec<Bytes>> {
        let jet = self.jet.clone();
        Box::pin(async move {
            let stream = jet.get_stream("SW_world_M").await.expect("the stream");
            let config =
                pull::OrderedConfig { deliver_policy: DeliverPolicy::All, ..pull::OrderedConfig::default() };
            let consumer = stream.create_consumer(config).await.expect("a consumer");
            let most = stream.cached_info().state.messages as usize;
            let messages = consumer.messages().await.expect("messages");
            messages.take(most).map(|message| message.expect("a message").payload.clone()).collect().await
        })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        Box::pin(tokio::time::sleep(time))
    }

    fn now_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}

#[test]
fn the_model_of_the_broker_answers_as_nats_server_does() {
    let model = answers_of_model();
    println!("{}", model.join("\n"));
    assert!(model.len() > 15, "{model:?}");
    let Ok(program) = find(None) else {
        return println!("skipped: nats-server not found; `swell fleet install` installs it (needs Go)");
    };
    let options = BrokerOptions {
        program,
        listen: [127, 0, 0, 1].into(),
        port: 0,
        store: None,
        run: "world".to_owned(),
        agents: 1,
        serves_many: false,
        advertise: None,
    };
    let broker = Broker::start(&options).expect("it starts");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let real = runtime.block_on(async {
        let nats = Nats::connect(&broker.controller).await;
        answers(&nats).await
    });
    assert_eq!(model, real, "the model is on the left");
}
