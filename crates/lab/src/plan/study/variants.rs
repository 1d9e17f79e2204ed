use flow::{Model, Pages, ParentMemory, Variant};
use toml::Spanned;
use workload::Work;

use super::StudyError;
use super::cpus::FLOWS;
use super::flow_counts::{Count, FileFlows, unknown};
use super::format::{Bytes, FileVariant};
use super::source::Source;
use super::spanned_params::Placed;
use super::written_case::Written;
use crate::data::labelled;
use crate::data::{LabelledVariant, Preset, Sampling};

pub(super) fn variants(of: Written<'_>, work: &Placed) -> Result<Vec<LabelledVariant>, StudyError> {
    let source = of.source;
    let of_work = work.clone().into_work(source)?;
    let (flows, usual) = (of_work.flows(), of_work.usual_flows());
    let meant = |v: &&Spanned<FileVariant>| {
        let v = v.get_ref();
        let few = v.most_flows.zip(flows);
        !(v.full_only && of.preset == Preset::Quick)
            && few.is_none_or(|(most, flows)| flows <= most.into())
    };
    let meant = of.case.variants.iter().filter(meant);
    let written: Vec<Counted<'_>> = meant.flat_map(counted).collect();
    if written.is_empty() {
        return Err(of.error("a case needs at least one variant"));
    }
    let plain: Result<Vec<Variant>, StudyError> = written
        .iter()
        .map(|&(v, count)| {
            let parent_memory = parent_memory(of, v.get_ref())
                .map_err(|message| source.error(v.span().start, message))?;
            Ok(Variant {
                parent_memory,
                ..variant(source, v, count, (flows, usual))?
            })
        })
        .collect();
    let mut variants = labelled(plain?);
    for (variant, (written, count)) in variants.iter_mut().zip(written) {
        name(variant, written.get_ref(), count);
        variant.work = own_work(source, written.get_ref(), work)?;
        variant.sample = sampling(of, written.get_ref())?;
    }
    let told = |v: &LabelledVariant| v.label.replace(FLOWS, &v.variant.flows.to_string());
    let labels: Vec<String> = variants.iter().map(told).collect();
    match names::repeated(&labels) {
        Some(twice) => Err(of.error(format!("two variants are labelled '{twice}'"))),
        None => Ok(variants),
    }
}

type Counted<'a> = (&'a Spanned<FileVariant>, Option<Count>);

fn counted(written: &Spanned<FileVariant>) -> Vec<Counted<'_>> {
    match &written.get_ref().flows {
        None => vec![(written, None)],
        Some(FileFlows(counts)) => {
            let counts = counts.iter();
            counts.map(|&count| (written, Some(count))).collect()
        }
    }
}

fn name(variant: &mut LabelledVariant, written: &FileVariant, count: Option<Count>) {
    let flows = variant.variant.flows.to_string();
    if let Some(label) = &written.label {
        variant.label = label.replace(FLOWS, &flows);
    }
    if let Some(Count::OfCpus(times)) = count {
        variant.label = variant.label.replace(&flows, FLOWS);
        variant.of_cpus = Some(times);
    }
}

fn sampling(of: Written<'_>, written: &FileVariant) -> Result<Option<Sampling>, StudyError> {
    let Some(usual) = &written.sample_s else {
        return Ok(None);
    };
    let interval = of.overrides.sample_s.as_ref().unwrap_or(usual);
    let sampling = Sampling {
        interval_s: *interval.get_ref(),
        folder: None,
    };
    let checked = sampling.check().map(|()| Some(sampling));
    checked.map_err(|message| of.source.error(interval.span().start, message))
}

fn own_work(
    source: Source<'_>,
    written: &FileVariant,
    work: &Placed,
) -> Result<Option<Work>, StudyError> {
    if written.work.is_empty() {
        return Ok(None);
    }
    let mut own = work.clone();
    own.lay_over(&written.work);
    own.into_work(source).map(Some)
}

/// `of_work`: flows of the work; `usual`: default of the variant.
fn variant(
    source: Source<'_>,
    written: &Spanned<FileVariant>,
    count: Option<Count>,
    (of_work, usual): (Option<u64>, Option<u64>),
) -> Result<Variant, StudyError> {
    let model = written.get_ref().model;
    let flows = flows(model, count, (of_work, usual))
        .map_err(|message| source.error(written.span().start, message))?;
    let mut variant = Variant::new(model, flows);
    for (axis, word) in written.get_ref().axes() {
        (axis.set)(&mut variant, word.get_ref()).map_err(|message| {
            source.error(word.span().start, format!("{}: {message}", axis.key))
        })?;
    }
    Ok(variant)
}

fn flows(
    model: Model,
    count: Option<Count>,
    (of_work, usual): (Option<u64>, Option<u64>),
) -> Result<u32, String> {
    let own = model.own_flows().or(of_work);
    let own = own.map(|own| u32::try_from(own).unwrap_or(u32::MAX));
    let said = match (count, own) {
        (Some(Count::OfCpus(_)), Some(own)) => {
            return Err(format!(
                "{model} has {own} flows, however many CPUs there are: leave flows out"
            ));
        }
        (Some(Count::OfCpus(times)), None) => Some(unknown(times)),
        (Some(Count::Number(flows)), _) => Some(flows),
        (None, _) => None,
    };
    let usual = usual.filter(|_| own.is_none());
    let said = said.or_else(|| u32::try_from(usual?).ok());
    match (said, own) {
        (Some(0), _) => Err("flows must be at least 1".to_owned()),
        (Some(flows), Some(own)) if flows != own => Err(format!(
            "{model} has {own} flows, not {flows}: leave flows out"
        )),
        (_, Some(own)) if of_work.is_some_and(|flows| flows != u64::from(own)) => Err(format!(
            "{model} has {own} flows, and the work is for another number of them"
        )),
        (None, None) => Err(format!(
            "a variant of model {model} needs flows, such as flows = 5"
        )),
        (Some(flows), _) | (None, Some(flows)) => Ok(flows),
    }
}

/// Its own, else its case's under the preset; 0 bytes are none.
fn parent_memory(of: Written<'_>, variant: &FileVariant) -> Result<Option<ParentMemory>, String> {
    let of_case = of.overrides.parent_memory.or(of.case.parent_memory);
    let bytes = variant.ballast.or(of_case);
    let pages = variant.ballast_pages.or(of.case.ballast_pages);
    match (bytes, pages) {
        (None, Some(_)) => Err(
            "ballast_pages has no effect without ballast: say how much, such as ballast = \"256M\""
                .to_owned(),
        ),
        (None | Some(Bytes(0)), _) => Ok(None),
        (Some(Bytes(bytes)), pages) => Ok(Some(ParentMemory {
            bytes,
            pages: pages.unwrap_or(Pages::Small),
        })),
    }
}
