import { ok, startReceiver } from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { expect, onTestFinished, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { useTestWeb, type Visitor } from '../../testing/test-web.ts'

const web = useTestWeb()

const secret = 'v3ry-s3cret-token-of-a-webhook'
const discord = {
  type: 'discord',
  name: 'ops <script>"',
  'config.webhookUrl': `https://discord.com/api/webhooks/12/${secret}`,
}
const made = async (member: Visitor, form: Record<string, string> = discord): Promise<string> => {
  const { status, to } = await member.post('/dashboard/channels', form)
  expect(status).toBe(303)
  return String(to)
}

test('a channel is listed escaped, unverified, and without its credential', async () => {
  const member = await web.member()
  const path = await made(member)
  for (const page of ['/dashboard/channels', path, `${path}/delete`]) {
    const { status, raw, text } = await member.get(page)
    expect(status).toBe(200)
    expect(raw).not.toContain(secret)
    expect(withoutOwnScript(raw)).not.toContain('<script')
    expect(text).toContain('ops &lt;script&gt;&quot;')
  }
  expect((await member.get('/dashboard/channels')).text).toContain('Not verified')
})

test('a channel whose messages do not arrive says so, since when, and the last answer', async () => {
  const member = await web.member()
  const path = await made(member)
  const id = String(path.split('/').at(-1))
  await web.at.sql`
    update notification_channels set verified_at = now(), failing_since = now(),
      failing_detail = 'HTTP 404 <b>gone' where id = ${id}`
  const list = (await member.get('/dashboard/channels')).text
  expect(list).toContain('Failing')
  expect(list).not.toContain('>Verified<')
  const { text } = await member.get(path)
  expect(text).toContain('Messages do not arrive since')
  expect(text).toContain('HTTP 404 &lt;b&gt;gone')
})

test.each([
  ['discord', { 'config.webhookUrl': 'nowhere' }, 'field-config-webhookUrl-problem'],
  ['teams', {}, 'field-config-webhookUrl-problem'],
  ['opsgenie', { 'config.apiKey': 'a b' }, 'field-config-apiKey-problem'],
  ['json', { 'config.url': 'https://example.com', 'config.secret': 'short' }, 'field-config-secret-problem'],
])('a wrong %s is said beside its field, and what was typed is kept', async (type, config, id) => {
  const member = await web.member()
  const form = await member.get(`/dashboard/channels/new?type=${type}`)
  expect(form.text).toContain(`value="${type}"`)
  const answer = await member.post('/dashboard/channels', { type, name: 'a "name"', ...config })
  expect(answer.status).toBe(422)
  expect(answer.text).toContain(`id="${id}"`)
  expect(answer.text).toContain('value="a &quot;name&quot;"')
})

test('an edit with an empty credential keeps the stored one, and a test shows the real answer', async () => {
  const receiver = await startReceiver(ok)
  onTestFinished(receiver.close)
  const member = await web.member()
  const path = await made(member, {
    type: 'json',
    name: 'hook',
    'config.url': `${receiver.url}/in`,
  })
  const renamed = await member.post(path, {
    name: 'renamed',
    'config.url': '',
    'config.secret': '',
  })
  expect(renamed).toMatchObject({ status: 303, to: path })
  const tested = await member.post(`${path}/test`)
  // a reload of the page does not send again
  expect(tested).toMatchObject({ status: 303, to: path })
  const answered = await member.get(path)
  expect(answered.text).toContain('<dt>HTTP status</dt><dd>204</dd>')
  expect(answered.text).toContain('<strong class="tag good">Verified')
  expect((await member.get(path)).text).not.toContain('HTTP status')
})

test('the confirmation page before deleting lists the rules that use the channel', async () => {
  const member = await web.member()
  const path = await made(member)
  const rule = { name: 'night', statuses: 'down', afterSeconds: '0', checks: 'all' }
  const channelIds = String(path.split('/').at(-1))
  await member.post('/dashboard/rules', { ...rule, channels: 'some', channelIds })
  const { text } = await member.get(`${path}/delete`)
  expect(text).toContain('<bdi>night</bdi>')
  expect(text).toContain('notifies no one from now on')
  expect(await member.post(`${path}/delete`)).toMatchObject({ status: 303 })
  expect((await member.get(path)).status).toBe(404)
})

test("another account's channel is not found", async () => {
  const [one, other] = [await web.member(), await web.member()]
  const path = await made(one)
  for (const page of [path, `${path}/delete`]) expect((await other.get(page)).status).toBe(404)
  for (const act of ['', '/test', '/delete']) {
    expect((await other.post(`${path}${act}`, { name: 'x' })).status).toBe(404)
  }
})
