import { textOf, type Piece } from '@probe-mesh/runtime/html'

/** A page with collapsed white space, for text searches in tests. */
export const flatten = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/> | </g, (sign) => sign.trim())
    .replace(/ ?\/?>/g, '>')

export const flat = (piece: Piece): string => flatten(textOf(piece))

/** A page without its one allowed script: the rest must contain none. */
export const withoutOwnScript = (page: string): string =>
  page.replace(/<script type="module"(?: blocking="render")? src="\/assets\/[\w-]+\.js"><\/script>/, '')

/** The content of a page, without the frame around it and the words for scripts. */
export const mainOf = (page: string): string =>
  (/<main[^]*<\/main>/.exec(page)?.[0] ?? '').replace(/<template[^]*?<\/template>/g, '')

/** The text of a page, without its tags. */
export const wordsIn = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
