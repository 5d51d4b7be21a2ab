import { DeliverPolicy } from '@nats-io/jetstream'
import { millis } from '@nats-io/nats-core'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { BusUnavailable } from '../port.ts'
import { requestMsMax, type Link } from './link.ts'
import { bucketStream, bucketSubject } from './topology.ts'

/**
 * A key removed from a bucket leaves a marker, which tells the watchers and would stay for ever.
 * Who was away for longer than a marker's age misses the key itself when it begins again.
 */
export const markerAgeMsMax = 3_600_000
export const sweepEveryMs = 3_600_000
/** Of one bucket in one sweep; the next one takes the rest. */
const markersPerSweepMax = 10_000

type Marker = { subject: string; sequence: number }

/**
 * Removes the markers of a region's assignments that were set before `before` (Unix ms), and
 * nothing that was put since. It reads the headers of every key once, and asks once per marker.
 * The client's own `purgeDeletes` reads every value, asks for all at once, and takes a newer value
 * with it. @returns how many are gone @throws BusUnavailable
 */
export const sweepMarkers = async (link: Link, region: Region, before: number): Promise<number> => {
  const stream = bucketStream(subjects.assignments(region))
  const markers = await findMarkers(link, subjects.assignments(region), before)
  for (const { subject, sequence } of markers) {
    const upTo = { filter: subject, seq: sequence + 1 }
    await link.attempt(() => link.jsm.streams.purge(stream, upTo))
  }
  return markers.length
}

const findMarkers = (link: Link, bucket: string, before: number): Promise<Marker[]> =>
  link.attempt(async () => {
    const consumer = await link.js.consumers.getPushConsumer(bucketStream(bucket), {
      deliver_policy: DeliverPolicy.LastPerSubject,
      filter_subjects: bucketSubject(bucket, '>'),
      headers_only: true,
    })
    const found: Marker[] = []
    const { num_pending: pending } = await consumer.info(true)
    if (pending === 0) return found
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    const silence = setTimeout(
      () => reject(new BusUnavailable('the markers of a bucket did not come')),
      requestMsMax,
    )
    const giveUp = () => reject(new BusUnavailable('nats went away'))
    const stopListening = link.onChange(giveUp)
    const messages = await consumer.consume({
      callback: ({ headers, info, subject }) => {
        silence.refresh()
        const operation = headers?.get('KV-Operation') ?? ''
        const isMarker = operation === 'DEL' || operation === 'PURGE'
        const isOld = millis(info.timestampNanos) < before
        if (isMarker && isOld && found.length < markersPerSweepMax) {
          found.push({ subject, sequence: info.streamSequence })
        }
        if (info.pending === 0) resolve()
      },
    })
    try {
      await ended
      return found
    } finally {
      clearTimeout(silence)
      stopListening()
      await messages.close()
      await consumer.delete().catch(() => undefined)
    }
  })

/** Sweeps every region's assignments now, then at `sweepEveryMs`, until the bus is closed. */
export const keepSwept = (link: Link, regions: readonly Region[]): void => {
  let sweeping = false
  const sweep = async () => {
    if (sweeping || !link.isUp()) return
    sweeping = true
    try {
      for (const region of regions) {
        const count = await sweepMarkers(link, region, Date.now() - markerAgeMsMax)
        if (count > 0) link.log.info({ region, count }, 'markers of removed assignments are gone')
      }
    } catch (error) {
      // It is only work put off: what stays is swept at the next turn.
      if (!link.closing.aborted) link.log.warn({ err: error }, 'old markers could not be removed')
    } finally {
      sweeping = false
    }
  }
  const timer = setInterval(() => void sweep(), sweepEveryMs).unref()
  link.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  void sweep()
}
