import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import { expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { hostile } from '../../testing/publisher.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { smtpUrl: 'smtp://127.0.0.1:9' } })

const rule = {
  name: 'ops',
  enabled: 'on',
  statuses: 'down',
  afterSeconds: '0',
  checks: 'all',
  channels: 'some',
}
const tokens = createUnsubscribeTokens('the key of the tests')

/** The newest link that was mailed to an address. */
const linkTo = async (email: string): Promise<string> => {
  const [mail] = await web.at.sql<{ message: { text: string } }[]>`
    select message from deliveries where recipient = ${email} order by sequence desc`
  return (
    /http:\/\/127\.0\.0\.1:8080(\/alert-mails\/confirm\?token=[\w-]{43})\n/.exec(
      mail?.message.text ?? '',
    )?.[1] ?? ''
  )
}
const rowOf = async (email: string) => {
  const [row] = await web.at.sql<{ id: string; confirmed: boolean }[]>`
    select id, confirmed_at is not null as confirmed from alert_addresses where email = ${email}`
  return row
}
const path = /\/dashboard\/rules\/[\w-]{36}(?=")/

test('an address is named in a rule, waits for its confirmation, is asked again, confirms and unsubscribes', async () => {
  const member = await web.member()
  await web.at.sql`update accounts set name = ${hostile} where id = ${member.accountId}`
  const [first] = path.exec((await member.get('/dashboard/rules')).text) ?? []
  await member.post(`${first}/delete`)
  const email = 'ops@example.net'
  expect((await member.post('/dashboard/rules', { ...rule, addresses: `${email}\n` })).status).toBe(303)
  const list = await member.get('/dashboard/rules')
  expect(list.text).toMatch(
    /Notifies\s*<bdi>ops@example.net<\/bdi>\s*<span class="muted">\(1 not confirmed\)/,
  )
  expect(list.text).toContain('Notifies no one')
  const [form = ''] = path.exec(list.text) ?? []
  const shown = await member.get(form)
  expect(shown.text).toContain('Waiting for confirmation')
  expect(shown.text).not.toContain('This person unsubscribed')
  const ask = /action="(\/dashboard\/rules\/[\w-]+\/addresses\/[\w-]+\/ask)"/.exec(shown.raw)?.[1] ?? ''
  const former = await linkTo(email)
  expect(await member.post(ask)).toMatchObject({ status: 303, to: form })
  const visitor = web.visitor()
  expect((await visitor.get(former)).text).toContain('This link does not work any more')

  const link = await linkTo(email)
  const opened = await visitor.get(link)
  expect(opened).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  expect(withoutOwnScript(opened.raw)).not.toContain('<script')
  expect(opened.text).toContain('<bdi>ops@example.net</bdi>')
  expect(await rowOf(email)).toMatchObject({ confirmed: false })
  const token = new URLSearchParams(link.split('?')[1]).get('token') ?? ''
  const confirmed = await visitor.send('/alert-mails/confirm', { token }, {})
  expect(confirmed.text).toContain('<h1>Alerts are confirmed</h1>')
  expect(await rowOf(email)).toMatchObject({ confirmed: true })
  const ready = await member.get(form)
  expect(ready.text).toContain('Confirmed')
  expect(ready.text).not.toContain('Send again')
  expect((await member.get('/dashboard/rules')).text).not.toContain('Notifies no one')

  const end = `/alert-mails/unsubscribe/${tokens.of((await rowOf(email))?.id ?? '')}`
  const asked = await visitor.get(end)
  expect(asked.text).toContain('<h1>Unsubscribe from alerts</h1>')
  expect(asked.text).toMatch(/Stop alerts of ?<bdi>.*<\/bdi> ?to ?<bdi>ops@example.net<\/bdi>\?/)
  expect(asked.text).not.toContain('gets no more alerts')
  expect(withoutOwnScript(asked.raw)).not.toContain('<script')
  expect(await rowOf(email)).toMatchObject({ confirmed: true })
  for (const _ of ['first', 'second']) {
    const ended = await visitor.send(end, 'List-Unsubscribe=One-Click', { 'content-type': 'text/plain' })
    expect(ended).toMatchObject({ status: 200 })
    expect(ended.text).toContain('You are unsubscribed')
  }
  expect(await rowOf(email)).toMatchObject({ confirmed: false })
  expect((await visitor.get(end)).text).toContain('You are unsubscribed')
  expect((await visitor.send('/alert-mails/confirm', { token }, {})).status).toBe(404)
  const left = await member.get(form)
  expect(left.text).toContain('Unsubscribed')
  expect(left.text).toContain('This person unsubscribed. Send again only if they ask for it.')
  expect((await member.get('/dashboard/rules')).text).toMatch(
    /<bdi>ops@example.net<\/bdi>\s*<span class="muted">\(1 unsubscribed\)/,
  )
})

test.each(['/alert-mails/confirm', '/alert-mails/confirm?token=x', '/alert-mails/unsubscribe/x'])(
  'a link that is not ours is a page that says so: %s',
  async (url) => {
    const shown = await web.visitor().get(url)
    expect(shown.status).toBe(404)
    expect(shown.text).toMatch(/does not work any more|not one of ours/)
  },
)

test('members are chosen by name, and wrong addresses are said beside their field and kept', async () => {
  const member = await web.member()
  const page = await member.get('/dashboard/rules/new')
  const id = /name="userIds" value="([\w-]+)"/.exec(page.text)?.[1] ?? ''
  const wrong = await member.post('/dashboard/rules', {
    ...rule,
    userIds: id,
    addresses: `${member.email} nonsense`,
  })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toContain('id="field-addresses-problem"')
  expect(wrong.raw).toContain(`${member.email} nonsense`)
  expect(wrong.text).toMatch(new RegExp(`value="${id}" checked`))
  const own = await member.post('/dashboard/rules', { ...rule, userIds: id, addresses: member.email })
  expect(own.text).toContain('is a member: choose the member instead')
  expect(await member.post('/dashboard/rules', { ...rule, userIds: id })).toMatchObject({ status: 303 })
  expect((await member.get('/dashboard/rules')).text).toMatch(
    new RegExp(`Notifies\\s*<bdi>${member.email}</bdi>`),
  )
})

test('the page of the first check says who gets a mail, or offers a channel', async () => {
  const member = await web.member('free')
  const { to } = await member.post('/dashboard/welcome', { url: 'https://shop.example.org' })
  expect((await member.get(to ?? '')).text).toMatch(/Get alerted<\/a>\s*when it goes down/)
  await web.at.sql`update alert_rules set email_users = true where account_id = ${member.accountId}`
  const { text } = await member.get(to ?? '')
  expect(text).toMatch(new RegExp(`<bdi>${member.email}</bdi>\\s*gets a mail\\s*when it goes down`))
})

test("a check's page says who is notified, and when no one is", async () => {
  const member = await web.member()
  const made = await member.post('/dashboard/checks/new/http', {
    name: 'Shop',
    url: 'https://shop.example.org/',
    intervalSeconds: '60',
    regions: 'fra',
  })
  const check = `/dashboard/checks/${/[0-9a-f-]{36}/.exec(made.to ?? '')?.[0]}`
  expect((await member.get(check)).text).toMatch(/Notified of an outage.*No one\. Change an/)
  await member.post('/dashboard/rules', { ...rule, emailUsers: 'on', addresses: 'ops@example.com' })
  const { text } = await member.get(check)
  expect(text).toMatch(
    new RegExp(`<bdi>${member.email}</bdi></strong>\\s*<span class="muted">member, by e-mail`),
  )
  expect(text).toMatch(/<bdi>ops@example.com<\/bdi>.*Not confirmed/)
  expect(text).not.toContain('No one. Change an')
})
