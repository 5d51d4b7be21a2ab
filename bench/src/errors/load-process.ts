// Sends events, or asks for other things, over some connections from a process of its own.
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { answerParent } from '../child.ts'
import { percentile } from '../statistics.ts'
import { packEvents } from './bench-events.ts'

export type LoadQuestion = {
  origin: string
  connections: number
  seconds: number
  /** In all, evenly; null: as fast as answers come. */
  perSecond: number | null
} & (
  | { kind: 'events'; paths: readonly string[] }
  | { kind: 'asks'; paths: readonly string[]; headers: Record<string, string> }
)

export type LoadAnswer = {
  requests: number
  seconds: number
  /** How many were answered by each status. */
  statuses: Record<string, number>
  p50Ms: number
  p99Ms: number
}

const events = packEvents(process.pid)
const packed = { 'content-type': 'application/x-sentry-envelope', 'content-encoding': 'gzip' }

const load = async (question: LoadQuestion): Promise<LoadAnswer> => {
  const { origin, connections, seconds, perSecond, paths } = question
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const times: number[] = []
  const statuses: Record<string, number> = {}
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let asked = 0
  const ask = async (): Promise<void> => {
    for (;;) {
      const n = asked++
      const dueAt = perSecond === null ? performance.now() : startedAt + (n * 1_000) / perSecond
      if (Math.max(dueAt, performance.now()) >= endsAt) return
      const leftMs = dueAt - performance.now()
      if (leftMs > 0) await wait(leftMs)
      const path = paths[n % paths.length] ?? '/'
      const body = question.kind === 'events' ? events.next() : null
      const askedAt = performance.now()
      const response = await pool.request({
        path,
        method: body === null ? 'GET' : 'POST',
        headers: question.kind === 'events' ? packed : question.headers,
        body,
      })
      await response.body.dump({ limit: 10_000_000 })
      times.push(performance.now() - askedAt)
      statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  const took = (performance.now() - startedAt) / 1_000
  await pool.close()
  return {
    requests: times.length,
    seconds: took,
    statuses,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  }
}

answerParent<LoadQuestion>(load)
