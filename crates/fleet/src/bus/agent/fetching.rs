//! The files of a run, on their way to an agent.

use std::time::Duration;

use super::{AgentSession, Event, TICK};
use crate::FleetError;
use crate::bus::{FetchedManifest, objects};
use crate::coordinator::OnLoss;
use crate::wire::{Manifest, State};

/// How long files that do not come are asked for.
const TO_FETCH: Duration = Duration::from_secs(25);

impl AgentSession {
    pub(super) async fn fetch(&mut self) -> Result<(), FleetError> {
        let fetched = self.fetched().await;
        if let Err(error) = &fetched {
            self.state = State::Failed { why: error.message.clone() };
            self.beat().await;
            let _ = self.client.flush().await;
        }
        self.tell(Event::Run(Box::new(fetched?)));
        Ok(())
    }

    async fn fetched(&mut self) -> Result<FetchedManifest, FleetError> {
        let began = tokio::time::Instant::now();
        loop {
            let fetched = self.fetched_once().await;
            // Many agents at once, or a broker that is away for a moment: what came and is wrong
            // stays so.
            let may_come = |error: &FleetError| error.message.starts_with(objects::CANNOT_FETCH);
            match fetched {
                Err(error) if may_come(&error) && began.elapsed() < TO_FETCH => {
                    self.beat().await;
                    tokio::time::sleep(TICK).await;
                }
                fetched => return fetched,
            }
        }
    }

    async fn fetched_once(&mut self) -> Result<FetchedManifest, FleetError> {
        let manifest: Manifest = objects::manifest(&self.store).await?;
        if let Some(why) = manifest.unreadable() {
            return Err(FleetError::new(why));
        }
        self.rows.set_interval(manifest.interval_s);
        self.redistribute = manifest.on_loss == OnLoss::Redistribute;
        objects::fetch(&self.store, &manifest, &self.attend.folder).await?;
        Ok(FetchedManifest { manifest })
    }
}
