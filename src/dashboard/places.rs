//! The places for connections: a number of them for all viewers, and fewer for one address.

use std::{
    collections::{HashMap, HashSet},
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
    /// The addresses whose refusal was told; `None` for this machine.
    told: HashSet<Option<IpAddr>>,
}

impl Places {
    /// A place for a connection of this address.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn take(&self, address: IpAddr) -> Result<Place, Refusal> {
        let address = owner(address);
        let mut taken = self.0.lock();
        let own = address.and_then(|it| taken.by_address.get(&it)).copied().unwrap_or_default();
        let most = if taken.all >= MOST_CONNECTIONS {
            MOST_CONNECTIONS
        } else if own >= MOST_OF_ADDRESS {
            MOST_OF_ADDRESS
        } else {
            taken.all += 1;
            if let Some(address) = address {
                taken.by_address.insert(address, own + 1);
            }
            return Ok(Place { places: self.clone(), address });
        };
        let is_first = taken.told.len() < MOST_TOLD && taken.told.insert(address);
        Err(Refusal { most, is_first })
    }
}

/// A connection without a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The limit that is reached: of one address, or of all.
    most: usize,
    /// Whether the user has to be told: once for an address, and of the first addresses only.
    is_first: bool,
}

impl Refusal {
    /// Tells the user that a connection of this address is refused, if it is the first one.
    pub(super) fn tell(self, address: IpAddr) {
        let Self { most, is_first } = self;
        match most {
            _ if !is_first => {}
            MOST_CONNECTIONS => tracing::warn!(
                "the dashboard has {most} connections; one from {address} is refused, as are further ones"
            ),
            _ => tracing::warn!(
                "the dashboard has {most} connections from {address}, the most of one address; further ones are refused"
            ),
        }
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
/// with the same first 64 bits, so these count as one. In a local network they may be those of all viewers, so the
/// addresses that are valid only there count one by one (link-local: RFC 4291, section 2.5.6; unique local: RFC 4193).
fn owner(address: IpAddr) -> Option<IpAddr> {
    let address = address.to_canonical();
    if address.is_loopback() {
        return None;
    }
    Some(match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(local) if local.is_unicast_link_local() || local.is_unique_local() => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    })
}

/// The number of connections of all viewers.
const MOST_CONNECTIONS: usize = 256;

/// The number of connections of one address, which may be that of a proxy or of a network behind one router. A browser
/// has six at most for one page.
const MOST_OF_ADDRESS: usize = 128;

/// The number of addresses whose refusal is told.
const MOST_TOLD: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Connections of these addresses, as many as get a place.
    fn held(places: &Places, addresses: impl IntoIterator<Item = String>) -> Vec<Place> {
        addresses.into_iter().filter_map(|it| places.take(address(&it)).ok()).collect()
    }

    #[test]
    fn one_address_cannot_take_all_places() {
        let places = Places::default();
        let mut first = held(&places, vec!["192.0.2.1".to_owned(); MOST_OF_ADDRESS]);
        assert_eq!(first.len(), MOST_OF_ADDRESS);
        for same in ["192.0.2.1", "::ffff:192.0.2.1"] {
            assert!(places.take(address(same)).is_err(), "{same}");
        }
        let other = places.take(address("192.0.2.2")).unwrap();
        drop((first.pop(), other));
        first.push(places.take(address("::ffff:192.0.2.1")).unwrap());
        drop(first);
        assert!(places.0.lock().by_address.is_empty());
        assert_eq!(places.0.lock().all, 0);
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one_address_unless_it_is_local() {
        for (network, is_one) in
            [("2001:db8:0:1", true), ("fe80", false), ("febf:0:0:1", false), ("fd00:1:2:3", false)]
        {
            let places = Places::default();
            let addresses = (0..=MOST_OF_ADDRESS).map(|number| format!("{network}::{number:x}"));
            let held = held(&places, addresses);
            assert_eq!(held.len(), MOST_OF_ADDRESS + usize::from(!is_one), "{network}");
            assert!(places.take(address("2001:db8:0:2::")).is_ok());
        }
    }

    #[test]
    fn a_refusal_is_told_once_for_an_address() {
        let places = Places::default();
        let held = held(&places, (0..MOST_CONNECTIONS).map(|it| format!("192.0.2.{}", it % 2)));
        let refusal = |text: &str| places.take(address(text)).unwrap_err();
        for (text, is_first) in
            [("192.0.2.1", true), ("192.0.2.1", false), ("192.0.2.3", true), ("192.0.2.1", false)]
        {
            assert_eq!(refusal(text), Refusal { most: MOST_CONNECTIONS, is_first }, "{text}");
        }
        assert!((0..200).filter(|it| refusal(&format!("198.51.100.{it}")).is_first).count() < 16);
        drop(held);
    }

    #[test]
    fn this_machine_has_all_places() {
        let places = Places::default();
        let addresses = (0..MOST_CONNECTIONS).map(|it| ["127.0.0.1", "::1"][it % 2].to_owned());
        let held = held(&places, addresses);
        assert_eq!(held.len(), MOST_CONNECTIONS);
        assert!(places.take(address("127.0.0.1")).is_err());
        assert!(places.take(address("192.0.2.1")).is_err());
        drop(held);
        assert!(places.take(address("192.0.2.1")).is_ok());
    }
}
