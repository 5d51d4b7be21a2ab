import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { useTestApp, type Answer } from './testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from './testing/log-in.ts'

/** `Idempotency-Key` on the API of the dashboard, as on the REST API. */

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useEach(() => loggedIn(at))

const typed = { type: 'http', name: 'site', url: 'https://example.org/', regions: ['fra'] }
const post = (path: string, body: object, key: string, who: TestUser = user): Promise<Answer> =>
  at.call('POST', `/dashboard-api${path}`, {
    headers: { cookie: who.cookie, 'sec-fetch-site': 'same-origin', 'idempotency-key': key },
    body,
  })
const checksOf = async (who: TestUser = user): Promise<unknown[]> =>
  (await asUser(at, who, 'GET', '/checks')).json.checks

test('a repeated request is carried out once and gets the same answer', async () => {
  const first = await post('/typed-checks', typed, 'k1')
  const second = await post('/typed-checks', typed, 'k1')
  expect(first).toMatchObject({ status: 201 })
  expect(second).toMatchObject({ status: 201, text: first.text })
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(await checksOf()).toHaveLength(1)
  expect(await post('/typed-checks', { ...typed, name: 'other' }, 'k1')).toMatchObject({
    status: 422,
    json: { code: 'SV-2001', errors: [{ path: 'Idempotency-Key' }] },
  })
})

test('eight that are sent at once create one', async () => {
  for (const [path, body] of [
    ['/typed-checks', typed],
    ['/checks', { name: 'site', url: 'https://example.org/' }],
  ] as const) {
    const before = (await checksOf()).length
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(path, body, `many ${path}`.replace(' ', ''))),
    )
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    for (const { status, json } of answers) {
      if (status !== 201) expect({ status, code: json.code }).toEqual({ status: 409, code: 'SV-3002' })
    }
    expect(await checksOf()).toHaveLength(before + 1)
  }
})

test('the keys of another account and of an API key are others', async () => {
  const other = await loggedIn(at)
  await post('/typed-checks', typed, 'shared')
  expect(await post('/typed-checks', typed, 'shared', other)).toMatchObject({ status: 201 })
  expect([await checksOf(), await checksOf(other)]).toMatchObject([[{}], [{}]])
  const made = await asUser(at, user, 'POST', '/keys', { name: 'ci', scope: 'read_write' })
  const body = { name: 'site', url: 'https://example.org/' }
  const headers = { 'idempotency-key': 'shared' }
  expect(await at.call('POST', '/v1/checks', { key: made.json.apiKey, headers, body })).toMatchObject({
    status: 201,
  })
})

test('what is shown once is not stored: a repeated request is told so, and creates nothing', async () => {
  const body = { name: 'ci', scope: 'read' }
  const first = await post('/keys', body, 'key')
  expect(first).toMatchObject({ status: 201 })
  const again = await post('/keys', body, 'key')
  expect(again).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
  const invited = await post('/invitations', { email: 'new@example.org' }, 'invite')
  const rows = await at.sql`select idempotency_keys::text as row from idempotency_keys`
  expect(JSON.stringify(rows)).not.toContain(first.json.apiKey)
  if (invited.json.link) expect(JSON.stringify(rows)).not.toContain(invited.json.link)
  expect((await asUser(at, user, 'GET', '/keys')).json.keys).toHaveLength(1)
})
