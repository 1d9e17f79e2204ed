//! Frames below frames, each with its own time.

use std::collections::HashMap;

use crate::value::{Node, Profile};

/// Larger trees lose their smallest branches to the frames above them.
const MOST_NODES: usize = 6_000;

#[derive(Debug, Default)]
pub(crate) struct Tree {
    names: HashMap<String, u32>,
    frames: Vec<String>,
    places: HashMap<(u32, u32), u32>,
    nodes: Vec<Node>,
}

impl Tree {
    pub(crate) fn name(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let place = self.frames.len() as u32;
        self.frames.push(name.to_owned());
        self.names.insert(name.to_owned(), place);
        place
    }

    pub(crate) fn text(&self, name: u32) -> &str {
        self.frames.get(name as usize).map_or("", String::as_str)
    }

    /// The node of a path of names from the first frame on, from 1 on.
    pub(crate) fn node(&mut self, path: &[u32]) -> u32 {
        let mut above = 0;
        for &frame in path {
            let next = self.nodes.len() as u32 + 1;
            let known = *self.places.entry((above, frame)).or_insert(next);
            if known == next {
                self.nodes.push(Node {
                    above,
                    frame,
                    own_ns: 0,
                });
            }
            above = known;
        }
        above
    }

    pub(crate) fn add(&mut self, node: u32, ns: u64) {
        if let Some(node) = (node as usize)
            .checked_sub(1)
            .and_then(|at| self.nodes.get_mut(at))
        {
            node.own_ns += ns;
        }
    }

    /// Into a profile, without frames that have no time.
    pub(crate) fn into(self, profile: &mut Profile) {
        let mut all_ns: Vec<u64> = self.nodes.iter().map(|node| node.own_ns).collect();
        for at in (0..self.nodes.len()).rev() {
            if let Some(above) = (self.nodes[at].above as usize).checked_sub(1) {
                all_ns[above] += all_ns[at];
            }
        }
        let mut sorted = all_ns.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        // What is above a frame has no less time than it.
        let least = sorted.get(MOST_NODES).map_or(1, |ns| ns + 1);
        let mut kept: Vec<u32> = vec![0; self.nodes.len() + 1];
        let mut frames: HashMap<u32, u32> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let above = kept[node.above as usize];
            if all_ns[at] >= least {
                let next = frames.len() as u32;
                let frame = *frames.entry(node.frame).or_insert(next);
                if frame == next {
                    profile
                        .frames
                        .push(self.frames[node.frame as usize].clone());
                }
                profile.nodes.push(Node {
                    above,
                    frame,
                    own_ns: node.own_ns,
                });
                kept[at + 1] = profile.nodes.len() as u32;
            } else {
                kept[at + 1] = above;
                if let Some(above) = (above as usize).checked_sub(1) {
                    profile.nodes[above].own_ns += node.own_ns;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(paths: &[(&[&str], u64)]) -> Profile {
        let mut tree = Tree::default();
        for (path, ns) in paths {
            let path: Vec<u32> = path.iter().map(|name| tree.name(name)).collect();
            let node = tree.node(&path);
            tree.add(node, *ns);
        }
        let mut profile = Profile::default();
        tree.into(&mut profile);
        profile
    }

    #[test]
    fn paths_share_their_beginnings_and_empty_ones_are_left_out() {
        let profile = grown(&[
            (&["main", "f"], 5),
            (&["main", "g"], 7),
            (&["main"], 1),
            (&["never"], 0),
        ]);
        let paths: Vec<(String, u64)> = (0..profile.nodes.len())
            .map(|at| (profile.path(at).join(";"), profile.nodes[at].own_ns))
            .collect();
        let wanted = [("main", 1), ("main;f", 5), ("main;g", 7)];
        assert_eq!(paths, wanted.map(|(path, ns)| (path.to_owned(), ns)));
    }

    #[test]
    fn a_tree_that_is_too_large_keeps_all_of_its_time() {
        let mut tree = Tree::default();
        let main = tree.name("main");
        for number in 0..2 * MOST_NODES {
            let leaf = tree.name(&format!("f{number}"));
            let node = tree.node(&[main, leaf]);
            tree.add(node, 1 + number as u64);
        }
        let mut profile = Profile::default();
        tree.into(&mut profile);
        assert!(profile.nodes.len() <= MOST_NODES, "{}", profile.nodes.len());
        let all: u64 = profile.nodes.iter().map(|node| node.own_ns).sum();
        assert_eq!(all, (1..=2 * MOST_NODES as u64).sum::<u64>());
    }
}
