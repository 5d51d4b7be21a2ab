import { setStatus } from '@probe-mesh/control-plane/http/testing/pages'
import { insertTestHeartbeat } from '@probe-mesh/control-plane/heartbeats/testing-pings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mainOf } from '../../testing/flat.ts'
import { manyChecks } from '../../testing/many-checks.ts'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

let web: TestWeb
beforeAll(async () => {
  web = await startTestWeb({ config: { budgetScale: 100 } })
})
afterAll(() => web.close())

const owner = async () => {
  const member = await web.member()
  const made = await member.post('/dashboard/keys', { name: 'test', scope: 'read_write' })
  const key = String(/sv_rw_\w{49}/.exec(made.text)?.[0])
  const check = async (name: string): Promise<string> =>
    (await web.at.call('POST', '/v1/checks', { key, body: { name, url: 'https://example.org/' } })).json.id
  return { ...member, check }
}

test('an account without checks is told so', async () => {
  const member = await web.member()
  expect((await member.get('/dashboard/checks')).text).toContain('There is no check yet.')
})

test('the list has the worst first, counts them, and finds by name', async () => {
  const { get, check } = await owner()
  await check('alpha')
  const down = await check('<beta>')
  await setStatus(web.at, down, 'down')
  const { text } = await get('/dashboard/checks')
  expect(text).toContain('2 checks: 1 down, 1 unknown.')
  expect(text.indexOf('&lt;beta&gt;')).toBeLessThan(text.indexOf('alpha'))
  const found = await get('/dashboard/checks?q=BET')
  expect(found.text).toContain('&lt;beta&gt;')
  expect(found.text).not.toContain('alpha')
  const none = await get('/dashboard/checks?q=%22%3E%3Cscript%3E')
  expect(none.text).toContain('No check has that')
  expect(none.text).not.toContain('<script>')
})

test('the list is cut by status and by type, says how many of how many, and keeps what was asked', async () => {
  const { get, check, accountId } = await owner()
  const ids = await Promise.all(['alpha', 'beta', 'gamma'].map(check))
  await insertTestHeartbeat(web.at.sql, { accountId })
  await setStatus(web.at, ids[0] ?? '', 'down')
  await setStatus(web.at, ids[1] ?? '', 'down')
  const whole = await get('/dashboard/checks')
  expect(whole.text).toContain('Shown: 1 to 4 of 4 checks.')
  expect(whole.text).toContain('aria-current="true">any status (4)</a>')
  expect(whole.text).toContain('<a href="/dashboard/checks?status=down">down (2)</a>')
  expect(whole.text).not.toContain('stale (')

  const down = await get('/dashboard/checks?status=down')
  expect(down.text).toContain('Shown: 1 to 2 of 2 found, of 4 checks in all.')
  expect(down.text).toContain('aria-current="true">down (2)</a>')
  expect(down.text).toContain('<input type="hidden" name="status" value="down">')
  expect(down.text).not.toContain('gamma')

  const both = await get('/dashboard/checks?q=a&type=http&status=unknown')
  expect(both.text).toContain('Shown: 1 of 1 found, of 4 checks in all.')
  expect(both.text).toContain('<option value="http" selected>')
  expect(both.text).toContain('href="/dashboard/checks?q=a&amp;status=down&amp;type=http">down (2)')
  expect(mainOf(both.raw)).toContain('gamma')

  const none = await get('/dashboard/checks?status=paused&type=dns&q=x')
  expect(none.text).toContain(
    'No check is paused and is of type dns and has that in its name, address or type.',
  )
  expect(none.text).toContain('<a href="/dashboard/checks">Show all checks</a>')
  // what is no status asks for none
  expect((await get('/dashboard/checks?status=fine&type=%22')).text).toContain('of 4 checks.')
})

test('the next part of a list that is cut is cut the same', async () => {
  const { get, accountId } = await owner()
  await manyChecks(web, accountId, 101)
  const { text } = await get('/dashboard/checks?type=heartbeat&q=check')
  expect(text).toContain('Shown: 1 to 100 of 101 found, of 101 checks in all.')
  expect(text).toContain('<a href="/dashboard/checks?q=check&amp;type=heartbeat&amp;page=2">')
  const last = await get('/dashboard/checks?type=heartbeat&q=check&page=2')
  expect(last.text).toContain('Shown: 101 of 101 found')
})

test('a check shows its evidence by region', async () => {
  const { get, check } = await owner()
  const id = await check('web')
  await setStatus(web.at, id, 'operational')
  const { status, text } = await get(`/dashboard/checks/${id}`)
  expect(status).toBe(200)
  expect(text).toContain('<caption>What each region saw last</caption>')
  expect(text).toContain('one machine, which stands for every region')
})

test('a check of somebody else, and an id that is none, is not found', async () => {
  const { check } = await owner()
  const id = await check('mine')
  const stranger = await web.member()
  expect(await stranger.get(`/dashboard/checks/${id}`)).toMatchObject({ status: 404 })
  expect(await stranger.get('/dashboard/checks/none')).toMatchObject({ status: 422 })
})
