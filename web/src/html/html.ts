const whole = Symbol('html')

/** HTML that only `html` makes, so that no text gets into a page without being escaped. */
export type Html = { readonly [whole]: string }

/**
 * What may stand in a template: text is escaped, HTML is not, of a list all is said, and what is null
 * or false says nothing.
 */
export type Piece = string | number | Html | null | false | readonly Piece[]

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // what was typed into a form may have it, and no document may: parsers take it out or stumble
  '\u0000': '\ufffd',
}

// oxlint-disable-next-line no-control-regex -- NUL is what is looked for
const unsafe = /[&<>"'\u0000]/g

/** The HTML itself. */
export const textOf = (piece: Piece): string => {
  if (typeof piece === 'string') return piece.replace(unsafe, (sign) => escapes[sign] ?? '')
  if (typeof piece === 'number') return String(piece)
  if (piece === null || piece === false) return ''
  return whole in piece ? piece[whole] : piece.map(textOf).join('')
}

/**
 * A template of HTML: what stands between tags or within a quoted attribute is escaped as it is put
 * in. An attribute without quotes is not safe, nor is anything within `<script>` or `<style>`. The
 * indentation of the source is left out; what is put in stays as it is.
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
