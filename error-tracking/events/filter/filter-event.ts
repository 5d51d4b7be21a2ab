import type { ErrorFilters } from '../../contracts/error-settings.ts'
import type { RawEvent } from '../raw/raw-event.ts'
import { thrownLast, stackOf } from '../raw/stack.ts'
import { globOf, type Glob } from './glob.ts'
import { isRecord, own } from '../raw/record.ts'
import { isbot } from 'isbot'

const userAgentCharactersMax = 500
/** The most headers that are searched. */
const headersMax = 100

/**
 * Whether a crawler or another bot caused the event, by the user agent in the event. The user agent of the
 * request itself is useless, because a server's SDK sends it.
 */
const isOfCrawler = ({ context }: Pick<RawEvent, 'context'>): boolean => {
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

/** The host is at the start of a URL. */
const urlCharactersMax = 4_096

/** Hosts in the format of `URL`: normalized IP addresses, lower-case names. */
const local =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/

/** Whether the page or request of an event was on localhost. */
const isLocal = ({ context }: Pick<RawEvent, 'context'>): boolean => {
  const request = context['request']
  const url = isRecord(request) ? own(request, 'url') : undefined
  if (typeof url !== 'string') return false
  const parsed = URL.parse(url.slice(0, urlCharactersMax))
  return parsed !== null && local.test(parsed.hostname)
}

/** URL schemes of browser extensions. Safari hides the extension's name. */
const extension =
  /^(?:chrome|chrome-extension|moz-extension|ms-browser-extension|safari-extension|safari-web-extension|webkit-masked-url):\/\//i

/** Frames without a file, or of the browser itself. */
const noFile = /^(?:<anonymous>|\[native code\])?$/i

/**
 * Whether a browser extension threw the error: the first frame with a file is in one. An extension in outer
 * frames only, such as one that wraps functions of the page, threw nothing.
 */
const isOfExtension = (event: Pick<RawEvent, 'exceptions' | 'frames'>): boolean => {
  const first = stackOf(event).find(({ file }) => file !== null && !noFile.test(file))
  return first !== undefined && extension.test(first.file ?? '')
}

/** The filter that drops an event. */
type FilterName = keyof ErrorFilters

/** Characters of a text that patterns match. The same as in a stored message. */
export const matchedCharactersMax = 8_192

/**
 * The filter of a project that drops an event; null if none does. Filters see the unscrubbed event, because
 * scrubbed text would not match, and a dropped event is not stored. Pure; never throws; linear in the size of
 * the event.
 */
export const filteredBy = (event: RawEvent, filters: ErrorFilters): FilterName | null => {
  const { messages, releases, environments } = globsOf(filters)
  if (filters.browserExtensions && isOfExtension(event)) return 'browserExtensions'
  if (filters.localhost && isLocal(event)) return 'localhost'
  if (filters.webCrawlers && isOfCrawler(event)) return 'webCrawlers'
  if (matches(releases, [event.release])) return 'releases'
  if (matches(environments, [event.environment])) return 'environments'
  if (messages.length > 0 && matches(messages, messagesOf(event))) return 'messages'
  return null
}

type Globs = Readonly<Record<'messages' | 'releases' | 'environments', readonly Glob[]>>

/**
 * Compiled patterns by filters object. The key cache keeps one object for each project until its filters
 * change.
 */
const compiled = new WeakMap<ErrorFilters, Globs>()

const globsOf = (filters: ErrorFilters): Globs => {
  let globs = compiled.get(filters)
  if (globs === undefined) {
    globs = {
      messages: filters.messages.map(globOf),
      releases: filters.releases.map(globOf),
      environments: filters.environments.map(globOf),
    }
    compiled.set(filters, globs)
  }
  return globs
}

const matches = (globs: readonly Glob[], texts: readonly (string | null)[]): boolean =>
  globs.length > 0 &&
  texts.some((text) => {
    if (text === null) return false
    const start = text.slice(0, matchedCharactersMax)
    return globs.some((glob) => glob(start))
  })

/**
 * The texts that a title can consist of: the message, the last exception's value, and its type with the
 * value.
 */
const messagesOf = (event: RawEvent): (string | null)[] => {
  const { type = null, value = null } = thrownLast(event) ?? {}
  const whole = type === null || value === null ? type : `${type}: ${value.slice(0, matchedCharactersMax)}`
  return [event.message, value, whole]
}
