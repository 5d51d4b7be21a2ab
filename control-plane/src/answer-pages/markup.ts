import { escapeHtml } from '../markup/escape-html.ts'

const whole = Symbol('markup')

/** HTML that only `markup` makes, so that no text gets into a page without being escaped. */
export type Markup = { readonly [whole]: string }

/** What may stand in a template: text is escaped, markup is not, and of a list all is said. */
export type Piece = string | number | Markup | readonly Markup[]

/** The HTML itself. */
export const textOf = (piece: Piece): string => {
  if (typeof piece === 'string') return escapeHtml(piece)
  if (typeof piece === 'number') return String(piece)
  return whole in piece ? piece[whole] : piece.map(textOf).join('\n')
}

/**
 * A template of HTML: what stands between tags or within a quoted attribute is escaped as it is put
 * in. An attribute without quotes is not safe.
 */
export const markup = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup => ({
  [whole]: String.raw({ raw: parts }, ...pieces.map(textOf)),
})

export const nothing: Markup = markup``
