//! Where a warehouse's objects lie, by addresses of references; of trees and tables, the entries.

use flow::Pieces;

use super::store::{Customer, District, Order, Stock, Store};

impl Store {
    pub(super) fn pieces(&self, pieces: &mut Pieces) {
        self.stock.values().for_each(|stock| stock.pieces(pieces));
        pieces.slice(&self.districts);
        self.districts
            .iter()
            .for_each(|district| district.pieces(pieces));
    }
}

impl Stock {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(std::slice::from_ref(self));
        pieces.slice(self.text.as_bytes());
    }
}

impl District {
    fn pieces(&self, pieces: &mut Pieces) {
        self.customers
            .values()
            .for_each(|customer| customer.pieces(pieces));
        self.orders.values().for_each(|order| order.pieces(pieces));
        let (front, back) = self.waiting.as_slices();
        pieces.slice(front);
        pieces.slice(back);
        pieces.slice(self.name.as_bytes());
    }
}

impl Customer {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(std::slice::from_ref(self));
        pieces.slice(self.text.as_bytes());
        for payment in &self.history {
            pieces.slice(payment.note.as_bytes());
        }
    }
}

impl Order {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(std::slice::from_ref(self));
        pieces.slice(&self.lines);
        pieces.slice(self.note.as_bytes());
    }
}
