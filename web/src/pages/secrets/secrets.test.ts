import { afterAll, expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb()
afterAll(() => web?.close())

const path = '/dashboard/secrets'
const value = 'correct horse battery'
const fields = { name: 'shop_token', value, hosts: 'api.example.org\r\n*.Example.com' }

test('a secret is stored, listed without its value, changed and deleted, without a script', async () => {
  const member = await web.member()
  expect((await member.get(path)).text).toContain('No secrets yet')
  expect(await member.post(path, fields)).toMatchObject({ status: 303, to: path })
  const listed = (await member.get(path)).text
  for (const shown of ['{{ secret.shop_token }}', 'api.example.org, *.example.com', 'no check']) {
    expect(listed).toContain(shown)
  }
  const own = /\/dashboard\/secrets\/[0-9a-f-]{36}/.exec(listed)?.[0] ?? ''
  const page = (await member.get(own)).text
  expect(page).toContain('Leave empty to keep the stored value')
  expect(listed + page).not.toContain(value)
  const stored = async () => (await web.at.sql`select sent_to as hosts, value from secrets`)[0]
  const before = await stored()
  const kept = await member.post(own, { value: '', hosts: 'api.example.org' })
  expect(kept).toMatchObject({ status: 303, to: path })
  expect(await stored()).toEqual({ hosts: ['api.example.org'], value: before?.['value'] })
  await member.post(own, { value: 'another value', hosts: 'api.example.org' })
  expect((await stored())?.['value']).not.toEqual(before?.['value'])
  expect((await member.get(`${own}/delete`)).text).toContain('No check uses it')
  expect(await member.post(`${own}/delete`)).toMatchObject({ status: 303, to: path })
  expect((await member.get(path)).text).toContain('No secrets yet')
})

test('everything wrong is said at once, and a refused form does not send the value back', async () => {
  const member = await web.member()
  const { status, text } = await member.post(path, { name: '1st', value: 'a\u0000 long value', hosts: '' })
  expect(status).toBe(422)
  for (const field of ['name', 'value', 'hosts']) expect(text).toContain(`id="field-${field}-problem"`)
  expect(text).toContain('value="1st"')
  expect(text).not.toContain('long value')
})

test('the secrets of another account are missing', async () => {
  const member = await web.member()
  await member.post(path, fields)
  const own = /\/dashboard\/secrets\/[0-9a-f-]{36}/.exec((await member.get(path)).text)?.[0] ?? ''
  expect((await member.get(own)).status).toBe(200)
  const other = await web.member()
  expect((await other.get(path)).text).toContain('No secrets yet')
  for (const missing of [own, `${own}/delete`]) {
    expect((await other.get(missing)).status).toBe(404)
  }
  expect((await other.post(`${own}/delete`)).status).toBe(404)
})

test('a private agent is named on the form, and shown; the form says what an entry of a host means', async () => {
  const member = await web.member()
  expect((await member.get(`${path}/new`)).text).not.toContain('name="agents"')
  await member.post('/dashboard/agents', { name: 'Office' })
  const [agent] = await web.at.sql<{ id: string }[]>`select id from private_agents`
  const form = (await member.get(`${path}/new`)).text
  expect(form).toContain('http://api.example.com http')
  expect(form).toContain(`name="agents" value="${agent?.id}"`)
  const named = { ...fields, withAgents: '1', agents: agent?.id ?? '' }
  const wrong = await member.post(path, { ...named, hosts: '*.co.uk' })
  expect(wrong.text).toMatch(/covers the names of everybody below co\.uk/)
  expect(wrong.text).toMatch(/value="[0-9a-f-]{36}"\s+checked/)
  expect(await member.post(path, named)).toMatchObject({ status: 303 })
  const listed = (await member.get(path)).text
  expect(listed).toContain('<bdi>Office</bdi>')
  const own = /\/dashboard\/secrets\/[0-9a-f-]{36}/.exec(listed)?.[0] ?? ''
  expect((await member.get(own)).text).toMatch(/value="[0-9a-f-]{36}"\s+checked/)
  const agents = async () =>
    (await web.at.sql`select agents from secrets order by created_at desc`)[0]?.['agents']
  // a page from before this version has no such field
  await member.post(own, { hosts: 'api.example.org', value: '' })
  expect(await agents()).toEqual([agent?.id])
  await member.post(own, { hosts: 'api.example.org', value: '', withAgents: '1' })
  expect(await agents()).toEqual([])
})
