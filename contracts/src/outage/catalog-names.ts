import { parseUrl } from '../target/host-in-url.ts'

/** What a name of the catalog is compared by, at load and whenever somebody asks for one. */

/** A question longer than this names nothing (characters as sent). */
export const askedCharactersMax = 200

/**
 * The letters and digits of a name, in lower case and without accents: `Git Hub!` and `github` are
 * one name. Only compatibility forms are folded, never letters that look alike: a Cyrillic letter
 * stays one. Empty for a text without letters or digits.
 */
export const nameKey = (name: string): string => wordsOf(name).join('').normalize('NFKC')

/** The same by its words, in their order: `GitHub Actions` is `github`, `actions`. */
export const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** A name that could be taken for a host, such as `Node.js`: it is only ever asked for by itself. */
export const isDotted = (name: string): boolean => /[^\s.]\.[^\s.]/.test(name)

/** A text written as an address or a handle: where `hostOf` finds no host, it is no name either. */
export const isAddress = (text: string): boolean => /[@\\%]|:\/\//.test(text)

/** How a dotted name is compared. */
export const dottedKey = (name: string): string => name.trim().toLowerCase()

/**
 * The host that a text names: of an http URL, or of a text that reads as one without its scheme
 * (`github.com/foo`). In lower-case A-labels, without a trailing dot. What only poses as a host is
 * none: a user name before it, backslashes, spaces.
 * @returns null when the text names no host
 */
export const hostOf = (text: string): string | null => {
  const trimmed = text.trim()
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\s\\\u0000-\u001f\u007f]/.test(trimmed)) return null
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return null
  const bare = scheme === undefined ? trimmed : trimmed.slice(scheme.length + '://'.length)
  const authority = /^[^/?#]*/.exec(bare)?.[0] ?? ''
  if (authority.includes('@') || !isDotted(authority)) return null
  return parseUrl(`https://${bare}`)?.hostname.replace(/\.$/, '') ?? null
}
