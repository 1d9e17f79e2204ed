//! What a warehouse holds, found by numbers: articles and customers in tables; orders, of which the
//! oldest and the newest are wanted, in trees.

use std::collections::{BTreeMap, VecDeque};

use super::table::Table;

pub(super) type Cents = i64;

pub(super) const DISTRICTS: u32 = 10;
pub(super) const HISTORY: usize = 4;

#[derive(Debug)]
pub(super) struct Store {
    pub(super) stock: Table<Stock>,
    pub(super) districts: Vec<District>,
    pub(super) taken: Cents,
    /// Counts transactions; the date of orders and payments.
    pub(super) now: u64,
    pub(super) entered: u64,
    pub(super) books: Books,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Books {
    pub(super) pieces: u64,
    pub(super) sold: u64,
    pub(super) restocked: u64,
    pub(super) paid: Cents,
    pub(super) delivered: Cents,
    pub(super) removed: u64,
}

#[derive(Debug)]
pub(super) struct Stock {
    pub(super) price: Cents,
    pub(super) quantity: u32,
    pub(super) sold: u64,
    pub(super) orders: u32,
    pub(super) text: String,
}

pub(super) const NAME: usize = 18;
pub(super) const ADDRESS: usize = 78;

#[derive(Debug)]
pub(super) struct District {
    pub(super) customers: Table<Box<Customer>>,
    pub(super) orders: BTreeMap<u32, Order>,
    pub(super) waiting: VecDeque<u32>,
    pub(super) next_order: u32,
    pub(super) taken: Cents,
    pub(super) tax: i64,
    pub(super) name: String,
}

#[derive(Debug)]
pub(super) struct Customer {
    pub(super) text: String,
    /// Negative: in credit.
    pub(super) balance: Cents,
    pub(super) paid: Cents,
    pub(super) discount: i64,
    pub(super) payments: u32,
    pub(super) deliveries: u32,
    pub(super) last_order: u32,
    pub(super) history: [Payment; HISTORY],
}

#[derive(Debug)]
pub(super) struct Payment {
    pub(super) amount: Cents,
    pub(super) when: u64,
    pub(super) note: String,
}

#[derive(Debug)]
pub(super) struct Order {
    pub(super) customer: u32,
    pub(super) entered: u64,
    pub(super) delivered: Option<(u32, u64)>,
    pub(super) total: Cents,
    pub(super) lines: Vec<Line>,
    pub(super) note: String,
}

#[derive(Debug)]
pub(super) struct Line {
    pub(super) item: u32,
    pub(super) quantity: u32,
    pub(super) amount: Cents,
}

impl District {
    /// As many orders stay as there are customers.
    pub(super) fn kept(&self) -> usize {
        self.customers.len()
    }
}

#[inline]
pub(super) fn charged(amount: Cents, discount: i64, tax: i64) -> Cents {
    amount * (10_000 - discount) / 10_000 * (10_000 + tax) / 10_000
}
