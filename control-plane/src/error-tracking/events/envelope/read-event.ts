import { eventIdOf } from '../raw/ids.ts'
import type { RawEvent } from '../raw/raw-event.ts'
import { isRecord, own } from '../raw/record.ts'
import { readDebugIds } from './read-debug-ids.ts'
import type { DebugIds } from './read-debug-ids.ts'
import { instantOf } from './instant-of.ts'
import { levelOf, linesOf, messageOf, tagsOf, textOf, valuesOf } from './read-fields.ts'
import { readException, readFrames } from './read-stack.ts'

type EventProblem = { problem: string }

type EventArrival = {
  /** Unix milliseconds. */
  receivedAt: number
  /** The envelope's, which goes before the event's own; 32 lower-case hexadecimal digits. */
  eventId?: string
}

/** How far back a client's clock is believed, in milliseconds. */
export const eventAgeMsMax = 30 * 86_400_000

/** Of one event: what was thrown last, and what caused it. */
const exceptionsMax = 50

/** What is kept as it came, under the name that it is kept by. */
const keptAsObjects = { request: 'request', user: 'user', contexts: 'contexts', extra: 'extra' }
const keptAsTexts = { logger: 'logger', server_name: 'serverName', dist: 'dist' }

/**
 * Reads the payload of an item `event`, or the body of `/store/`, parsed as JSON. SDKs differ much, so
 * a field of a wrong type loses that field alone, which `unreadable` names; unknown ones are passed
 * over. An event needs an id, its envelope's or its own. Never throws.
 */
export const readEvent = (payload: unknown, arrival: EventArrival): RawEvent | EventProblem => {
  if (!isRecord(payload)) return { problem: 'not an object' }
  if (own(payload, 'type') === 'transaction') return { problem: 'a transaction' }
  const eventId = arrival.eventId ?? eventIdOf(own(payload, 'event_id'))
  if (eventId === undefined) return { problem: 'no event id' }

  const unreadable: string[] = []
  /** Reads a field; null where it is missing, or cannot be read, which is noted. */
  const field = <T>(name: string, read: (value: unknown) => T | undefined): T | null => {
    const value = own(payload, name) ?? null
    if (value === null) return null
    const result = read(value)
    if (result === undefined) unreadable.push(name)
    return result ?? null
  }

  const text = (name: string): string | null => field(name, textOf) || null

  const debugIds = readDebugIds(own(payload, 'debug_meta'))
  const said = field('logentry', messageOf) ?? field('message', messageOf)
  const exceptions = (field('exception', valuesOf) ?? [])
    .filter(isRecord)
    .slice(-exceptionsMax)
    .map((exception) => readException(exception, debugIds))
  const context: Record<string, unknown> = {}
  for (const [name, key] of Object.entries(keptAsObjects)) {
    const value = field(name, (held) => (isRecord(held) ? held : undefined))
    if (value !== null) context[key] = value
  }
  for (const [name, key] of Object.entries(keptAsTexts)) {
    const value = text(name)
    if (value !== null) context[key] = value
  }
  const breadcrumbs = field('breadcrumbs', valuesOf)
  if (breadcrumbs !== null) context['breadcrumbs'] = breadcrumbs
  const sdk = field('sdk', (held) => (isRecord(held) ? held : undefined))
  if (sdk !== null) context['sdk'] = { name: own(sdk, 'name'), version: own(sdk, 'version') }

  const at = field('timestamp', instantOf) ?? arrival.receivedAt
  return {
    eventId,
    at: Math.max(arrival.receivedAt - eventAgeMsMax, Math.min(at, arrival.receivedAt)),
    receivedAt: arrival.receivedAt,
    level: field('level', levelOf) ?? 'error',
    platform: text('platform') ?? 'other',
    release: text('release'),
    environment: text('environment'),
    transaction: text('transaction'),
    message: said?.message ?? null,
    template: said?.template ?? null,
    exceptions,
    frames:
      field('stacktrace', (stack) => readFrames(stack, debugIds)) ??
      framesOfThreads(field('threads', valuesOf) ?? [], debugIds),
    fingerprint: field('fingerprint', linesOf),
    tags: field('tags', tagsOf) ?? {},
    context,
    unreadable,
    truncated: [],
  }
}

/** Of the thread that crashed, else of the one that reported, else of the only one. */
const framesOfThreads = (threads: readonly unknown[], debugIds: DebugIds): RawEvent['frames'] => {
  const read = threads.filter(isRecord)
  const chosen =
    read.find((thread) => own(thread, 'crashed') === true) ??
    read.find((thread) => own(thread, 'current') === true) ??
    (read.length === 1 ? read[0] : undefined)
  return (chosen === undefined ? undefined : readFrames(own(chosen, 'stacktrace'), debugIds)) ?? []
}
