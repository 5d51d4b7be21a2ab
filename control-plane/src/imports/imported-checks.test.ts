import { readFileSync } from 'node:fs'
import type { ImportDraft, ImportedHttpCheck, ImportInput } from '@probe-mesh/contracts/check/check-import'
import { contextOf, setUp } from '@probe-mesh/probe-agent/src/run/testing/run'
import { createSecretOpener } from '@probe-mesh/probe-agent/secrets/secret-opener'
import { useEach } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useTestApp, testSecretsKey } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'
import { regionKeyOf } from '../secrets/region-key.ts'
import { siteKey, siteUser, startLoginSite } from './testing/login-site.ts'

/** Imports become checks that the real probe measures against the site that they came from. */

let user: TestUser
let serving: { close(): Promise<void> }
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeAll(async () => {
  const { runAny } = setUp({ secrets: createSecretOpener((region) => regionKeyOf(testSecretsKey, region)) })
  serving = await at.bus.runs.serve('fra', async ({ assignment, at: slot, kind, number }) => ({
    agent: 'fra-1',
    reading: await runAny(assignment, contextOf({ slot, kind, number })),
  }))
  user = await loggedIn(at)
})
const site = useEach(() => startLoginSite())
afterAll(async () => {
  await serving.close()
})

const read = async (input: ImportInput): Promise<{ draft: ImportDraft; text: string }> => {
  const { json, text } = await asUser(at, user, 'POST', '/imports', input)
  return { draft: json, text }
}

/** Creates the check in the region of the probe, and measures it. */
const measure = async (draft: object) => {
  const body = { ...draft, regions: ['fra'] }
  const { status, json, text } = await asUser(at, user, 'POST', '/typed-checks', body)
  if (status !== 201) throw new Error(text)
  const ran = await asUser(at, user, 'POST', `/checks/${json.id}/run`, {})
  return ran.json.readings[0]
}
const measureHttp = ({ assertions, ...check }: ImportedHttpCheck) => measure({ ...check, ...assertions })

describe('a curl command', () => {
  const command = () =>
    `curl ${site.origin}/api/search -H 'X-Api-Key: ${siteKey}' --json '{"words":["a","b"]}'`

  test('becomes a check that is up, with its key as a secret', async () => {
    const { draft, text } = await read({ kind: 'curl', text: command() })
    if (draft.kind !== 'curl') throw new Error('not read as a command')
    expect(await measureHttp(draft.check)).toMatchObject({ verdict: 'up', httpStatus: 200 })
    expect(new Set(site.answers)).toEqual(new Set(['POST /api/search 200']))
    expect(text).not.toContain(siteKey)
  })

  test('with a wrong key becomes one that is down', async () => {
    const { draft } = await read({ kind: 'curl', text: command().replace(siteKey, 'another-key') })
    if (draft.kind !== 'curl') throw new Error('not read as a command')
    expect(await measureHttp(draft.check)).toMatchObject({ verdict: 'down', httpStatus: 403 })
  })
})

describe('a curl command that names another address or Host', () => {
  const saved = async (text: string) => {
    const { draft } = await read({ kind: 'curl', text })
    if (draft.kind !== 'curl') throw new Error('not read as a command')
    const body = { ...draft.check, regions: ['fra'] }
    return { draft, made: await asUser(at, user, 'POST', '/typed-checks', body) }
  }

  test('is measured there', async () => {
    const { port, host } = new URL(site.origin)
    const { draft } = await read({
      kind: 'curl',
      text: `curl http://shop.example.org/login --connect-to ::${host} -H 'Host: www.example.org:${port}'`,
    })
    if (draft.kind !== 'curl') throw new Error('not read as a command')
    expect(draft.check.request).toEqual({ connectTo: host, hostHeader: `www.example.org:${port}` })
    expect(await measureHttp(draft.check)).toMatchObject({ verdict: 'up', httpStatus: 200 })
    expect(new Set(site.answers)).toEqual(new Set(['GET /login 200']))
  })

  test.each([
    ['--resolve example.org:443:10.0.0.1', 'the address is not public'],
    ['--resolve example.org:443:169.254.169.254', 'the address is not public'],
    ['--connect-to ::[fd00::1]:443', 'the address is not public'],
    ['--connect-to ::db.internal:', 'reserved for internal networks'],
    ['--connect-to :::22', 'the port 22 is not allowed'],
  ])('is refused at save like the same check of the form: %s', async (option, message) => {
    const { made } = await saved(`curl https://example.org/ '${option.replace(' ', "' '")}'`)
    expect(made).toMatchObject({
      status: 422,
      json: {
        code: 'SV-5001',
        errors: [{ path: 'request.connectTo', message: expect.stringContaining(message) }],
      },
    })
  })

  test.each([
    ['http://example.org/ --resolve example.org:80:93.184.216.34', '93.184.216.34'],
    ["https://example.org/ -H 'Host: www.example.com'", 'www.example.com'],
    ['https://example.org/ --resolve example.org:443:93.184.216.34', null],
  ])('gives its credentials to no host that they are not allowed for: %s', async (rest, host) => {
    const key = `key-for-${rest.length}-letters`
    const { draft, made } = await saved(`curl ${rest} -H 'X-Api-Key: ${key}'`)
    const [secret] = draft.kind === 'curl' ? draft.secrets : []
    expect(made.status).toBe(host === null ? 201 : 422)
    if (host === null) return
    expect(made.json).toMatchObject({
      code: 'SV-2001',
      errors: [
        {
          path: 'request.headers[0].value',
          message: `the secret ${secret?.name} may be sent to ${secret?.hosts.join()} only; add ${host.startsWith('9') ? `http://${host}` : host} to its hosts`,
        },
      ],
    })
  })
})

test('an OpenAPI document becomes checks that are up, once its key is filled in', async () => {
  const schema = { type: 'object', required: ['state'], properties: { state: { type: 'string' } } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', example: 42 } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop' },
    servers: [{ url: site.origin }],
    components: { securitySchemes: { shopKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    paths: {
      '/login': { get: { responses: { 200: { description: 'the form' } } } },
      '/api/orders/{id}': {
        get: {
          security: [{ shopKey: [] }],
          parameters: [id],
          responses: { 200: { content: { 'application/json': { schema } } }, 403: {} },
        },
      },
      '/api/me': { get: { responses: { 401: { description: 'without a login' } } } },
    },
  }
  const { draft } = await read({ kind: 'openapi', text: JSON.stringify(document) })
  if (draft.kind !== 'openapi') throw new Error('not read as a document')
  expect(draft.leftOut).toEqual([
    { operation: 'GET /api/me', why: 'no answer with a status of 2xx is documented' },
  ])
  expect(draft.operations.map(({ jsonPath }) => jsonPath)).toEqual([null, 'state'])
  for (const { name, hosts } of draft.neededSecrets) {
    await asUser(at, user, 'POST', '/secrets', { name, hosts, value: siteKey })
  }
  for (const { check, jsonPath } of draft.operations) {
    const property =
      jsonPath === null ? {} : { assertionJsonPath: jsonPath, assertionJsonOp: 'exists' as const }
    const whole = { ...check, assertions: { ...check.assertions, ...property } }
    expect(await measureHttp(whole)).toMatchObject({ verdict: 'up', httpStatus: 200 })
  }
  expect(new Set(site.answers)).toEqual(new Set(['GET /login 200', 'GET /api/orders/42 200']))
})

/** Recorded with Chromium from this site at another port. */
const recorded = (name: string, origin: string): string =>
  readFileSync(new URL(`testing/${name}.har`, import.meta.url), 'utf8').replaceAll(
    /127\.0\.0\.1:\d+/g,
    new URL(origin).host,
  )

describe('a recording of a login', () => {
  test('by cookies becomes a journey that is up: the jar carries the session', async () => {
    const { draft, text } = await read({ kind: 'har', text: recorded('login', site.origin) })
    if (draft.kind !== 'har') throw new Error('not read as a recording')
    const steps = draft.steps.map(({ step }) => step)
    const reading = await measure({ type: 'multistep', name: draft.name, steps })
    expect(reading).toMatchObject({ verdict: 'up', reason: null })
    expect(new Set(site.answers)).toEqual(
      new Set(['GET /login 200', 'POST /login 303', 'GET /account 200', 'GET /api/me 200']),
    )
    expect(text).not.toContain(siteUser.password)
  })

  test('with a value of an earlier answer is refused with its name, and would not have passed', async () => {
    const withToken = await startLoginSite({ withToken: true })
    const text = recorded('login-with-token', withToken.origin)
    const refused = await asUser(at, user, 'POST', '/imports', { kind: 'har', text })
    expect(refused).toMatchObject({
      status: 422,
      json: {
        errors: [
          {
            message:
              'Step 2 sends csrf_token, whose value came from the answer of step 1; journeys cannot pass values yet.',
          },
        ],
      },
    })
    const sent = /csrf_token=[^"\\]*/.exec(text)?.[0] ?? ''
    const answer = await fetch(`${withToken.origin}/login`, {
      method: 'POST',
      body: sent,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([sent.length > 20, answer.status]).toEqual([true, 403])
    await withToken.close()
  })
})
