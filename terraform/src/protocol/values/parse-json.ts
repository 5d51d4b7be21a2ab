import { parseDecimal } from './decimal.ts'
import { MalformedValue } from './read-msgpack.ts'
import type { Raw } from './read-msgpack.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Calls a reviver with a number's own digits, which Node gives since version 21: what is beyond 2^53
 * stays exact.
 */
const reviveNumber = (_key: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || context?.source === undefined) return value
  const exact = parseDecimal(context.source)
  if (exact === null) throw new MalformedValue('a number has more digits than are kept')
  return exact
}

/** The value that JSON holds, numbers exact. @throws MalformedValue */
export const parseJson = (bytes: Uint8Array): Raw => {
  try {
    return JSON.parse(utf8.decode(bytes), reviveNumber) as Raw
  } catch (cause) {
    if (cause instanceof MalformedValue) throw cause
    // the parser's own words quote the text, which may hold a secret
    throw new MalformedValue('it is no JSON')
  }
}
