import type { ResponseHead } from '../http1/response-reader.ts'
import { badRedirect } from './failure.ts'
import type { Failure } from './outcome.ts'

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Where a response sends the reader on, as a URL text for the target rule to judge.
 * @returns null when the response is the final one
 */
export const redirectOf = (
  { status, headers }: ResponseHead,
  from: URL,
  isFinal: (status: number) => boolean,
): { ok: true; location: string } | { ok: false; failure: Failure } | null => {
  const { location } = headers
  if (!redirectStatuses.has(status) || location === undefined || isFinal(status)) return null
  const to = URL.parse(location, from.href)
  const web = to?.protocol === 'http:' || to?.protocol === 'https:'
  return to !== null && web ? { ok: true, location: to.href } : { ok: false, failure: badRedirect }
}
