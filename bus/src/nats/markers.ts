import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { HeldMirrors } from './assignments.ts'
import type { BucketMirror } from './bucket-mirror.ts'
import type { Link } from './link.ts'
import { bucketStream, bucketSubject } from './topology.ts'

/**
 * A removed key leaves a marker in its bucket, which notifies watchers and would stay forever. A watcher that
 * was disconnected for longer than this finds the key missing when it restarts.
 */
export const markerAgeMsMax = 3_600_000
export const sweepEveryMs = 3_600_000
/** For one bucket in one sweep; the next sweep continues. */
const markersPerSweepMax = 10_000

/**
 * Removes the markers of a region's assignments older than `before` (Unix ms), and no value put since. It
 * sends one request per marker. The client's own `purgeDeletes` reads every value, sends all requests at once, and
 * also deletes a newer value. @returns how many were removed @throws BusUnavailable
 */
export const sweepMarkers = async (
  link: Link,
  region: Region,
  mirror: Pick<BucketMirror<unknown>, 'read' | 'markers' | 'forget'>,
  before: number,
): Promise<number> => {
  const bucket = subjects.assignments(region)
  await mirror.read()
  const old = mirror.markers().filter(({ removedAtMs }) => removedAtMs < before)
  const markers = old.slice(0, markersPerSweepMax)
  for (const marker of markers) {
    const upTo = { filter: bucketSubject(bucket, marker.key), seq: marker.sequence + 1 }
    await link.attempt(() => link.jsm.streams.purge(bucketStream(bucket), upTo))
    mirror.forget(marker)
  }
  return markers.length
}

/** Sweeps every region's assignments now and every `sweepEveryMs`, until the bus is closed. */
export const keepSwept = (link: Link, regions: readonly Region[], mirrors: HeldMirrors): void => {
  let sweeping = false
  const sweep = async () => {
    if (sweeping || !link.isUp()) return
    sweeping = true
    try {
      for (const region of regions) {
        const count = await sweepMarkers(link, region, mirrors(region), Date.now() - markerAgeMsMax)
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
