import { DeliverPolicy } from '@nats-io/jetstream'
import { millis } from '@nats-io/nats-core'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { BusUnavailable } from '../port.ts'
import { requestMsMax, type Link } from './link.ts'
import { bucketStream, bucketSubject } from './topology.ts'

/**
 * A removed key leaves a marker in its bucket, which notifies watchers and would stay forever. A watcher that
 * was disconnected for longer than this finds the key missing when it restarts.
 */
export const markerAgeMsMax = 3_600_000
export const sweepEveryMs = 3_600_000
/** For one bucket in one sweep; the next sweep continues. */
const markersPerSweepMax = 10_000

type Marker = { subject: string; sequence: number }

/**
 * Removes the markers of a region's assignments older than `before` (Unix ms), and no value put since. It
 * reads the headers of every key once, and sends one request per marker. The client's own `purgeDeletes`
 * reads every value, sends all requests at once, and also deletes a newer value. @returns how many were
 * removed @throws BusUnavailable
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
      () => reject(new BusUnavailable('the markers of a bucket did not arrive')),
      requestMsMax,
    )
    const giveUp = () => reject(new BusUnavailable('the connection to nats was lost'))
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

/** Sweeps every region's assignments now and every `sweepEveryMs`, until the bus is closed. */
export const keepSwept = (link: Link, regions: readonly Region[]): void => {
  let sweeping = false
  const sweep = async () => {
    if (sweeping || !link.isUp()) return
    sweeping = true
    try {
      for (const region of regions) {
        const count = await sweepMarkers(link, region, Date.now() - markerAgeMsMax)
        if (count > 0) link.log.info({ region, count }, 'removed markers of deleted assignments')
      }
    } catch (error) {
      // Nothing is lost: the next sweep removes the rest.
      if (!link.closing.aborted) link.log.warn({ err: error }, 'old markers could not be removed')
    } finally {
      sweeping = false
    }
  }
  const timer = setInterval(() => void sweep(), sweepEveryMs).unref()
  link.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  void sweep()
}
