import { Counts, Overview, Palette } from '@probe-mesh/contracts/overview/overview'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeEach, describe, expect, test } from 'vitest'
import { alertScenario, publishChecks } from '../app/alerting/testing.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'
import { insertReadings } from '../readings/insert-readings.ts'
import { readingAt } from '../status/testing.ts'
import { connectClickHouse } from '../stores/clickhouse/connect.ts'
import type { Fragment } from '../stores/postgres/connect.ts'
import { insertTestErrorProject } from '../stores/postgres/testing.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let user: TestUser
let game: ReturnType<typeof alertScenario>

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
const without = useTestApp()
beforeEach(async () => {
  at.hold()
  user = await loggedIn(at)
  game = alertScenario(at.systemSql)
  game.clock.nowMs = at.now()
})

const pass = (ms: number): void => {
  at.pass(ms)
  game.pass(ms)
}
const overview = async (): Promise<Overview> =>
  Overview.parse((await asUser(at, user, 'GET', '/overview')).json)
const counts = async (): Promise<Counts> => Counts.parse((await asUser(at, user, 'GET', '/counts')).json)
const attention = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await overview()).attention.map(({ kind, count, items }) => [
      kind,
      items.length === 0 ? count : items.map(({ name }) => name),
    ]),
  )

test('a new account has nothing open, no uptime, and nothing to attend to', async () => {
  expect(await overview()).toMatchObject({
    checks: { total: 0, byStatus: {} },
    openOutages: { total: 0, worst: [], oldestAt: null, newestAt: null },
    openIncidents: { total: 0, newest: [] },
    attention: [],
    uptime: { month: null },
    latency: { p50Ms: null, p95Ms: null, checks: 0 },
    regions: [
      { region: 'iad', checks: 0, p50Ms: null },
      { region: 'sjc' },
      { region: 'fra' },
      { region: 'nrt' },
    ],
    activity: { flips: [], moreFlips: false, releases: [], maintenance: [] },
  })
  expect(await counts()).toEqual({
    openOutages: 0,
    openIncidents: 0,
    unresolvedIssues: 0,
    activeMaintenance: 0,
    nothingMeasured: false,
  })
})

test('open outages come worst first and at most five, and count with the incidents that they opened', async () => {
  const names = Array.from({ length: 7 }, (_, n) => `check ${n}`)
  const checks = await game.checks(user.accountId, names)
  await publishChecks(at.sql, user.accountId, checks.slice(0, 1))
  for (const check of checks) {
    await game.flip([check], 'down')
    pass(10_000)
  }
  // one was seen to fail in one region of two
  await at.sql`update outages set regions = '{fra}' where check_id = ${checks[1] ?? ''}`
  await game.act()
  const { openOutages, openIncidents, checks: found } = await overview()
  expect(found).toEqual({ total: 7, byStatus: { down: 7 } })
  expect(openOutages).toMatchObject({
    total: 7,
    oldestAt: new Date(at.now() - 70_000).toISOString(),
    newestAt: new Date(at.now() - 10_000).toISOString(),
  })
  expect(openOutages.worst.map(({ checkName }) => checkName)).toEqual([
    'check 0',
    'check 2',
    'check 3',
    'check 4',
    'check 5',
  ])
  expect(openOutages.worst[0]).toMatchObject({ durationSeconds: 70, incidentIds: [expect.any(String)] })
  expect(openIncidents).toMatchObject({ total: 1, newest: [{ checkId: checks[0], source: 'automatic' }] })
  expect(await counts()).toMatchObject({ openOutages: 7, openIncidents: 1 })

  await at.sql`update checks set paused = true where id = ${checks[0] ?? ''}`
  await game.flip(checks.slice(1), 'operational')
  expect(await counts()).toMatchObject({ openOutages: 0 })
  expect((await overview()).openOutages).toEqual({ total: 0, worst: [], oldestAt: null, newestAt: null })
})

test('an open outage of a heartbeat, which has no regions, is among the worst', async () => {
  const [check = ''] = await game.checks(user.accountId, ['backup'])
  await at.sql`update checks set regions = '{}' where id = ${check}`
  await game.flip([check], 'down')
  const { openOutages } = await overview()
  expect(openOutages).toMatchObject({ total: 1, worst: [{ checkName: 'backup' }] })
})

describe('attention', () => {
  test('names checks without fresh readings, and leaves paused and new ones out', async () => {
    const [stale = '', never = '', , paused = ''] = await game.checks(user.accountId, [
      'stale',
      'never',
      'fresh',
      'paused',
    ])
    await game.channel(user.accountId)
    await at.sql`update notification_channels set verified_at = now() where account_id = ${user.accountId}`
    await game.flip([stale], 'operational')
    expect(await attention()).toEqual({})
    pass(hourMs)
    await game.flip([(await game.checks(user.accountId, ['fresh 2']))[0] ?? ''], 'operational')
    await at.sql`update checks set paused = true where id = ${paused}`
    const kinds = await attention()
    expect(kinds).toEqual({ stale: ['stale'], never_measured: ['fresh', 'never'] })
    await at.sql`delete from checks where id = ${never}`
  })

  test('names the checks whose outage no one would be notified of', async () => {
    const [shop = '', blog = '', paused = ''] = await game.checks(user.accountId, ['shop', 'blog', 'off'])
    await game.flip([shop, blog], 'operational')
    await at.sql`update checks set paused = true where id = ${paused}`
    const rules = (change: Fragment) => at.sql`update alert_rules set ${change}
      where account_id = ${user.accountId}`
    const both = ['blog', 'shop']
    expect(await attention()).toEqual({ no_channel: both })
    const channelId = await game.channel(user.accountId, false)
    expect(await attention()).toEqual({ no_receiver: both, channel_unverified: ['hook'] })
    await at.sql`update notification_channels set verified_at = now() where id = ${channelId}`
    expect(await attention()).toEqual({})
    await rules(at.sql`check_ids = array[${shop}]::uuid[]`)
    expect(await attention()).toEqual({ no_receiver: ['blog'] })
    await rules(at.sql`check_ids = null, statuses = '{stale}'`)
    expect(await attention()).toEqual({ no_receiver: both })
    await rules(at.sql`statuses = '{down}', enabled = false`)
    expect(await attention()).toEqual({ no_receiver: both })
    await rules(at.sql`channel_ids = '{}', enabled = true`)
    expect(await attention()).toEqual({ no_receiver: both })
    await at.sql`delete from notification_channels where id = ${channelId}`
    expect(await attention()).toEqual({ no_channel: both })
    // this server sends no mail
    await rules(at.sql`email_users = true`)
    expect(await attention()).toEqual({ no_channel: both })
  })

  test('names a channel whose messages do not arrive', async () => {
    const channelId = await game.channel(user.accountId)
    await at.sql`
      update notification_channels set verified_at = now(), failures = 4 where id = ${channelId}`
    expect(await attention()).toEqual({})
    await at.sql`update notification_channels set failing_since = now() where id = ${channelId}`
    expect(await attention()).toEqual({ channel_failing: ['hook'] })
  })

  test('names certificates and domains that expire within two weeks, the soonest first', async () => {
    await game.channel(user.accountId)
    await at.sql`update notification_channels set verified_at = now() where account_id = ${user.accountId}`
    const checks = await game.checks(user.accountId, ['late', 'soon', 'next', 'moved'])
    const days = [20, 10, 3, 1]
    for (const [index, id] of checks.entries()) {
      const expires = new Date(at.now() + (days[index] ?? 0) * dayMs)
      const region = index === 3 ? 'nrt' : 'fra'
      await at.sql`
        insert into check_certificates (check_id, region, expires_at, seen_at)
        values (${id}, ${region}, ${expires}, ${new Date(at.now())})`
      await at.sql`
        insert into check_domains (check_id, name, expires_at) values (${id}, 'example.org', ${expires})`
    }
    expect(await attention()).toEqual({
      certificate_expiring: ['next', 'soon'],
      domain_expiring: ['moved', 'next', 'soon'],
    })
  })

  test('names heartbeats without a ping', async () => {
    await game.channel(user.accountId)
    await at.sql`update notification_channels set verified_at = now() where account_id = ${user.accountId}`
    await asUser(at, user, 'POST', '/typed-checks', {
      type: 'heartbeat',
      name: 'backup',
      settings: { periodSeconds: 600, graceSeconds: 60 },
    })
    expect(await attention()).toEqual({ never_pinged: ['backup'] })
  })
})

test('uptime weighs every measured second of every check the same', async () => {
  const [long = '', short = ''] = await game.checks(user.accountId, ['long', 'short'])
  await game.flip([long], 'operational')
  pass(80_000)
  await game.flip([short], 'down')
  await game.flip([long], 'operational')
  pass(20_000)
  // 100 s up and 20 s down
  expect((await overview()).uptime).toEqual({ month: 0.833333, at: new Date(at.now()).toISOString() })
  pass(10_000)
  const cached = (await overview()).uptime
  expect([cached.month, Date.parse(cached.at)]).toEqual([0.833333, at.now() - 10_000])
})

test('latency is of the last hour, over all regions and by region', async () => {
  const [check = ''] = await game.checks(user.accountId, ['shop'])
  const client = connectClickHouse(clickhouse.url)
  const measured = [
    ['fra', 'up', 10, 60_000],
    ['fra', 'up', 30, 120_000],
    ['fra', 'up', 20, 180_000],
    ['iad', 'up', 500, 60_000],
    ['iad', 'down', 9_000, 120_000],
    ['iad', 'up', 7_000, 2 * hourMs],
  ] as const
  await insertReadings(
    client,
    measured.map(([region, verdict, latencyMs, agoMs]) => ({
      reading: readingAt(region, verdict, at.now() - agoMs, { checkId: check, latencyMs }),
      agent: `${region}-1`,
      receivedAtMs: at.now(),
      rawDays: 30,
      hourDays: 400,
    })),
    crypto.randomUUID(),
  )
  await client.close()
  const { latency, regions } = await overview()
  expect(latency?.p95Ms).toBe(500)
  expect(latency).toMatchObject({ checks: 1, at: new Date(at.now()).toISOString() })
  expect(regions.map(({ region, checks, p50Ms }) => [region, checks, p50Ms])).toEqual([
    ['iad', 1, 500],
    ['sjc', 0, null],
    ['fra', 1, 20],
    ['nrt', 0, null],
  ])
})

test('a region shows whether agents report from it, and whether its readings count', async () => {
  const stateOf = async (name: string): Promise<string | undefined> =>
    (await overview()).regions.find(({ region }) => region === name)?.state
  // no agent runs in this test
  await expect.poll(() => stateOf('fra')).toBe('offline')
  const id = uuidv7(at.now())
  await at.sql`
    insert into region_quarantines (id, region, since, hosts, failing, evidence)
    values (${id}, 'fra', now(), 9, 9, '{"examples": []}')`
  expect([await stateOf('fra'), await stateOf('iad')]).toEqual(['quarantined', 'offline'])
  await at.sql`delete from region_quarantines where id = ${id}`
})

test('without ClickHouse, the overview has everything but latency', async () => {
  const own = await loggedIn(without)
  const answer = await asUser(without, own, 'GET', '/overview')
  expect(Overview.parse(answer.json)).toMatchObject({ latency: null, checks: { total: 0 } })
})

test('activity has status changes, releases and maintenance of the last 24 hours, newest first', async () => {
  const [shop = ''] = await game.checks(user.accountId, ['shop'])
  const pageId = await publishChecks(at.sql, user.accountId, [shop])
  await game.flip([shop], 'operational')
  pass(25 * hourMs)
  for (let n = 0; n < 26; n++) {
    await game.flip([shop], 'down')
    pass(60_000)
    await game.flip([shop], 'operational')
    pass(60_000)
  }
  const projectId = await insertTestErrorProject(at.sql, user.accountId)
  for (const [release, agoMs] of [
    ['1.0', 30 * hourMs],
    ['1.1', hourMs],
  ] as const) {
    await at.sql`
      insert into error_project_releases (project_id, release, account_id, first_seen)
      values (${projectId}, ${release}, ${user.accountId}, ${new Date(at.now() - agoMs)})`
  }
  for (const [title, from, to] of [
    ['long ago', -40, -30],
    ['just over', -3, -1],
    ['now', -1, 1],
    ['later', 1, 2],
  ] as const) {
    await at.sql`
      insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at, ends_at, whole_page,
        created_at)
      values (${uuidv7(at.now())}, ${user.accountId}, ${pageId}, ${title}, 'We upgrade.',
        ${new Date(at.now() + from * hourMs)}, ${new Date(at.now() + to * hourMs)}, true, now())`
  }
  const { activity } = await overview()
  expect(activity.flips).toHaveLength(50)
  expect(activity.moreFlips).toBe(true)
  expect(activity.flips.slice(0, 2)).toMatchObject([
    { checkName: 'shop', from: 'down', to: 'operational', at: new Date(at.now() - 60_000).toISOString() },
    { from: 'operational', to: 'down', reason: '2 of 2 regions fail (fra, iad): connection refused' },
  ])
  expect(activity.releases.map(({ release }) => release)).toEqual(['1.1'])
  expect(activity.maintenance.map(({ title, state }) => [title, state])).toEqual([
    ['now', 'active'],
    ['just over', 'ended'],
  ])
  expect(await counts()).toMatchObject({ activeMaintenance: 1 })
})

test('unresolved issues are counted up to a thousand', async () => {
  const projectId = await insertTestErrorProject(at.sql, user.accountId)
  await at.sql`
    insert into error_issues (id, account_id, project_id, fingerprint, fingerprint_version, title, status,
      occurrences, first_seen, last_seen)
    select gen_random_uuid(), ${user.accountId}, ${projectId}, int4send(n), 1, 'issue ' || n, 'unresolved', 1,
      now(), now()
    from generate_series(1, 1003) n`
  const count = async (): Promise<number> => (await counts()).unresolvedIssues
  expect(await count()).toBe(1_000)
  await at.sql`
    update error_issues set status = 'resolved' where account_id = ${user.accountId} and title <> 'issue 7'`
  expect(await count()).toBe(1)
})

describe('the palette', () => {
  const palette = async (headers: Record<string, string> = {}) =>
    at.call('GET', '/dashboard-api/palette', {
      headers: { cookie: user.cookie, 'sec-fetch-site': 'same-origin', ...headers },
    })

  test('has the names of everything that can be opened, and the status of each check', async () => {
    const [shop = '', api = ''] = await game.checks(user.accountId, ['shop', 'api'])
    await game.flip([shop], 'down')
    await at.sql`update checks set paused = true where id = ${api}`
    const channelId = await game.channel(user.accountId)
    const entries = Palette.parse((await palette()).json)
    const [page] = await at.sql<{ id: string; name: string; slug: string }[]>`
      select id, name, slug from status_pages where account_id = ${user.accountId}`
    expect(entries).toEqual({
      checks: [
        [api, 'api', 'http', 'paused'],
        [shop, 'shop', 'http', 'down'],
      ],
      checkCount: 2,
      statusPages: [[page?.id, page?.name, page?.slug]],
      channels: [[channelId, 'hook', 'json']],
      rules: [[expect.any(String), 'Everything that goes down']],
    })
  })

  test('is not sent again while it is unchanged', async () => {
    await game.checks(user.accountId, ['shop'])
    const first = await palette()
    const etag = String(first.headers['etag'])
    expect(first.headers['cache-control']).toBe('private, no-cache')
    expect(await palette({ 'if-none-match': etag })).toMatchObject({ status: 304, text: '' })
    await game.checks(user.accountId, ['api'])
    const changed = await palette({ 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.json.checks).toHaveLength(2)
    expect(changed.headers['etag']).not.toBe(etag)
  })
})

test('none of them contains anything of another account', async () => {
  const names = ['of the first']
  await game.flip(await game.checks(user.accountId, names), 'down')
  user = await loggedIn(at)
  for (const path of ['/overview', '/palette']) {
    expect((await asUser(at, user, 'GET', path)).text).not.toContain('of the first')
  }
  expect(await counts()).toMatchObject({ openOutages: 0 })
  expect((await overview()).uptime.month).toBeNull()
})
