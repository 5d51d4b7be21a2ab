import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formIn } from '../../testing/form-in.ts'
import { useTestWeb, type Member, type Shown } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const path = '/dashboard/checks/import'
const fileOf = (text: string): string => Buffer.from(text).toString('base64')
const fieldsOf = ({ raw }: Shown) => Object.fromEntries(formIn(raw))
const har = (name: string): string =>
  readFileSync(new URL(`../../../../control-plane/src/imports/testing/${name}.har`, import.meta.url), 'utf8')

test('the page has a form for each kind', async () => {
  const { get } = await web.member()
  const { text } = await get(path)
  for (const name of ['curl', 'document', 'recording']) expect(text).toContain(`name="${name}"`)
  expect((await get('/dashboard/checks/new')).raw).toContain(`href="${path}"`)
})

describe('a curl command', () => {
  test('fills in the form of an http check, names what it stored, and shows no credential', async () => {
    const { post, get } = await web.member()
    const curl = `curl 'https://example.org/a?b=1' -H 'X-Api-Key: planted-value' -k`.replace(' -k', '')
    const shown = await post(path, { act: 'curl', curl })
    expect(shown.status).toBe(200)
    expect(fieldsOf(shown)).toMatchObject({
      url: 'https://example.org/a?b=1',
      name: 'example.org/a',
      intervalSeconds: '60',
    })
    expect(shown.text).toContain('{{ secret.x_api_key }}</code>for<bdi>example.org</bdi>')
    expect(shown.raw).not.toContain('planted-value')
    expect((await get('/dashboard/secrets')).text).toContain('x_api_key')
    expect((await get('/dashboard/checks')).text).toContain('No checks yet')
  })

  test('is saved from that form as the request that it was, with its secret in use', async () => {
    const { post, get, accountId } = await web.member()
    const shown = await post(path, {
      act: 'curl',
      curl: `curl https://example.org/orders -H 'X-Api-Key: planted-value' -u me:planted-password -m 9 --json '{"a":"b\nc"}'`,
    })
    const made = await post('/dashboard/checks/new/http', [...formIn(shown.raw), ['act', 'save']])
    expect(made).toMatchObject({
      status: 303,
      to: expect.stringMatching(/^\/dashboard\/checks\/[\da-f-]{36}$/),
    })
    const [row] = await web.at.sql`select config from checks where account_id = ${accountId}`
    expect(row?.['config']).toMatchObject({
      timeoutSeconds: 9,
      request: {
        method: 'POST',
        headers: [
          { name: 'X-Api-Key', value: '{{ secret.x_api_key }}' },
          { name: 'Accept', value: 'application/json' },
        ],
        auth: { type: 'basic', username: 'me', password: '{{ secret.password }}' },
        body: '{"a":"b\nc"}',
        contentType: 'application/json',
      },
    })
    const secrets = await get('/dashboard/secrets')
    expect(secrets.text.match(/example\.org\/orders/g)).toHaveLength(2)
    expect(JSON.stringify([shown.raw, row, secrets.raw])).not.toMatch(/planted-(value|password)/)
  })

  test('fills in the address, Host and pin that it names, and is saved with them', async () => {
    const { post, accountId } = await web.member()
    const pin = `sha256//${'A'.repeat(43)}=`
    const shown = await post(path, {
      act: 'curl',
      curl: `curl https://example.org/ --connect-to ::93.184.216.34:8443 -H 'Host: www.example.com' --pinnedpubkey ${pin}`,
    })
    const request = { connectTo: '93.184.216.34:8443', hostHeader: 'www.example.com' }
    expect(fieldsOf(shown)).toMatchObject({
      'request.connectTo': request.connectTo,
      'request.hostHeader': request.hostHeader,
      'request.pins': pin,
    })
    expect(await post('/dashboard/checks/new/http', [...formIn(shown.raw), ['act', 'save']])).toMatchObject({
      status: 303,
    })
    const [row] = await web.at.sql`select config from checks where account_id = ${accountId}`
    expect(row?.['config']).toMatchObject({ request: { ...request, pins: [pin] } })
  })

  test('that cannot be read stays, with every reason at its field', async () => {
    const { post } = await web.member()
    const shown = await post(path, { act: 'curl', curl: 'curl -k https://example.org/ -F "a=<b>"' })
    expect(shown.status).toBe(422)
    expect(shown.text).toContain('href="#field-curl"')
    expect(shown.text).toContain('-k: A check always verifies the certificate')
    expect(shown.text).toContain('-F: A check sends no multipart forms')
    expect(shown.text).toContain('&lt;b&gt;')
  })
})

describe('an OpenAPI document', () => {
  const operation = (more: object = {}) => ({ responses: { 200: {} }, ...more })
  const schema = { required: ['id'], properties: { id: {} } }
  const document = {
    openapi: '3.0.3',
    info: { title: 'Pets <b>' },
    servers: [{ url: 'https://api.example.org' }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    paths: {
      '/pets': {
        get: operation({
          summary: 'List <i>',
          responses: { 200: { content: { 'application/json': { schema } } } },
        }),
        post: operation(),
      },
      '/pets/{id}': { get: operation() },
      '/stock': { get: operation({ security: [{ key: [] }] }) },
    },
  }
  const read = ({ post }: Member, text = JSON.stringify(document)) =>
    post(path, { act: 'openapi', document: fileOf(text), baseUrl: '' })

  test('is sent as a file, and offers its operations: those that change nothing are chosen', async () => {
    const { send } = await web.member()
    const form = new FormData()
    form.append('act', 'openapi')
    form.append('document', new Blob([JSON.stringify(document)]), 'api.json')
    const sent = new Response(form)
    const body = Buffer.from(await sent.arrayBuffer())
    const shown = await send(path, body, {
      'content-type': sent.headers.get('content-type') ?? '',
      'sec-fetch-site': 'same-origin',
    })
    expect(shown.status).toBe(200)
    expect(formIn(shown.raw).filter(([name]) => name === 'operation')).toEqual([
      ['operation', '0'],
      ['operation', '2'],
    ])
    expect(shown.text).toContain('GET /pets/{id}')
    expect(shown.text).toContain('no example, default or enum value of the path parameter id')
    expect(shown.text).toContain('changes data at each run')
    expect(shown.text).not.toContain('<i>')
  })

  test('creates the chosen checks with what the document says of their answers', async () => {
    const member = await web.member()
    const shown = await read(member)
    const sent = formIn(shown.raw).filter(([name, value]) => name !== 'operation' || value === '0')
    const made = await member.post(path, [...sent, ['act', 'create']])
    expect(made).toMatchObject({ status: 303, to: '/dashboard/checks' })
    const { text, raw } = await member.get('/dashboard/checks')
    expect(text).toContain('Checks created.')
    const [, id] = /href="\/dashboard\/checks\/([\da-f-]{36})"/.exec(raw) ?? []
    expect(fieldsOf(await member.get(`/dashboard/checks/${id}/edit`))).toMatchObject({
      name: 'List <i>',
      url: 'https://api.example.org/pets',
      assertionStatusMin: '200',
      assertionStatusMax: '200',
      assertionJsonPath: 'id',
      assertionJsonOp: 'exists',
    })
  })

  test('creates nothing without a choice, or without a secret that a chosen operation needs', async () => {
    const member = await web.member()
    const shown = await read(member)
    const sent = formIn(shown.raw)
    const none = await member.post(path, [
      ...sent.filter(([name]) => name !== 'operation'),
      ['act', 'create'],
    ])
    expect(none.status).toBe(422)
    expect(none.text).toContain('choose at least one operation')
    const without = await member.post(path, [...sent, ['act', 'create']])
    expect(without.text).toContain('id="field-secret-key-problem"')
    expect(without.text).toContain('is needed by a chosen operation')
    expect((await member.get('/dashboard/checks')).text).toContain('No checks yet')
    const short = await member.post(path, [
      ...sent.filter(([name]) => name !== 'secret-key'),
      ['secret-key', 'short'],
      ['act', 'create'],
    ])
    expect(short.text).toContain('must have at least 6 characters')
    expect(short.raw).not.toContain('value="short"')
    const made = await member.post(path, [
      ...sent.filter(([name]) => name !== 'secret-key'),
      ['secret-key', 'planted-value'],
      ['act', 'create'],
    ])
    expect(made).toMatchObject({ status: 303, to: '/dashboard/checks' })
    const rows = await web.at.sql`
      select config->'request' as request from checks where account_id = ${member.accountId} order by url`
    expect(rows.map(({ request }) => request)).toEqual([
      null,
      { headers: [{ name: 'X-Key', value: '{{ secret.key }}' }] },
    ])
  })

  test('that cannot be read is refused at its field', async () => {
    const shown = await read(await web.member(), 'swagger: "2.0"')
    expect(shown.status).toBe(422)
    expect(shown.text).toContain('href="#field-document"')
    expect(shown.text).toContain('The document has no operations')
  })

  test('keeps what the plan does not allow, and says how many were created', async () => {
    const member = await web.member('free')
    const paths = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`/a${at}`, { get: operation() }]))
    const shown = await read(member, JSON.stringify({ ...document, paths }))
    const sent = formIn(shown.raw).map(([name, value]): [string, string] => [name, value])
    const made = await member.post(path, [...sent, ['act', 'create']])
    expect(made.status).toBe(422)
    expect(made.text).toContain('10 checks were created. 2 of those that you chose are left.')
    expect(formIn(made.raw).filter(([name]) => name === 'operation')).toHaveLength(2)
    // the others would get the same answer, and are not tried
    expect(made.text.match(/GET \/a\d+: /g)).toHaveLength(1)
  })
})

describe('a HAR file', () => {
  const read = async (text: string) =>
    (await web.member()).post(path, { act: 'har', recording: fileOf(text) })

  test('fills in the steps of a journey, with its password as a secret', async () => {
    const shown = await read(har('login'))
    expect(fieldsOf(shown)).toMatchObject({
      'steps[0].name': 'GET /login',
      'steps[1].method': 'POST',
      'steps[1].body': 'user=ada&password={{ secret.password }}',
      'steps[1].assertions.statusMin': '200',
      'steps[2].name': 'GET /api/me',
    })
    expect(shown.text).toContain('{{ secret.password }}</code>for<bdi>http://127.0.0.1')
    expect(shown.raw).not.toContain('correct')
    expect(fieldsOf(shown)['steps[2].options.headers']).toContain('x-requested-with: shop')
  })

  test('is saved from that form as a journey', async () => {
    const member = await web.member()
    const text = har('login')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://shop.example.org')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'shop.example.org')
    const shown = await member.post(path, { act: 'har', recording: fileOf(text) })
    const made = await member.post('/dashboard/checks/new/multistep', [...formIn(shown.raw), ['act', 'save']])
    expect(made.status).toBe(303)
    const [row] = await web.at.sql`select config from checks where account_id = ${member.accountId}`
    expect(row?.['config']).toMatchObject({
      steps: [
        { name: 'GET /login', assertions: { statusMin: 200, statusMax: 200 } },
        { method: 'POST', body: 'user=ada&password={{ secret.password }}' },
        { options: { headers: expect.arrayContaining([{ name: 'x-requested-with', value: 'shop' }]) } },
      ],
    })
  })

  test('whose login needs a value of an earlier answer is refused with its name', async () => {
    const shown = await read(har('login-with-token'))
    expect(shown.status).toBe(422)
    expect(shown.text).toContain(
      'Step 2 sends csrf_token, whose value came from the answer of step 1; journeys cannot pass values yet',
    )
  })

  test('with more than ten requests lets a person choose', async () => {
    const member = await web.member()
    const entries = Array.from({ length: 12 }, (_, at) => ({
      _resourceType: 'document',
      request: { method: 'GET', url: `https://example.org/${at}`, headers: [] },
      response: { status: 200, headers: [], content: { mimeType: 'text/html', text: 'page' } },
    }))
    const recording = fileOf(JSON.stringify({ log: { entries } }))
    const offered = await member.post(path, { act: 'har', recording })
    expect(offered.text).toContain('The recording has 12 requests.')
    const sent = formIn(offered.raw)
    const none = await member.post(path, [...sent, ['act', 'steps']])
    expect(none.text).toContain('Choose 1 to 10 requests, not 0.')
    const chosen = await member.post(path, [...sent, ['step', '11'], ['step', '2'], ['act', 'steps']])
    expect(fieldsOf(chosen)).toMatchObject({
      'steps[0].url': 'https://example.org/2',
      'steps[1].url': 'https://example.org/11',
    })
    expect(fieldsOf(chosen)).not.toHaveProperty('steps[2].url')
  })
})
