import { expect, test } from 'vitest'
import { useTestWeb, type TestWeb } from '../../testing/test-web.ts'

const web = useTestWeb()

const tokenIn = (text: string): string => /sv_a_[0-9a-f]{32}_\w{49}/.exec(text)?.[0] ?? ''
const pathIn = (text: string, act: 'rotate' | 'revoke'): string =>
  new RegExp(`/dashboard/agents/[\\w-]+/${act}`).exec(text)?.[0] ?? ''
type Member = Awaited<ReturnType<TestWeb['member']>>
const enrolled = async (member: Member, name = 'office'): Promise<{ token: string; region: string }> => {
  const posted = await member.post('/dashboard/agents', { name })
  expect(posted).toMatchObject({ status: 303, to: '/dashboard/agents/token' })
  const made = await member.get(String(posted.to))
  const list = await member.get('/dashboard/agents')
  return { token: tokenIn(made.text), region: /private-[0-9a-f-]{36}/.exec(list.text)?.[0] ?? '' }
}

test('a new agent is enrolled, shows its token once, and is listed with its presence', async () => {
  const member = await web.member()
  const { token } = await enrolled(member, 'cellar <1>')
  expect(token).not.toBe('')
  const { text } = await member.get('/dashboard/agents')
  expect(text).not.toContain(token)
  expect(text).toContain('<bdi>cellar &lt;1&gt;</bdi>')
  expect(text).toContain('Not connected yet')
  const { status } = await web.at.call('POST', '/relay/presence', { key: token, body: {} })
  expect(status).toBe(422)
})

test('an agent that cannot resolve names shows so until it can', async () => {
  const member = await web.member()
  const { token, region } = await enrolled(member)
  const session = crypto.randomUUID()
  await web.at.sql`update private_agents set session = ${session}
    where id = ${region.slice('private-'.length)}`
  const shown = async (ownFault: object | null): Promise<string> => {
    const body = { session, report: { at: 2 ** 53 - 1, ownFault } }
    const { json } = await web.at.call('POST', '/relay/presence', { key: token, body })
    expect(json).toMatchObject({ state: 'taken' })
    return (await member.get('/dashboard/agents')).text
  }
  expect(await shown({ namesSince: 1 })).toMatch(/its resolver answers for no name since\s*<time/)
  expect(await shown(null)).not.toContain('answers for no name')
})

test('a blank name is refused at its field', async () => {
  const member = await web.member()
  const { status, text } = await member.post('/dashboard/agents', { name: ' ' })
  expect(status).toBe(422)
  expect(text).toContain('id="field-name-problem"')
})

test('a new token replaces the former one after confirmation', async () => {
  const member = await web.member()
  const { token } = await enrolled(member)
  const path = pathIn((await member.get('/dashboard/agents')).text, 'rotate')
  expect((await member.get(path)).text).toContain('stops working at once')
  expect(await member.post(path)).toMatchObject({ status: 303, to: '/dashboard/agents/token' })
  const rotated = tokenIn((await member.get('/dashboard/agents/token')).text)
  expect(rotated).not.toBe(token)
  const status = async (key: string) =>
    (await web.at.call('POST', '/relay/presence', { key, body: {} })).status
  expect([await status(token), await status(rotated)]).toEqual([401, 422])
})

test('an agent is revoked after a confirmation page that lists the consequences', async () => {
  const member = await web.member()
  await enrolled(member)
  const path = pathIn((await member.get('/dashboard/agents')).text, 'revoke')
  expect((await member.get(path)).text).toContain('for good')
  expect(await member.post(path)).toMatchObject({ status: 303, to: '/dashboard/agents' })
  expect((await member.get('/dashboard/agents')).text).toContain('Revoked</strong>')
  expect(await member.get(path)).toMatchObject({ status: 303, to: '/dashboard/agents' })
})

test("another account's agent is not found", async () => {
  const [one, other] = [await web.member(), await web.member()]
  await enrolled(one)
  const path = pathIn((await one.get('/dashboard/agents')).text, 'revoke')
  expect(await other.get(path)).toMatchObject({ status: 303, to: '/dashboard/agents' })
  expect(await other.post(path)).toMatchObject({ status: 404 })
})

test('a check can run from an agent with an internal address, and its form shows so', async () => {
  const member = await web.member()
  const form = '/dashboard/checks/new/tcp'
  expect((await member.get(form)).text).not.toContain('name="agent"')
  const { region } = await enrolled(member)
  expect((await member.get(form)).text).toContain(`value="${region}"`)
  expect((await member.get('/dashboard/checks/new/browser')).text).not.toContain('name="agent"')
  const typed = {
    name: 'db',
    'settings.host': '10.0.0.1',
    'settings.port': '5432',
    intervalSeconds: '60',
    regions: 'fra',
  }
  const refused = await member.post(form, { ...typed, agent: '' })
  expect(refused.status).toBe(422)
  const made = await member.post(form, { ...typed, agent: region })
  expect(made.status).toBe(303)
  const edit = await member.get(`${made.to}/edit`)
  expect(edit.text).toMatch(new RegExp(`value="${region}"\\s+selected`))
  expect(await member.post(`${made.to}/edit`, { ...typed, agent: region })).toMatchObject({
    status: 303,
  })
  const moved = await member.post(`${made.to}/edit`, {
    ...typed,
    'settings.host': 'example.org',
    agent: '',
  })
  expect(moved.status).toBe(409)
  expect(moved.text).toContain('stays private')
})
