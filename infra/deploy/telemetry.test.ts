import { createApiClient } from '@probe-mesh/contracts/api/client'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { writeEndpoint, writePushSetting } from '@probe-mesh/control-plane/src/telemetry/telemetry-store'
import { useOnce } from '../testing/use.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startMesh, type Mesh } from '../testing/mesh.ts'
import { startTarget } from '../testing/target.ts'
import { startReferenceReceiver, type Understood } from './testing/reference-otlp-receiver.ts'

/** Metrics and runs of a real mesh, understood by OpenTelemetry's own definitions. */
let mesh: Mesh
const receiver = useOnce(() => startReferenceReceiver(), 180_000)
const target = useOnce(() => startTarget(), 180_000)
beforeAll(async () => {
  target.behave('challenge', ['iad'])
  const tiers = { scale: { intervalSecondsMin: 1 } }
  mesh = await startMesh({ regions: ['fra', 'iad'], tiers, budgetScale: 100 })
  const client = createApiClient({ apiUrl: mesh.apiUrl, apiKey: mesh.apiKey })
  const checks = { name: 'a "name"\\', url: target.url('/'), intervalSeconds: 1, sendRegion: true }
  expect(await client.call('createCheck', { body: checks })).toMatchObject({ ok: true })
}, 180_000)
afterAll(async () => {
  await mesh?.close()
})

const turnOn = async (): Promise<void> => {
  const sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 1, role: 'probe_mesh_system' })
  const [row] = await sql<{ accountId: string }[]>`select account_id as "accountId" from checks limit 1`
  const accountId = row?.accountId ?? ''
  await sql.begin(async (tx) => {
    const nowMs = Date.now()
    await writeEndpoint(
      tx,
      { accountId, endpoint: receiver.url, headers: null, headerNames: [], encoding: 'json' },
      nowMs,
    )
    for (const signal of ['metrics', 'traces'] as const) {
      await writePushSetting(tx, { accountId, signal, enabled: true }, nowMs)
    }
  })
  await sql.end()
}
const received = (path: string): Understood[] =>
  receiver.requests.flatMap((request) => (request.path === path ? (request.items ?? []) : []))

test('the definitions of OpenTelemetry accept every push, with runs as traces and their phases', async () => {
  await turnOn()
  await vi.waitFor(
    () => {
      const series = received('/v1/metrics')
      const success = series.find(({ name }) => name === 'probe_success')
      expect(success).toMatchObject({ value: 1, attributes: { check: 'a "name"\\', region: 'fra' } })
      expect(series.some(({ name }) => name === 'probe_mesh_check_blocked')).toBe(true)
      expect(received('/v1/traces').some(({ name }) => name === 'transfer')).toBe(true)
    },
    { timeout: 150_000, interval: 500 },
  )
  expect(receiver.requests.filter(({ problem }) => problem !== undefined)).toEqual([])
  const spans = received('/v1/traces')
  const roots = spans.filter(({ parent }) => parent === '')
  const verdicts = new Map(
    roots.map(({ attributes }) => [attributes['probe_mesh.region'], attributes['probe_mesh.verdict']]),
  )
  expect(Object.fromEntries(verdicts)).toEqual({ fra: 'up', iad: 'blocked' })
  expect(roots.every(({ status }) => status === 0)).toBe(true)
  const up = roots.find(
    ({ attributes }) =>
      attributes['probe_mesh.region'] === 'fra' && attributes['probe_mesh.run.kind'] === 'scheduled',
  )
  expect(up).toMatchObject({
    name: 'a "name"\\',
    attributes: { 'http.response.status_code': 200, 'url.full': target.url('/') },
  })
  const phases = spans
    .filter(({ trace, parent }) => trace === up?.trace && parent !== '')
    .map(({ name }) => name)
  expect(phases).toEqual(['connect', 'ttfb', 'transfer'])
}, 200_000)
