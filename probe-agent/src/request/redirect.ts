import type { ResponseHead } from '../http1/response-reader.ts'
import { badRedirect } from './failure.ts'
import { loginDropped, type Notes } from './notes.ts'
import type { Failure } from './outcome.ts'

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export const isRedirectStatus = (status: number): boolean => redirectStatuses.has(status)

/**
 * The target of a redirect, as a URL for the target rule.
 * @returns null when the response is final
 */
export const redirectOf = (
  { status, headers }: ResponseHead,
  from: URL,
  isFinal: (status: number) => boolean,
  notes: Notes,
): { ok: true; location: string } | { ok: false; failure: Failure } | null => {
  const { location } = headers
  // as in browsers, an empty location is no redirect
  if (!isRedirectStatus(status) || !location || isFinal(status)) return null
  const to = URL.parse(locationText(location), from.href)
  const web = to?.protocol === 'http:' || to?.protocol === 'https:'
  if (to === null || !web) return { ok: false, failure: badRedirect }
  const isLogin = to.username !== '' || to.password !== ''
  if (isLogin) {
    to.username = ''
    to.password = ''
    notes.add(loginDropped)
  }
  return { ok: true, location: to.href }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes a Location, received as latin1: valid UTF-8 is meant as UTF-8. */
export const locationText = (location: string): string => {
  if (/^[\x20-\x7e]*$/.test(location)) return location
  try {
    return utf8.decode(Buffer.from(location, 'latin1'))
  } catch {
    return location
  }
}
