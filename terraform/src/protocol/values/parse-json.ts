import { parseDecimal } from './decimal.ts'
import { MalformedValue, type Raw } from './read-msgpack.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a number from its own digits, which Node passes since version 21, so that numbers beyond 2^53 stay
 * exact.
 */
const reviveNumber = (_key: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || context?.source === undefined) return value
  const exact = parseDecimal(context.source)
  if (exact === null) throw new MalformedValue('a number has too many digits')
  return exact
}

/** Parses JSON with exact numbers. @throws MalformedValue */
export const parseJson = (bytes: Uint8Array): Raw => {
  try {
    return JSON.parse(utf8.decode(bytes), reviveNumber) as Raw
  } catch (cause) {
    if (cause instanceof MalformedValue) throw cause
    // the parser's own message quotes the text, which may contain a secret
    throw new MalformedValue('it is not JSON')
  }
}
