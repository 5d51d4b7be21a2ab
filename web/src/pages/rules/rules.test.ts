import { afterAll, beforeAll, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

let web: TestWeb
beforeAll(async () => {
  web = await startTestWeb()
})
afterAll(() => web.close())

const rule = {
  name: 'night <script>"',
  enabled: 'on',
  statuses: 'stale',
  afterSeconds: '90',
  checks: 'all',
  channels: 'some',
  emailUsers: 'on',
}
const ruleId = /\/dashboard\/rules\/([\w-]{36})"/

test('a rule is made with every field, listed, changed and deleted', async () => {
  const member = await web.member()
  // every account begins with a rule
  const first = ruleId.exec((await member.get('/dashboard/rules')).text)?.[1]
  await member.post(`/dashboard/rules/${first}/delete`)
  expect((await member.get('/dashboard/rules')).text).toContain('nobody is told of anything')
  expect(await member.post('/dashboard/rules', rule)).toMatchObject({ status: 303 })
  const list = await member.get('/dashboard/rules')
  expect(withoutOwnScript(list.raw)).not.toContain('<script')
  expect(list.text).toContain('<td>stale</td><td>1 minute 30 seconds</td><td>all checks</td>')
  expect(list.text).toContain('no channels, mail to every user')
  const path = `/dashboard/rules/${ruleId.exec(list.text)?.[1]}`
  const form = await member.get(path)
  expect(form.text).toContain('value="stale" checked>')
  expect(form.text).not.toContain('value="down" checked>')
  const { enabled: _, ...off } = rule
  expect(await member.post(path, { ...off, name: 'quiet' })).toMatchObject({ status: 303 })
  expect((await member.get('/dashboard/rules')).text).toContain('quiet</bdi></a></th><td>off</td>')
  expect((await member.get(`${path}/delete`)).text).toContain('only alert rule')
  expect(await member.post(`${path}/delete`)).toMatchObject({ status: 303 })
  expect((await member.get('/dashboard/rules')).text).not.toContain('quiet')
})

test.each([
  ['name', { name: ' ' }],
  ['statuses', { statuses: 'asleep' }],
  ['afterSeconds', { afterSeconds: '' }],
  ['afterSeconds', { afterSeconds: '86401' }],
  ['channelIds', { channelIds: 'x' }],
])('a wrong %s is said beside its field, and what was typed is kept', async (field, wrong) => {
  const member = await web.member()
  const { status, text } = await member.post('/dashboard/rules', { ...rule, ...wrong })
  expect(status).toBe(422)
  expect(text).toContain(`id="field-${field}-problem"`)
  expect(text).toContain('name="emailUsers" checked')
  const latest = await member.post('/dashboard/rules', { ...rule, afterSeconds: '86400' })
  expect(latest.status).toBe(303)
})

test("another account's rule is not there", async () => {
  const [one, other] = [await web.member(), await web.member()]
  await one.post('/dashboard/rules', rule)
  const id = ruleId.exec((await one.get('/dashboard/rules')).text)?.[1]
  expect(await other.get(`/dashboard/rules/${id}`)).toMatchObject({ status: 303 })
  expect(await other.post(`/dashboard/rules/${id}`, rule)).toMatchObject({ status: 404 })
  expect(await other.post(`/dashboard/rules/${id}/delete`)).toMatchObject({ status: 404 })
})
