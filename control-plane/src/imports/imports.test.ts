import { readFileSync } from 'node:fs'
import { importBytesMax } from '@probe-mesh/contracts/check/check-import'
import { shortImportCharactersMax } from '@probe-mesh/contracts/check/import-pools'
import { secretsPerAccountMax } from '@probe-mesh/contracts/secret/secret'
import { useEach } from '@probe-mesh/infra/testing/use'
import { ThreadEnded } from '@probe-mesh/runtime/warm-thread'
import { expect, test } from 'vitest'
import { useTestApp, testSecretsKey, type Answer } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { secretOwner, type SealedSecret } from '../secrets/secrets-store.ts'
import { createVault } from '../secrets/vault.ts'
import { createImportReader } from './import-reader.ts'
import { siteUser } from './testing/login-site.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useEach(() => loggedIn(at))

const importOf = (body: object, who = user): Promise<Answer> => asUser(at, who, 'POST', '/imports', body)
const secretsOf = async (who = user) => (await asUser(at, who, 'GET', '/secrets')).json.secrets
const har = (name: string): string => readFileSync(new URL(`testing/${name}.har`, import.meta.url), 'utf8')

test('a curl command becomes a draft, and its credentials secrets that no answer, row, entry or log line has in clear', async () => {
  const value = 'planted-7f3a9c'
  const text = `curl https://api.example.org/orders -H 'X-Api-Key: ${value}'`
  const { status, json, text: answered } = await importOf({ kind: 'curl', text })
  expect(status).toBe(200)
  expect(json).toMatchObject({
    kind: 'curl',
    check: {
      url: 'https://api.example.org/orders',
      request: {
        headers: [{ name: 'X-Api-Key', value: '{{ secret.x_api_key }}' }],
      },
    },
    secrets: [{ name: 'x_api_key', hosts: ['api.example.org'] }],
  })
  expect(await secretsOf()).toMatchObject([{ name: 'x_api_key', hosts: ['api.example.org'], usedBy: [] }])
  const [row] = await at.sql<SealedSecret[]>`
    select id, account_id as "accountId", value from secrets where account_id = ${user.accountId}`
  if (row === undefined) throw new Error('no secret is stored')
  expect(createVault(testSecretsKey).open(row.value, secretOwner(row))).toBe(value)
  const audit = await asUser(at, user, 'GET', '/audit-log')
  expect(audit.json.entries[0]).toMatchObject({
    action: 'createSecret',
    resourceType: 'secret',
    resourceId: row.id,
  })
  const seen = JSON.stringify([answered, audit.text, at.logged, Buffer.from(row.value).toString('latin1')])
  expect(seen).not.toContain(value)
})

test('the same name in another import is another secret', async () => {
  const text = (value: string) => `curl https://example.org/ -H 'Authorization: Bearer ${value}'`
  await importOf({ kind: 'curl', text: text('first-value') })
  const { json } = await importOf({ kind: 'curl', text: text('second-value') })
  expect(json.check.request.auth).toEqual({ type: 'bearer', token: '{{ secret.authorization_2 }}' })
  expect((await secretsOf()).map(({ name }: { name: string }) => name)).toEqual([
    'authorization',
    'authorization_2',
  ])
})

test('a recording becomes a journey, and one that needs a value of an answer stores nothing', async () => {
  const made = await importOf({ kind: 'har', text: har('login') })
  expect(made.json).toMatchObject({ kind: 'har', secrets: [{ name: 'password' }] })
  expect(made.json.steps).toHaveLength(3)
  expect(made.text).not.toContain(siteUser.password)
  const other = await loggedIn(at)
  const refused = await importOf({ kind: 'har', text: har('login-with-token') }, other)
  expect(refused).toMatchObject({
    status: 422,
    json: {
      code: 'SV-2001',
      errors: [{ path: 'text', message: expect.stringContaining('Step 2 sends csrf_token') }],
    },
  })
  expect(await secretsOf(other)).toEqual([])
})

test('a document becomes checks, and names the secrets that it needs without storing one', async () => {
  const text = JSON.stringify({
    openapi: '3.0.3',
    servers: [{ url: '/v1' }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    paths: { '/pets': { get: { responses: { 200: {} } } } },
  })
  const { json } = await importOf({ kind: 'openapi', text, baseUrl: 'https://api.example.org/' })
  expect(json).toMatchObject({
    operations: [{ check: { url: 'https://api.example.org/v1/pets' } }],
    neededSecrets: [{ name: 'key', hosts: ['api.example.org'] }],
  })
  expect(await secretsOf()).toEqual([])
})

test('more credentials than the account may have secrets are refused, and none is stored', async () => {
  await at.sql`
    insert into secrets (id, account_id, name, hosts, value, created_at, updated_at)
    select gen_random_uuid(), ${user.accountId}, 'n' || n, '{example.org}', '\\x00', now(), now()
    from generate_series(2, ${secretsPerAccountMax}) as n`
  const text = "curl https://example.org/ -H 'X-Key: first-value' -b 'sid=second-value'"
  expect(await importOf({ kind: 'curl', text })).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
  expect(await secretsOf()).toHaveLength(secretsPerAccountMax - 1)
})

test('every problem of a text is answered at once, and none repeats a credential', async () => {
  const text = `curl -k -F a=b -H 'planted-secret' https://example.org/ -u me:abc -X 'FOO'`
  const { status, json, text: answered } = await importOf({ kind: 'curl', text })
  expect(status).toBe(422)
  expect(json.errors).toHaveLength(4)
  expect(answered).not.toContain('planted-secret')
  const second = await importOf({ kind: 'curl', text: 'curl ftp://me:planted-secret@example.org/' })
  expect(second.text).not.toContain('planted-secret')
})

test.each(['curl', 'openapi', 'har'] as const)('a text of %s beyond its limit is refused', async (kind) => {
  const { status, text } = await importOf({ kind, text: 'x'.repeat(importBytesMax[kind] + 1) })
  expect([status, text]).toEqual([422, expect.stringContaining('must have at most')])
})

test('a long document in progress does not delay a command of one line', async () => {
  const held = Promise.withResolvers<{ problems: string[] }>()
  const isLong = (text: string): boolean => text.length > shortImportCharactersMax
  const reader = createImportReader({
    read: ({ text }) => (isLong(text) ? held.promise : Promise.resolve({ problems: ['short'] })),
  })
  const read = (owner: string, text: string) => reader.read(owner, { kind: 'curl', text, taken: [] })
  const long = 'x'.repeat(shortImportCharactersMax + 1)
  const longs = [read('one', long), read('two', long)]
  expect(await read('three', 'curl')).toEqual({ problems: ['short'] })
  held.resolve({ problems: ['long'] })
  expect(await Promise.all(longs)).toEqual([{ problems: ['long'] }, { problems: ['long'] }])
})

test.each([
  ['cpu', { problems: ['The text takes too long to read. Import a smaller part of it.'] }],
  ['memory', { problems: ['The text takes too much memory to read. Import a smaller part of it.'] }],
  ['error', { refused: 'SV-9002', retryAfterSeconds: 1 }],
  ['close', { refused: 'SV-9002', retryAfterSeconds: 1 }],
] as const)(
  'blames the text for its own CPU time or memory only: a thread that ended by %s',
  async (by, said) => {
    const reader = createImportReader({ read: () => Promise.reject(new ThreadEnded(by)) })
    expect(await reader.read('one', { kind: 'curl', text: 'curl', taken: [] })).toMatchObject(said)
  },
)
