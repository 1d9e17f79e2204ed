use std::fmt;

use serde::{Deserialize, Serialize};

/// Something this machine may be unable to tell; as JSON `{"value": ...}` or `{"not_available":
/// {"reason": "...", "remedy": "..."}}`, never a zero.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured<T> {
    /// What was measured.
    Value(T),
    /// It could not be measured.
    NotAvailable {
        /// Why, in words for the user.
        reason: String,
        /// What would make it available, a command where there is one; empty when nothing would.
        remedy: String,
    },
}

impl<T> Measured<T> {
    /// Shorthand for [`Measured::NotAvailable`].
    pub fn not_available(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::NotAvailable {
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }

    /// The value of an option; where there is none, not available.
    pub fn of(value: Option<T>, reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        value.map_or_else(|| Self::not_available(reason, remedy), Self::Value)
    }

    /// The value, when there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotAvailable { .. } => None,
        }
    }

    /// The value by move, when there is one.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotAvailable { .. } => None,
        }
    }

    /// The same answer about a borrowed value.
    pub fn as_ref(&self) -> Measured<&T> {
        match self {
            Self::Value(value) => Measured::Value(value),
            Self::NotAvailable { reason, remedy } => Measured::not_available(reason, remedy),
        }
    }

    /// The same about one that can be changed.
    pub fn as_mut(&mut self) -> Measured<&mut T> {
        match self {
            Self::Value(value) => Measured::Value(value),
            Self::NotAvailable { reason, remedy } => Measured::not_available(&*reason, &*remedy),
        }
    }

    /// Applies `f` to the value; a missing one stays missing, for its reason.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Measured<U> {
        self.and_then(|value| Measured::Value(f(value)))
    }

    /// Applies an `f` that may itself find nothing.
    pub fn and_then<U>(self, f: impl FnOnce(T) -> Measured<U>) -> Measured<U> {
        match self {
            Self::Value(value) => f(value),
            Self::NotAvailable { reason, remedy } => Measured::NotAvailable { reason, remedy },
        }
    }
}

impl<T> From<T> for Measured<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T: fmt::Display> fmt::Display for Measured<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::NotAvailable { reason, remedy } if remedy.is_empty() => {
                write!(f, "not available: {reason}")
            }
            Self::NotAvailable { reason, remedy } => {
                write!(f, "not available: {reason} ({remedy})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_tells_a_missing_value_from_a_zero() {
        let zero = Measured::Value(0u64);
        let missing = Measured::<u64>::not_available("no such event", "use bare metal");
        let json = |m: &Measured<u64>| serde_json::to_string(m).unwrap();
        assert_eq!(json(&zero), r#"{"value":0}"#);
        assert_eq!(
            json(&missing),
            r#"{"not_available":{"reason":"no such event","remedy":"use bare metal"}}"#
        );
        for m in [zero, missing] {
            assert_eq!(serde_json::from_str::<Measured<u64>>(&json(&m)).unwrap(), m);
        }
    }

    #[test]
    fn display_names_reason_and_remedy() {
        assert_eq!(Measured::Value(3).to_string(), "3");
        let none = Measured::<u64>::not_available("a", "");
        assert_eq!(none.to_string(), "not available: a");
        let none = Measured::<u64>::not_available("a", "b");
        assert_eq!(none.to_string(), "not available: a (b)");
    }

    #[test]
    fn a_reason_survives_map() {
        let none = Measured::<u64>::not_available("a", "b").map(|n| n + 1);
        assert_eq!(none, Measured::not_available("a", "b"));
        assert_eq!(Measured::Value(1).map(|n| n + 1), Measured::Value(2));
    }
}
