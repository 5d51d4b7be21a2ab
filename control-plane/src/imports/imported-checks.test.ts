import { readFileSync } from 'node:fs'
import { toAssertions } from '@probe-mesh/contracts/check/assertions'
import type { ImportedHttpCheck, ImportInput } from '@probe-mesh/contracts/check/check-import'
import { toStep } from '@probe-mesh/contracts/check/step'
import type { SealedSecrets } from '@probe-mesh/contracts/secret/secret'
import { setUp } from '@probe-mesh/probe-agent/run/testing/run'
import { journeyOf, opener, requestOf } from '@probe-mesh/probe-agent/secrets/testing/targets'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readText } from './read-text.ts'
import { siteKey, siteUser, startLoginSite } from './testing/login-site.ts'
import type { LoginSite } from './testing/login-site.ts'

/** Imports become checks that the real probe measures against the site that they came from. */

let site: LoginSite
beforeEach(async () => {
  site = await startLoginSite()
})
afterEach(() => site.close())

const read = (input: ImportInput) => {
  const answer = readText({ ...input, taken: [] })
  if ('problems' in answer) throw new Error(answer.problems.join(' '))
  const found = answer.secrets.map(({ name, hosts, value }) => [name, { hosts, value }])
  return { draft: answer.draft, secrets: Object.fromEntries(found) as SealedSecrets }
}

const { runAny } = setUp({ secrets: opener })
const measure = ({ url, request = {}, assertions }: ImportedHttpCheck, secrets: SealedSecrets) =>
  runAny(requestOf(url, request, secrets, { assertions: toAssertions(assertions ?? {}) }))

describe('a curl command', () => {
  const command = () =>
    `curl ${site.origin}/api/search -H 'X-Api-Key: ${siteKey}' --json '{"words":["a","b"]}'`

  test('becomes a check that is up, with its key as a secret', async () => {
    const { draft, secrets } = read({ kind: 'curl', text: command() })
    if (draft.kind !== 'curl') throw new Error('not read as a command')
    expect(JSON.stringify(draft)).not.toContain(siteKey)
    expect(await measure(draft.check, secrets)).toMatchObject({ verdict: 'up', httpStatus: 200 })
    expect(site.answers).toEqual(['POST /api/search 200'])
  })

  test('with a wrong key becomes one that is down', async () => {
    const { draft, secrets } = read({ kind: 'curl', text: command().replace(siteKey, 'another-key') })
    if (draft.kind !== 'curl') throw new Error('not read as a command')
    expect(await measure(draft.check, secrets)).toMatchObject({
      verdict: 'down',
      httpStatus: 403,
    })
  })
})

test('an OpenAPI document becomes checks that are up, once its key is filled in', async () => {
  const schema = { type: 'object', required: ['state'], properties: { state: { type: 'string' } } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', example: 42 } }
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop' },
    servers: [{ url: site.origin }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    paths: {
      '/login': { get: { responses: { 200: { description: 'the form' } } } },
      '/api/orders/{id}': {
        get: {
          security: [{ key: [] }],
          parameters: [id],
          responses: { 200: { content: { 'application/json': { schema } } }, 403: {} },
        },
      },
      '/api/me': { get: { responses: { 401: { description: 'without a login' } } } },
    },
  })
  const { draft } = read({ kind: 'openapi', text })
  if (draft.kind !== 'openapi') throw new Error('not read as a document')
  expect(draft.leftOut).toEqual([
    { operation: 'GET /api/me', why: 'no answer with a status of 2xx is documented' },
  ])
  const filled = draft.neededSecrets.map(({ name, hosts }) => [name, { hosts, value: siteKey }])
  for (const { check, jsonPath } of draft.operations) {
    const property =
      jsonPath === null ? {} : { assertionJsonPath: jsonPath, assertionJsonOp: 'exists' as const }
    const whole = { ...check, assertions: { ...check.assertions, ...property } }
    expect(await measure(whole, Object.fromEntries(filled))).toMatchObject({ verdict: 'up', httpStatus: 200 })
  }
  expect(draft.operations.map(({ jsonPath }) => jsonPath)).toEqual([null, 'state'])
  expect(site.answers).toEqual(['GET /login 200', 'GET /api/orders/42 200'])
})

/** Recorded with Chromium from this site at another port. */
const recorded = (name: string): string => {
  const text = readFileSync(new URL(`testing/${name}.har`, import.meta.url), 'utf8')
  return text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, site.origin)
}

describe('a recording of a login', () => {
  test('by cookies becomes a journey that is up: the jar carries the session', async () => {
    const { draft, secrets } = read({ kind: 'har', text: recorded('login') })
    if (draft.kind !== 'har') throw new Error('not read as a recording')
    expect(JSON.stringify(draft)).not.toContain(siteUser.password)
    const reading = await runAny(
      journeyOf(
        draft.steps.map(({ step }) => toStep(step)),
        secrets,
      ),
    )
    expect(reading).toMatchObject({ verdict: 'up', reason: null })
    expect(site.answers).toEqual(['GET /login 200', 'POST /login 303', 'GET /account 200', 'GET /api/me 200'])
  })

  test('with a value of an earlier answer is refused, and would not have passed', async () => {
    const withToken = await startLoginSite({ withToken: true })
    const text = recorded('login-with-token').replaceAll(site.origin, withToken.origin)
    expect(readText({ kind: 'har', text, taken: [] })).toEqual({
      problems: [
        'Step 2 sends csrf_token, whose value came from the answer of step 1; journeys cannot pass values yet.',
      ],
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
