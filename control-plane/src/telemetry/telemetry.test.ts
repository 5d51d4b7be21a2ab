import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'

const opened = parseAllowList(['10.1.0.0/16'])
if (!opened.ok) throw new Error('the allow list of the tests is wrong')

const at = useTestApp({ config: { budgetScale: 1_000, channelAllow: opened.allow } })
const user = useEach(() => loggedIn(at))

const fields = { endpoint: 'https://otlp.example.com/in', metrics: true, traces: false }
const save = (body: object) => asUser(at, user, 'PATCH', '/telemetry', { ...fields, ...body })
const read = async () => (await asUser(at, user, 'GET', '/telemetry')).json
const pathsOf = async (body: object) =>
  (await save(body)).json.errors?.map(({ path }: { path: string }) => path)

test('settings are saved, shown without the values of headers, and deleted', async () => {
  expect(await read()).toMatchObject({ endpoint: null, metrics: { enabled: false, sent: 0 } })
  const headers = 'Authorization: Bearer top-secret-1\nX-Scope: shop'
  const saved = await save({ headers })
  expect(saved.json).toMatchObject({
    ...fields,
    headerNames: ['authorization', 'x-scope'],
    metrics: { enabled: true },
    traces: { enabled: false },
  })
  expect(JSON.stringify([saved.json, await read()])).not.toContain('top-secret')
  const [row] =
    await at.sql`select headers::text from telemetry_endpoints where account_id = ${user.accountId}`
  expect(row?.['headers']).not.toContain(Buffer.from('top-secret-1').toString('hex'))
  const other = await loggedIn(at)
  expect((await asUser(at, other, 'GET', '/telemetry')).json.endpoint).toBeNull()
  expect((await asUser(at, other, 'DELETE', '/telemetry')).json.code).toBe('SV-3001')
  expect((await asUser(at, user, 'DELETE', '/telemetry')).json).toEqual({ deleted: true })
  expect(await read()).toMatchObject({ endpoint: null, headerNames: [] })
})

test('headers stay for their endpoint, and another one needs them again', async () => {
  await save({ headers: 'x-key: top-secret-1' })
  expect((await save({ traces: true })).json).toMatchObject({
    headerNames: ['x-key'],
    traces: { enabled: true },
  })
  expect(await pathsOf({ endpoint: 'https://elsewhere.example.com' })).toEqual(['headers'])
  expect((await read()).endpoint).toBe(fields.endpoint)
  expect((await save({ endpoint: 'https://elsewhere.example.com', headers: '' })).json.headerNames).toEqual(
    [],
  )
})

test('an encoding stays until another is chosen, and an unknown one is refused', async () => {
  expect((await save({})).json.encoding).toBe('json')
  expect((await save({ encoding: 'protobuf' })).json.encoding).toBe('protobuf')
  expect((await save({ traces: true })).json.encoding).toBe('protobuf')
  expect((await save({ endpoint: 'https://elsewhere.example.com' })).json.encoding).toBe('protobuf')
  expect((await read()).encoding).toBe('protobuf')
  expect((await save({ encoding: 'json' })).json.encoding).toBe('json')
  expect(await pathsOf({ encoding: 'thrift' })).toEqual(['encoding'])
})

test('an endpoint that channels may not reach, and http to a public one, are refused', async () => {
  const codes = async (endpoint: string) => (await save({ endpoint })).json.code
  expect(await codes('https://10.2.0.1:4318')).toBe('SV-5001')
  expect(await codes('http://8.8.8.8:4318')).toBe('SV-2001')
  expect((await save({ endpoint: 'http://10.1.0.1:4318' })).status).toBe(200)
  // its addresses are judged at the push
  expect((await save({ endpoint: 'http://otlp.example.com' })).status).toBe(200)
})

test('all problems are told at once', async () => {
  expect(
    await pathsOf({ endpoint: 'https://otlp.example.com/v1/traces', headers: 'Host: x', metrics: 1 }),
  ).toEqual(expect.arrayContaining(['endpoint', 'headers', 'metrics']))
  expect(await pathsOf({ endpoint: 'https://otlp.example.com?key=1' })).toEqual(['endpoint'])
})
