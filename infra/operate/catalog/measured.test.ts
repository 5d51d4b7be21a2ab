import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { service } from '@probe-mesh/control-plane/src/catalog/testing'
import { catalogChecksOf } from '@probe-mesh/control-plane/src/catalog/catalog-checks'
import { catalogAccountId } from '@probe-mesh/control-plane/accounts/accounts-store'
import { findChecks } from '@probe-mesh/control-plane/src/records/check/checks-store'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { useOnce } from '../../testing/use.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startMesh, type Mesh } from '../../testing/mesh.ts'
import { startTarget } from '../../testing/target.ts'

/** The catalog on a mesh: measured, stored and judged like other checks, and read-only for accounts. */

const regions = ['iad', 'fra']
const stateTimeout = { timeout: 60_000, interval: 100 }
const long = { timeout: 90_000 }

let mesh: Mesh
let sql: Sql

const up = useOnce(() => startTarget())
/** Answers every request with 403 and no body. */
const refusing = useOnce(() =>
  createServer((_, response) => response.writeHead(403).end()).listen(0, '127.0.0.1'),
)
beforeAll(async () => {
  await once(refusing, 'listening')
  const { port } = refusing.address() as AddressInfo
  const probed = (slug: string, url: string) => service(slug, { probes: [{ url, name: null, expect: {} }] })
  const services = [probed('up', up.url()), probed('refusing', `http://127.0.0.1:${port}/`)]
  mesh = await startMesh({ regions, tiers: {}, budgetScale: 1, catalog: { services, stacks: [] } })
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 1 })
})
afterAll(async () => {
  await sql?.end()
  await mesh?.close()
  refusing.close().closeAllConnections()
})

const states = async () =>
  new Map((await findChecks(sql, catalogAccountId)).map(({ name, state }) => [name, state]))

test(
  'a service is measured from every region, and one that refuses unknown clients is not down',
  long,
  async () => {
    await vi.waitFor(async () => {
      const found = await states()
      expect(found.get('up')?.status).toBe('operational')
      const measured = { fra: { verdict: 'up' }, iad: { verdict: 'up' } }
      expect(found.get('up')?.regions).toMatchObject(measured)
      const refused = { verdict: 'blocked', reason: expect.stringContaining('403') }
      expect(found.get('refusing')?.regions).toMatchObject({ fra: refused, iad: refused })
      expect(found.get('refusing')?.status).not.toBe('down')
    }, stateTimeout)
    for (const { id } of await findChecks(sql, catalogAccountId)) {
      const stored = () => mesh.storedReadings(id)
      await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(0), stateTimeout)
    }
  },
)

test('no other account can read it by its id', async () => {
  const client = createApiClient({ apiUrl: mesh.apiUrl, apiKey: mesh.apiKey })
  const [check] = catalogChecksOf({
    services: [service('up', { probes: [{ url: up.url(), name: null, expect: {} }] })],
  })
  const answer = await client.call('getCheck', { params: { id: check?.checkId ?? '' } })
  expect(answer.ok ? null : answer.problem.code).toBe('SV-3001')
  expect(await client.call('listChecks', {})).toMatchObject({ ok: true, value: { checks: [] } })
})
