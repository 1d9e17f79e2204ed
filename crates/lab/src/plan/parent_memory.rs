//! Parent memory asked for on the command line, and whether there is room for it. Several kinds of
//! pages make one variant of each model that forks out of every one ([`Pages::copied`]); threads
//! copy nothing and stay one variant, with the first kind. A variant with its own memory keeps its
//! pages and takes the new size.

use flow::{Pages, ParentMemory, Variant};
use machine::Machine;
use machine::ceiling::Needs;

use crate::data::number::bytes;
use crate::data::{AskedParentMemory, Case, LabelledVariant, Study, unique};

#[must_use]
pub(super) fn loaded(mut study: Study, asked: &AskedParentMemory) -> Study {
    for case in &mut study.cases {
        load_case(case, asked);
    }
    study
}

fn load_case(case: &mut Case, asked: &AskedParentMemory) {
    let variants = case.variants.iter();
    case.variants = unique(variants.flat_map(|one| laid(one, asked)).collect());
    let kind = match asked.pages[..] {
        [Pages::Small] => String::new(),
        [one] => format!(" ({one})"),
        _ => " in several kinds of pages".to_owned(),
    };
    let size = bytes(asked.bytes as f64);
    case.title = format!("{}, with {size} of parent memory{kind}", case.title);
}

fn laid(labelled: &LabelledVariant, asked: &AskedParentMemory) -> Vec<LabelledVariant> {
    let with = |pages: Pages, label: String| LabelledVariant {
        label,
        variant: Variant {
            parent_memory: Some(ParentMemory {
                bytes: asked.bytes,
                pages,
            }),
            ..labelled.variant.clone()
        },
        ..labelled.clone()
    };
    if let Some(own) = labelled.variant.parent_memory {
        return vec![with(own.pages, labelled.label.clone())];
    }
    let several = asked.pages.len() > 1;
    let kinds = match labelled.variant.model.isolates() {
        true => &asked.pages[..],
        false => &asked.pages[..1],
    };
    let label = |pages| match several {
        true => format!("{} {pages}", labelled.label),
        false => labelled.label.clone(),
    };
    let kinds = kinds.iter();
    kinds.map(|&pages| with(pages, label(pages))).collect()
}

#[must_use]
pub(super) fn no_room(machine: &Machine, variant: &Variant) -> Option<String> {
    let parent_memory = variant.parent_memory?;
    let forks = variant.model.shape(variant.flows).processes;
    let need = parent_memory.need(forks);
    // Limits one flow of a byte each.
    let rooms = machine.user_level_ceilings(Needs::memory(1));
    let room = rooms.first()?;
    if need <= room.count {
        return None;
    }
    let copies = match parent_memory.pages.copied() && forks > 0 {
        true => format!(" and of the copies that {forks} forks make of them"),
        false => String::new(),
    };
    Some(format!(
        "parent memory of {parent_memory} needs {} with the page tables of the parent{copies}: this machine \
         has room for {} (the limit is {}; to raise it: {})",
        bytes(need as f64),
        bytes(room.count as f64),
        room.bites,
        room.raise
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, Says, labels};

    const MIB: u64 = 1 << 20;

    fn asked(pages: &[Pages]) -> AskedParentMemory {
        AskedParentMemory {
            bytes: 256 * MIB,
            pages: pages.to_vec(),
        }
    }

    fn study() -> Study {
        testing::study(vec![testing::case("c", 1, &["thread", "process", "2x1"])])
    }

    #[test]
    fn one_kind_is_laid_on_all_variants_alike() {
        let loaded = loaded(study(), &asked(&[Pages::Small]));
        assert_eq!(labels(&loaded), ["thread", "process", "2x1"]);
        let held = Some(ParentMemory {
            bytes: 256 * MIB,
            pages: Pages::Small,
        });
        let mut variants = loaded.cases[0].variants.iter();
        assert!(variants.all(|one| one.variant.parent_memory == held));
        assert_eq!(loaded.cases[0].title, "c, with 256 MiB of parent memory");
    }

    #[test]
    fn several_kinds_make_a_ladder_of_what_forks() {
        let loaded = loaded(study(), &asked(&[Pages::Small, Pages::DontFork]));
        let ladder = [
            "thread 4k",
            "process 4k",
            "process dontfork",
            "2x1 4k",
            "2x1 dontfork",
        ];
        assert_eq!(labels(&loaded), ladder);
    }

    #[test]
    fn a_study_that_has_parent_memory_keeps_its_pages_and_takes_the_size() {
        let mut study = study();
        let own = ParentMemory {
            bytes: MIB,
            pages: Pages::Huge,
        };
        study.cases[0].variants[1].variant.parent_memory = Some(own);
        let loaded = loaded(study, &asked(&[Pages::Small]));
        let parent_memory = loaded.cases[0].variants[1].variant.parent_memory.unwrap();
        assert_eq!(parent_memory.to_string(), "256M huge");
    }

    #[test]
    fn too_much_is_refused_with_what_it_needs() {
        let machine = Machine::read();
        let mut variant = study().cases[0].variants[1].variant.clone();
        assert_eq!(no_room(&machine, &variant), None);
        variant.parent_memory = Some(ParentMemory {
            bytes: 1 << 50,
            pages: Pages::Small,
        });
        let why = no_room(&machine, &variant).unwrap();
        // A petabyte, and 2 TiB of entries in the parent and in each of two children.
        for words in ["1048576G 4k", "1,054,720 GiB", "2 forks", "room for"] {
            why.says(words);
        }
    }
}
