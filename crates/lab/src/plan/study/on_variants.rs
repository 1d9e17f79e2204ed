//! Sweeps over what variants have and no work has: an axis, or parent memory.

use flow::{Pages, ParentMemory};

use super::sweep_value::SweepValue;
use crate::data::Case;
use crate::data::axis::Axis;

const BALLAST: &str = "ballast";

#[derive(Debug, Clone, Copy)]
pub(super) enum OnVariants {
    OnAxis(&'static Axis),
    ParentMemory,
}

impl OnVariants {
    pub(super) fn of(parameter: &toml::Spanned<String>) -> Option<Self> {
        match parameter.get_ref().as_str() {
            BALLAST => Some(Self::ParentMemory),
            key => Axis::of(key).map(Self::OnAxis),
        }
    }

    pub(super) fn set_all(self, case: &mut Case, value: SweepValue) -> Result<(), String> {
        let mut variants = case.variants.iter_mut().map(|one| &mut one.variant);
        match self {
            Self::OnAxis(axis) => variants.try_for_each(|variant| match (axis.word)(variant) {
                Some(_) => Ok(()),
                None => (axis.set)(variant, &value.to_string()),
            }),
            Self::ParentMemory => {
                let bytes = match value {
                    SweepValue::Number(bytes) => u64::try_from(bytes),
                    _ => return Err("ballast: use whole numbers of bytes".to_owned()),
                };
                let bytes = bytes.map_err(|_| "ballast: use bytes of 0 or more".to_owned())?;
                let held = (bytes > 0).then_some(ParentMemory {
                    bytes,
                    pages: Pages::Small,
                });
                variants.for_each(|variant| variant.parent_memory = variant.parent_memory.or(held));
                Ok(())
            }
        }
    }
}
