import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findDebianProgram } from '../testing/debian-program.ts'
import { startMesh } from '../testing/mesh.ts'
import type { Mesh } from '../testing/mesh.ts'
import { startTarget } from '../testing/target.ts'
import type { Target } from '../testing/target.ts'

/** The metrics of an account, measured by a real mesh and read by Debian's promtool. */
let mesh: Mesh
let target: Target
let promtool: string
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

/** What promtool says of a text; nothing: it has no fault and no unusual name. */
const judge = async (metrics: string): Promise<string> => {
  const child = spawn(promtool, ['check', 'metrics'])
  child.stdin.end(metrics)
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  return out + error
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
  expect(await judge(await scrape('text/plain'))).toBe('')
  expect(await judge(`${await scrape('text/plain')}no metric`)).toContain('error')
}, 120_000)
