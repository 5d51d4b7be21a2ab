import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres, postgresMigrations } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminLine as admin } from '../admin/testing/admin-line.ts'
import { silentLog } from '../../start/embedded/log.ts'
import { startStores } from '../../start/stores/stores.ts'

/** A stopped instance of one process, with embedded databases in DATA_DIR. */
const folder = testFolder('probe-mesh-own-')
const at = (name: string): string => join(folder, name)
beforeAll(async () => {
  await writeFile(at('key'), 'correct horse battery staple', { mode: 0o600 })
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))

/** Runs the command as a separate process, and kills it once its output matches. */
const killDuring = async (line: string, environment: Record<string, string>, said: RegExp): Promise<void> => {
  const child = spawn(process.execPath, [main, ...line.split(' ')], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  let text = ''
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    text += chunk
    if (said.test(text)) child.kill('SIGKILL')
  }
  expect(await exited, text).toEqual([null, 'SIGKILL'])
}
const main = fileURLToPath(new URL('../admin/main.ts', import.meta.url))

const readings = 70_000

test(
  'is copied and restored into another folder, migrated to this version',
  { timeout: 240_000 },
  async () => {
    const names = (await postgresMigrations()).slice(0, -1)
    const former = await startStores({ dataDir: at('former'), log: silentLog })
    const [sql, clickhouse] = [
      connectPostgres(former.databaseUrl, { connectionsMax: 1 }),
      connectClickHouse(former.clickhouseUrl),
    ]
    // as the version before this one left it
    await migratePostgres(sql, { names })
    await migrateClickHouse(clickhouse)
    const odd = 'a\tb\\c\nd \u00e9\u{1f600} \'"'
    await sql`insert into accounts (id, name, tier, created_at)
    values ('0199aaaa-0000-7000-8000-000000000001', ${odd}, 'scale', now())`
    await sql`insert into outbox (id, kind, payload, created_at, next_attempt_at)
    select gen_random_uuid(), 'flip', '{}', now(), now() from generate_series(1, 3)`
    const insert = (rows: number, from: number, screenshot: string) =>
      clickhouse.command({
        query: `insert into readings_raw (check_id, region, slot, kind, verdict, fault, cause, reason,
        latency_ms, measured_at, received_at, agent, raw_days, hour_days, screenshot)
      select reinterpretAsUUID(toUInt128(number % 20 + 1)), 'fra', now() - number, 'scheduled',
        if(number % 7 = 0, 'down', 'up'), 'none', 'ok', if(number % 7 = 0, 'it failed', null),
        number / 10, now(), now(), 'fra-1', 30, 400, ${screenshot}
      from numbers(${from}, ${rows})`,
      })
    await insert(readings, 0, "''")
    await insert(30, readings, 'randomPrintableASCII(100000)')
    const figures = async (client: typeof clickhouse) => {
      const answer = await client.query({
        query: `select (select toString(sum(cityHash64(toString(tuple(*))))) from readings_raw) as raw,
        (select toUInt64(sum(up + down)) from readings_minute) as minutes,
        (select toUInt64(sum(up + down)) from readings_hour) as hours,
        (select quantilesTDigestMerge(0.5, 0.95, 0.99)(latency) from readings_hour) as latency`,
        format: 'JSONEachRow',
      })
      const [row] = await answer.json<{ raw: string; hours: number; latency: number[] }>()
      return row
    }
    const before = await figures(clickhouse)
    expect(before).toMatchObject({ raw: expect.stringMatching(/^\d+$/), hours: readings + 30 })
    // the digest depends on the order in which its parts are merged
    const latency = before?.latency.map((ms) => expect.closeTo(ms, -1))
    await Promise.all([sql.end(), clickhouse.close()])
    await former.close()
    await writeFile(join(at('former'), 'secrets.key'), 'the key of the channels, long enough\n')
    await mkdir(at('nats/keys'), { recursive: true })
    await writeFile(at('nats/keys/operator.nk'), 'SOFTHEOPERATOR')
    await mkdir(at('nats/store'))
    await writeFile(at('nats/store/stream'), 'not copied')

    const done = await admin(`backup --to ${folder} --key-file ${at('key')} --keys ${at('nats')} --json`, {
      DATA_DIR: at('former'),
    })
    expect(done.code, done.error).toBe(0)
    const { path, parts } = JSON.parse(done.out)
    expect(path).toMatch(/probe-mesh-2\d{3}-.*\.tar\.zst\.age$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const files = parts.filter((part: { store: string }) => part.store === 'file')
    expect(files.map((part: { name: string }) => part.name)).toEqual([
      'data/secrets.key',
      'nats/keys/operator.nk',
    ])

    const restore = `restore --from ${path} --key-file ${at('key')} --keys ${at('new-nats')}`
    // every problem is reported, and nothing is created
    await writeFile(at('other-key'), 'not the key it was sealed with')
    const other = await admin(restore.replace(at('key'), at('other-key')), {
      DATA_DIR: at('later'),
    })
    expect(other).toMatchObject({
      code: 1,
      error: expect.stringMatching(/written with another key/),
    })
    expect(await admin(restore, { DATA_DIR: at('former') })).toMatchObject({
      code: 1,
      error: expect.stringMatching(/DATA_DIR .*former.* is not empty/),
    })
    const bytes = await readFile(path)
    await writeFile(at('cut'), bytes.subarray(0, bytes.length - 100))
    expect(await admin(restore.replace(path, at('cut')), { DATA_DIR: at('later') })).toMatchObject({
      code: 1,
      error: expect.stringMatching(/is truncated/),
    })
    await expect(access(at('later'))).rejects.toThrow('ENOENT')

    // killed in the middle, it leaves no instance, and nothing that blocks the next restore
    await killDuring(restore, { DATA_DIR: at('later') }, /readings_raw: \d+ rows/)
    await expect(access(at('later'))).rejects.toThrow('ENOENT')
    await expect(access(at('later.restoring'))).resolves.toBeUndefined()

    const restored = await admin(restore, { DATA_DIR: at('later') })
    expect(restored.code, restored.error).toBe(0)
    expect(await readFile(at('later/secrets.key'), 'utf8')).toContain('the key of the channels')
    expect(await readFile(at('new-nats/keys/operator.nk'), 'utf8')).toBe('SOFTHEOPERATOR')
    expect((await readdir(folder)).filter((name) => name.includes('restoring'))).toEqual([])

    const later = await startStores({ dataDir: at('later'), log: silentLog })
    const [newSql, newClickhouse] = [
      connectPostgres(later.databaseUrl, { connectionsMax: 1 }),
      connectClickHouse(later.clickhouseUrl),
    ]
    try {
      expect(await figures(newClickhouse)).toEqual({ ...before, latency })
      expect(await newSql`select name from accounts`).toEqual([{ name: odd }])
      expect(await newSql`select name from migrations`).toHaveLength(names.length + 1)
      // identities continue, and row-level security and triggers are restored
      const [next] = await newSql<{ sequence: string }[]>`
      insert into outbox (id, kind, payload, created_at, next_attempt_at)
      values (gen_random_uuid(), 'flip', '{}', now(), now()) returning sequence`
      expect(next?.sequence).toBe('4')
      const [odds] = await newSql<{ silent: string; open: string }[]>`
      select (select count(*) from pg_trigger where tgenabled = 'D') as silent,
        (select count(*) from pg_class where relrowsecurity and not relforcerowsecurity) as open`
      expect(odds).toEqual({ silent: '0', open: '0' })
    } finally {
      await Promise.all([newSql.end(), newClickhouse.close()])
      await later.close()
    }
  },
)
