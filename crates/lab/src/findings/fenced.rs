use flow::Probed;

use crate::data::Probe;
use crate::data::number::count;
use crate::data::room::limit;
use crate::data::words::listed;

pub(crate) fn fenced(probes: &[Probe]) -> Vec<String> {
    let agree = probes.iter().filter(|probe| probe.confirms() == Some(true));
    let models: Vec<String> = agree.map(|probe| probe.model.to_string()).collect();
    let mut said = Vec::new();
    if !models.is_empty() {
        said.push(format!(
            "limits: the predictions for {} are confirmed behind lowered limits",
            listed(&models)
        ));
    }
    said.extend(probes.iter().filter_map(doubt));
    said
}

fn doubt(probe: &Probe) -> Option<String> {
    let model = probe.model;
    match &probe.probed {
        Probed::NotAvailable { reason } => Some(format!(
            "limits: {model}: a probe behind a lowered limit is not available: {reason}"
        )),
        Probed::Met {
            predicted, reached, ..
        } if probe.confirms() == Some(false) => Some(format!(
            "limits: {model}: the prediction is in doubt: with {} it says {} flows, and {} \
             could be made",
            limit(predicted),
            count(predicted.count),
            count(*reached)
        )),
        Probed::Met { .. } => None,
    }
}
