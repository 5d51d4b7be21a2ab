import { useEach } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { defaultRule } from '../alerts/alert-rule.ts'
import { insertAlertRule } from '../alerts/alert-rules-store.ts'
import { alertScenario, publishChecks, testRegions } from '../app/alerting/testing.ts'
import { lostWithCheck, movedWithCheck } from '../records/check/check-references-store.ts'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { replaceCheck } from './replace-check.ts'
import { writingContext } from '../app/testing/operation-context.ts'
import { useTestApp, startTestApp } from '../app/testing/test-app.ts'
import { makeWorld } from '../app/testing/route-examples.ts'
import { atOnce, missing, ownerOf } from '../app/testing/pages.ts'

const at = useTestApp({ config: { budgetScale: 1_000, tiers: { ...tiersDefault } } })
// S-218: the new check and the end of the old one, or neither
const account = useEach(() => at.account('scale'))
const owner = useEach(() => ownerOf(at, account))
const world = useEach(() => makeWorld(at, account))
afterAll(async () => {
  // the driver waits for connections that were killed
  await at.accountSql.end({ timeout: 1 })
})

const replace = (id: string, body: object, headers: Record<string, string> = {}) =>
  at.call('POST', `/v1/checks/${id}/replace`, { key: account.writeKey, body, headers })
const checks = async () => (await owner.get('/checks')).json.checks
/** All that the account has, as its rows. */
const everything = async () => {
  const tables = [
    'checks',
    'deleted_checks',
    'check_revisions',
    ...movedWithCheck,
    'alert_rules',
    'audit_log',
  ]
  const rows = await Promise.all(
    tables.map((table) => at.sql`select ${at.sql(table)}::text as row from ${at.sql(table)} order by 1`),
  )
  return rows.map((found) => found.map(({ row }) => row))
}

test('the new check has a new id, the new values and no history; the old one is gone', async () => {
  const answer = await replace(world.checkId, { url: 'https://example.org/new', intervalSeconds: 90 })
  expect(answer).toMatchObject({
    status: 201,
    json: { name: 'web', url: 'https://example.org/new', intervalSeconds: 90, status: 'unknown' },
  })
  const { id } = answer.json
  expect((await owner.get(`/checks/${world.checkId}`)).status).toBe(404)
  expect((await checks()).map((check: { id: string }) => check.id).toSorted()).toEqual(
    [id, world.otherCheckId].toSorted(),
  )
  const revisions = await at.sql`select revision from check_revisions where check_id = ${id}`
  expect(revisions).toEqual([{ revision: 1 }])
  expect(await at.sql`select 1 from check_revisions where check_id = ${world.checkId}`).toHaveLength(0)
  expect(await at.sql`select purged_at from deleted_checks where check_id = ${world.checkId}`).toEqual([
    { purged_at: null },
  ])
})

test('its component, rules, windows, incidents and subscribers are those of the old check', async () => {
  const { checkId, componentId, pageId } = world
  const checkIds = [world.otherCheckId, checkId]
  await insertAlertRule(at.sql, { ...defaultRule(account.id, at.now()), checkIds })
  const incidents = (await owner.get('/incidents')).json
  const windows = (await owner.get('/maintenance')).json
  const { id } = (await replace(checkId, { url: 'https://example.org/new' })).json
  const component = (await owner.get(`/status-pages/${pageId}/components/${componentId}`)).json
  expect(component).toMatchObject({ id: componentId, checkId: id })
  const after = (await owner.get('/incidents')).json
  expect(JSON.stringify(after)).toBe(JSON.stringify(incidents).replaceAll(checkId, id))
  expect(incidents.incidents).toHaveLength(1)
  expect((await owner.get('/maintenance')).json).toEqual(windows)
  const [rule] = await at.sql`select check_ids from alert_rules
    where account_id = ${account.id} and ${world.otherCheckId} = any(check_ids)`
  expect(rule?.['check_ids']).toEqual([world.otherCheckId, id])
})

test('what the input leaves out stays', async () => {
  const kept = {
    name: 'kept',
    url: 'https://example.org/a',
    intervalSeconds: 120,
    regions: ['iad', 'fra'],
    timeoutSeconds: 7,
    refusedAs: 'blocked',
    tags: ['shop', 'eu'],
    assertionStatusMin: 200,
    assertionBodyOp: 'contains',
    assertionBodyValue: 'ok',
  }
  const first = (await owner.post('/checks', kept)).json
  await owner.send('PATCH', `/checks/${first.id}`, { paused: true })
  const next = (await replace(first.id, { url: 'https://example.org/b' })).json
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...settings } = first
  expect(next).toMatchObject({ ...settings, url: 'https://example.org/b', paused: true })
  const other = { assertionStatusMax: 204, timeoutSeconds: null, paused: false, tags: [] }
  const last = (await replace(next.id, other)).json
  expect(last).toMatchObject({ assertionStatusMin: null, assertionBodyOp: null, assertionStatusMax: 204 })
  expect(last).toMatchObject({ paused: false, tags: [], regions: ['iad', 'fra'] })
  expect(last).not.toHaveProperty('timeoutSeconds')
})

test('a timeout that the new interval has no room for goes, and one that is named is refused', async () => {
  const slow = { name: 'slow', url: 'https://example.org/s', intervalSeconds: 60, timeoutSeconds: 20 }
  const { id } = (await owner.post('/checks', slow)).json
  const refused = await replace(id, { intervalSeconds: 10, timeoutSeconds: 20 })
  expect(refused).toMatchObject({ status: 422, json: { errors: [{ path: 'timeoutSeconds' }] } })
  expect((await replace(id, { intervalSeconds: 10 })).json).not.toHaveProperty('timeoutSeconds')
})

test('a check in all live regions stays in all of them', async () => {
  const all = (await owner.post('/checks', { name: 'all', url: 'https://example.org/all' })).json
  expect((await replace(all.id, { intervalSeconds: 77 })).json).toMatchObject({ allRegions: true })
})

describe('a refused replace changes nothing', () => {
  test.each([
    ['SV-5001', { url: 'http://10.0.0.1/' }],
    ['SV-5001', { url: 'https://example.org/new page' }],
    ['SV-4002', { intervalSeconds: 5 }],
    ['SV-2001', { regions: ['xyz'] }],
    ['SV-2001', { name: ' ' }],
    ['SV-2002', { assertionJsonPath: '$..a', assertionJsonOp: 'exists' }],
    ['SV-3001', { regions: [`private-${missing}`] }],
  ])('%s for %j', async (code, body) => {
    const before = await everything()
    const answer = await replace(world.checkId, body)
    expect(answer.json.code).toBe(code)
    expect(await everything()).toEqual(before)
  })

  test('SV-3005 for another type, and SV-3001 for a check of another account', async () => {
    const [{ id = '' } = {}] = await at.sql`
      update checks set type = 'tcp', config = '{"type":"tcp","settings":{"host":"a.example.org","port":25}}'
      where id = ${world.otherCheckId} returning id`
    expect((await replace(id, { name: 'x' })).json).toMatchObject({ code: 'SV-3005' })
    const stranger = await at.account('scale')
    const path = `/v1/checks/${world.checkId}/replace`
    const answer = await at.call('POST', path, { key: stranger.writeKey, body: { name: 'x' } })
    expect(answer.json).toMatchObject({ code: 'SV-3001' })
    expect((await owner.get(`/checks/${world.checkId}`)).status).toBe(200)
  })

  test('SV-3002 for a private agent while a page publishes the check', async () => {
    const before = await everything()
    const answer = await replace(world.checkId, { regions: [`private-${world.agentId}`] })
    expect(answer.json).toMatchObject({ code: 'SV-3002', errors: [{ path: 'regions' }] })
    expect(await everything()).toEqual(before)
  })
})

test('the account keeps its number of checks, also at its limit, and one write is counted', async () => {
  const tight = await startTestApp({
    config: { tiers: { ...tiersDefault, scale: { ...tiersDefault.scale, monitors: 1 } } },
  })
  onTestFinished(() => tight.close())
  const full = await tight.account('scale')
  const { post } = ownerOf(tight, full)
  const { id } = (await post('/checks', { name: 'only', url: 'https://example.org/' })).json
  const one = { name: 'more', url: 'https://example.org/' }
  expect((await post('/checks', one)).json).toMatchObject({ code: 'SV-4001' })
  const left = async () => (await tight.call('GET', '/v1/me', { key: full.writeKey })).json.limits.writes.left
  const before = await left()
  expect((await post(`/checks/${id}/replace`, { url: 'https://example.org/2' })).status).toBe(201)
  expect(before - (await left())).toBe(1)
})

describe('the same request again', () => {
  test('is answered with the same check, whether or not it has an Idempotency-Key', async () => {
    const first = await replace(world.checkId, { intervalSeconds: 70 }, { 'idempotency-key': 'a' })
    const again = await replace(world.checkId, { intervalSeconds: 70 }, { 'idempotency-key': 'a' })
    expect(again).toMatchObject({ status: 201, json: first.json })
    expect(again.headers['idempotency-replayed']).toBe('true')
    const bare = await replace(world.checkId, { intervalSeconds: 70 })
    expect(bare).toMatchObject({ status: 201, json: first.json })
    expect(await checks()).toHaveLength(2)
    expect((await owner.auditEntries()).filter(([action]) => action === 'replaceCheck')).toHaveLength(2)
  })

  test('with other values is SV-3002 and names the new check', async () => {
    const { id } = (await replace(world.checkId, { intervalSeconds: 70 })).json
    const other = await replace(world.checkId, { intervalSeconds: 80 })
    expect(other).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect(other.json.message).toContain(id)
  })

  test('at the same time makes one check', async () => {
    const send = () => replace(world.checkId, { url: 'https://example.org/new' })
    const answers = await atOnce(at, { table: 'accounts', id: account.id }, [send, send, send, send])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
    expect(await checks()).toHaveLength(2)
  })

  test('is SV-3001 when the new check was deleted', async () => {
    const { id } = (await replace(world.checkId, { intervalSeconds: 70 })).json
    await owner.send('DELETE', `/checks/${id}`)
    expect((await replace(world.checkId, { intervalSeconds: 70 })).json).toMatchObject({ code: 'SV-3001' })
  })
})

test.each(['check_revisions', 'components', 'deleted_checks', 'audit_log'])(
  'a connection that is killed at its write to %s leaves the old check whole, and a repeat replaces it',
  async (table) => {
    await at.sql.unsafe(`
      create function kill_writer() returns trigger language plpgsql security definer as $$
      begin
        if current_setting('app.account', true) = '${account.id}' then
          perform pg_terminate_backend(pg_backend_pid());
        end if;
        return null;
      end $$;
      create trigger kill_writer after insert or update or delete on ${table}
        for each statement execute function kill_writer()`)
    const before = await everything()
    const body = { url: 'https://example.org/new' }
    const answer = await replace(world.checkId, body, { 'idempotency-key': 'k' })
    await at.sql.unsafe(`drop trigger kill_writer on ${table}; drop function kill_writer()`)
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(await everything()).toEqual(before)
    const again = await replace(world.checkId, body, { 'idempotency-key': 'k' })
    expect(again.status).toBe(201)
    expect(await checks()).toHaveLength(2)
  },
)

test('every table with a check id either follows the new check or is named as lost', async () => {
  const rows = await at.sql<{ name: string }[]>`
    select distinct relname as name from pg_class
      join pg_attribute on attrelid = pg_class.oid and attname = 'check_id' and not attisdropped
      join pg_namespace on pg_namespace.oid = relnamespace and nspname = 'public'
    where relkind in ('r', 'p')
    union
    select conrelid::regclass::text from pg_constraint
    where contype = 'f' and confrelid in ('checks'::regclass, 'heartbeats'::regclass)`
  const named = [...movedWithCheck, ...lostWithCheck].toSorted()
  expect(rows.map(({ name }) => name).toSorted()).toEqual(named)
})

test('an alert and an incident that were open end when the new check is up', async () => {
  const game = alertScenario(at.sql)
  game.clock.nowMs = Date.now()
  const accountId = await game.account()
  await game.rule(accountId)
  await game.channel(accountId)
  const [old = ''] = await game.checks(accountId, ['shop'])
  const pageId = await publishChecks(at.sql, accountId, [old])
  const act = async () => {
    await game.act()
    game.pass(60_000)
    await game.act()
  }
  await game.flip([old], 'down')
  await act()
  const context = {
    ...writingContext(at.accountSql, { regions: testRegions }),
    uptimes: { drop: vi.fn() },
    now: () => game.clock.nowMs,
  }
  const caller = { accountId, actor: { kind: 'operator' } } as const
  const body = { url: 'https://shop.example.org/new' }
  const made = await replaceCheck(context as never, caller as never, { params: { id: old }, body })
  if ('refused' in made) throw new Error(made.message)
  await game.flip([made.id], 'operational')
  await act()
  expect(await game.titles(accountId)).toEqual(['shop is down', 'shop has recovered after 1 min'])
  const incidents = await at.sql`select check_id, status from incidents where status_page_id = ${pageId}`
  expect(incidents).toEqual([{ check_id: made.id, status: 'resolved' }])
})
