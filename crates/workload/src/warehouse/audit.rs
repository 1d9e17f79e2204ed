//! The audit: whether the books balance after the last transaction. Each rule compares two ways to
//! the same sum, one of which no transaction writes as a whole: takings, pieces, orders.

use super::store::{Cents, District, Order, Store, charged};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the books of a warehouse do not balance: {0}")]
pub(super) struct Unbalanced(String);

impl Store {
    pub(super) fn audit(&self) -> Result<(), Unbalanced> {
        self.audit_money()?;
        self.audit_stock()?;
        let orders: u64 = self.districts.iter().map(|d| u64::from(d.next_order)).sum();
        let there: u64 = self.districts.iter().map(|d| d.orders.len() as u64).sum();
        same(
            "orders there and removed",
            there + self.books.removed,
            orders,
        )?;
        self.districts.iter().try_for_each(District::audit)
    }

    fn audit_money(&self) -> Result<(), Unbalanced> {
        let districts: Cents = self.districts.iter().map(|d| d.taken).sum();
        same(
            "payments to the warehouse and its districts",
            self.taken,
            districts,
        )?;
        let customers = self.districts.iter().flat_map(|d| d.customers.values());
        let paid: Cents = customers.map(|customer| customer.paid).sum();
        same("payments taken and made", self.taken, paid)?;
        let owed: Cents = self.districts.iter().map(District::owed).sum();
        let paid_since = self.taken - self.books.paid;
        same("what is owed", owed, self.books.delivered - paid_since)
    }

    fn audit_stock(&self) -> Result<(), Unbalanced> {
        let pieces: u64 = self.stock.values().map(|s| u64::from(s.quantity)).sum();
        let sold: u64 = self.stock.values().map(|stock| stock.sold).sum();
        same("pieces sold", sold, self.books.sold)?;
        let left = self.books.pieces + self.books.restocked - self.books.sold;
        same("pieces in stock", pieces, left)
    }
}

impl District {
    fn audit(&self) -> Result<(), Unbalanced> {
        let orders = self.orders.values();
        let waiting = orders.filter(|order| order.delivered.is_none());
        same("orders waiting", self.waiting.len(), waiting.count())?;
        let ascending = self.waiting.iter().is_sorted();
        same("the order of those waiting", ascending, true)?;
        for (id, order) in &self.orders {
            same("numbers given out", *id < self.next_order, true)?;
            self.audit_order(*id, order)?;
        }
        Ok(())
    }

    fn audit_order(&self, id: u32, order: &Order) -> Result<(), Unbalanced> {
        let customer = self.customers.get(&order.customer);
        let last = customer.is_some_and(|customer| customer.last_order >= id);
        same("the last order of a customer", last, true)?;
        let lines: Cents = order.lines.iter().map(|line| line.amount).sum();
        let discount = customer.map_or(0, |customer| customer.discount);
        let total = charged(lines, discount, self.tax);
        same("the lines of an order and its total", order.total, total)?;
        let when = order.delivered.map_or(order.entered, |(_, when)| when);
        same("the date of a delivery", when >= order.entered, true)
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: T, other: T) -> Result<(), Unbalanced> {
    if one == other {
        return Ok(());
    }
    Err(Unbalanced(format!("{what}: {one:?} is not {other:?}")))
}
