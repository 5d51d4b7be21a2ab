import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { testFolder } from '../testing/folder.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findDebianProgram } from '../testing/debian-program.ts'
import { freePorts } from '../testing/processes/free-ports.ts'
import { startMesh, type Mesh } from '../testing/mesh.ts'
import { startTarget, type Target } from '../testing/target.ts'
import { queriesOf, readAccountDashboard } from './grafana/account-dashboard.ts'

/** The metrics of an account, measured by a real mesh and read by Debian's promtool. */
let mesh: Mesh
let target: Target
let promtool: string
const folder = testFolder('account-metrics-')
beforeAll(async () => {
  promtool = await findDebianProgram('prometheus', { mayFetch: true, program: 'promtool' })
  target = await startTarget()
  target.behave('challenge', ['iad'])
  const tiers = { scale: { intervalSecondsMin: 1 } }
  mesh = await startMesh({ regions: ['fra', 'iad'], tiers, budgetScale: 100 })
  const client = createApiClient({ apiUrl: mesh.apiUrl, apiKey: mesh.apiKey })
  const checks = { name: 'a "name"\\', url: target.url('/'), intervalSeconds: 1, sendRegion: true }
  expect(await client.call('createCheck', { body: checks })).toMatchObject({ ok: true })
}, 120_000)
afterAll(async () => {
  await mesh?.close()
  await target?.close()
})

const scrape = async (accept: string): Promise<string> => {
  const headers = { accept, authorization: `Bearer ${mesh.apiKey}` }
  return await (await fetch(`${mesh.apiUrl}/metrics`, { headers })).text()
}

/** What promtool says of a text. */
const judge = async (command: readonly string[], input: string): Promise<string> => {
  const child = spawn(promtool, command)
  child.stdin.end(input)
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  return out + error
}
/** Nothing: the metrics have no fault and no unusual name. */
const judgeMetrics = (metrics: string): Promise<string> => judge(['check', 'metrics'], metrics)
const judgeQueries = async (queries: readonly string[]): Promise<string> => {
  const rules = queries.map((expr, at) => ({ record: `query:${at}`, expr }))
  const file = join(folder, 'rules.yml')
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  return judge(['check', 'rules', file], '')
}

test('promtool finds no fault in the metrics of measured, refused and new checks', async () => {
  await vi.waitFor(
    async () => {
      const metrics = await scrape('text/plain')
      expect(metrics).toMatch(/^probe_success\{check="a \\"name\\"\\\\",.*region="fra"\} 1$/m)
      expect(metrics).toMatch(/^probe_mesh_check_blocked\{.*region="iad"\} 1$/m)
      expect(metrics).not.toMatch(/^probe_success\{.*region="iad"/m)
    },
    { timeout: 60_000, interval: 500 },
  )
  expect(await judgeMetrics(await scrape('text/plain'))).toBe('')
  expect(await judgeMetrics(`${await scrape('text/plain')}no metric`)).toContain('error')
}, 120_000)

test("Debian's Prometheus scrapes the metrics with a key, and answers with them", async () => {
  const prometheus = await findDebianProgram('prometheus', { mayFetch: true })
  const [port] = await freePorts(1)
  const [file, key] = [join(folder, 'prometheus.yml'), join(folder, 'key')]
  await writeFile(key, mesh.apiKey)
  const scraped = {
    job_name: 'checks',
    scrape_interval: '1s',
    metrics_path: '/v1/metrics',
    authorization: { credentials_file: key },
    static_configs: [{ targets: [new URL(mesh.apiUrl).host] }],
  }
  await writeFile(file, JSON.stringify({ scrape_configs: [scraped] }))
  const child = spawn(
    prometheus,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = once(child, 'exit')
  const ask = async (query: string): Promise<unknown[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`)
    const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
    return data.result.map(({ value }) => value[1])
  }
  try {
    await vi.waitFor(
      async () => {
        expect(await ask('up{job="checks"}')).toEqual(['1'])
        expect(await ask('probe_success{region="fra"}')).toEqual(['1'])
        expect(await ask('probe_mesh_check_blocked{region="iad"}')).toEqual(['1'])
      },
      { timeout: 60_000, interval: 500 },
    )
  } finally {
    child.kill()
    await ended
  }
}, 120_000)

test('promtool parses every query of the dashboard', async () => {
  const queries = queriesOf(await readAccountDashboard())
  expect(await judgeQueries(queries)).toContain(`SUCCESS: ${queries.length} rules found`)
  expect(await judgeQueries([...queries, 'sum('])).toContain('FAILED')
})
