import { secretsPerAccountMax } from '@probe-mesh/contracts/secret/secret'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { insertRevision } from '../records/check/check-revisions-store.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { insertCheck } from '../records/check/checks-store.ts'
import { aCheckRecord } from '../checks/testing.ts'
import { useTestApp, type Answer } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useEach(() => loggedIn(at))

const value = 'correct horse battery'
const hosts = ['api.example.org']
const create = (body: object, who = user): Promise<Answer> =>
  asUser(at, who, 'POST', '/secrets', { name: 'api_key', value, hosts, ...body })
/** The path of a stored secret. */
const pathOf = async (name = 'api_key'): Promise<string> =>
  `/secrets/${(await list()).find((each: { name: string }) => each.name === name)?.id}`
const list = async (who = user) => (await asUser(at, who, 'GET', '/secrets')).json.secrets

/** A check that sends the secret as a header. */
const insertUser = async (name: string): Promise<string> => {
  const id = uuidv7(at.now())
  const headers = [{ name: 'x-api-key', value: `{{ secret.${name} }}` }]
  const check: CheckRecord = {
    ...aCheckRecord,
    id,
    accountId: user.accountId,
    name: `shop ${name}`,
    url: 'https://api.example.org/health',
    revision: 1,
    validFromMs: at.now(),
    config: { type: 'http', request: { headers } },
  }
  await at.systemSql.begin(async (tx) => {
    await insertCheck(tx, check)
    await insertRevision(tx, check)
  })
  return id
}

test('lists secrets with hosts and checks, and no answer, row or log line has a value', async () => {
  const made = await create({})
  expect(made).toMatchObject({ status: 201, json: { name: 'api_key', hosts, usedBy: [] } })
  const id = await insertUser('api_key')
  const listed = await list()
  expect(listed).toMatchObject([{ name: 'api_key', hosts, usedBy: [id] }])
  const rows = await at.sql`select secrets::text as row from secrets where account_id = ${user.accountId}`
  const audit =
    await at.sql`select audit_log::text as row from audit_log where account_id = ${user.accountId}`
  const seen = JSON.stringify([made.text, listed, rows, audit, at.logged])
  expect(seen).not.toContain(value)
  expect(seen).not.toContain(Buffer.from(value).toString('base64'))
  expect(JSON.stringify(audit)).toContain('createSecret')
})

test('refuses a value that is short, a wrong name and a wrong host, all at once', async () => {
  const refused = await create({ name: '1st', value: 'short', hosts: ['HTTPS://api.example.org'] })
  expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
  expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual(['name', 'value', 'hosts[0]'])
})

test('refuses a second secret of a name, in any case, and more than the limit', async () => {
  expect(await create({})).toMatchObject({ status: 201 })
  expect(await create({ name: 'API_KEY' })).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
  await at.sql`
    insert into secrets (id, account_id, name, hosts, value, created_at, updated_at)
    select gen_random_uuid(), ${user.accountId}, 'n' || n, '{example.org}', '\\x00', now(), now()
    from generate_series(2, ${secretsPerAccountMax}) as n`
  expect(await create({ name: 'more' })).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
})

test('another account neither sees nor changes a secret, and has its own of the same name', async () => {
  await create({})
  const other = await loggedIn(at)
  expect(await list(other)).toEqual([])
  expect(await asUser(at, other, 'DELETE', await pathOf())).toMatchObject({ status: 404 })
  expect(await create({}, other)).toMatchObject({ status: 201 })
})

test('a new value or new hosts give each check that uses the secret a new revision', async () => {
  await create({})
  await create({ name: 'other' })
  const [used, unused] = [await insertUser('api_key'), await insertUser('other')]
  const revisionOf = async (id: string): Promise<{ revision: number; opened: number }> => {
    const [row] = await at.sql<{ revision: number; opened: number }[]>`
      select c.revision, r.revision as opened from checks c join check_revisions r on r.check_id = c.id
      where c.id = ${id} and r.valid_to is null`
    return row ?? { revision: 0, opened: 0 }
  }
  const changed = await asUser(at, user, 'PATCH', await pathOf(), { value: 'another value' })
  expect(changed).toMatchObject({ status: 200, json: { usedBy: [used], hosts } })
  expect(await revisionOf(used)).toEqual({ revision: 2, opened: 2 })
  await asUser(at, user, 'PATCH', await pathOf(), { value, hosts: ['*.example.org'] })
  expect(await revisionOf(used)).toEqual({ revision: 3, opened: 3 })
  expect(await revisionOf(unused)).toEqual({ revision: 1, opened: 1 })
})

test.each([
  ['A.example', 'must be a host in lower case'],
  ['https://a.example/', 'must be a host in lower case'],
  ['ftp://a.example', 'must be a host in lower case'],
  ['*', 'must be a host in lower case'],
  ['a..b.example', 'has an empty part between two dots'],
  ['a.example:0', 'has a port that is not between 1 and 65535'],
  ['http://a.example:65536', 'has a port that is not between 1 and 65535'],
  ['*.com', 'covers the names of everybody below com, a public suffix'],
  ['*.co.uk', 'covers the names of everybody below co.uk, a public suffix'],
  ['http://*.github.io:8080', 'covers the names of everybody below github.io, a public suffix'],
  // *.kawasaki.jp is a suffix
  ['*.kawasaki.jp', 'covers the names of everybody below kawasaki.jp, a public suffix'],
  ['*.internal', 'covers the names of everybody below internal, a public suffix'],
  ['*.0.0.5', 'covers a part of an IP address'],
  ['*.5', 'covers a part of an IP address'],
  ['*.10.0.0.0x5', 'covers a part of an IP address'],
  ['10.0.5', 'must be written as 10.0.0.5'],
  ['10.0.0.256', 'is not a host'],
  ['[0:0::1]', 'must be written as [::1]'],
])('refuses %s as a host', async (host, problem) => {
  const refused = await create({ hosts: [host] })
  expect(refused).toMatchObject({ status: 422, json: { errors: [{ path: 'hosts[0]' }] } })
  expect(refused.json.errors[0].message).toContain(problem)
})

test('takes hosts with schemes and ports, each in its shortest form', async () => {
  const written = ['https://a.example:443', 'a.example', 'http://a.example:080', 'a.example:80']
  const others = ['*.a.co.uk', 'x.github.io', '*.x.github.io:8443', 'http://[::1]:8080', '10.0.0.5']
  expect(await create({ hosts: [...written, ...others] })).toMatchObject({
    status: 201,
    json: { hosts: ['a.example', 'http://a.example', 'a.example:80', ...others] },
  })
})

test('takes 20 hosts, each with several ports, and no more', async () => {
  const hostsOf = (count: number) =>
    Array.from({ length: count }, (_, at) => [`a${at}.example`, `http://a${at}.example`, `a${at}.example:1`])
  expect(await create({ hosts: hostsOf(20).flat() })).toMatchObject({ status: 201 })
  const tooMany = hostsOf(21).map(([host]) => host)
  const refused = await create({ name: 'more', hosts: tooMany })
  expect(refused).toMatchObject({ status: 422, json: { errors: [{ path: 'hosts' }] } })
})

test('takes further hosts only with the value, so that nobody has a secret sent to a host of their own', async () => {
  await create({ hosts: ['*.example.org', 'api.example.com:8443'] })
  const change = async (body: object) => asUser(at, user, 'PATCH', await pathOf(), body)
  for (const host of [
    'example.net',
    'example.org',
    'api.example.com',
    'api.example.com:443',
    'http://api.example.com:8443',
    'http://a.example.org',
    'a.example.org:8443',
    '*.example.com',
  ]) {
    expect(await change({ hosts: [host] })).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'value' }] },
    })
  }
  for (const hosts of [['*.eu.example.org', 'api.example.com:8443'], ['a.eu.example.org']]) {
    expect(await change({ hosts })).toMatchObject({ status: 200, json: { hosts } })
  }
  expect(await change({ value, hosts: ['example.net'] })).toMatchObject({ status: 200 })
})

test('refuses hosts without the one that a check sends it to, and names the check', async () => {
  await create({})
  await insertUser('api_key')
  const refused = await asUser(at, user, 'PATCH', await pathOf(), { value, hosts: ['www.example.org'] })
  expect(refused).toMatchObject({ status: 409, json: { code: 'SV-3002', errors: [{ path: 'hosts' }] } })
  expect(refused.text).toContain('shop api_key')
  expect(await list()).toMatchObject([{ hosts }])
})

test('refuses to delete a secret in use, names the check, and deletes it afterwards', async () => {
  await create({})
  const id = await insertUser('api_key')
  const path = await pathOf()
  const refused = await asUser(at, user, 'DELETE', path)
  expect(refused).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
  expect(refused.text).toContain('shop api_key')
  await asUser(at, user, 'DELETE', `/checks/${id}`)
  expect(await asUser(at, user, 'DELETE', path)).toMatchObject({
    status: 200,
    json: { deleted: true },
  })
  expect(await list()).toEqual([])
})
