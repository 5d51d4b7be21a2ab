import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertReadings } from '@probe-mesh/control-plane/readings/insert-readings'
import { readingAt } from '@probe-mesh/control-plane/status/testing'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import type { TestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

const hourMs = 3_600_000

let clickhouse: TestClickHouse
let web: TestWeb
beforeAll(async () => {
  clickhouse = await createTestClickHouse()
  web = await startTestWeb({ clickhouseUrl: clickhouse.url, config: { budgetScale: 100 } })
})
afterAll(async () => {
  await web.close()
  await clickhouse.close()
})

const owner = async (of: TestWeb) => {
  const member = await of.member()
  const made = await member.post('/dashboard/keys', { name: 'test', scope: 'read_write' })
  const key = String(/sv_rw_\w{49}/.exec(made.text)?.[0])
  const body = { name: '<script>"', url: 'https://example.org/' }
  const { json } = await of.at.call('POST', '/v1/checks', { key, body })
  return { ...member, checkId: String(json.id) }
}

test('the list draws the last 24 hours of its checks, and says them', async () => {
  const { get, checkId } = await owner(web)
  const hour = Math.floor(Date.now() / hourMs) * hourMs
  // a whole hour of silence lies between the two, and one that is too old before them
  const readings = [
    ...[0, 1, 2].map((n) =>
      readingAt('fra', 'up', hour - 5 * hourMs + n * 60_000, { checkId, latencyMs: 120 }),
    ),
    readingAt('nrt', 'down', hour - 3 * hourMs, { checkId }),
    readingAt('fra', 'down', hour - 30 * hourMs, { checkId }),
  ]
  const client = connectClickHouse(clickhouse.url)
  const stored = readings.map((reading) => ({
    reading,
    agent: 'a',
    receivedAtMs: reading.measuredAt,
    rawDays: 30,
    hourDays: 400,
  }))
  await insertReadings(client, stored, crypto.randomUUID())
  await client.close()
  const { text } = await get('/dashboard/checks')
  expect(text).toContain('<title>p50 120 ms, 75.0 % up, measured in 2 of the last 24 hours</title>')
  expect(text).toContain('Last 24 hours')
  expect(text).not.toContain('<script>"')

  const stranger = await owner(web)
  expect((await stranger.get('/dashboard/checks')).text).not.toContain('class="sparkline"')
})

test('where ClickHouse is away the list says so and draws nothing', async () => {
  const away = await startTestWeb({ config: { budgetScale: 100 } })
  const { get } = await owner(away)
  const { status, text } = await get('/dashboard/checks')
  expect(status).toBe(200)
  expect(text).toContain('History is delayed')
  expect(text).not.toContain('class="sparkline"')
  await away.close()
})
