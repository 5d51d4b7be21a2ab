import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { catalogAccountId } from '@probe-mesh/control-plane/accounts/accounts-store'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { writePoolShares } from '@probe-mesh/control-plane/app/pool-snapshot'
import {
  closeQuarantine,
  openQuarantine,
} from '@probe-mesh/control-plane/status/quarantine/quarantines-store'
import { keepDoubt } from '@probe-mesh/control-plane/status/quarantine/region-doubts-store'
import { apiKeyScope } from '@probe-mesh/contracts/account/key-text'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { testFolder } from '../../testing/folder.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/postgres.ts'
import { adminLine } from './testing/admin-line.ts'
import { fileBytesMax } from './perform-check.ts'
import { helpOf } from '@probe-mesh/runtime/argv'
import { adminCommands } from './command.ts'

const folder = testFolder('probe-mesh-admin-')
const database = useTestDatabase()

const admin = (line: string, environment: Record<string, string> = {}) =>
  adminLine(line, { DATABASE_URL: database.url, ...environment })

test('suspends and resumes an account, by id or by address, and lists its state', async () => {
  const made = await admin('account create --name Spam --email spam@example.org --json')
  const { account } = JSON.parse(made.out)
  const suspended = await admin('suspend account spam@example.org')
  expect(suspended).toMatchObject({ code: 0, out: expect.stringContaining('is suspended') })
  expect((await admin('account list')).out).toMatch(/spam@example.org +Spam +suspended/)
  expect(await admin(`suspend account ${account.id}`)).toMatchObject({
    code: 1,
    error: expect.stringContaining('already suspended'),
  })
  expect(await admin(`resume account ${account.id}`)).toMatchObject({ code: 0 })
  expect((await admin('account list')).out).toMatch(/spam@example.org +Spam +open/)
  expect(await admin('suspend account nobody@example.org')).toMatchObject({ code: 1 })
})

test('reports a refusal of Postgres with what to do, without a stack trace', async () => {
  const other = (change: (url: URL) => void): string => {
    const url = new URL(database.url)
    change(url)
    return url.href
  }
  const stranger = other((url) => (url.username = 'stranger'))
  expect(await admin('account list', { DATABASE_URL: stranger })).toEqual({
    code: 1,
    out: '',
    error: expect.stringMatching(/^admin: Postgres refuses: .*stranger.* DATABASE_URL.*\n$/),
  })
  const nowhere = other((url) => (url.pathname = '/nowhere'))
  expect(await admin('account list', { DATABASE_URL: nowhere })).toMatchObject({
    code: 1,
    error: expect.stringMatching(
      /^admin: Postgres refuses: .*"nowhere".* createdb --username postgres --host .* nowhere\n$/,
    ),
  })
})

test('lists the accounts that use the shared pools', async () => {
  const made = await admin('account create --name Busy --email busy@example.org --json')
  const { account } = JSON.parse(made.out)
  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  const shares = [
    { pool: 'requests', owner: account.id, taken: 250, waiting: 3 },
    { pool: 'requests', owner: '203.0.113.7', taken: 1, waiting: 0 },
  ]
  await writePoolShares(sql, uuidv7(Date.now()), shares)
  await sql.end()
  const { out } = await admin('usage')
  expect(out).toMatch(new RegExp(`requests +250 +3 +${account.id} +busy@example.org`))
  expect(out).toMatch(/requests +1 +0 +203.0.113.7 +-/)
  expect(JSON.parse((await admin('usage --json')).out)).toMatchObject({
    shares: [
      { ...shares[0], email: 'busy@example.org' },
      { ...shares[1], email: null },
    ],
  })
})

test('creates an account and its keys, changes its plan, and revokes a key', async () => {
  const made = await admin('account create --name Acme --email ops@example.org --tier growth --json')
  const { account, password } = JSON.parse(made.out)
  expect(account).toMatchObject({ name: 'Acme', tier: 'growth', createdAt: expect.any(String) })
  expect(password).toMatch(/^[\w-]{20}$/)

  const key = await admin('key create ops@example.org --name ci --scope read_write')
  expect(apiKeyScope(key.out.trim())).toBe('read_write')
  expect(key.error).toMatch(/shown once/)

  const listed = await admin(`key list ${account.id} --json`)
  const { keys } = JSON.parse(listed.out)
  expect(keys).toMatchObject([{ name: 'ci', revokedAt: null }])
  expect(listed.out).not.toContain(key.out.trim())

  expect(await admin(`key revoke ${keys[0].id}`)).toMatchObject({ code: 0 })
  expect((await admin('key list OPS@example.org')).out).toMatch(/read_write .* revoked 20/)

  expect(await admin('tier set ops@example.org free')).toMatchObject({ code: 0 })
  expect((await admin('account list')).out).toMatch(/free +ops@example\.org +Acme/)

  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  const noted = await sql<{ action: string; actor_kind: string; resource_id: string }[]>`
    select action, actor_kind, resource_id from audit_log where account_id = ${account.id}
    order by at, id`
  await sql.end()
  const byOperator = (action: string, id: string) => ({
    action,
    actor_kind: 'operator',
    resource_id: id,
  })
  expect([...noted]).toEqual([
    byOperator('createAccount', account.id),
    byOperator('createKey', keys[0].id),
    byOperator('revokeKey', keys[0].id),
    byOperator('changeTier', account.id),
  ])
})

test('neither lists nor changes the account of the catalog', async () => {
  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  await sql`insert into accounts values (${catalogAccountId}, 'Catalog', 'scale', now())`
  await sql.end()
  expect((await admin('account list')).out).not.toContain(catalogAccountId)
  for (const line of [
    `key create ${catalogAccountId} --name ci`,
    `tier set ${catalogAccountId} free`,
    `check list --account ${catalogAccountId}`,
  ]) {
    expect(await admin(line)).toEqual({
      code: 1,
      out: '',
      error: expect.stringMatching(/There is no account 0ca7a106.*SV-3001/),
    })
  }
})

test('shows quarantined regions, present and past', async () => {
  expect(await admin('regions')).toMatchObject({ code: 0, error: 'No region is quarantined.\n' })
  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  const sinceAtMs = Date.parse('2026-11-21T09:00:00Z')
  const shares = { named: [{ name: 'catalog', hosts: 5 }], otherHosts: 0, distinct: 1 }
  const numbers = {
    hosts: 12,
    failing: 5,
    refused: 0,
    examples: ['a.example.com', 'b.example.com'],
    sources: { accounts: shares, domains: shares, networks: shares },
  }
  for (const region of ['fra', 'nrt']) {
    await openQuarantine(sql, { ...numbers, region, sinceAtMs, id: uuidv7(sinceAtMs) })
  }
  await closeQuarantine(sql, 'nrt', sinceAtMs + 200_000)
  await sql.end()
  const { out, error } = await admin('regions')
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^region +quarantined +until +hosts +failing +such as$/),
    expect.stringMatching(/^fra +2026-11-21T09:00:00.000Z +now +12 +5 +a\.example\.com, b/),
    expect.stringMatching(/^nrt +2026-11-21T09:00:00.000Z +2026-11-21T09:03:20.000Z +12 /),
    '',
  ])
  expect(error).toMatch(/^Readings of fra count as unmeasured until/)
  const json = JSON.parse((await admin('regions --json')).out)
  expect(json.quarantines).toMatchObject([
    { region: 'fra', sinceAt: '2026-11-21T09:00:00.000Z', endedAt: null },
    { region: 'nrt', endedAt: '2026-11-21T09:03:20.000Z' },
  ])
})

test('shows whose hosts failed in one region only, with shares, also for a rejected quarantine', async () => {
  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  await sql`delete from region_quarantines`
  expect(await admin('quarantines')).toMatchObject({ code: 0, out: '' })
  const atMs = Date.parse('2026-11-22T09:00:00Z')
  const none = { named: [], otherHosts: 0, distinct: 0 }
  const accounts = { named: [{ name: 'someone', hosts: 6 }], otherHosts: 2, distinct: 3 }
  const evidence = { hosts: 20, failing: 8, refused: 8, examples: [] }
  const sources = { accounts, domains: none, networks: none }
  await keepDoubt(sql, {
    ...evidence,
    sources,
    id: uuidv7(atMs),
    region: 'nrt',
    why: 'unconfirmed',
    atMs,
  })
  await sql.end()
  const { out } = await admin('quarantines')
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^region +state +since +until +of +name +hosts failing +share$/),
    expect.stringMatching(/^nrt +rejected: unconfirmed .* account +someone +6 +75 %$/),
    expect.stringMatching(/^nrt +rejected: unconfirmed .* account +2 other +2 +25 %$/),
    '',
  ])
  const json = JSON.parse((await admin('quarantines --json')).out)
  expect(json.doubts).toMatchObject([{ region: 'nrt', lastAt: '2026-11-22T09:00:00.000Z' }])
})

describe('checks of types that the REST API does not write', () => {
  const file = async (name: string, content: unknown): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const account = 'checks@example.org'
  beforeAll(() => admin(`account create --name Checks --email ${account} --tier growth`))
  const step = { name: 'home', method: 'GET', url: 'https://example.org/' }
  const journey = { type: 'multistep', name: 'login', steps: [step] }

  test('are created, listed, edited, and their steps are replaced', async () => {
    const path = await file('journey.json', { ...journey, regions: ['fra', 'iad'] })
    const made = await admin(`check create --account ${account} --file ${path} --json`)
    expect(made).toMatchObject({ code: 0, error: '' })
    const { check } = JSON.parse(made.out)
    expect(check).toMatchObject({ type: 'multistep', url: step.url, intervalSeconds: 60 })
    const tcp = await file('tcp.json', {
      type: 'tcp',
      name: 'db',
      settings: { host: 'example.org', port: 5432 },
    })
    expect((await admin(`check create --account ${account} --file ${tcp}`)).out).toMatch(
      /type +tcp\n[\s\S]*target +example\.org:5432\n/,
    )

    const change = await file('change.json', { name: 'sign in', intervalSeconds: 120 })
    const edited = await admin(`check edit ${check.id} --file ${change} --json`)
    const changed = { name: 'sign in', intervalSeconds: 120, regions: ['fra', 'iad'] }
    expect(JSON.parse(edited.out).check).toMatchObject(changed)

    const steps = await file('steps.json', {
      steps: [{ ...step, url: 'https://example.org/login' }, step],
    })
    const replaced = await admin(`check steps ${check.id} --file ${steps}`)
    expect(replaced.out).toMatch(/target +https:\/\/example\.org\/login\n/)

    const listed = await admin(`check list --account ${account}`)
    expect(listed.out).toMatch(/multistep +120s +unknown +https:\/\/example\.org\/login +sign in\n/)
    expect(listed.out).toMatch(/tcp +60s +unknown +example\.org:5432 +db\n/)
    const json = await admin(`check list --account ${account} --json`)
    expect(JSON.parse(json.out).checks).toHaveLength(2)
  })

  test('reach a running control plane at once', async () => {
    const sql = connectPostgres(database.url)
    const told = Promise.withResolvers<string>()
    await sql.listen('checks_changed', told.resolve)
    const path = await file('dns.json', {
      type: 'dns',
      name: 'zone',
      settings: { name: 'example.org', recordType: 'MX' },
    })
    const made = await admin(`check create --account ${account} --file ${path} --json`)
    expect(await told.promise).toBe(JSON.parse(made.out).check.id)
    await sql.end()
  })

  test.each<[string, unknown, RegExp]>([
    [
      'every problem of the input',
      {
        ...journey,
        name: '',
        steps: [{ ...step, assertions: { jsonPath: 'a.*', jsonOp: 'exists' } }],
      },
      /\(SV-2002\)\n {2}name: .*\n {2}steps\[0\]\.assertions\.jsonPath: wildcards .* \(at character 3\)\n$/,
    ],
    [
      'eleven steps',
      { ...journey, steps: Array.from({ length: 11 }, () => step) },
      /at most 10 steps.*\(SV-2003\)/,
    ],
    [
      'an unsafe target',
      { ...journey, steps: [step, { ...step, url: 'http://10.0.0.1/' }] },
      /Unsafe target \(address\).*\(SV-5001\)\n {2}steps\[1\]\.url: /,
    ],
    [
      'an interval below the tier',
      { type: 'tcp', name: 'a', intervalSeconds: 59, settings: { host: 'example.org', port: 80 } },
      /SV-4002/,
    ],
    ['what is not JSON', '{', /is not JSON: .*\(SV-2001\)/],
    ['a file that is too large', ' '.repeat(fileBytesMax + 1), /is larger than/],
  ])('%s is told, with exit code 1', async (_, content, message) => {
    const path = await file('refused.json', content)
    expect(await admin(`check create --account ${account} --file ${path}`)).toEqual({
      code: 1,
      out: '',
      error: expect.stringMatching(message),
    })
  })

  test('an address allowed by the operator is no unsafe target', async () => {
    const path = await file('local.json', {
      type: 'tcp',
      name: 'local',
      settings: { host: '127.0.0.1', port: 5432 },
    })
    const line = `check create --account ${account} --file ${path}`
    expect((await admin(line)).error).toMatch(/SV-5001/)
    expect(await admin(line, { TARGET_ALLOW: '127.0.0.0/8' })).toMatchObject({ code: 0 })
  })
})

describe('a failure has its reason on stderr and exit code 1', () => {
  test.each([
    ['account', /unknown command: account/],
    ['account rename', /unknown command/],
    ['account create --name Acme', /needs --email/],
    ['account create --name A --email a@example.org --tier gold', /free, growth or scale, not gold/],
    ['account create --name A --email nobody', /email: must be an e-mail address/],
    ['account list all', /takes no arguments/],
    ['regions all', /regions takes no arguments/],
    ['regions --file a.json', /regions has no option --file/],
    ['account list --scope read', /has no option --scope/],
    ['account list --colour', /--colour/],
    ['tier set ops@example.org', /tier set needs <tier>/],
    ['key create nobody@example.org --name ci', /There is no account nobody@example.org.*SV-3001/],
    ['key create ops@example.org --name ci --scope write', /read or read_write, not write/],
    ['key revoke 12', /must be a key id, not 12/],
    ['check', /unknown command: check/],
    ['check create --file a.json', /needs --account/],
    ['check create --account ops@example.org', /needs --file/],
    ['check create --account ops@example.org --file /nowhere/a.json', /a\.json cannot be read/],
    ['check list', /needs --account/],
    ['check list --account nobody@example.org', /There is no account nobody@example.org.*SV-3001/],
    ['check edit --file a.json', /check edit needs <check id>/],
    ['check edit 12 --file a.json', /must be a check id, not 12/],
    ['check steps 0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70', /needs --file/],
    [
      'check steps 0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70 --file package.json',
      /no check with that id.*SV-3001/,
    ],
    ['key revoke 0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70', /no key with that id/],
  ])('%s', async (line, message) => {
    expect(await admin(line)).toEqual({ code: 1, out: '', error: expect.stringMatching(message) })
  })

  test('a free account can only create read keys, and the refusal says so', async () => {
    await admin('account create --name Free --email free@example.org')
    expect(await admin('key create free@example.org --name w --scope read_write')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/SV-1005/),
    })
  })

  test('without a running instance the error says how to start one or which to use', async () => {
    const environment = { DATABASE_URL: '', DATA_DIR: folder }
    expect(await admin('account list', environment)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/no instance runs on .*npm start.*DATABASE_URL/),
    })
  })

  test('an unreachable database gives no stack trace', async () => {
    const environment = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }
    expect(await admin('account list', environment)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/does not answer/),
    })
  })

  test('lists every problem of a wrong environment', async () => {
    const { error } = await admin('account list', { PORT: 'x', REGIONS: '1' })
    expect(error).toMatch(/PORT[\s\S]*REGIONS/)
  })
})

test.each(['', '--help', 'key create --help'])('%j prints the usage', async (line) => {
  expect(await admin(line)).toEqual({ code: 0, out: helpOf(adminCommands), error: '' })
})
