import { expect, test } from 'vitest'
import { mcpUrl, useTestWeb, type TestWeb } from '../../testing/test-web.ts'

const web = useTestWeb()

type Member = Awaited<ReturnType<TestWeb['member']>>
/** The page that shows a new key. */
const makeKey = async (member: Member, typed: { name: string; scope: string }) => {
  const made = await member.post('/dashboard/keys', typed)
  expect(made).toMatchObject({ status: 303, to: '/dashboard/keys/created' })
  expect(made.headers['set-cookie']).toMatch(
    /Path=\/dashboard\/keys\/created; HttpOnly; Secure; SameSite=Strict/,
  )
  return member.get(String(made.to))
}
const keyIn = (text: string): string => /sv_rw?_\w{49}/.exec(text)?.[0] ?? ''

test('a key is shown once, works, and is listed by its hint', async () => {
  const member = await web.member()
  const made = await makeKey(member, { name: 'ci <1>', scope: 'read_write' })
  expect(made.headers['cache-control']).toBe('no-store')
  const key = keyIn(made.text)
  expect(key).not.toBe('')
  expect(await web.at.call('GET', '/v1/me', { key })).toMatchObject({ status: 200 })
  expect(made.text).toContain(`claude mcp add --transport http probe-mesh ${mcpUrl}/mcp`)
  expect(made.text.split(key).length - 1).toBe(7)
  expect(await member.get('/dashboard/keys/created')).toMatchObject({ status: 303, to: '/dashboard/keys' })
  const list = await member.get('/dashboard/keys')
  expect(list.text).not.toContain(key)
  expect(list.text).toContain('Bearer YOUR_KEY')
  expect(list.text).toContain('<bdi>ci &lt;1&gt;</bdi>')
})

test('every problem is shown at its field, and the input is kept', async () => {
  const member = await web.member()
  const { status, text } = await member.post('/dashboard/keys', { name: ' ', scope: 'all' })
  expect(status).toBe(422)
  expect(text).toContain('id="field-name-problem"')
  expect(text).toContain('id="field-scope-problem"')
  expect(text).toContain('value=" "')
})

test('a free account is offered only the scopes of its plan', async () => {
  const member = await web.member('free')
  expect((await member.get('/dashboard/keys')).text).not.toContain('value="read_write"')
  const { status, text } = await member.post('/dashboard/keys', { name: 'a', scope: 'read_write' })
  expect(status).toBe(403)
  expect(text).toContain('A free account can only create read keys.')
})

test('a key is revoked after a confirmation page that lists the consequences', async () => {
  const member = await web.member()
  const made = await makeKey(member, { name: 'old', scope: 'read' })
  const path = /\/dashboard\/keys\/[\w-]+\/revoke/.exec((await member.get('/dashboard/keys')).text)?.[0]
  const asked = await member.get(String(path))
  expect(asked.text).toContain('stops working')
  expect(await member.post(String(path))).toMatchObject({ status: 303, to: '/dashboard/keys' })
  expect((await member.get('/dashboard/keys')).text).not.toContain(String(path))
  expect(await member.get(String(path))).toMatchObject({ status: 303, to: '/dashboard/keys' })
  const me = () => web.at.call('GET', '/v1/me', { key: keyIn(made.text) })
  await expect.poll(async () => (await me()).status).toBe(401)
})

test("another account's key is not found", async () => {
  const [one, other] = [await web.member(), await web.member()]
  await one.post('/dashboard/keys', { name: 'mine', scope: 'read' })
  const path = String(/\/dashboard\/keys\/[\w-]+\/revoke/.exec((await one.get('/dashboard/keys')).text)?.[0])
  expect(await other.get(path)).toMatchObject({ status: 303, to: '/dashboard/keys' })
  expect(await other.post(path)).toMatchObject({ status: 404 })
})
