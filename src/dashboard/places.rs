//! The places for connections: a number of them for all viewers, and fewer for one address.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use parking_lot::Mutex;

/// The places that connections take.
///
/// One address may not take all of them. This machine may, since its programs are not told apart by an address, and a
/// proxy on it passes the connections of many viewers on.
#[derive(Debug, Default, Clone)]
pub(super) struct Places(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// The places of each address that is not this machine's and has any.
    by_address: HashMap<IpAddr, usize>,
}

impl Places {
    /// A place for a connection of this address, if there is one.
    pub(super) fn take(&self, address: IpAddr) -> Option<Place> {
        let address = owner(address);
        let mut taken = self.0.lock();
        if taken.all >= MOST_CONNECTIONS {
            return None;
        }
        if let Some(address) = address {
            let own = taken.by_address.entry(address).or_default();
            if *own >= MOST_OF_ADDRESS {
                return None;
            }
            *own += 1;
        }
        taken.all += 1;
        Some(Place { places: self.clone(), address })
    }
}

/// The place of one connection. It is free again when this value is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Places,
    address: Option<IpAddr>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.0.lock();
        taken.all = taken.all.saturating_sub(1);
        if let Some(address) = self.address
            && let Some(own) = taken.by_address.get_mut(&address)
        {
            *own = own.saturating_sub(1);
            if *own == 0 {
                taken.by_address.remove(&address);
            }
        }
    }
}

/// The address that a place is counted for; `None` for this machine. A subscriber of IPv6 has at least all addresses
/// with the same first 64 bits, so these count as one.
fn owner(address: IpAddr) -> Option<IpAddr> {
    let address = address.to_canonical();
    if address.is_loopback() {
        return None;
    }
    Some(match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    })
}

/// The number of connections of all viewers.
const MOST_CONNECTIONS: usize = 256;

/// The number of connections of one address. A browser has six at most for one page.
const MOST_OF_ADDRESS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_address_cannot_take_all_places() {
        let places = Places::default();
        let mut held: Vec<_> =
            (0..MOST_OF_ADDRESS).map(|_| places.take(address("192.0.2.1")).unwrap()).collect();
        for same in ["192.0.2.1", "::ffff:192.0.2.1"] {
            assert!(places.take(address(same)).is_none(), "{same}");
        }
        let other = places.take(address("192.0.2.2")).unwrap();
        drop((held.pop(), other));
        assert!(places.take(address("::ffff:192.0.2.1")).is_some());
        let v6: Vec<_> = (0..=MOST_OF_ADDRESS)
            .filter_map(|number| places.take(address(&format!("2001:db8:0:1::{number:x}"))))
            .collect();
        assert_eq!(v6.len(), MOST_OF_ADDRESS);
        assert!(places.take(address("2001:db8:0:2::")).is_some());
        drop((held, v6));
        assert!(places.0.lock().by_address.is_empty());
        assert_eq!(places.0.lock().all, 0);
    }

    #[test]
    fn this_machine_has_all_places() {
        let places = Places::default();
        let held: Vec<_> = (0..MOST_CONNECTIONS)
            .map(|number| places.take(address(["127.0.0.1", "::1"][number % 2])).unwrap())
            .collect();
        assert!(places.take(address("127.0.0.1")).is_none());
        assert!(places.take(address("192.0.2.1")).is_none());
        drop(held);
        assert!(places.take(address("192.0.2.1")).is_some());
    }
}
