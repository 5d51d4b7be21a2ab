/** Longer than any handwritten name. */
const charactersMax = 1_000

/**
 * A file name without the parts that differ by build or machine: host, query, line, hash, package version.
 */
export const normalizeFile = (file: string): string =>
  file
    .slice(0, charactersMax)
    .replace(/^(?:webpack-internal:|webpack:|app:|file:|https?:)\/\/[^/]{0,255}\/{1,3}/, '/')
    .replace(/[?#].*/s, '')
    .replaceAll('\\', '/')
    // a hash has digits: `app.3f9a2c1b.js`. One without, as in `index-DiwrgTda.js`, looks like a word and
    // stays.
    .replaceAll(/([.-])(?=[a-z]{0,40}\d)[0-9a-z]{6,40}(?=[./-])/gi, '$1<hash>')
    .replaceAll(/@\d{1,10}(?:\.\d{1,10}){1,3}[^/]{0,100}/g, '@<version>')
    .replaceAll(/\/\d{1,20}(?=\/)/g, '/<number>')
    .replaceAll(/0x[0-9a-f]{1,32}/gi, '<address>')

/**
 * A function name without the parts that differ by build or run: closure numbers, memory addresses,
 * arguments.
 */
export const normalizeFunction = (name: string): string =>
  name
    .slice(0, charactersMax)
    .replace(/\(.*/s, '')
    .replaceAll(/0x[0-9a-f]{1,32}/gi, '<address>')
    .replaceAll(/::h[0-9a-f]{16}$/g, '')
    .replaceAll(/(lambda|closure|anonymous|func|block)([$#_-]{0,4})\d{1,10}(?:[$.]\d{1,10}){0,4}/gi, '$1')
    .trim()
