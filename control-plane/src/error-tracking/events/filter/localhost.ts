import type { RawEvent } from '../raw-event.ts'
import { isRecord, own } from '../record.ts'

/** A URL's host stands in its beginning. */
const urlCharactersMax = 4_096

/** As `URL` writes hosts: numbers of every spelling as four, names in lower case. */
const local =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/

/** Whether the page or request that an event is of was on the machine of who made it. */
export const isLocal = ({ context }: Pick<RawEvent, 'context'>): boolean => {
  const request = context['request']
  const url = isRecord(request) ? own(request, 'url') : undefined
  if (typeof url !== 'string') return false
  const parsed = URL.parse(url.slice(0, urlCharactersMax))
  return parsed !== null && local.test(parsed.hostname)
}
