import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { adminLine as admin } from '../admin/testing/admin-line.ts'
import { startTestAllInOne, type TestAllInOne } from '../../testing/all-in-one.ts'
import { createTestClickHouse } from '../../testing/clickhouse.ts'
import { emptyCatalog } from '../../testing/empty-catalog.ts'
import { startMailServer, type MailServer } from '../../testing/mail-server.ts'
import { createTestDatabase } from '../../testing/postgres.ts'
import { startTarget, type Target } from '../../testing/target.ts'

/** A system with an outage in progress is copied, destroyed, and restored into empty databases. */
const waiting = { timeout: 60_000, interval: 100 }
const secretsKey = 'a secret of 32 characters or more'
const channelSecret = 'planted-channel-secret-0123456789'
const regions = ['iad', 'fra']

const folder = testFolder('probe-mesh-backup-')
let target: Target
/** Receives the messages of the channel. */
let hooks: Target
let mail: MailServer
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  await writeFile(join(folder, 'key'), 'correct horse battery staple\n', { mode: 0o600 })
  ;[target, hooks] = await Promise.all([startTarget(), startTarget()])
  mail = await startMailServer()
})
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
  await Promise.all([target?.close(), hooks?.close(), mail?.close()])
})

const start = async (environment: Record<string, string> = {}): Promise<TestAllInOne> => {
  const started = await startTestAllInOne({
    environment: {
      REGIONS: regions.join(','),
      TARGET_ALLOW: '127.0.0.0/8',
      TIER_OVERRIDES: '{"scale":{"intervalSecondsMin":1}}',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'mesh@example.org',
      BUDGET_SCALE: '1000',
      SECRETS_KEY: secretsKey,
      ...environment,
    },
    catalog: emptyCatalog,
  })
  return started
}

const systemId = async (databaseUrl: string): Promise<string> => {
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  const [row] = await sql<{ id: string }[]>`select id from system`.finally(() => sql.end())
  if (row === undefined) throw new Error('the system has no id')
  return row.id
}

const storesOf = ({ databaseUrl, clickhouseUrl }: Record<'databaseUrl' | 'clickhouseUrl', string>) => ({
  DATABASE_URL: databaseUrl,
  CLICKHOUSE_URL: clickhouseUrl,
  DATA_DIR: join(folder, 'nothing'),
  NATS_KEYS: join(folder, 'no-keys'),
})

/** The rows of both databases as text, by table, which a restored copy must equal. */
const everything = async (databaseUrl: string, clickhouseUrl: string, checkId: string) => {
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  const clickhouse = connectClickHouse(clickhouseUrl)
  try {
    const flips = await sql<{ row: string }[]>`
      select concat_ws(' ', id, check_id, version, from_status, to_status, at) as row from flips
      where check_id = ${checkId} order by id`
    const sent = await sql<{ row: string }[]>`
      select concat_ws(' ', id, cause, state, delivered_at) as row from deliveries order by id`
    const incidents = await sql<{ row: string }[]>`
      select concat_ws(' ', id, status, started_at, resolved_at) as row from incidents order by id`
    const tables = ['readings_raw', 'readings_minute', 'readings_hour']
    const readings = await Promise.all(
      tables.map(async (table) => {
        const rows = await clickhouse.query({
          query:
            table === 'readings_raw'
              ? `select count() as n, toString(sum(cityHash64(toString(tuple(*))))) as hash from ${table}`
              : `select toUInt64(sum(up + down + blocked + unmeasured)) as n,
                  toString(quantilesTDigestMerge(0.5)(latency)) as hash from ${table}`,
          format: 'JSONEachRow',
        })
        return (await rows.json<{ n: number; hash: string }>())[0]
      }),
    )
    const texts = (rows: { row: string }[]) => rows.map(({ row }) => row)
    return { flips: texts(flips), sent: texts(sent), incidents: texts(incidents), readings }
  } finally {
    await sql.end()
    await clickhouse.close()
  }
}

const isRecovery = (flip: string): boolean => / (down|degraded) operational /.test(flip)

const mails = async () => [...(await mail.mailboxes()).values()].flat().map(({ subject }) => subject)

test('a restored system keeps its outage and sends no notification twice', { timeout: 180_000 }, async () => {
  const former = await start()
  const client = createApiClient({ apiUrl: former.apiUrl, apiKey: former.credentials.apiKey })
  const terraform = { 'service-client': 'terraform-provider-service/0.1.0' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${former.apiUrl}${path}`, {
      method: 'POST',
      headers: {
        ...terraform,
        authorization: `Bearer ${former.credentials.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(201)
    return (await answer.json()) as { id: string }
  }
  const sql = connectPostgres(former.databaseUrl, { connectionsMax: 1 })
  await sql`update alert_rules set email_users = true`
  await sql`update users set email = 'ops@example.org' where email = ${former.credentials.email}`
  // measured on demand, so that nothing becomes stale during the restore
  const check = await post('/checks', {
    name: 'shop',
    url: target.url('/shop'),
    intervalSeconds: 3_600,
  })
  // a check that never pauses, whose readings arrive during the backup
  await post('/checks', { name: 'busy', url: hooks.url('/busy'), intervalSeconds: 1 })
  const measure = async (apiUrl: string) => {
    const answer = await createApiClient({ apiUrl, apiKey: former.credentials.apiKey }).call('runCheck', {
      params: { id: check.id },
    })
    expect(answer.ok).toBe(true)
  }
  const pages = await client.call('listStatusPages', {})
  const pageId = pages.ok ? pages.value.statusPages[0]?.id : undefined
  await post(`/status-pages/${pageId}/components`, { checkId: check.id, displayName: 'Shop' })
  await post('/notification-channels', {
    type: 'json',
    name: 'Ops',
    config: { url: hooks.url('/hook'), secret: channelSecret },
  })
  const channels = await client.call('listChannels', {})
  for (const { id } of channels.ok ? channels.value.notificationChannels : []) {
    await client.call('testChannel', { params: { id } })
  }
  const statusOf = async (apiUrl: string) => {
    const answer = await createApiClient({ apiUrl, apiKey: former.credentials.apiKey }).call('getCheck', {
      params: { id: check.id },
    })
    if (!answer.ok) throw new Error(answer.problem.message)
    return answer.value
  }
  await vi.waitFor(async () => {
    expect((await statusOf(former.apiUrl)).status).toBe('operational')
  }, waiting)
  target.behave('fail')
  await measure(former.apiUrl)
  await vi.waitFor(async () => {
    expect((await statusOf(former.apiUrl)).status).toBe('down')
    // notified by mail and over the channel
    expect(await mails()).toHaveLength(1)
    const open = await sql`select from deliveries where state = 'pending'`
    const told = await sql`select from deliveries`
    expect([open.length, told.length]).toEqual([0, 2])
    expect(await sql`select from incidents where resolved_at is null`).toHaveLength(1)
  }, waiting)
  const down = await statusOf(former.apiUrl)
  await sql.end()

  // copied while it runs
  const path = join(folder, 'copy.backup')
  const backup = `backup --to ${path} --key-file ${join(folder, 'key')} --json`
  const done = await admin(backup, { ...storesOf(former), SECRETS_KEY: secretsKey })
  expect(done).toMatchObject({ code: 0 })
  const { stillMs, parts } = JSON.parse(done.out)
  expect(stillMs).toEqual(expect.any(Number))
  expect(done.error).toMatch(/postgres checks: 2 rows.*\n/)
  const bytes = await readFile(path)
  for (const secret of [channelSecret, secretsKey, former.credentials.apiKey, 'ops@example.org']) {
    expect(bytes.includes(secret)).toBe(false)
  }
  const raw = parts.find((part: { name: string }) => part.name === 'readings_raw')
  const formerId = await systemId(former.databaseUrl)
  await former.close()

  // restored
  const [database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  closers.push(database.close, store.close)
  const empty = storesOf({ databaseUrl: database.url, clickhouseUrl: store.url })
  const restore = `restore --from ${path} --key-file ${join(folder, 'key')}`
  expect(await admin(restore, { ...empty, SECRETS_KEY: `another ${secretsKey}` })).toMatchObject({
    code: 1,
    out: '',
    error: expect.stringMatching(/SECRETS_KEY differs/),
  })
  const restored = await admin(restore, { ...empty, SECRETS_KEY: secretsKey })
  expect(restored).toMatchObject({ code: 0 })
  // the original may still run: the copy must not accept its ClickHouse or NATS
  expect(await systemId(database.url)).not.toBe(formerId)
  const before = await everything(database.url, store.url, check.id)
  expect(before.readings[0]?.n).toBe(raw.rows)
  expect(before.readings[1]?.n).toBe(before.readings[2]?.n)
  expect(before.flips.length).toBeGreaterThanOrEqual(2)
  // a restore into existing data is refused
  const again = await admin(restore, { ...empty, SECRETS_KEY: secretsKey })
  expect(again).toMatchObject({ code: 1, out: '' })
  expect(again.error).toMatch(/the database has accounts/)
  expect(again.error).toMatch(/ClickHouse has rows in .*readings_raw/)
  expect(await everything(database.url, store.url, check.id)).toEqual(before)

  // the restored system continues
  const later = await start({ DATABASE_URL: database.url, CLICKHOUSE_URL: store.url })
  closers.push(later.close)
  const sinceMs = Date.now()
  await measure(later.apiUrl)
  await vi.waitFor(async () => {
    const { regionStatuses } = await statusOf(later.apiUrl)
    for (const { measuredAt } of regionStatuses) {
      expect(Date.parse(measuredAt ?? '')).toBeGreaterThan(sinceMs)
    }
  }, waiting)
  const { status, statusReason, statusSince } = await statusOf(later.apiUrl)
  expect({ status, statusReason, statusSince }).toEqual({
    status: 'down',
    statusReason: down.statusReason,
    statusSince: down.statusSince,
  })
  const onward = await everything(database.url, store.url, check.id)
  expect(onward.flips).toEqual(before.flips)
  expect(onward.sent).toEqual(before.sent)
  expect(onward.incidents).toEqual(before.incidents)
  expect(await mails()).toHaveLength(1)

  // and notifies the end of the outage once, over the channel whose secret it can still read
  target.behave('ok')
  await measure(later.apiUrl)
  await measure(later.apiUrl)
  await vi.waitFor(async () => {
    const { flips, incidents, sent } = await everything(database.url, store.url, check.id)
    expect(flips.filter(isRecovery)).toHaveLength(before.flips.filter(isRecovery).length + 1)
    expect(incidents).toHaveLength(1)
    expect(sent.filter((row) => / delivered /.test(row))).toHaveLength(4)
  }, waiting)
  expect(await mails()).toHaveLength(2)
})

test('an impossible backup or restore reports every problem and leaves nothing behind', async () => {
  const key = join(folder, 'key')
  const nowhere = { DATA_DIR: join(folder, 'nowhere'), NATS_KEYS: join(folder, 'no-keys') }
  expect(await admin('backup', nowhere)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/needs --to[\s\S]*needs --key-file/),
  })
  const short = join(folder, 'short')
  await writeFile(short, 'too short')
  expect(await admin(`backup --to x --key-file ${short}`, nowhere)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/16 characters/),
  })
  expect(await admin(`backup --to x --key-file ${key}`, nowhere)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/nowhere has nothing to back up/),
  })
  const away = {
    DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/x',
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
  }
  const refused = await admin(`backup --to ${join(folder, 'away')} --key-file ${key}`, {
    ...nowhere,
    ...away,
  })
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.error).not.toContain('hidden')
  expect(await admin(`restore --from ${join(folder, 'none')} --key-file ${key}`, nowhere)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/none cannot be read: the file does not exist\. Set --from/),
  })
  expect((await readdir(folder)).filter((name) => /away|nowhere/.test(name))).toEqual([])
})
