import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { createKey } from '../../accounts/keys.ts'
import { useTestApp, type Answer } from '../../app/testing/test-app.ts'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useEach(() => loggedIn(at))

const url = 'https://api.example.org/orders'
const create = (body: object): Promise<Answer> =>
  asUser(at, user, 'POST', '/typed-checks', { type: 'http', name: 'orders', url, regions: ['fra'], ...body })
const edit = (id: string, body: object): Promise<Answer> =>
  asUser(at, user, 'PATCH', `/typed-checks/${id}`, body)
const configOf = async (id: string) => (await asUser(at, user, 'GET', `/checks/${id}/config`)).json
const storedOf = async (id: string) =>
  (await at.sql`select config, secret_names as names, revision from checks where id = ${id}`)[0]
const makeSecret = (name: string, hosts = ['api.example.org']): Promise<Answer> =>
  asUser(at, user, 'POST', '/secrets', { name, value: 'correct horse battery', hosts })
const problemsOf = ({ json }: Answer): [string, string][] =>
  json.errors.map(({ path, message }: { path: string; message: string }) => [path, message])

test('a check with a request is created, shown, edited and set back to a plain GET', async () => {
  await makeSecret('shop_key')
  const request = {
    method: 'POST',
    headers: [{ name: 'x-api-key', value: '{{ secret.shop_key }}' }],
    body: '{"ping":true}',
    contentType: 'application/json',
    latencyMsMax: 2_000,
  }
  const made = await create({ request })
  expect(made).toMatchObject({ status: 201 })
  const { id } = made.json
  expect(await configOf(id)).toEqual({ type: 'http', request })
  // older versions do not know this type, and leave the check alone
  expect(await storedOf(id)).toMatchObject({
    config: { type: 'http_request' },
    names: ['shop_key'],
    revision: 1,
  })
  expect(await edit(id, { name: 'shop', request })).toMatchObject({ status: 200 })
  expect(await configOf(id)).toEqual({ type: 'http', request })
  // fields that an edit leaves out stay
  expect(await edit(id, { timeoutSeconds: 5 })).toMatchObject({ status: 200 })
  expect(await configOf(id)).toEqual({ type: 'http', timeoutSeconds: 5, request })
  expect(await edit(id, { request: null })).toMatchObject({ status: 200 })
  expect(await storedOf(id)).toMatchObject({ config: { type: 'http', timeoutSeconds: 5 }, names: [] })
})

test('checks that are saved at one time with a credential of one host each get a secret of their own', async () => {
  const made = await Promise.all(Array.from({ length: 6 }, (_, at) => create({ name: `orders ${at}` })))
  const saved = await Promise.all(
    made.map(({ json }, number) =>
      edit(json.id, { request: { auth: { type: 'bearer', token: `tok-of-the-shop-${number}` } } }),
    ),
  )
  expect(saved.map(({ status }) => status)).toEqual(made.map(() => 200))
  const { secrets } = (await asUser(at, user, 'GET', '/secrets')).json
  expect(new Set(secrets.map(({ name }: { name: string }) => name)).size).toBe(6)
})

test('credentials in clear become secrets of the host, and no row, answer or log line has them', async () => {
  const request = { auth: { type: 'bearer', token: 'tok-of-the-shop-1' } }
  const made = await create({ request })
  expect(made).toMatchObject({ status: 201 })
  const { id } = made.json
  const reference = { auth: { type: 'bearer', token: '{{ secret.api_example_org_token }}' } }
  expect(await configOf(id)).toEqual({ type: 'http', request: reference })
  const listed = await asUser(at, user, 'GET', '/secrets')
  expect(listed.json.secrets).toMatchObject([
    { name: 'api_example_org_token', hosts: ['api.example.org'], usedBy: [id] },
  ])
  const step = {
    name: 'log in',
    method: 'POST',
    url,
    options: { headers: [{ name: 'Cookie', value: 'sid=tok-of-the-shop-2' }] },
  }
  const journey = await create({ type: 'multistep', url: undefined, steps: [step] })
  expect(journey).toMatchObject({ status: 201 })
  expect(await storedOf(journey.json.id)).toMatchObject({ names: ['api_example_org_cookie'] })
  const rows = await at.sql`
    select checks::text || check_revisions::text as row from checks join check_revisions on check_id = id`
  const audit = await at.sql`select audit_log::text as row from audit_log`
  expect(JSON.stringify([rows, audit, listed.text, made.text, at.logged])).not.toContain('tok-of-the-shop')
})

test('says everything that is wrong with a request at once, and stores nothing', async () => {
  await makeSecret('elsewhere', ['www.example.org'])
  const refused = await create({
    url: 'http://api.example.org/orders',
    request: {
      method: 'HEAD',
      httpVersion: '2',
      certificateDaysMin: 7,
      body: '{{ secret.1st }}',
      headers: [
        { name: 'x-api-key', value: '{{ secret.unknown }}' },
        { name: 'x-token', value: '{{ secret.elsewhere }}' },
        { name: 'authorization', value: 'short' },
      ],
      auth: { type: 'bearer', token: 'a token in clear' },
      clientCertificate: { certificate: '-----BEGIN CERTIFICATE-----', key: '{{ secret.elsewhere }}' },
      redirectsTo: 'http://[',
    },
  })
  expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
  expect(problemsOf(refused)).toEqual([
    ['request.httpVersion', 'HTTP/2 needs an https URL'],
    ['request.clientCertificate.certificate', 'a client certificate needs an https URL'],
    ['request.certificateDaysMin', 'this limit needs an https URL'],
    ['request.body', 'HEAD has no body; choose another method'],
    ['request.redirectsTo', 'must be an http or https URL, or a path on the same host'],
    ['request.headers[2].name', 'is sent by the credentials already; remove one of the two'],
    ['request.clientCertificate.certificate', 'has no line -----END CERTIFICATE-----; paste the whole file'],
    ['request.headers[0].value', 'there is no secret with the name unknown; create it first'],
    [
      'request.headers[1].value',
      'the secret elsewhere may be sent to www.example.org only; add http://api.example.org to its hosts',
    ],
    [
      'request.clientCertificate.key',
      'the secret elsewhere may be sent to www.example.org only; add http://api.example.org to its hosts',
    ],
    ['request.body', 'a secret is named as {{ secret.name }}'],
    ['request.headers[2].value', 'is kept as a secret, which needs at least 6 characters'],
  ])
  expect((await asUser(at, user, 'GET', '/secrets')).json.secrets).toHaveLength(1)
})

test.for([
  'https://api.example.org/?key={{ secret.shop_key }}',
  'https://{{secret.shop_key}}@api.example.org/',
])('the URL %s cannot have a secret', async (withSecret) => {
  const message = 'a secret cannot be in a URL; send it in a header or in the body'
  expect(problemsOf(await create({ url: withSecret }))).toEqual([['url', message]])
  const steps = [{ name: 'log in', method: 'GET', url: withSecret }]
  const journey = await create({ type: 'multistep', url: undefined, steps })
  expect(problemsOf(journey)).toEqual([['steps[0].url', message]])
  const redirected = await create({ request: { redirectsTo: withSecret } })
  expect(problemsOf(redirected)[0]).toEqual(['request.redirectsTo', message])
})

test('a URL of another host is refused while a secret may not be sent there', async () => {
  await makeSecret('shop_key')
  const request = { headers: [{ name: 'x-api-key', value: '{{ secret.shop_key }}' }] }
  const { id } = (await create({ request })).json
  const moved = await edit(id, { url: 'https://evil.example.com/' })
  expect(moved).toMatchObject({ status: 422 })
  expect(problemsOf(moved)[0]?.[0]).toBe('request.headers[0].value')
  expect(await edit(id, { url: 'https://api.example.org/other' })).toMatchObject({ status: 200 })
})

test('a replace, a clone and a file keep the request that they cannot say', async () => {
  await makeSecret('shop_key')
  const request = { method: 'POST', headers: [{ name: 'x-api-key', value: '{{ secret.shop_key }}' }] }
  const { id } = (await create({ request })).json
  const clone = await asUser(at, user, 'POST', `/checks/${id}/clone`)
  expect(await configOf(clone.json.id)).toEqual({ type: 'http', request })
  expect(clone.json).toMatchObject({ hasRequest: true })
  const replaced = await asUser(at, user, 'POST', `/checks/${id}/replace`, { intervalSeconds: 120 })
  expect(replaced).toMatchObject({ status: 201 })
  expect(await configOf(replaced.json.id)).toEqual({ type: 'http', request })
  const elsewhere = { url: 'https://www.example.org/' }
  const path = `/checks/${replaced.json.id}`
  expect(await asUser(at, user, 'POST', `${path}/replace`, elsewhere)).toMatchObject({ status: 422 })
  const drafts = [{ action: 'replace', id: replaced.json.id, check: elsewhere }]
  const planned = await asUser(at, user, 'POST', '/checks/plan', { drafts })
  expect(planned.text).toContain('the secret shop_key may be sent to')
})

test('a check with secrets on a private agent without a key is refused with what to do', async () => {
  await makeSecret('shop_key')
  const agent = (await asUser(at, user, 'POST', '/agents', { name: 'Office' })).json.agent
  const regions = [privateRegion(agent.id)]
  const request = { headers: [{ name: 'x-api-key', value: '{{ secret.shop_key }}' }] }
  await at.sql`delete from private_agent_keys`
  const refused = await create({ regions, request })
  expect(problemsOf(refused)).toEqual([
    ['regions[0]', 'cannot open secrets yet: rotate the token of the agent Office, and install it'],
    [
      'regions[0]',
      'the secret shop_key does not name the agent Office; a member names it in the dashboard, on the page of the secret',
    ],
  ])
  const { id } = (await create({ request })).json
  expect(await edit(id, { regions })).toMatchObject({ status: 422 })
  expect(await asUser(at, user, 'PATCH', `/checks/${id}`, { regions })).toMatchObject({ status: 422 })
  await asUser(at, user, 'POST', `/agents/${agent.id}/rotate`)
  const [{ id: secretId }] = (await asUser(at, user, 'GET', '/secrets')).json.secrets
  await asUser(at, user, 'PATCH', `/secrets/${secretId}`, { agents: [agent.id] })
  expect(await create({ regions, request })).toMatchObject({ status: 201 })
})

test('a read-only key learns only the length of a body', async () => {
  const { id } = (await create({ request: { method: 'POST', body: 'password=hunter22' } })).json
  const made = await createKey(
    { sql: at.sql, now: at.now },
    { accountId: user.accountId, name: 'r', scope: 'read' },
  )
  if (isRefusal(made)) throw new Error(made.message)
  const shown = await at.call('GET', `/v1/checks/${id}`, { key: made.apiKey })
  expect(shown.json.config.request.body).toBe('(17 characters, hidden from read-only keys)')
})
