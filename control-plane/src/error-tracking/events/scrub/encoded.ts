import { removedMark } from '@probe-mesh/contracts/error-tracking/removed'

/** Runs of what is no blank and no quote: what is encoded as a whole. */
const runs = /[^\s"'<>`]+/g
const escapes = /(?:%[0-9a-f]{2})+/gi

/**
 * Scrubs what stands behind `%`: a run that holds something secret is left decoded, so that what it says
 * can be read. Pure.
 */
export const scrubPercent = (text: string, scrub: (decoded: string) => string): string =>
  text.includes('%')
    ? text.replaceAll(runs, (run) => {
        if (!run.includes('%')) return run
        const decoded = run.replaceAll(escapes, decodeRun)
        if (decoded === run) return run
        const scrubbed = scrub(decoded)
        return scrubbed === decoded ? run : scrubbed
      })
    : text

const decodeRun = (run: string): string => {
  const decoded = Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8')
  return decoded.toWellFormed()
}

/** The first letter is of a byte that can be read; a word is longer than this seldom. */
const base64 = /(?<![\w+/=-])[I-Za-f][\w+/-]{7,}(?:={1,2}|%3D(?:%3D)?)?(?![\w+/=])/g
const readable = /^[\t\r\n -~]+$/
/** No id such as GraphQL's `User:123`: what follows the colon is more than digits. */
const userAndPassword = /^([\w.@+-]+):(?!\d+$|\/\/)[!-~]{3,}$/

/** Takes out what holds something secret in base64, and `user:password` as `Basic` sends it. Pure. */
export const scrubBase64 = (text: string, scrub: (decoded: string) => string): string =>
  text.length < 8
    ? text
    : text.replaceAll(base64, (found) => {
        const decoded = Buffer.from(found, 'base64').toString('latin1')
        if (!readable.test(decoded)) return found
        // a letter looked for within the same pattern would cost the square of the length
        if (/[A-Za-z]/.test(userAndPassword.exec(decoded)?.[1] ?? '')) {
          return removedMark('credentials')
        }
        return scrub(decoded) === decoded ? found : removedMark('encoded secret')
      })

/** JSON within a text: of an object or a list, or a text again. Undefined for what is none. */
export const jsonIn = (text: string): unknown => {
  if (!/^\s{0,100}[[{"]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' || typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
