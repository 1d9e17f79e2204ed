//! Filling a warehouse to the size that was asked for. The heap grows by customers: each brings a
//! history and one order. The stock has one size from [`FULL_STOCK`] bytes of heap on and a smaller
//! one below. What a customer and an article take was measured; a test holds the sum to a tenth.

use std::collections::{BTreeMap, VecDeque};

use super::store::{
    Books, Cents, Customer, DISTRICTS, District, HISTORY, Line, Order, Payment, Stock, Store,
    charged,
};
use super::table::Table;
use crate::draw::Draw;

const ITEMS: u64 = 20_000;
/// Live heap.
const ITEM_BYTES: u64 = 160;
const CUSTOMER_BYTES: u64 = 1_015;
const FULL_STOCK: u64 = 16 << 20;
/// One in this many first orders waits for its delivery.
const WAITING: u32 = 3;

pub(super) fn counts(heap: u64) -> (u32, u32) {
    let items = (ITEMS * heap / FULL_STOCK).clamp(100, ITEMS);
    let left = heap.saturating_sub(items * ITEM_BYTES);
    let customers = (left / CUSTOMER_BYTES / u64::from(DISTRICTS)).max(10);
    let customers = u32::try_from(customers).unwrap_or(u32::MAX);
    (items as u32, customers)
}

impl Store {
    pub(super) fn fill(heap: u64, draw: &mut Draw) -> Self {
        let (items, customers) = counts(heap);
        let stock: Table<Stock> = (0..items).map(|item| (item, new_stock(draw))).collect();
        let districts = (0..DISTRICTS).map(|_| new_district(customers, &stock, draw));
        let districts: Vec<District> = districts.collect();
        let pieces = stock.values().map(|stock| u64::from(stock.quantity)).sum();
        let taken = districts.iter().map(|district| district.taken).sum();
        Self {
            stock,
            districts,
            taken,
            now: 0,
            entered: 0,
            books: Books {
                pieces,
                paid: taken,
                ..Books::default()
            },
        }
    }
}

fn new_stock(draw: &mut Draw) -> Stock {
    Stock {
        price: draw.between(100, 10_000).into(),
        quantity: draw.between(20, 100),
        sold: 0,
        orders: 0,
        text: draw.letters(54),
    }
}

fn new_district(customers: u32, stock: &Table<Stock>, draw: &mut Draw) -> District {
    let mut district = District {
        customers: (0..customers).map(|id| (id, new_customer(draw))).collect(),
        orders: BTreeMap::new(),
        waiting: VecDeque::new(),
        next_order: 0,
        taken: 0,
        tax: draw.between(0, 2_000).into(),
        name: draw.letters(10),
    };
    let paid = district.customers.values().map(|customer| customer.paid);
    district.taken = paid.sum();
    for order in 0..customers {
        let delivered = order < customers - customers / WAITING;
        district.first_order(order, delivered, stock, draw);
    }
    district
}

impl District {
    /// Delivered orders are paid.
    fn first_order(&mut self, id: u32, delivered: bool, stock: &Table<Stock>, draw: &mut Draw) {
        let mut lines = Vec::with_capacity(draw.between(5, 15) as usize);
        while lines.len() < lines.capacity() {
            let item = draw.below(stock.len() as u32);
            let quantity = draw.between(1, 10);
            lines.push(Line {
                item,
                quantity,
                amount: Cents::from(quantity) * stock[&item].price,
            });
        }
        let sum = lines.iter().map(|line| line.amount).sum();
        let customer = self.customers.get_mut(&id);
        let discount = customer.map_or(0, |customer| {
            customer.last_order = id;
            customer.discount
        });
        let order = Order {
            customer: id,
            entered: 0,
            delivered: delivered.then(|| (draw.between(1, 10), 0)),
            total: charged(sum, discount, self.tax),
            lines,
            note: draw.letters(24),
        };
        self.orders.insert(id, order);
        if !delivered {
            self.waiting.push_back(id);
        }
        self.next_order = id + 1;
    }

    pub(super) fn owed(&self) -> Cents {
        let customers = self.customers.values();
        customers.map(|customer| customer.balance).sum()
    }
}

fn new_customer(draw: &mut Draw) -> Box<Customer> {
    let history: [Payment; HISTORY] = std::array::from_fn(|_| first_payment(draw));
    let paid = history.iter().map(|payment| payment.amount).sum();
    Box::new(Customer {
        text: draw.letters(238),
        balance: 0,
        paid,
        discount: draw.between(0, 5_000).into(),
        payments: HISTORY as u32,
        deliveries: 0,
        last_order: 0,
        history,
    })
}

fn first_payment(draw: &mut Draw) -> Payment {
    Payment {
        amount: draw.between(100, 500_000).into(),
        when: 0,
        note: draw.letters(36),
    }
}
