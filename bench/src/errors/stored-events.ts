import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { parseEnvelope } from '@probe-mesh/control-plane/error-tracking/events/envelope/parse-envelope'
import { readEvent } from '@probe-mesh/control-plane/error-tracking/events/envelope/read-event'
import type { ErrorEvent } from '@probe-mesh/control-plane/error-tracking/events/error-event'
import {
  defaultScrubRules,
  scrubEvent,
} from '@probe-mesh/control-plane/error-tracking/events/scrub/scrub'
import { toErrorEvent } from '@probe-mesh/control-plane/error-tracking/events/to-error-event'
import { packEvents } from './bench-events.ts'

const templateCount = 400

/** Events as the door leaves them, by turns of each project: the same in every process, but for `now`. */
export function* storedEvents(projectIds: readonly string[], count: number): Generator<ErrorEvent> {
  const templates = eventTemplates()
  const now = Date.now()
  const salt = `${process.pid} ${now}`
  for (let n = 0; n < count; n++) {
    const template = templates[Math.floor(n / projectIds.length) % templates.length]
    const projectId = projectIds[n % projectIds.length]
    if (template === undefined || projectId === undefined) throw new Error('nothing to store')
    const eventId = hash('sha256', `${salt} ${n}`).slice(0, 32)
    yield { ...template, projectId, eventId, at: now - 1_000, receivedAt: now }
  }
}

/** Of the bench's load: what the door makes of each of its problems. */
export const eventTemplates = (): ErrorEvent[] => {
  const packed = packEvents(1)
  return Array.from({ length: templateCount }, () => {
    const envelope = parseEnvelope(gunzipSync(packed.next()))
    const payload = 'items' in envelope ? envelope.items[0]?.payload : undefined
    const json: unknown = JSON.parse(new TextDecoder().decode(payload))
    const raw = readEvent(json, { receivedAt: Date.now(), eventId: '0'.repeat(32) })
    if ('problem' in raw) throw new Error(raw.problem)
    return toErrorEvent(scrubEvent(raw, defaultScrubRules), '')
  })
}
