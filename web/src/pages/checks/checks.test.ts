import { setStatus } from '@probe-mesh/control-plane/http/testing/pages'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
    (await web.at.call('POST', '/v1/checks', { key, body: { name, url: 'https://example.org/' } }))
      .json.id
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
