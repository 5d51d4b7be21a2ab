import { gunzipSync } from 'node:zlib'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { expect, test } from 'vitest'
import { checkFamilies } from './check-metrics.ts'
import { parseMetrics } from './testing.ts'
import { newRegionState } from '../status/state.ts'
import { ownerOf } from '../app/testing/pages.ts'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp()

const scrape = (key: string, headers: Record<string, string> = {}) =>
  at.call('GET', '/v1/metrics', { key, headers })

/** Checks with one measured region, and 3 s old. */
const insertChecks = async (accountId: string, names: readonly string[]): Promise<void> => {
  const regions = { fra: { ...newRegionState, verdict: 'up', latencyMs: 5, measuredAt: at.now() - 3_000 } }
  for (const name of names) {
    const id = uuidv7(at.now())
    await at.sql`
      insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions, config,
        valid_from, created_at, updated_at)
      values (${id}, ${accountId}, 'http', ${name}, 'https://example.org/?a="b"', 60, '{fra,iad}', false,
        ${at.sql.json({ type: 'unknown' })}, now(), now(), now())`
    await at.sql`
      insert into check_states (check_id, partition, status, regions)
      values (${id}, 0, 'operational', ${at.sql.json(regions as never)})`
    await at.sql`
      insert into check_certificates (check_id, region, expires_at, seen_at, names, name_count)
      values (${id}, 'fra', ${new Date(at.now() + 86_400_000)}, ${new Date(at.now())}, '{}', 0)`
  }
}

test('serves the checks of the account of the key, and of no other', async () => {
  const [mine, other] = [await at.account('growth'), await at.account('growth')]
  await insertChecks(mine.id, ['Shop', 'a\\"b'])
  await insertChecks(other.id, ['Theirs'])
  const { status, headers, text } = await scrape(mine.readKey)
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(headers).toMatchObject({ 'cache-control': 'no-store', ratelimit: expect.any(String) })
  const series = parseMetrics(text)
  const shown = (name: string) =>
    series
      .filter((each) => each.name === name)
      .map(({ labels, value }) => [labels['check'], labels['region'], value])
  expect(shown('probe_success')).toEqual([
    ['Shop', 'fra', 1],
    ['a\\"b', 'fra', 1],
  ])
  expect(shown('probe_ssl_earliest_cert_expiry')).toHaveLength(2)
  expect(new Set(series.map(({ labels }) => labels['target']))).toEqual(
    new Set(['https://example.org/?a="b"']),
  )
  for (const { name } of checkFamilies) expect(text).toContain(`# TYPE ${name} gauge\n`)
})

test('writes OpenMetrics for a client that prefers it, and gzip for one that accepts it', async () => {
  const account = await at.account('growth')
  await insertChecks(account.id, ['Shop'])
  const plain = await scrape(account.readKey)
  const open = await scrape(account.readKey, { accept: 'application/openmetrics-text; version=1.0.0' })
  expect(open.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(open.text).toBe(plain.text)
  const zipped = await at.app.inject({
    method: 'GET',
    url: '/v1/metrics',
    headers: { authorization: `Bearer ${account.readKey}`, 'accept-encoding': 'gzip, br' },
  })
  expect(zipped.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.text)
})

test('an answer is 5 s old at most, and each one spends a read of the key', async () => {
  const account = await at.account('growth')
  at.hold()
  const count = async () => parseMetrics((await scrape(account.readKey)).text).length
  expect(await count()).toBe(0)
  await insertChecks(account.id, ['Shop'])
  expect(await count()).toBe(0)
  at.pass(5_001)
  expect(await count()).toBeGreaterThan(0)
  const { json } = await at.call('GET', '/v1/me', { key: account.readKey })
  expect(json.limits.reads.left).toBe(120 - 4)
})

test('refuses as every read does: no key, the Free plan, unknown parameters, other methods', async () => {
  const [free, growth] = [await at.account('free'), await at.account('growth')]
  const codeOf = async (path: string, key?: string) =>
    (await at.call('GET', path, key === undefined ? {} : { key })).json.code
  expect(await codeOf('/v1/metrics')).toBe('SV-1001')
  expect(await codeOf('/v1/metrics', free.readKey)).toBe('SV-1003')
  expect(await codeOf('/v1/metrics?all=1', growth.readKey)).toBe('SV-2001')
  const posted = await at.call('POST', '/v1/metrics', { key: growth.writeKey, body: {} })
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD'])
})

test('a check in maintenance has its metric until the window ends, and none of another account', async () => {
  const [account, other] = [await at.account('growth'), await at.account('growth')]
  const [owner, theirs] = [ownerOf(at, account), ownerOf(at, other)]
  const [checkId, beside] = [await owner.checkId(), await owner.checkId()]
  await theirs.checkId()
  const statusPageId = await owner.pageId()
  await owner.post(`/status-pages/${statusPageId}/components`, { checkId })
  at.hold()
  const shown = async (key: string) => {
    at.pass(5_001)
    const series = parseMetrics((await scrape(key)).text)
    return series
      .filter(({ name }) => name === 'probe_mesh_check_maintenance')
      .map(({ labels, value }) => [labels['check_id'], value])
  }
  const none = [checkId, beside].map((id) => [id, 0])
  expect(await shown(account.readKey)).toEqual(none)
  const window = { statusPageId, title: 'a', body: 'b', durationMinutes: 1 }
  await owner.post('/maintenance', window)
  expect(await shown(account.readKey)).toEqual([
    [checkId, 1],
    [beside, 0],
  ])
  expect((await shown(other.readKey)).map(([, value]) => value)).toEqual([0])
  at.pass(60_000)
  expect(await shown(account.readKey)).toEqual(none)
})
