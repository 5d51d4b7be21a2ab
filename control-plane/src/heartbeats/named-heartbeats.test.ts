import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, expect, test } from 'vitest'
import { insertTestHeartbeat } from './testing-pings.ts'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp()
const account = useOnce(() => at.account('scale'))
const other = useOnce(() => at.account('scale'))
let pingKey = ''
let otherKey = ''

const keyOf = async (accountId: string): Promise<string> => {
  const [row] = await at.sql<{ key: string }[]>`select ping_key as key from accounts where id = ${accountId}`
  return row?.key ?? ''
}
const named = (slug: string | null, accountId = account.id) =>
  insertTestHeartbeat(at.sql, { accountId, settings: { slug } })
const outcomes = async (checkId: string, key = account.readKey) => {
  const { json } = await at.call('GET', `/v1/checks/${checkId}/runs`, { key })
  return json.runs.map((run: { outcome: string }) => run.outcome)
}

beforeEach(async () => {
  pingKey = await keyOf(account.id)
  otherKey = await keyOf(other.id)
  // a new second of the rate limit
  at.pass(2_000)
})

test.each(['GET', 'HEAD', 'POST'] as const)(
  '%s: a heartbeat is pinged by the key of its account and its slug',
  async (method) => {
    const { checkId } = await named(`backup-${method.toLowerCase()}`)
    const answer = await at.call(method, `/ping/${pingKey}/backup-${method.toLowerCase()}`)
    expect(answer).toMatchObject({ status: 200, text: method === 'HEAD' ? '' : 'OK' })
    expect(await outcomes(checkId)).toEqual(['success'])
  },
)

test.each([
  ['/start', 'running'],
  ['/fail', 'failure'],
  ['/0', 'success'],
  ['/7', 'failure'],
  ['/255', 'failure'],
])('%s by a slug is %s', async (action, outcome) => {
  const slug = `job${action.replace('/', '_')}`
  const { checkId } = await named(slug)
  expect((await at.call('POST', `/ping/${pingKey}/${slug}${action}`)).status).toBe(200)
  expect(await outcomes(checkId)).toEqual([outcome])
})

test('start, log and end of one run by a slug and a rid are one run; a repeated end changes nothing', async () => {
  const { checkId } = await named('one-run')
  const rid = crypto.randomUUID()
  for (const action of ['/start', '/log', '', ''])
    expect((await at.call('POST', `/ping/${pingKey}/one-run${action}?rid=${rid}`)).status).toBe(200)
  expect(await outcomes(checkId)).toEqual(['success'])
})

test.each([
  ['an unknown slug', (key: string) => `${key}/none`, 404, 'not found'],
  ['an unknown key', () => `${'0'.repeat(32)}/known`, 404, 'not found'],
  ['a key without a slug', (key: string) => key, 404, 'not found'],
  ['a slug in upper case', (key: string) => `${key}/Known`, 404, 'not found'],
  ['an unknown action', (key: string) => `${key}/known/stop`, 404, 'not found'],
  ['an exit code above 255', (key: string) => `${key}/known/256`, 400, 'invalid exit code'],
  ['a rid that is no UUID', (key: string) => `${key}/known?rid=1`, 400, 'invalid uuid format'],
  ['one part more', (key: string) => `${key}/known/start/now`, 404, undefined],
  ['an action after a UUID and an action', () => `${crypto.randomUUID()}/start/now`, 404, 'not found'],
])('%s is refused as by healthchecks.io, and nothing is recorded', async (_name, path, status, text) => {
  const [before] = await at.sql<{ runs: number }[]>`select count(*)::integer as runs from heartbeat_runs`
  if ((await at.sql`select from checks where config #>> '{settings,slug}' = 'known'`).length === 0)
    await named('known')
  const answer = await at.call('POST', `/ping/${path(pingKey)}`)
  expect(answer.status).toBe(status)
  if (text !== undefined) expect(answer.text).toBe(text)
  expect(await at.sql`select count(*)::integer as runs from heartbeat_runs`).toEqual([before])
})

test('a slug that two heartbeats have is 409, until one of them is deleted', async () => {
  const [one, two] = [await named('twice'), await named('twice')]
  expect(await at.call('GET', `/ping/${pingKey}/twice`)).toMatchObject({
    status: 409,
    text: 'ambiguous slug',
  })
  expect([await outcomes(one.checkId), await outcomes(two.checkId)]).toEqual([[], []])
  await at.sql`delete from checks where id = ${two.checkId}`
  expect((await at.call('GET', `/ping/${pingKey}/twice`)).status).toBe(200)
})

test("another account's slug is unknown, though the same one of the account is known", async () => {
  const own = await named('shared')
  const foreign = await named('shared', other.id)
  expect((await at.call('GET', `/ping/${otherKey}/shared`)).status).toBe(200)
  expect([await outcomes(own.checkId), await outcomes(foreign.checkId, other.readKey)]).toEqual([
    [],
    ['success'],
  ])
})

test('the address by slug is shown to a key that may write, and only with a slug', async () => {
  const [with_, without] = [await named('shown'), await named(null)]
  const urlOf = async (id: string, key: string) =>
    (await at.call('GET', `/v1/checks/${id}`, { key })).json.heartbeat.slugUrl
  expect(await urlOf(with_.checkId, account.writeKey)).toMatch(new RegExp(`/ping/${pingKey}/shown$`))
  expect(await urlOf(with_.checkId, account.readKey)).toBeNull()
  expect(await urlOf(without.checkId, account.writeKey)).toBeNull()
})

test('more than five pings a second by a slug are 429', async () => {
  await named('often')
  const answers = []
  for (let count = 0; count < 6; count++)
    answers.push((await at.call('GET', `/ping/${pingKey}/often`)).status)
  expect(answers).toEqual([200, 200, 200, 200, 200, 429])
})
