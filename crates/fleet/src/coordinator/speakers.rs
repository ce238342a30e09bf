//! Which credential may send for which agent. A broker lets each credential send only under its
//! name, which is in the subject; the first message of an agent binds it to a credential, and later
//! messages under another credential are ignored.

use super::RunCoordinator;

/// Agents of a run that were ever heard, at most: those of a run and many that came and went.
const MOST_SPEAKERS: usize = 100_000;

impl RunCoordinator {
    /// Whether a word of this agent may come under that name.
    pub fn speaks(&mut self, agent: &str, speaker: &str) -> bool {
        if let Some(known) = self.speakers.get(agent) {
            let is_its_own = known == speaker;
            if !is_its_own && self.refused.insert(format!("messages of {agent} from {speaker}")) {
                let name = self.name_of(agent);
                self.say(format!("ignored a message for agent {name} sent with the credential {speaker}"));
            }
            return is_its_own;
        }
        let fits = self.speakers.len() < MOST_SPEAKERS;
        if fits {
            self.speakers.insert(agent.to_owned(), speaker.to_owned());
        }
        fits
    }

    /// The same of a share, which agents name after themselves.
    pub(crate) fn speaks_for(&mut self, share: &str, speaker: &str) -> bool {
        share.rsplit_once('.').is_some_and(|(agent, _)| self.speaks(agent, speaker))
    }
}
