import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { beforeEach, expect, test } from 'vitest'
import { alertScenario } from '../../app/alerting/testing.ts'
import { readingAt } from '../../status/testing.ts'
import { startProviderWriter } from './provider-writer.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
let checkId: string
const nowMs = Date.parse('2026-11-20T12:00:00.000Z')

beforeEach(async () => {
  await sql`delete from accounts`
  const game = alertScenario(sql)
  const [id = ''] = await game.checks(await game.account(), ['shop'])
  checkId = id
})

const http = (cdn: string | null, names?: string) => ({
  details: {
    type: 'http' as const,
    cdn,
    nameServers: [],
    ...(names !== undefined && {
      names: {
        name: 'shop.example.org',
        resolver: 'silent',
        controls: 'answered',
        unchecked: null,
        zone: 'example.org',
        servers: [{ name: names, address: null, answer: 'silent' }],
      },
    }),
  },
})
const seen = (verdict: Reading['verdict'], secondsAgo: number, more: Partial<Reading> = {}): Reading => ({
  ...readingAt('fra', verdict, nowMs - secondsAgo * 1_000),
  checkId,
  ...more,
})
/** Writes the readings by a process of its own. @returns how many rows it wrote */
const write = async (...batches: Reading[][]): Promise<number> => {
  let stored = 0
  const metrics = {
    providers: {
      inc: ({ outcome }: { outcome: string }, count: number) => outcome === 'stored' && (stored += count),
    },
  }
  const writer = startProviderWriter({
    sql,
    metrics: metrics as never,
    log: { warn: () => {}, info: () => {} },
    now: () => nowMs,
  })
  for (const readings of batches) writer.note(readings)
  await writer.close()
  return stored
}
const rows = async () => await sql`select check_id, region, cdn, dns from check_providers`

test('stores the CDN of answers once, and again only when it changes', async () => {
  expect(await write([seen('up', 50, http('fastly')), seen('up', 40, http('fastly'))])).toBe(1)
  expect(await rows()).toEqual([{ check_id: checkId, region: 'fra', cdn: 'fastly', dns: null }])
  expect(
    await write([seen('up', 30, http('fastly'))], [seen('up', 20, http('akamai'))], [seen('up', 10)]),
  ).toBe(1)
  expect(await rows()).toEqual([{ check_id: checkId, region: 'fra', cdn: '', dns: null }])
})

test('a failure without a mark keeps the CDN, also after a restart, and shows whose name servers were asked', async () => {
  await write([seen('up', 50, http('fastly'))])
  await write([seen('down', 40)], [seen('down', 30, http(null, 'ns-1.awsdns-01.org'))])
  expect(await rows()).toEqual([{ check_id: checkId, region: 'fra', cdn: 'fastly', dns: 'route53' }])
})

test('stores nothing for unmeasured slots, answers without a CDN, and checks that are deleted', async () => {
  expect(
    await write([seen('unmeasured', 50, http('fastly')), seen('up', 40), seen('up', 30, http(null))]),
  ).toBe(0)
  await write([seen('up', 20, { ...http('fastly'), checkId: uuidv7(nowMs) })])
  expect(await rows()).toEqual([])
})
