import type { ErrorFilters } from '@probe-mesh/contracts/error-tracking/error-settings'
import type { RawEvent } from '../raw/raw-event.ts'
import { thrownLast, stackOf } from '../raw/stack.ts'
import { globOf } from './glob.ts'
import type { Glob } from './glob.ts'
import { isRecord, own } from '../raw/record.ts'
import { isbot } from 'isbot'

const userAgentCharactersMax = 500
/** Headers that are looked through. */
const headersMax = 100

/**
 * Whether a crawler or another program that is no browser met it, by the user agent that the event says:
 * whoever sends a server's event is the SDK, so that the request that brought it tells nothing.
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

/** A URL's host stands in its beginning. */
const urlCharactersMax = 4_096

/** As `URL` writes hosts: numbers of every spelling as four, names in lower case. */
const local =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/

/** Whether the page or request that an event is of was on the machine of who made it. */
const isLocal = ({ context }: Pick<RawEvent, 'context'>): boolean => {
  const request = context['request']
  const url = isRecord(request) ? own(request, 'url') : undefined
  if (typeof url !== 'string') return false
  const parsed = URL.parse(url.slice(0, urlCharactersMax))
  return parsed !== null && local.test(parsed.hostname)
}

/** Where browsers say that an extension's code lies; Safari hides which extension it is. */
const extension =
  /^(?:chrome|chrome-extension|moz-extension|ms-browser-extension|safari-extension|safari-web-extension|webkit-masked-url):\/\//i

/** No place: code without a file, and the browser's own. */
const nowhere = /^(?:<anonymous>|\[native code\])?$/i

/**
 * Whether an extension of the reader's browser threw it: the first frame that has a place is in one. An
 * extension that only stands extraNames down, such as one that wraps what the page calls, threw nothing.
 */
const isOfExtension = (event: Pick<RawEvent, 'exceptions' | 'frames'>): boolean => {
  const thrown = stackOf(event).find(({ file }) => file !== null && !nowhere.test(file))
  return thrown !== undefined && extension.test(thrown.file ?? '')
}

/** The rule that an event is dropped by. */
type FilterName = keyof ErrorFilters

/** Characters of a text that patterns look at: as many as are kept of a message. */
export const lookedAtMax = 8_192

/**
 * Which of a project's filters an event is dropped by; null where it is wanted. It is decided on the
 * event as it came: what is scrubbed is not what a pattern was written for, and a dropped event is kept
 * nowhere. Pure; never throws; linear in the event.
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

/** The door has one object of each project's filters for as long as they stay. */
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
    const looked = text.slice(0, lookedAtMax)
    return globs.some((glob) => glob(looked))
  })

/** What an issue of the event would be called by: its message, and what was thrown last, with its type. */
const messagesOf = (event: RawEvent): (string | null)[] => {
  const { type = null, value = null } = thrownLast(event) ?? {}
  const whole = type === null || value === null ? type : `${type}: ${value.slice(0, lookedAtMax)}`
  return [event.message, value, whole]
}
