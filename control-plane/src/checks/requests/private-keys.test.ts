import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@probe-mesh/bus/logger'
import { privateKeyMessage } from '@probe-mesh/contracts/schema/private-key'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { testSecretsKey, useTestApp, type Answer } from '../../app/testing/test-app.ts'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'
import { findSealedSecrets, secretOwner } from '../../secrets/secrets-store.ts'
import { createVault } from '../../secrets/vault.ts'
import { movePrivateKeys } from './move-private-keys.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const vault = createVault(testSecretsKey)
const user = useEach(() => loggedIn(at))
const folder = testFolder('private-keys-')

/** A certificate and its key, as `curl --cert` takes them in one file. */
const pair = useOnce(() => {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=probe']
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...kind, ...files], { stdio: 'ignore' })
  const [key, certificate] = ['key.pem', 'cert.pem'].map((file) => readFileSync(join(folder, file), 'utf8'))
  return { key: key ?? '', certificate: certificate ?? '' }
})

const otherKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

const url = 'https://api.example.org/orders'
const create = (body: object): Promise<Answer> =>
  asUser(at, user, 'POST', '/typed-checks', { type: 'http', name: 'orders', url, regions: ['fra'], ...body })
const configOf = async (id: string) => (await asUser(at, user, 'GET', `/checks/${id}/config`)).json
const secretsOf = async () => (await asUser(at, user, 'GET', '/secrets')).json.secrets
const valueOf = async (name: string): Promise<string> => {
  const [sealed] = await findSealedSecrets(at.systemSql, [{ accountId: user.accountId, name }])
  if (sealed === undefined) throw new Error(`no secret ${name}`)
  return vault.open(sealed.value, secretOwner(sealed))
}
/** A line of the key that no text of the product may show. */
const line = (): string => pair.key.split('\n')[1] ?? ''
const problemsOf = ({ json }: Answer): [string, string][] =>
  json.errors.map(({ path, message }: { path: string; message: string }) => [path, message])

test.each(['certificate first', 'key first'])(
  'a key that was pasted with its certificate becomes a secret of the host: %s',
  async (order) => {
    const pasted = order === 'key first' ? `${pair.key}${pair.certificate}` : `${pair.certificate}${pair.key}`
    const made = await create({ request: { clientCertificate: { certificate: pasted } } })
    expect(made).toMatchObject({ status: 201 })
    const name = 'api_example_org_client_key'
    expect(await configOf(made.json.id)).toMatchObject({
      request: { clientCertificate: { certificate: pair.certificate, key: `{{ secret.${name} }}` } },
    })
    expect(await secretsOf()).toMatchObject([{ name, hosts: ['api.example.org'], usedBy: [made.json.id] }])
    expect(await valueOf(name)).toBe(pair.key)
    const rows = await at.sql`select checks::text as row from checks`
    expect(JSON.stringify([rows, made.text, at.logged])).not.toContain(line())
  },
)

test('so does a key instead of the name of its secret, and one in a header of any name', async () => {
  const { key, certificate } = pair
  const headers = [{ name: 'x-proof', value: key.trim().replaceAll('\n', '\\n') }]
  const made = await create({ request: { headers, clientCertificate: { certificate, key } } })
  expect(made).toMatchObject({ status: 201 })
  expect(JSON.stringify(await configOf(made.json.id))).not.toContain(line())
  expect(await secretsOf()).toHaveLength(2)
})

test('a key beside one that is named, two keys, half a key and none are refused with the reason', async () => {
  const { key, certificate } = pair
  await asUser(at, user, 'POST', '/secrets', { name: 'own', value: key, hosts: ['api.example.org'] })
  const of = async (clientCertificate: object) => problemsOf(await create({ request: { clientCertificate } }))
  const field = 'request.clientCertificate'
  const beside =
    'contains a private key beside the one that is named, or several; remove what is no certificate'
  expect(await of({ certificate: `${certificate}${key}`, key: '{{ secret.own }}' })).toEqual([
    [`${field}.certificate`, beside],
  ])
  const missing = 'is missing: name a secret, such as {{ secret.client_key }}, or paste the private key'
  const other = otherKey()
  const reads = (problem: string) => [[`${field}.certificate`, `contains a private key, which ${problem}`]]
  expect(await of({ certificate: `${certificate}${key}${other}` })).toEqual(
    reads('has several private keys; keep the one of the certificate'),
  )
  expect(await of({ certificate: `${certificate}${key}`, key: other })).toEqual([
    [`${field}.certificate`, beside],
  ])
  expect(await of({ certificate: `${certificate}${key.slice(0, -30)}` })).toEqual(
    reads('has no line -----END PRIVATE KEY-----; paste the whole file'),
  )
  expect(await of({ certificate })).toEqual([[`${field}.key`, missing]])
  const otherSecret = await asUser(at, user, 'POST', '/secrets', {
    name: 'other',
    value: other,
    hosts: ['api.example.org'],
  })
  expect(otherSecret.status).toBe(201)
  expect(await of({ certificate, key: '{{ secret.other }}' })).toEqual([
    [`${field}.key`, 'the secret other is not the private key of the certificate'],
  ])
  expect(await secretsOf()).toHaveLength(2)
})

test('a body, a user name and a text around a named secret have no private key', async () => {
  const { key } = pair
  const body = await create({ request: { method: 'POST', body: JSON.stringify({ key }) } })
  expect(problemsOf(body)).toEqual([['request.body', privateKeyMessage]])
  const auth = { type: 'bearer', token: '{{ secret.own }} -----BEGIN PRIVATE KEY-----' }
  await asUser(at, user, 'POST', '/secrets', { name: 'own', value: key, hosts: ['api.example.org'] })
  expect(problemsOf(await create({ request: { auth } }))).toEqual([['request.auth.token', privateKeyMessage]])
  const step = { name: 'one', method: 'POST', url, body: key }
  const journey = await create({ type: 'multistep', url: undefined, steps: [step] })
  expect(problemsOf(journey)).toEqual([['steps[0].body', privateKeyMessage]])
})

test('what an earlier version stored is moved into a secret once, and reported', async () => {
  const { key, certificate } = pair
  await asUser(at, user, 'POST', '/secrets', { name: 'own', value: key, hosts: ['api.example.org'] })
  await asUser(at, user, 'POST', '/secrets', {
    name: 'other',
    value: 'no key at all',
    hosts: ['api.example.org'],
  })
  const store = async (named: string): Promise<string> => {
    const { json } = await create({
      request: { clientCertificate: { certificate, key: '{{ secret.own }}' } },
    })
    const both = JSON.stringify({ certificate: `${certificate}${key}`, key: `{{ secret.${named} }}` })
    await at.sql`
      update checks set config = jsonb_set(config::jsonb, '{request,clientCertificate}', ${both}::text::jsonb)
      where id = ${json.id}`
    return json.id
  }
  const [same, lost] = [await store('own'), await store('other')]
  const logged: unknown[] = []
  const log = { warn: (...entry: unknown[]) => void logged.push(entry) } as unknown as Logger
  const moving = { sql: at.systemSql, vault, log, now: at.now }
  expect(await movePrivateKeys(moving)).toBe(2)
  const shown = { certificate }
  expect(await configOf(same)).toMatchObject({
    request: { clientCertificate: { ...shown, key: '{{ secret.own }}' } },
  })
  // the secret that a check names stays its key
  expect(await configOf(lost)).toMatchObject({
    request: { clientCertificate: { ...shown, key: '{{ secret.other }}' } },
  })
  const moved = 'api_example_org_client_key'
  expect((await secretsOf()).map(({ name }: { name: string }) => name).toSorted()).toEqual([
    moved,
    'other',
    'own',
  ])
  expect(await valueOf(moved)).toBe(key)
  expect(JSON.stringify(logged)).toContain(moved)
  expect(JSON.stringify([logged, await at.sql`select checks::text as row from checks`])).not.toContain(line())
  const rows = await at.sql`
    select c.revision, max(r.revision)::integer as opened from checks c join check_revisions r on r.check_id = c.id
    where c.id = ${same} group by c.revision`
  expect(rows).toEqual([{ revision: 2, opened: 2 }])
  expect(await movePrivateKeys(moving)).toBe(0)
})

test('both fields may have the same combined file, whose key becomes one secret', async () => {
  const both = `\uFEFFBag Attributes\r\n    friendlyName: probe\r\n${pair.certificate}${pair.key}`.replaceAll(
    '\n',
    '\r\n',
  )
  const made = await create({ request: { clientCertificate: { certificate: both, key: both } } })
  expect(made).toMatchObject({ status: 201 })
  const key = '{{ secret.api_example_org_client_key }}'
  expect(await configOf(made.json.id)).toMatchObject({
    request: { clientCertificate: { certificate: pair.certificate, key } },
  })
  expect(await secretsOf()).toHaveLength(1)
  expect(await valueOf('api_example_org_client_key')).toBe(pair.key)
})

test('an encrypted key is said to be encrypted, wherever it is pasted, and is stored nowhere', async () => {
  const encrypted = createPrivateKey(pair.key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString()
  const { certificate } = pair
  for (const client of [{ certificate, key: encrypted }, { certificate: `${certificate}${encrypted}` }]) {
    const made = await create({ request: { clientCertificate: client } })
    expect(made.status).toBe(422)
    expect(problemsOf(made)).toEqual([[expect.any(String), expect.stringContaining('is encrypted')]])
  }
  expect(await secretsOf()).toEqual([])
})
