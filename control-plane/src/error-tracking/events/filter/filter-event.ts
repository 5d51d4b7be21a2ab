import type { ErrorFilters } from '@probe-mesh/contracts/error-tracking/error-settings'
import type { RawEvent } from '../raw-event.ts'
import { thrownLast } from '../stack.ts'
import { globOf } from './glob.ts'
import type { Glob } from './glob.ts'
import { isOfExtension } from './extension.ts'
import { isLocal } from './localhost.ts'
import { isOfCrawler } from './crawler.ts'

/** The rule that an event is dropped by. */
export type FilterName = keyof ErrorFilters

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
