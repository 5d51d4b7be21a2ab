import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { createKey } from '../../accounts/keys.ts'
import { useTestApp, type Answer } from '../../app/testing/test-app.ts'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'

/** S-362, over every door to a saved check. */

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useEach(() => loggedIn(at))

const url = 'https://api.example.org/orders'
const http = { type: 'http', name: 'orders', url, regions: ['fra'] }
const create = (body: object): Promise<Answer> => asUser(at, user, 'POST', '/typed-checks', body)
const edit = (id: string, body: object): Promise<Answer> =>
  asUser(at, user, 'PATCH', `/typed-checks/${id}`, body)
const problemsOf = ({ status, json }: Answer): string[] => {
  expect({ status, code: json.code }).toEqual({ status: 422, code: 'SV-2001' })
  return json.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)
}
const rest = async (method: string, path: string, body: object): Promise<Answer> => {
  const made = await createKey(
    { sql: at.sql, now: at.now },
    { accountId: user.accountId, name: 'rw', scope: 'read_write' },
  )
  if (isRefusal(made)) throw new Error(made.message)
  return at.call(method as 'POST', `/v1${path}`, { key: made.apiKey, body })
}

const contains = { assertionBodyOp: 'contains', assertionBodyValue: 'ok' }
const lacks = { assertionBodyOp: 'not_contains', assertionBodyValue: 'ok' }
const json = { assertionJsonPath: 'status', assertionJsonOp: 'equals', assertionJsonValue: 'ok' }
const status = (min: number, max = min) => ({ assertionStatusMin: min, assertionStatusMax: max })
const head = { request: { method: 'HEAD' } }
const noBodyAfterHead = 'an answer to HEAD has no body; choose GET, or assert the status'
const noBody = (of: number): string => `an answer with status ${of} has no body`
const redirectNever = 'is never met: the expected statuses contain no redirect (301, 302, 303, 307, 308)'

test.each<[object, string[]]>([
  [{ ...head, ...contains }, [`assertionBodyOp is never met: ${noBodyAfterHead}`]],
  [{ ...head, ...lacks }, [`assertionBodyOp never fails: ${noBodyAfterHead}`]],
  [{ ...head, ...json }, [`assertionJsonPath is never met: ${noBodyAfterHead}`]],
  [{ ...contains, ...status(204) }, [`assertionBodyOp is never met: ${noBody(204)}`]],
  [{ ...lacks, ...status(205) }, [`assertionBodyOp never fails: ${noBody(205)}`]],
  [
    { ...contains, ...json, ...status(304) },
    [`assertionBodyOp is never met: ${noBody(304)}`, `assertionJsonPath is never met: ${noBody(304)}`],
  ],
  [
    status(100, 199),
    ['assertionStatusMax is never met: an answer with status 100 to 199 is followed by the final one'],
  ],
  [{ request: { redirectsTo: '/a' }, ...status(200, 299) }, [`request.redirectsTo ${redirectNever}`]],
  [{ request: { redirectsTo: '/a' }, ...status(304, 306) }, [`request.redirectsTo ${redirectNever}`]],
  [
    { ...lacks, ...json },
    ['assertionBodyValue contradicts the JSON assertion, which needs "ok" in the body'],
  ],
  [
    { ...lacks, ...json, assertionBodyValue: 'STATUS', assertionJsonOp: 'exists', assertionJsonValue: null },
    ['assertionBodyValue contradicts the JSON assertion, which needs "status" in the body'],
  ],
])('%j is refused', async (body, expected) => {
  expect(problemsOf(await create({ ...http, ...body }))).toEqual(expected)
})

test.each<object>([
  { ...contains },
  { ...head, ...status(200, 399) },
  { ...contains, ...status(200, 204) },
  { ...contains, ...status(404) },
  status(204),
  status(304),
  status(100, 599),
  status(150, 200),
  { request: { redirectsTo: '/a' } },
  { request: { redirectsTo: '/a' }, ...status(301) },
  { ...lacks, ...json, assertionBodyValue: 'error' },
  { ...lacks, ...json, assertionBodyValue: 'OK', assertionBodyCaseSensitive: true },
  { ...lacks, ...json, assertionBodyValue: '5', assertionJsonValue: '5' },
])('%j can be up and down, and is saved', async (body) => {
  expect(await create({ ...http, ...body })).toMatchObject({ status: 201 })
})

test('all problems of all steps of a journey are refused at once, with their places', async () => {
  const step = { name: 'a', method: 'HEAD', url }
  const made = await create({
    type: 'multistep',
    name: 'j',
    regions: ['fra'],
    steps: [
      { ...step, assertions: { bodyOp: 'contains', bodyValue: 'ok' } },
      {
        ...step,
        method: 'GET',
        assertions: { jsonPath: 'a', jsonOp: 'exists', statusMin: 204, statusMax: 204 },
      },
      { ...step, assertions: { headerName: 'etag', headerOp: 'contains', headerValue: 'a' } },
    ],
  })
  expect(problemsOf(made)).toEqual([
    `steps[0].assertions.bodyOp is never met: ${noBodyAfterHead}`,
    `steps[1].assertions.jsonPath is never met: ${noBody(204)}`,
  ])
})

test('every way to save or try one is closed', async () => {
  const never = [`assertionBodyOp is never met: ${noBody(204)}`]
  const body = { ...contains, ...status(204) }
  const { type: _type, ...plain } = http
  expect(problemsOf(await rest('POST', '/checks', { ...plain, ...body }))).toEqual(never)
  expect(problemsOf(await asUser(at, user, 'POST', '/trials', { ...http, ...body }))).toEqual(never)
  const { json: made } = await create({ ...http, ...head })
  const ofHead = [`assertionBodyOp is never met: ${noBodyAfterHead}`]
  expect(problemsOf(await rest('PATCH', `/checks/${made.id}/assertions`, contains))).toEqual(ofHead)
  expect(problemsOf(await edit(made.id, { assertions: contains }))).toEqual(ofHead)
  const planned = await rest('POST', '/checks/plan', {
    drafts: [
      { action: 'create', check: { ...plain, ...body } },
      { action: 'update', id: made.id, assertions: contains },
      { action: 'update', id: made.id, assertions: status(200) },
    ],
  })
  expect(planned.json.refusals).toMatchObject([
    { index: 0, code: 'SV-2001', errors: [{ path: 'assertionBodyOp' }] },
    { index: 1, code: 'SV-2001', errors: [{ path: 'assertionBodyOp' }] },
  ])
  const { json: other } = await create({ ...http, ...contains })
  expect(problemsOf(await edit(other.id, head))).toEqual(ofHead)
})

test('one that is stored already keeps running: its other fields change, its assertions only to possible ones', async () => {
  const { json: made } = await create({ ...http, ...head })
  const { json: journey } = await create({
    type: 'multistep',
    name: 'j',
    regions: ['fra'],
    steps: [{ name: 'a', method: 'HEAD', url }],
  })
  await at.systemSql`update checks set assertions = ${at.systemSql.json(contains)} where id = ${made.id}`
  const stored = { ...noStepAssertions, bodyOp: 'contains', bodyValue: 'ok' }
  await at.systemSql`update checks set config = jsonb_set(config, '{steps,0,assertions}', ${at.systemSql.json(stored)})
    where id = ${journey.id}`
  for (const change of [{ name: 'renamed' }, { timeoutSeconds: 5 }, { regions: ['iad'] }, { paused: true }]) {
    expect(await edit(made.id, change)).toMatchObject({ status: 200 })
  }
  expect(await edit(made.id, { name: 'again', assertions: contains, ...head })).toMatchObject({ status: 200 })
  const withHeader = {
    request: { ...head.request, headers: [{ name: 'x-a', value: 'b' }], redirects: 'follow' },
  }
  expect(await edit(made.id, { assertions: contains, ...withHeader })).toMatchObject({ status: 200 })
  expect(await edit(made.id, { url: `${url}/2` })).toMatchObject({ status: 200 })
  expect(await edit(journey.id, { name: 'k', sendRegion: true })).toMatchObject({ status: 200 })
  const step = { name: 'b', method: 'HEAD', url: `${url}/2`, assertions: stored }
  expect(await edit(journey.id, { steps: [{ name: 'first', method: 'GET', url }, step] })).toMatchObject({
    status: 200,
  })
  const worse = { ...step, assertions: { ...stored, bodyValue: 'b' } }
  expect(problemsOf(await edit(journey.id, { steps: [step, worse] }))).toEqual([
    `steps[1].assertions.bodyOp is never met: ${noBodyAfterHead}`,
  ])
  const kept = { action: 'update', id: made.id, check: { regions: ['fra'] } }
  expect((await rest('POST', '/checks/plan', { drafts: [kept] })).json.refusals).toEqual([])
  expect(
    problemsOf(await edit(made.id, { assertions: { ...contains, assertionBodyValue: 'b' } })),
  ).toHaveLength(1)
  expect(await edit(made.id, { assertions: {} })).toMatchObject({ status: 200 })
})
