//! What the program's parts say to a broker, with the types of NATS.

use std::future::IntoFuture as _;
use std::time::Duration;

use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, HeaderMap};
use bytes::Bytes;

use crate::claims::Ask;
use crate::lease::{Answer, WorkMessage};
use crate::outbox::Publish;

/// How long the controller's answer is waited for.
const ANSWER: Duration = Duration::from_secs(2);

impl WorkMessage for Message {
    fn slice(&self) -> Option<u32> {
        std::str::from_utf8(&self.payload).ok()?.parse().ok()
    }

    fn epoch(&self) -> Option<u64> {
        u64::try_from(self.info().ok()?.delivered).ok()
    }

    fn progress(&self) -> Answer<bool> {
        let message = self.clone();
        Box::pin(async move { message.double_ack_with(AckKind::Progress).await.is_ok() })
    }

    fn done(&self) -> Answer<bool> {
        let message = self.clone();
        Box::pin(async move { message.double_ack().await.is_ok() })
    }

    fn give_back(&self, after: Option<Duration>) -> Answer<()> {
        let message = self.clone();
        // If the broker does not receive this, the slice goes to others when its time has passed.
        Box::pin(async move { drop(message.ack_with(AckKind::Nak(after)).await) })
    }
}

impl Publish for Context {
    fn publish(&self, subject: &str, id: &str, payload: Bytes) -> Answer<Result<(), String>> {
        let (jet, subject) = (self.clone(), subject.to_owned());
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", id);
        Box::pin(async move {
            match jet.publish_with_headers(subject, headers, payload).await {
                Ok(ack) => ack.into_future().await.map(drop).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            }
        })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        Box::pin(tokio::time::sleep(time))
    }
}

/// Where the controller answers claims.
pub(super) struct ToController {
    pub(super) client: Client,
    pub(super) subject: String,
}

impl Ask for ToController {
    fn ask(&self, claim: Bytes) -> Answer<Option<Bytes>> {
        let (client, subject) = (self.client.clone(), self.subject.clone());
        Box::pin(async move {
            let answer = tokio::time::timeout(ANSWER, client.request(subject, claim)).await;
            Some(answer.ok()?.ok()?.payload)
        })
    }

    fn rest(&self, time: Duration) -> Answer<()> {
        Box::pin(tokio::time::sleep(time))
    }
}
