// What an event costs, part by part, one after another in a process of its own: CPU ms each.
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/partition'
import { parseEnvelope } from '@probe-mesh/control-plane/error-tracking/events/envelope/parse-envelope'
import { readEvent } from '@probe-mesh/control-plane/error-tracking/events/envelope/read-event'
import type { ErrorEvent } from '@probe-mesh/control-plane/error-tracking/events/error-event'
import {
  decodeErrorsMessage,
  encodeErrorsMessage,
} from '@probe-mesh/control-plane/error-tracking/events/errors-message'
import type { RawEvent } from '@probe-mesh/control-plane/error-tracking/events/raw-event'
import {
  defaultScrubRules,
  scrubEvent,
} from '@probe-mesh/control-plane/error-tracking/events/scrub/scrub'
import { toErrorEvent } from '@probe-mesh/control-plane/error-tracking/events/to-error-event'
import { answerParent, cpuSecondsSince } from '../child.ts'
import { withFolder } from '../folder.ts'
import { packEvents } from './bench-events.ts'

export type PartsQuestion = { events: number }
/** CPU ms of one event, by part. */
export type PartsAnswer = Record<
  'unpack' | 'parse' | 'scrub' | 'group' | 'publish' | 'decode',
  number
>

const projectId = '018f0000-0000-7000-8000-000000000001'
const unpack = promisify<Uint8Array, Buffer>(gunzip)

const measure = ({ events }: PartsQuestion): Promise<PartsAnswer> =>
  withFolder(async (folder) => {
    const bus = await openInProcessBus({ directory: folder })
    const packed = packEvents(1)
    const bodies = Array.from({ length: events }, () => packed.next())
    const run = async () => {
      const unpacked = await timed(bodies, unpack)
      const parsed = await timed(unpacked.made, parse)
      const scrubbed = await timed(parsed.made, (raw) => scrubEvent(raw, defaultScrubRules))
      const grouped = await timed(scrubbed.made, (raw) => toErrorEvent(raw, projectId))
      const published = await timed(grouped.made, async (event: ErrorEvent) => {
        const data = encodeErrorsMessage({ kind: 'event', event })
        const partition = errorPartitionOf(projectId)
        await bus.errors.publish({
          partition,
          messageId: `${event.eventId} ${Math.random()}`,
          data,
        })
        return data
      })
      const decoded = await timed(published.made, decodeErrorsMessage)
      return {
        unpack: unpacked.cpuMs,
        parse: parsed.cpuMs,
        scrub: scrubbed.cpuMs,
        group: grouped.cpuMs,
        publish: published.cpuMs,
        decode: decoded.cpuMs,
      }
    }
    // warm: what is compiled once is no part of an event
    await run()
    const answer = await run()
    await bus.close()
    return answer
  })

const parse = (body: Uint8Array): RawEvent => {
  const envelope = parseEnvelope(body)
  const payload = 'items' in envelope ? envelope.items[0]?.payload : undefined
  const raw = readEvent(JSON.parse(new TextDecoder().decode(payload)), {
    receivedAt: Date.now(),
    eventId: '0'.repeat(32),
  })
  if ('problem' in raw) throw new Error(raw.problem)
  return raw
}

const timed = async <Given, Made>(
  given: readonly Given[],
  act: (one: Given) => Made | Promise<Made>,
): Promise<{ made: Made[]; cpuMs: number }> => {
  const made: Made[] = []
  const cpu = process.cpuUsage()
  for (const one of given) made.push(await act(one))
  return { made, cpuMs: (cpuSecondsSince(cpu) / given.length) * 1_000 }
}

answerParent<PartsQuestion>(measure)
