const whole = Symbol('html')

/** HTML that only this module makes: no text gets into a page without being escaped. */
export type Html = { readonly [whole]: string }

/** What a template takes: text is escaped, HTML is not, lists are joined, null and false are left out. */
export type Piece = string | number | Html | null | false | readonly Piece[]

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // a form may contain it, a document must not: parsers remove it or fail
  '\u0000': '\ufffd',
}

// oxlint-disable-next-line no-control-regex -- NUL is to be found
const unsafe = /[&<>"'\u0000]/g

/** The text of a piece, as it stands in a document. */
export const textOf = (piece: Piece): string => {
  if (typeof piece === 'string') return piece.replace(unsafe, (sign) => escapes[sign] ?? '')
  if (typeof piece === 'number') return String(piece)
  if (piece === null || piece === false) return ''
  return whole in piece ? piece[whole] : piece.map(textOf).join('')
}

/**
 * A template of HTML. Values between tags and in quoted attributes are escaped. An attribute without
 * quotes is not safe, nor is anything within `<script>` or `<style>`. The indentation of the source is
 * left out; values keep theirs.
 */
export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html => ({
  [whole]: String.raw({ raw: unindented(parts) }, ...pieces.map(textOf)),
})

/** By the template's own array, which is the same at every call. */
const known = new WeakMap<TemplateStringsArray, readonly string[]>()

const unindented = (parts: TemplateStringsArray): readonly string[] => {
  const made = known.get(parts) ?? parts.map((part) => part.replace(/\s*\n\s*/g, '\n'))
  known.set(parts, made)
  return made
}

/** An attribute that is there or not, such as `checked`, with a space before it. */
export const flag = (name: string, isThere: boolean): Html => (isThere ? html` ${name}` : html``)

/** An attribute with its value, with a space before it; none where the value is null. */
export const attribute = (name: string, value: string | number | null): Html =>
  value === null ? html`` : html` ${name}="${value}"`

/** Text of several lines, each kept as a line. */
export const withBreaks = (text: string): Html => ({
  [whole]: text
    .split(/\r\n|\r|\n/)
    .map(textOf)
    .join('<br>\n'),
})
