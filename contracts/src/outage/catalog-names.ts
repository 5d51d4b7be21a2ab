import { parseUrl } from '../target/host-in-url.ts'

// Comparison of catalog names, at load and in requests.

/** A longer name matches nothing (characters before normalization). */
export const lookupCharactersMax = 200

/**
 * The letters and digits of a name, in lower case and without accents: `Git Hub!` equals `github`. Folds
 * compatibility forms only, never look-alike letters such as Cyrillic ones. Empty without letters and digits.
 */
export const nameKey = (name: string): string => wordsOf(name).join('').normalize('NFKC')

/** The words of a name, in order: `GitHub Actions` is `github`, `actions`. */
export const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** A name that looks like a host, such as `Node.js`. It matches only as a whole. */
export const isDotted = (name: string): boolean => /[^\s.]\.[^\s.]/.test(name)

/** A text in the form of an address or handle. Without a host it is not a name either. */
export const isAddress = (text: string): boolean => /[@\\%]|:\/\//.test(text)

/** The comparison key of a dotted name. */
export const dottedKey = (name: string): string => name.trim().toLowerCase()

/**
 * The host of an http URL, with or without its scheme (`github.com/foo`), in lower-case A-labels without a trailing
 * dot. Rejects user names, backslashes and spaces.
 * @returns null when the text contains no host
 */
export const hostOf = (text: string): string | null => {
  const trimmed = text.trim()
  // oxlint-disable-next-line no-control-regex -- matches control characters
  if (/[\s\\\u0000-\u001f\u007f]/.test(trimmed)) return null
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return null
  const bare = scheme === undefined ? trimmed : trimmed.slice(scheme.length + '://'.length)
  const authority = /^[^/?#]*/.exec(bare)?.[0] ?? ''
  if (authority.includes('@') || !isDotted(authority)) return null
  return parseUrl(`https://${bare}`)?.hostname.replace(/\.$/, '') ?? null
}
