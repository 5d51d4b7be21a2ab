import { removedMark } from '../../contracts/removed.ts'

/** Runs without blanks and quotes, which are decoded as a whole. */
const runs = /[^\s"'<>`]+/g
const escapes = /(?:%[0-9a-f]{2})+/gi

/**
 * Scrubs percent-encoded text. A run with a secret stays decoded, so that it is readable.
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

/** The first letter belongs to a printable byte, and at least 8 letters exclude most words. */
const base64 = /(?<![\w+/=-])[I-Za-f][\w+/-]{7,}(?:={1,2}|%3D(?:%3D)?)?(?![\w+/=])/g
const readable = /^[\t\r\n -~]+$/
/** Digits after the colon are an id, such as GraphQL's `User:123`. */
const userAndPassword = /^([\w.@+-]+):(?!\d+$|\/\/)[!-~]{3,}$/

/** Removes base64 text that contains a secret, and `user:password` in base64 as in `Basic`. */
export const scrubBase64 = (text: string, scrub: (decoded: string) => string): string =>
  text.length < 8
    ? text
    : text.replaceAll(base64, (found) => {
        const decoded = Buffer.from(found, 'base64').toString('latin1')
        if (!readable.test(decoded)) return found
        // a separate pattern for the letter keeps the match linear
        if (/[A-Za-z]/.test(userAndPassword.exec(decoded)?.[1] ?? '')) {
          return removedMark('credentials')
        }
        return scrub(decoded) === decoded ? found : removedMark('encoded secret')
      })

/** JSON in a text: an object, a list or another text; undefined without JSON. */
export const jsonIn = (text: string): unknown => {
  if (!/^\s{0,100}[[{"]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' || typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
