type Node = {
  readonly type: string;
  readonly tagName?: string;
  properties?: Record<string, unknown>;
  readonly children?: readonly Node[];
};

/** Each part of a text is written in the direction of its own words; code is always written from left to right, and decides nothing. */
export const markDirections = () => (tree: Node) => {
  for (const part of tree.children ?? []) if (part.type === 'element') setDirection(part, 'auto');
  markCode(tree);
};

function markCode(node: Node): void {
  if (node.tagName === 'code' || node.tagName === 'pre') setDirection(node, 'ltr');
  else for (const child of node.children ?? []) markCode(child);
}

function setDirection(node: Node, dir: 'auto' | 'ltr'): void {
  node.properties = { ...node.properties, dir };
}
