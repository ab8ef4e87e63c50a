/** The units of a text: bytes, or the code units of a string. */
export type Symbols = ArrayLike<number>;

/**
 * Finds many patterns in one pass (Aho-Corasick). The time is linear in the length of the text, even if a pattern almost
 * matches many times; a regular expression would not be, where others choose both the text and the pattern.
 */
export type MultiSearch = {
  /** Calls `onHit` with each pattern and its end position, ordered by end, until it returns false. */
  scan(text: Symbols, onHit: (pattern: number, end: number) => boolean): void;
  /** The state after one more symbol, starting from 0. For texts that arrive in pieces. */
  advance(state: number, symbol: number): number;
  /** How many of the last symbols may be the start of a pattern. */
  depth(state: number): number;
  /** The patterns that end in this state, longest first. */
  hits(state: number): readonly number[];
};

/** Patterns must not be empty. Of equal patterns, the first is found. */
export function createMultiSearch(patterns: readonly Symbols[]): MultiSearch {
  const tree = createTree(patterns);
  for (const [index, pattern] of patterns.entries()) insert(tree, index, pattern);
  linkSuffixes(tree);
  const { depths, found, shorter } = tree;

  return {
    advance: (state, symbol) => advance(tree, state, symbol),
    depth: (state) => depths[state] ?? 0,
    hits(state) {
      if ((found[state] ?? -1) < 0 && shorter[state] === 0) return NO_HITS;
      const hits: number[] = [];
      for (let node = state; node !== 0; node = shorter[node] ?? 0) {
        const pattern = found[node] ?? -1;
        if (pattern >= 0) hits.push(pattern);
      }
      return hits;
    },
    scan(text, onHit) {
      let state = 0;
      for (let at = 0; at < text.length; at++) {
        state = advance(tree, state, text[at] ?? 0);
        if (state === 0) continue;
        for (let node = state; node !== 0; node = shorter[node] ?? 0) {
          const pattern = found[node] ?? -1;
          if (pattern >= 0 && !onHit(pattern, at + 1)) return;
        }
      }
    },
  };
}

/** Each node is a prefix of a pattern. All arrays are indexed by node, except `roots`; node 0 is the empty prefix. */
type Tree = {
  /** How many nodes there are. */
  used: number;
  readonly symbols: Uint16Array;
  /** The first child; the others follow as its siblings. */
  readonly child: Int32Array;
  readonly sibling: Int32Array;
  /** The longest proper suffix that is in the tree. */
  readonly fallback: Int32Array;
  readonly depths: Int32Array;
  /** The pattern that ends here, or -1. */
  readonly found: Int32Array;
  /** The next suffix that is a whole pattern. */
  readonly shorter: Int32Array;
  /** The children of node 0, by symbol. */
  readonly roots: Int32Array;
};

function createTree(patterns: readonly Symbols[]): Tree {
  const size = patterns.reduce((sum, { length }) => sum + length, 1);
  return {
    used: 1,
    symbols: new Uint16Array(size),
    child: new Int32Array(size),
    sibling: new Int32Array(size),
    fallback: new Int32Array(size),
    depths: new Int32Array(size),
    found: new Int32Array(size).fill(-1),
    shorter: new Int32Array(size),
    roots: new Int32Array(patterns.reduce((most, pattern) => Math.max(most, largest(pattern)), 0) + 1),
  };
}

function insert(tree: Tree, index: number, pattern: Symbols): void {
  let node = 0;
  for (let at = 0; at < pattern.length; at++) {
    const symbol = pattern[at] ?? 0;
    node = childOf(tree, node, symbol) || addChild(tree, node, symbol);
  }
  if ((tree.found[node] ?? -1) < 0) tree.found[node] = index;
}

function childOf({ roots, child, sibling, symbols }: Tree, node: number, symbol: number): number {
  if (node === 0) return roots[symbol] ?? 0;
  let next = child[node] ?? 0;
  while (next !== 0 && symbols[next] !== symbol) next = sibling[next] ?? 0;
  return next;
}

function addChild(tree: Tree, parent: number, symbol: number): number {
  const { symbols, depths, roots, sibling, child } = tree;
  const node = tree.used++;
  symbols[node] = symbol;
  depths[node] = (depths[parent] ?? 0) + 1;
  if (parent === 0) {
    roots[symbol] = node;
  } else {
    sibling[node] = child[parent] ?? 0;
    child[parent] = node;
  }
  return node;
}

function advance(tree: Tree, state: number, symbol: number): number {
  let node = state;
  for (;;) {
    const next = childOf(tree, node, symbol);
    if (next !== 0 || node === 0) return next;
    node = tree.fallback[node] ?? 0;
  }
}

/** Level by level, so that the suffixes of a node are known before the node is reached. */
function linkSuffixes(tree: Tree): void {
  const { roots, child, sibling, symbols, fallback, found, shorter } = tree;
  const queue = new Int32Array(tree.used);
  let end = 0;
  for (const node of roots) if (node !== 0) queue[end++] = node;
  for (let at = 0; at < end; at++) {
    const parent = queue[at] ?? 0;
    for (let node = child[parent] ?? 0; node !== 0; node = sibling[node] ?? 0) {
      const suffix = advance(tree, fallback[parent] ?? 0, symbols[node] ?? 0);
      fallback[node] = suffix;
      shorter[node] = (found[suffix] ?? -1) >= 0 ? suffix : (shorter[suffix] ?? 0);
      queue[end++] = node;
    }
  }
}

const NO_HITS: readonly number[] = [];

/** The code units of a string. */
export function toSymbols(text: string): Symbols {
  const symbols = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) symbols[at] = text.charCodeAt(at);
  return symbols;
}

function largest(symbols: Symbols): number {
  let most = 0;
  for (let at = 0; at < symbols.length; at++) most = Math.max(most, symbols[at] ?? 0);
  return most;
}
