// Asks for pages one after another over some connections, each time as another session.
import { Pool } from 'undici'
import { answerParent } from '../child.ts'
import { percentile } from '../statistics.ts'

export type LoadQuestion = {
  origin: string
  paths: readonly string[]
  cookies: readonly string[]
  connections: number
  seconds: number
}

export type LoadAnswer = { pages: number; seconds: number; p50Ms: number; p99Ms: number }

const load = async (question: LoadQuestion): Promise<LoadAnswer> => {
  const { origin, paths, cookies, connections, seconds } = question
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const times: number[] = []
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  let asked = 0
  const ask = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const n = asked++
      const path = paths[n % paths.length] ?? '/'
      const cookie = cookies[Math.floor(n / paths.length) % Math.max(1, cookies.length)] ?? ''
      const askedAt = performance.now()
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { cookie } })
      await body.dump({ limit: 10_000_000 })
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
      times.push(performance.now() - askedAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  const took = (performance.now() - startedAt) / 1_000
  await pool.close()
  return {
    pages: times.length,
    seconds: took,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  }
}

answerParent<LoadQuestion>(load)
