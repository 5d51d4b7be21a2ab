import { eventIdOf } from '../raw/ids.ts'
import type { RawEvent } from '../raw/raw-event.ts'
import { isRecord, own } from '../raw/record.ts'
import { readDebugIds, type DebugIds } from './read-debug-ids.ts'
import { instantOf } from './instant-of.ts'
import { levelOf, linesOf, messageOf, tagsOf, textOf, valuesOf } from './read-fields.ts'
import { readException, readFrames } from './read-stack.ts'

type EventProblem = { problem: string }

type EventArrival = {
  /** Unix milliseconds. */
  receivedAt: number
  /** The envelope's event id, which takes precedence; 32 lower-case hexadecimal digits. */
  eventId?: string
}

/** The oldest accepted client time, in milliseconds before the arrival. */
export const eventAgeMsMax = 30 * 86_400_000

/** Exceptions of one event: the last one and its causes. */
const exceptionsMax = 50

/** Fields that are stored in their original form, with the names for storage. */
const keptAsObjects = { request: 'request', user: 'user', contexts: 'contexts', extra: 'extra' }
const keptAsTexts = { logger: 'logger', server_name: 'serverName', dist: 'dist' }

/**
 * Reads the parsed payload of an item `event`, or the body of `/store/`. SDKs differ, so a field with an
 * invalid type is dropped alone and named in `unreadable`; unknown fields are ignored. An event needs an id,
 * its own or the envelope's. Never throws.
 */
export const readEvent = (payload: unknown, arrival: EventArrival): RawEvent | EventProblem => {
  if (!isRecord(payload)) return { problem: 'not an object' }
  if (own(payload, 'type') === 'transaction') return { problem: 'a transaction' }
  const eventId = arrival.eventId ?? eventIdOf(own(payload, 'event_id'))
  if (eventId === undefined) return { problem: 'no event id' }

  const unreadable: string[] = []
  /** Reads a field; null if missing or invalid. An invalid one is added to `unreadable`. */
  const field = <T>(name: string, read: (value: unknown) => T | undefined): T | null => {
    const value = own(payload, name) ?? null
    if (value === null) return null
    const result = read(value)
    if (result === undefined) unreadable.push(name)
    return result ?? null
  }

  const text = (name: string): string | null => field(name, textOf) || null

  const debugIds = readDebugIds(own(payload, 'debug_meta'))
  const logged = field('logentry', messageOf) ?? field('message', messageOf)
  const exceptions = (field('exception', valuesOf) ?? [])
    .filter(isRecord)
    .slice(-exceptionsMax)
    .map((exception) => readException(exception, debugIds))
  const context: Record<string, unknown> = {}
  for (const [name, key] of Object.entries(keptAsObjects)) {
    const value = field(name, (sent) => (isRecord(sent) ? sent : undefined))
    if (value !== null) context[key] = value
  }
  for (const [name, key] of Object.entries(keptAsTexts)) {
    const value = text(name)
    if (value !== null) context[key] = value
  }
  const breadcrumbs = field('breadcrumbs', valuesOf)
  if (breadcrumbs !== null) context['breadcrumbs'] = breadcrumbs
  const sdk = field('sdk', (sent) => (isRecord(sent) ? sent : undefined))
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
    message: logged?.message ?? null,
    template: logged?.template ?? null,
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

/** The frames of the crashed thread, else of the reporting one, else of the only one. */
const framesOfThreads = (threads: readonly unknown[], debugIds: DebugIds): RawEvent['frames'] => {
  const read = threads.filter(isRecord)
  const chosen =
    read.find((thread) => own(thread, 'crashed') === true) ??
    read.find((thread) => own(thread, 'current') === true) ??
    (read.length === 1 ? read[0] : undefined)
  return (chosen === undefined ? undefined : readFrames(own(chosen, 'stacktrace'), debugIds)) ?? []
}
