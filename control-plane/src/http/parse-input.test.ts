import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import { dashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { privateKeyMessage } from '@probe-mesh/contracts/schema/private-key'
import { expect, test } from 'vitest'
import { bodyExamples } from '../documents/body-examples.ts'
import { z } from 'zod'
import { parseInput } from './parse-input.ts'

const message = 'must not contain NUL or half of a surrogate pair'
const body = { name: 'web', url: 'https://example.org/' }
const parse = (sent: object, query: object = {}) =>
  parseInput(routes.createCheck, { params: {}, query, body: sent })

test.for([
  ['NUL', 'a\u0000b'],
  ['the first half of a pair', 'a\ud83d'],
  ['the second half of a pair', '\ude00b'],
] as const)('%s is refused in any text, with its path', ([, text]) => {
  expect(parse({ ...body, name: text })).toMatchObject({
    refused: 'SV-2001',
    errors: [{ path: 'name', message }],
  })
  const links = [
    { label: 'a', url: 'https://example.org/' },
    { label: text, url: 'x' },
  ]
  const page = { name: text, slug: 'a', links }
  const refusal = parseInput(routes.createStatusPage, { params: {}, query: {}, body: page })
  if (!isRefusal(refusal)) throw new Error('was taken')
  const paths = refusal.errors.filter((error) => error.message === message)
  expect(paths.map(({ path }) => path)).toEqual(['name', 'links[1].label'])
  const query = { cursor: text, limit: '0' }
  const params = { id: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70' }
  expect(parseInput(routes.listReadings, { params, query, body: undefined })).toMatchObject({
    refused: 'SV-2001',
    errors: [{ path: 'limit' }, { path: 'cursor', message }],
  })
})

test('whole surrogate pairs and other control characters are accepted unchanged', () => {
  const name = '😀 \u0001\u200b'
  expect(parse({ ...body, name })).toMatchObject({ body: { name } })
})

test('a deep body is refused like any other invalid body', () => {
  const deep = JSON.parse(`${'['.repeat(30_000)}"\\u0000"${']'.repeat(30_000)}`)
  expect(parse({ ...body, more: deep })).toMatchObject({
    refused: 'SV-2001',
    errors: [{ path: 'more', message: 'unknown field' }],
  })
})

test('no route accepts a text deeper than the search', () => {
  const depthOf = (schema: unknown): number =>
    typeof schema !== 'object' || schema === null
      ? 0
      : Math.max(0, ...Object.values(schema).map(depthOf)) +
        ('properties' in schema || 'items' in schema ? 1 : 0)
  for (const { body, query } of Object.values<Route>(routes)) {
    for (const schema of [body, query]) {
      const json = z.toJSONSchema(schema ?? z.null(), { io: 'input', unrepresentable: 'any' })
      expect(depthOf(json)).toBeLessThan(8)
    }
  }
})

const pem = '-----BEGIN EC PRIVATE KEY-----\\nMHcCAQEEIB\\n-----END EC PRIVATE KEY-----'

/** The body with a private key in one of its texts, for each text. */
const withKey = (part: unknown, path: string): { path: string; body: unknown }[] => {
  if (typeof part === 'string') return [{ path, body: `${part} ${pem}` }]
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) => {
    const at = Array.isArray(part) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    return withKey(value, at).map(({ path: found, body: inner }) => ({
      path: found,
      body: Array.isArray(part) ? part.with(Number(key), inner) : { ...part, [key]: inner },
    }))
  })
}

const keyProblemsOf = (route: Route, sent: unknown) => {
  const refused = parseInput(route, { params: {}, query: {}, body: sent })
  return isRefusal(refused) ? refused.errors.filter((each) => each.message === privateKeyMessage) : []
}

test.each(Object.entries(bodyExamples))('no text of %s takes a private key', (name, example) => {
  const route: Route = { ...routes, ...answerRoutes }[name as keyof typeof routes]
  for (const { path, body: sent } of withKey(example, '')) {
    expect(keyProblemsOf(route, sent)).toEqual([{ path, message: privateKeyMessage }])
  }
})

test.each(Object.entries<Route>(dashboardRoutes).filter(([, route]) => route.body !== undefined))(
  'nor does %s of the dashboard, except what it keeps as a secret',
  (_, route) => {
    const fields = ['name', 'title', 'url', 'body', 'value', 'text', 'key', 'config']
    const refused = fields.filter((field) => !(route.secretFields ?? []).includes(field))
    const problems = keyProblemsOf(route, Object.fromEntries(fields.map((field) => [field, [pem]])))
    expect(problems.map(({ path }) => path)).toEqual(fields.map((field) => `${field}[0]`))
    const plain = keyProblemsOf(route, Object.fromEntries(fields.map((field) => [field, pem])))
    expect(plain.map(({ path }) => path)).toEqual(refused)
  },
)

test('nor does a query, and a credential of a request is judged where it becomes a secret', () => {
  const refused = parseInput(routes.listChecks, { params: {}, query: { tag: pem }, body: undefined })
  expect(isRefusal(refused) && refused.errors).toContainEqual({ path: 'tag', message: privateKeyMessage })
  const request = {
    headers: [{ name: 'x', value: pem }],
    auth: { token: pem },
    clientCertificate: { key: pem },
  }
  expect(keyProblemsOf(dashboardRoutes.createTypedCheck, { request })).toEqual([])
  expect(keyProblemsOf(dashboardRoutes.createTypedCheck, { steps: [{ options: request }] })).toEqual([])
  expect(keyProblemsOf(dashboardRoutes.createTypedCheck, { request: { body: pem } })).toHaveLength(1)
})
