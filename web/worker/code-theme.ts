/** Colours by their names in `tokens.css`, which the page resolves, so that code follows its theme. */
export const CODE_THEME = {
  name: 'reborn',
  fg: 'var(--ink)',
  bg: 'transparent',
  settings: [
    coloured('code-note', ['comment', 'punctuation.definition.comment'], 'italic'),
    coloured('code-text', ['string', 'markup.inline.raw', 'markup.inserted']),
    coloured('code-number', [
      'constant',
      'support.constant',
      'variable.language',
      'entity.other.attribute-name',
      'support.type.property-name',
      'meta.object-literal.key',
    ]),
    coloured('code-word', [
      'keyword',
      'keyword.operator.expression',
      'keyword.operator.new',
      'keyword.operator.logical.python',
      'storage',
      'entity.name.tag',
      'entity.name.type',
      'support.type',
      'support.class',
      'markup.heading',
    ]),
    coloured('failed', ['markup.deleted', 'invalid']),
    coloured('ink', ['keyword.operator', 'meta.embedded', 'meta.template.expression']),
  ],
};

function coloured(token: string, scope: readonly string[], fontStyle?: string) {
  return { scope: [...scope], settings: { foreground: `var(--${token})`, ...(fontStyle && { fontStyle }) } };
}
