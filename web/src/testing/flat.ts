import { textOf } from '@probe-mesh/runtime/html'
import type { Piece } from '@probe-mesh/runtime/html'

/** A page's text without the white space that browsers make nothing of, for tests to look into. */
export const flatten = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/> | </g, (sign) => sign.trim())
    .replace(/ ?\/?>/g, '>')

export const flat = (piece: Piece): string => flatten(textOf(piece))

/** A page without the one script that it may load: what is left may have none. */
export const withoutOwnScript = (page: string): string =>
  page.replace(/<script type="module" blocking="render" src="\/assets\/[\w-]+\.js"><\/script>/, '')

/** What a page says of its own, without the frame around it and the words that scripts take. */
export const mainOf = (page: string): string =>
  (/<main[^]*<\/main>/.exec(page)?.[0] ?? '').replace(/<template[^]*?<\/template>/g, '')

/** What a page says, without its tags. */
export const wordsIn = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
