import { cookieNamesFor } from './cookies.ts'
import { redirectNotRepeated } from './failure.ts'
import { plainGet, type Message, type OwnParts } from './message.ts'
import type { Failure } from './outcome.ts'

/** An answer that redirects. */
export type Redirection = {
  status: number
  /** The URL that was requested, and the one that it redirects to. */
  from: string
  to: string
  /** Its Set-Cookie headers. */
  setCookie: readonly string[]
}

/** The next message, and the parts of the own one that it lacks; or why there is none. */
export type Redirected = { message: Message; leftOut: readonly string[] } | { failure: Failure }

const nothing: readonly string[] = []

/**
 * What a redirect of an http check sends (S-3802, S-3860), by RFC 9110 15.4 and the redirect steps of Fetch. 303 asks for
 * another resource by GET, or HEAD after HEAD; 301 and 302 turn POST into GET; all else keeps method and content. What
 * the owner adds stays on its origin: another one gets a GET or HEAD without it. A request that does something, and
 * has content or own parts, is not repeated there: without them it would be another request.
 */
export const redirectedMessage = (message: Message, redirection: Redirection): Redirected => {
  const { status, from, to } = redirection
  if (message === plainGet) return { message, leftOut: nothing }
  const next = isWithoutContent(message, status) ? withoutContent(message) : message
  if (originOf(from) === originOf(to)) {
    return { message: next.own ? { ...next, own: keptOn(next.own, redirection) } : next, leftOut: nothing }
  }
  const leftOut = partsOf(next.own)
  const isRead = next.method === 'GET' || next.method === 'HEAD'
  const hasBody = next.body !== null && next.body.length > 0
  if (hasBody || (!isRead && leftOut.length > 0)) return { failure: redirectNotRepeated }
  if (next.method === 'GET') return { message: plainGet, leftOut }
  const { method, body } = next
  return { message: { method, body, contentType: isRead ? null : next.contentType }, leftOut }
}

/** Scheme, host and port, where case and default ports are equal. */
const originOf = (url: string): string => new URL(url).origin

const isWithoutContent = ({ method }: Message, status: number): boolean =>
  status === 303 || (method === 'POST' && (status === 301 || status === 302))

const withoutContent = ({ method, own }: Message): Message => ({
  method: method === 'HEAD' ? 'HEAD' : 'GET',
  body: null,
  contentType: null,
  ...(own !== undefined && { own: { ...own, fields: withoutFields(own.fields, isOfContent) } }),
})

/** RFC 9110 15.4: fields that describe the content of a request go with it. */
const isOfContent = (name: string): boolean =>
  name.startsWith('content-') || name === 'digest' || name === 'repr-digest' || name === 'last-modified'

const withoutFields = (fields: readonly string[], isLost: (name: string) => boolean): readonly string[] =>
  fields.filter((_, at) => !isLost(fields[at - (at % 2)] ?? ''))

/** An own cookie that the answer sets or deletes for the next URL is replaced, as in a browser: the jar has the new one. */
const keptOn = (own: OwnParts, redirection: Redirection): OwnParts => {
  if (own.cookie === null || redirection.setCookie.length === 0) return own
  const set = cookieNamesFor(redirection.to, redirection)
  const kept = own.cookie.split(';').filter((pair) => !set.has(nameOfCookie(pair)))
  return { ...own, cookie: kept.length === 0 ? null : kept.join(';').trim() }
}

const nameOfCookie = (text: string): string => /^[^=;]*/.exec(text)?.[0].trim() ?? ''

/** The trace is no part of what a target needs. */
const partsOf = (own: OwnParts | undefined): string[] => {
  if (own === undefined) return []
  const names = own.fields.filter((name, at) => at % 2 === 0 && name !== 'traceparent')
  return [
    ...(own.accept === null ? [] : ['accept']),
    ...(own.cookie === null ? [] : ['cookie']),
    ...names,
    ...(own.trust === null ? [] : ['client certificate']),
  ]
}
