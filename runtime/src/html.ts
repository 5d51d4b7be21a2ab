const whole = Symbol('html')

/** HTML that only this module can create, so no unescaped text gets into a page. */
export type Html = { readonly [whole]: string }

/** A value in a template. Text is escaped, HTML is not, lists are joined, null and false are skipped. */
export type Piece = string | number | Html | null | false | readonly Piece[]

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // allowed in a form, not in a document: parsers remove it or fail
  '\u0000': '\ufffd',
}

// oxlint-disable-next-line no-control-regex -- NUL must match
const unsafe = /[&<>"'\u0000]/g

/** The text of a piece in a document. */
export const textOf = (piece: Piece): string => {
  if (typeof piece === 'string') return piece.replace(unsafe, (sign) => escapes[sign] ?? '')
  if (typeof piece === 'number') return String(piece)
  if (piece === null || piece === false) return ''
  return whole in piece ? piece[whole] : piece.map(textOf).join('')
}

/**
 * An HTML template. Escapes values between tags and in quoted attributes. Values in unquoted attributes,
 * `<script>` or `<style>` are not safe. Removes the indentation of the template, not of values.
 */
export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html => {
  const kept = unindented(parts)
  // faster than String.raw: a page has hundreds of templates
  let text = kept[0] ?? ''
  for (const [at, piece] of pieces.entries()) text += textOf(piece) + (kept[at + 1] ?? '')
  return { [whole]: text }
}

/** Keyed by the template's own array, which is the same on every call. */
const known = new WeakMap<TemplateStringsArray, readonly string[]>()

const unindented = (parts: TemplateStringsArray): readonly string[] => {
  const before = known.get(parts)
  if (before !== undefined) return before
  const made = parts.map((part) => part.replace(/(?<!\s)\s*\n\s*/g, '\n'))
  known.set(parts, made)
  return made
}

/** A boolean attribute, such as `checked`, with a space before it. */
export const flag = (name: string, isThere: boolean): Html => (isThere ? html` ${name}` : html``)

/** An attribute with its value and a space before it. Empty when the value is null. */
export const attribute = (name: string, value: string | number | null): Html =>
  value === null ? html`` : html` ${name}="${value}"`

/** Text with its line breaks. */
export const withBreaks = (text: string): Html => ({
  [whole]: text
    .split(/\r\n|\r|\n/)
    .map(textOf)
    .join('<br>\n'),
})
