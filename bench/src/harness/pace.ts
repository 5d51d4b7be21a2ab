import { createHash } from 'node:crypto'
import { median } from './statistics.ts'

/** Until the code is compiled and the heap has its size. */
const roundsToWarmUp = 3
const messages = 600
const readingsPerMessage = 50

/**
 * Measures how fast the machine is right now: the wall time of a fixed piece of work of the kinds that the
 * product does (JSON both ways, hashing, a map larger than the caches). On a shared machine it differs from
 * hour to hour. Takes about a second.
 * @returns the median of the rounds, ms
 */
export const measurePace = (rounds = 15): number => {
  const times: number[] = []
  for (let round = -roundsToWarmUp; round < rounds; round++) {
    const startedAt = performance.now()
    work()
    if (round >= 0) times.push(performance.now() - startedAt)
  }
  return Number(median(times).toFixed(1))
}

const work = (): void => {
  const newest = new Map<string, number>()
  for (let message = 0; message < messages; message++) {
    const readings = Array.from({ length: readingsPerMessage }, (_, at) => readingOf(message, at))
    const text = JSON.stringify(readings)
    createHash('sha256').update(text).digest()
    const read = JSON.parse(text) as ReturnType<typeof readingOf>[]
    for (const { id, measuredAt } of read) newest.set(id, measuredAt + (newest.get(id) ?? 0))
  }
  if (newest.size !== messages * readingsPerMessage) throw new Error('the work was not done')
}

/** Not the product's reading, so that the work stays the same when that changes. */
const readingOf = (message: number, at: number) => ({
  id: `${message}:${at}`,
  verdict: 'up',
  reason: null,
  latencyMs: at * 1.5,
  timings: { dnsMs: 1.1, connectMs: 2.2, tlsMs: 3.3, ttfbMs: 4.4, transferMs: 5.5 },
  measuredAt: 1_800_000_000_000 + at,
})
