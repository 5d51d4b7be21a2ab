import { isbot } from 'isbot'
import type { RawEvent } from '../raw-event.ts'
import { isRecord, own } from '../record.ts'

const userAgentCharactersMax = 500
/** Headers that are looked through. */
const headersMax = 100

/**
 * Whether a crawler or another program that is no browser met it, by the user agent that the event says:
 * whoever sends a server's event is the SDK, so that the request that brought it tells nothing.
 */
export const isOfCrawler = ({ context }: Pick<RawEvent, 'context'>): boolean => {
  const request = context['request']
  const userAgent = isRecord(request) ? userAgentIn(own(request, 'headers')) : undefined
  return userAgent !== undefined && isbot(userAgent.slice(0, userAgentCharactersMax))
}

/** Headers come as an object or as pairs. */
const userAgentIn = (headers: unknown): string | undefined => {
  const pairs: unknown[] = Array.isArray(headers)
    ? (headers as unknown[])
    : isRecord(headers)
      ? Object.entries(headers)
      : []
  for (const pair of pairs.slice(0, headersMax)) {
    if (!Array.isArray(pair)) continue
    const [name, value] = pair as unknown[]
    if (typeof name !== 'string' || name.toLowerCase() !== 'user-agent') continue
    if (typeof value === 'string') return value
    // Python's frameworks send each header as a list
    if (Array.isArray(value) && typeof value[0] === 'string') return value[0]
  }
  return undefined
}
