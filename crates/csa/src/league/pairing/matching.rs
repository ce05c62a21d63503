//! Whether players can be paired at all: maximum matching in a graph (Edmonds' blossom algorithm).

use std::collections::VecDeque;

/// Whether all of these vertices can be paired along edges.
pub(super) fn can_pair_all(vertices: &[usize], is_edge: impl Fn(usize, usize) -> bool) -> bool {
    let count = vertices.len();
    if !count.is_multiple_of(2) {
        return false;
    }
    let edges: Vec<Vec<usize>> = (0..count)
        .map(|a| (0..count).filter(|&b| a != b && is_edge(vertices[a], vertices[b])).collect())
        .collect();
    let mut graph = Graph { edges, mate: vec![None; count] };
    // A greedy start leaves little to the search.
    for a in 0..count {
        if graph.mate[a].is_none() {
            let free = graph.edges[a].iter().copied().find(|&b| graph.mate[b].is_none());
            if let Some(b) = free {
                (graph.mate[a], graph.mate[b]) = (Some(b), Some(a));
            }
        }
    }
    (0..count).all(|vertex| graph.mate[vertex].is_some() || graph.augment(vertex))
}

struct Graph {
    edges: Vec<Vec<usize>>,
    mate: Vec<Option<usize>>,
}

impl Graph {
    /// Finds a path from a free vertex along which the matching grows, and changes the matching along it.
    fn augment(&mut self, root: usize) -> bool {
        let count = self.edges.len();
        let mut parent: Vec<Option<usize>> = vec![None; count];
        let mut base: Vec<usize> = (0..count).collect();
        let mut used = vec![false; count];
        used[root] = true;
        let mut queue = VecDeque::from([root]);
        while let Some(v) = queue.pop_front() {
            for index in 0..self.edges[v].len() {
                let to = self.edges[v][index];
                if base[v] == base[to] || self.mate[v] == Some(to) {
                    continue;
                }
                let is_outer = to == root || self.mate[to].is_some_and(|it| parent[it].is_some());
                if is_outer {
                    // An odd cycle: it becomes one vertex.
                    let top = self.common(&parent, &base, v, to);
                    let mut blossom = vec![false; count];
                    self.mark(&mut parent, &base, &mut blossom, v, top, to);
                    self.mark(&mut parent, &base, &mut blossom, to, top, v);
                    for vertex in 0..count {
                        if blossom[base[vertex]] {
                            base[vertex] = top;
                            if !used[vertex] {
                                used[vertex] = true;
                                queue.push_back(vertex);
                            }
                        }
                    }
                } else if parent[to].is_none() {
                    parent[to] = Some(v);
                    match self.mate[to] {
                        None => {
                            self.flip(&parent, to);
                            return true;
                        }
                        Some(next) => {
                            used[next] = true;
                            queue.push_back(next);
                        }
                    }
                }
            }
        }
        false
    }

    /// The lowest common base of two vertices in the tree.
    fn common(&self, parent: &[Option<usize>], base: &[usize], a: usize, b: usize) -> usize {
        let mut seen = vec![false; self.edges.len()];
        let mut vertex = base[a];
        loop {
            seen[vertex] = true;
            let up = self.mate[vertex].and_then(|mate| parent[mate]);
            match up {
                Some(up) => vertex = base[up],
                None => break,
            }
        }
        let mut vertex = base[b];
        while !seen[vertex] {
            match self.mate[vertex].and_then(|mate| parent[mate]) {
                Some(up) => vertex = base[up],
                // Both are in one tree, so this is never reached.
                None => break,
            }
        }
        vertex
    }

    /// Marks the vertices of an odd cycle from `v` up to `top`.
    fn mark(
        &self,
        parent: &mut [Option<usize>],
        base: &[usize],
        blossom: &mut [bool],
        mut v: usize,
        top: usize,
        mut child: usize,
    ) {
        while base[v] != top {
            let Some(mate) = self.mate[v] else { return };
            blossom[base[v]] = true;
            blossom[base[mate]] = true;
            parent[v] = Some(child);
            child = mate;
            let Some(up) = parent[mate] else { return };
            v = up;
        }
    }

    /// Changes the matching along the path that ends at a free vertex.
    fn flip(&mut self, parent: &[Option<usize>], end: usize) {
        let mut vertex = Some(end);
        while let Some(v) = vertex {
            let Some(up) = parent[v] else { return };
            let next = self.mate[up];
            (self.mate[v], self.mate[up]) = (Some(up), Some(v));
            vertex = next;
        }
    }
}
