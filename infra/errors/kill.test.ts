import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/postgres/connect'
import { insertTestErrorProject } from '@probe-mesh/control-plane/postgres/testing'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { createMeshProcess } from '../testing/mesh-process.ts'
import type { MeshProcess } from '../testing/mesh-process.ts'

const kills = inject('kills')
const senders = 6
/** Life between two kills: long enough to be in the middle of things, at an instant left to chance. */
const lifeMsMin = 200
const lifeMsMax = 1_500

let folder: string
let mesh: MeshProcess
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errors-kill-'))
  mesh = await createMeshProcess({ dataDir: join(folder, 'data'), environment: {} })
})
afterAll(async () => {
  await mesh.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

type Project = { id: string; number: string; key: string }
type Sent = { projectId: string; eventId: string; sound: boolean; status: number | null }

const makeProjects = async (count: number): Promise<Project[]> => {
  const { databaseUrl } = await mesh.stores()
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  try {
    const [account] = await sql<{ id: string }[]>`select account_id as id from api_keys limit 1`
    if (account === undefined) throw new Error('no account')
    for (let n = 0; n < count; n++) await insertTestErrorProject(sql, account.id)
    const rows = await sql<Project[]>`
      select p.id, p.number, public_key as key from error_projects p
      join error_keys k on k.project_id = p.id`
    return [...rows]
  } finally {
    await sql.end()
  }
}

/** Sends one event; no answer where the process dies, or is not there. */
const send = async (project: Project, n: number): Promise<Sent> => {
  const eventId = randomBytes(16).toString('hex')
  const sound = n % 10 !== 0
  const event = { event_id: eventId, message: `problem ${n % 3}`, release: `shop@${n % 2}` }
  const payload = sound ? JSON.stringify(event) : '{"broken'
  const body = `${JSON.stringify({ event_id: eventId })}\n{"type":"event"}\n${payload}\n`
  const root = new URL(mesh.apiUrl).origin
  const url = `${root}/api/${project.number}/envelope/?sentry_key=${project.key}`
  try {
    const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
    await response.text()
    return { projectId: project.id, eventId, sound, status: response.status }
  } catch {
    return { projectId: project.id, eventId, sound, status: null }
  }
}

test(
  `killed ${kills} times under load, every event that was answered is stored or counted, once`,
  { timeout: 900_000 },
  async () => {
    await mesh.start()
    const projects = await makeProjects(6)
    const sent: Sent[] = []
    const ending = new AbortController()
    const sending = projects.slice(0, senders).map(async (project) => {
      for (let n = 0; !ending.signal.aborted; n++) {
        const result = await send(project, n)
        sent.push(result)
        if (result.status === null) await elapse(50)
      }
    })
    for (let round = 0; round < kills; round++) {
      await elapse(lifeMsMin + Math.random() * (lifeMsMax - lifeMsMin))
      await mesh.kill()
      await mesh.start()
    }
    await elapse(lifeMsMax)
    ending.abort()
    await Promise.all(sending)

    const stores = await mesh.stores()
    const sql = connectPostgres(stores.databaseUrl)
    const clickhouse = connectClickHouse(stores.clickhouseUrl)
    try {
      await vi.waitFor(
        async () => {
          expect(await mesh.metric('stream_lag_messages')).toBe(0)
          expect(await mesh.metric('error_counts_waiting')).toBe(0)
          expect(await sql`select from error_batches`).toHaveLength(0)
        },
        { timeout: 60_000, interval: 200 },
      )
      const result = await clickhouse.query({
        query: 'select event_id from error_occurrences',
        format: 'JSONEachRow',
      })
      const rows = await result.json<{ event_id: string }>()
      const stored = rows.map((row) => row.event_id.replaceAll('-', ''))
      const unique = new Set(stored)
      expect(stored).toHaveLength(unique.size)

      const answered = sent.filter(({ sound, status }) => sound && status === 200)
      expect(answered.filter(({ eventId }) => !unique.has(eventId))).toEqual([])
      const possible = sent.filter(
        ({ sound, status }) => sound && (status === null || status >= 500),
      )
      const known = new Set([...answered, ...possible].map(({ eventId }) => eventId))
      expect(stored.filter((eventId) => !known.has(eventId))).toEqual([])

      const counts = await sql<{ outcome: string; events: number }[]>`
        select outcome, sum(events)::integer as events from error_counts group by outcome`
      const counted = new Map(counts.map(({ outcome, events }) => [outcome, events]))
      expect(counted.get('stored')).toBe(stored.length)
      const invalid = sent.filter(({ sound, status }) => !sound && status === 400).length
      const maybe = sent.filter(({ sound, status }) => !sound && status !== 400).length
      expect(counted.get('invalid') ?? 0).toBeGreaterThanOrEqual(invalid)
      expect(counted.get('invalid') ?? 0).toBeLessThanOrEqual(invalid + maybe)
      expect(
        [...counted.keys()].filter((outcome) => !/^(stored|invalid|store)$/.test(outcome)),
      ).toEqual([])
      const [issues] = await sql`
        select sum(occurrences)::integer as occurrences,
          (select sum(occurrences)::integer from error_issue_releases) as releases from error_issues`
      expect(issues).toEqual({ occurrences: stored.length, releases: stored.length })
      console.info(
        `${kills} kills: ${sent.length} requests, ${answered.length} events answered 200, ` +
          `${stored.length} stored, ${invalid} answered 400, ${counted.get('invalid')} counted invalid, ` +
          `${possible.length + maybe} without an answer`,
      )
      expect(answered.length).toBeGreaterThan(kills)
    } finally {
      await Promise.all([sql.end(), clickhouse.close()])
    }
    expect(await mesh.stop()).toBe(0)
  },
)
