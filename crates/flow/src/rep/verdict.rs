use super::Parts;
use crate::Failure;
use crate::body::Part;
use crate::context::Context;
use crate::flow_status::{FlowStatus, Stage};
use crate::record::{FlowRecord, FlowState, Rep, Turns};

impl Parts<'_, '_> {
    pub(super) fn failure(&self, rep: &Rep) -> Option<Failure> {
        let flows = self.context.variant.carriers();
        let count = |wanted: fn(&FlowState) -> bool| {
            u32::try_from(rep.flows.iter().filter(|flow| wanted(&flow.state)).count())
                .unwrap_or(flows)
        };
        let hung = count(|state| matches!(state, FlowState::Hung));
        if hung > 0 {
            let mut all = self.resources.shared.flows().iter().enumerate();
            // Others wait for it at the gate.
            let is_made = |(at, flow): (usize, &FlowStatus)| {
                flow.stage() == Stage::Absent && self.watch.fate(at).is_none()
            };
            let part = match all.any(is_made) {
                true => Part::Begin,
                false => Part::Work,
            };
            return Some(Failure::Hung {
                hung,
                flows,
                deadline_s: self.resources.deadline_text().to_owned(),
                at: self.context.body.doing_in_words(part),
            });
        }
        if let Some(how) = self.watch.first_death() {
            let died = count(|state| matches!(state, FlowState::Died { .. }));
            if died == 0 {
                let what =
                    format!("a process was ended ({how}) after its flows had done their work");
                return Some(Failure::Error { what });
            }
            return Some(Failure::FlowsDied { died, flows, how });
        }
        trouble(&rep.flows)
            .or_else(|| results_lost(rep))
            .or_else(|| self.context.not_in_turn(rep.turns?))
    }
}

/// Share of the necessary switches that must be seen.
const SWITCHED: f64 = 0.9;

impl Context<'_> {
    fn not_in_turn(&self, turns: Turns) -> Option<Failure> {
        let (handed_over, switches) = (turns.handed_over, turns.switches);
        let (checked, orderly) = (turns.checked, turns.orderly);
        if self.variant.flows > 1 && (switches as f64) < SWITCHED * handed_over as f64 {
            return Some(Failure::NotSwitched {
                switches,
                handed_over,
            });
        }
        let one_order = self.variant.model.is_user_level() || self.facts.hand_over.is_ring();
        (one_order && orderly < checked).then_some(Failure::OutOfOrder { orderly, checked })
    }
}

fn trouble(flows: &[FlowRecord]) -> Option<Failure> {
    let mut flows = flows.iter().enumerate();
    flows.find_map(|(index, flow)| match &flow.state {
        FlowState::Error { what } => Some(Failure::Error {
            what: format!("flow {index} {what}"),
        }),
        _ => None,
    })
}

fn results_lost(rep: &Rep) -> Option<Failure> {
    let sent: u64 = rep.flows.iter().map(|flow| flow.sent).sum();
    let received = rep.parent.received;
    (sent != received).then_some(Failure::ResultsLost { sent, received })
}
