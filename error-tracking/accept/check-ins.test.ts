import { insertTestHeartbeat } from '@probe-mesh/control-plane/src/heartbeats/testing-pings'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, expect, test } from 'vitest'
import { readCheckIn } from '../events/envelope/read-check-in.ts'

const at = useTestApp()
const off = useTestApp({ config: { errorTracking: 'off' } })
const account = useOnce(() => at.account('scale'))
const other = useOnce(() => at.account('scale'))
const project = useOnce(async () => {
  const id = await insertTestErrorProject(at.sql, account.id)
  const [row] = await at.sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  return { number: row?.number ?? '', key: row?.key ?? '' }
})
beforeEach(() => at.pass(2_000))

const uuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const newId = (): string => crypto.randomUUID().replaceAll('-', '')
const checkIn = (slug: string, status: string, id: string | undefined = newId(), more: object = {}) => ({
  check_in_id: id,
  monitor_slug: slug,
  status,
  ...more,
})
const event = () => ({ event_id: newId(), message: 'broken', platform: 'node', timestamp: at.now() / 1_000 })
const post = async (items: readonly (readonly [type: string, payload: object])[], app = at) => {
  const lines = items.flatMap(([type, payload]) => [JSON.stringify({ type }), JSON.stringify(payload)])
  const response = await app.app.inject({
    method: 'POST',
    url: `/api/${project.number}/envelope/`,
    headers: { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${project.key}` },
    payload: ['{}', ...lines].join('\n'),
  })
  return { status: response.statusCode, problem: response.headers['x-sentry-error'], body: response.body }
}
const job = (slug: string, accountId = account.id) =>
  insertTestHeartbeat(at.sql, { accountId, settings: { slug, maxRuntimeSeconds: 600 } })
const runs = async (checkId: string, key = account.readKey) => {
  const { json } = await at.call('GET', `/v1/checks/${checkId}/runs`, { key })
  return json.runs.map(({ outcome }: { outcome: string }) => outcome)
}

test('in_progress and ok with one id are a run of the heartbeat with the slug, which is up then', async () => {
  const { checkId } = await job('nightly')
  const id = newId()
  expect((await post([['check_in', checkIn('nightly', 'in_progress', id)]])).status).toBe(200)
  expect(await runs(checkId)).toEqual(['running'])
  at.pass(60_000)
  expect((await post([['check_in', checkIn('nightly', 'ok', id)]])).status).toBe(200)
  expect(await runs(checkId)).toEqual(['success'])
  const { json } = await at.call('GET', `/v1/checks/${checkId}`, { key: account.readKey })
  expect(json).toMatchObject({
    status: 'operational',
    heartbeat: { state: 'up', latestRun: { durationMs: expect.closeTo(60_000, -4) } },
  })
})

test.each([
  ['error', ['failure']],
  ['ok', ['success']],
  ['in_progress', ['running']],
])('%s alone is %j', async (status, expected) => {
  const { checkId } = await job(`alone-${status}`)
  await post([['check_in', checkIn(`alone-${status}`, status)]])
  expect(await runs(checkId)).toEqual(expected)
})

test('a replayed envelope changes nothing, and an id of zeros names no run', async () => {
  const { checkId } = await job('replayed')
  const items = [['check_in', checkIn('replayed', 'error')]] as const
  await post(items)
  await post(items)
  expect(await runs(checkId)).toEqual(['failure'])
  at.pass(2_000)
  const nil = '0'.repeat(32)
  await post([['check_in', checkIn('replayed', 'ok', nil)]])
  await post([['check_in', checkIn('replayed', 'ok', nil)]])
  expect(await runs(checkId)).toEqual(['success', 'success', 'failure'])
})

test('a paused heartbeat records its check-in, and stays unknown', async () => {
  const settings = { slug: 'paused' }
  const { checkId } = await insertTestHeartbeat(at.sql, { accountId: account.id, settings, paused: true })
  expect((await post([['check_in', checkIn('paused', 'error')]])).status).toBe(200)
  expect(await runs(checkId)).toEqual(['failure'])
  const { json } = await at.call('GET', `/v1/checks/${checkId}`, { key: account.readKey })
  expect(json).toMatchObject({ status: 'unknown', heartbeat: { state: 'paused' } })
})

test("a check-in of another account's slug is 404, and its heartbeat is not touched", async () => {
  const { checkId } = await job('theirs', other.id)
  const { status, problem } = await post([['check_in', checkIn('theirs', 'ok')]])
  expect([status, problem]).toEqual([404, 'check_in: no heartbeat of this account has the slug theirs'])
  expect(await runs(checkId, other.readKey)).toEqual([])
})

test('a slug that two heartbeats have is 409, and more than five a second are 429', async () => {
  await job('two')
  await job('two')
  expect((await post([['check_in', checkIn('two', 'ok')]])).status).toBe(409)
  await job('flood')
  const items = Array.from({ length: 6 }, () => ['check_in', checkIn('flood', 'ok')] as const)
  expect((await post(items)).status).toBe(429)
})

test('beside an event that was accepted, a refused check-in does not make the client discard it', async () => {
  expect(
    (
      await post([
        ['event', event()],
        ['check_in', checkIn('none', 'ok')],
      ])
    ).status,
  ).toBe(200)
})

test('while error tracking is off a check-in is refused like every event', async () => {
  const { status, body } = await post([['check_in', checkIn('nightly', 'ok')]], off)
  expect([status, body]).toEqual([403, expect.stringContaining('rror tracking')])
})

const id = '0123456789abcdef0123456789ABCDEF'
test.each([
  ['text', 'must be a JSON object'],
  [null, 'must be a JSON object'],
  [{ status: 'ok' }, 'monitor_slug'],
  [checkIn('', 'ok'), 'monitor_slug'],
  [checkIn('x'.repeat(51), 'ok'), 'monitor_slug'],
  [checkIn('a/b', 'ok'), 'monitor_slug'],
  [checkIn('a', 'missed'), 'status'],
  [checkIn('a', 'OK'), 'status'],
  [checkIn('a', 'ok', '123'), 'check_in_id'],
  [{ ...checkIn('a', 'ok'), check_in_id: 5 }, 'check_in_id'],
])('%j is no check-in', (json, problem) => {
  expect(readCheckIn(json)).toEqual({ problem: expect.stringContaining(problem) })
})

test.each([
  [checkIn('a', 'ok', id), uuid(id.toLowerCase())],
  [checkIn('a', 'ok', uuid(id)), uuid(id.toLowerCase())],
  [checkIn('a', 'ok', '0'.repeat(32)), null],
  [{ monitor_slug: 'a', status: 'ok' }, null],
  [checkIn('a', 'ok', id, { monitor_config: { schedule: 7 }, duration: 'x' }), uuid(id.toLowerCase())],
])('%j is a check-in of the run %s', (json, runId) => {
  expect(readCheckIn(json)).toEqual({ slug: 'a', status: 'ok', runId })
})
