import { password } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { afterAll, describe, expect, test } from 'vitest'
import { hostile } from '../../testing/publisher.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const atOnce = useTestWeb()
const byMail = useTestWeb({ config: { smtpUrl: 'smtp://127.0.0.1:9' } })
const closed = useTestWeb({ config: { signUp: 'closed' } })
afterAll(() => Promise.all([atOnce.close(), byMail.close(), closed.close()]))

describe('without a mail server', () => {
  test('an account is opened at once, on the free plan, with a page, and its user is logged in', async () => {
    const visitor = atOnce.visitor()
    expect((await visitor.get('/signup')).text).toContain('autocomplete="new-password"')
    const form = { email: 'new@example.org', accountName: `New ${hostile}`, password }
    const opened = await visitor.post('/signup', form)
    expect(opened).toMatchObject({ status: 303, to: '/dashboard' })
    const account = await visitor.get('/dashboard/account')
    expect(account.text).toContain('Free (current)')
    expect(account.raw).not.toContain('<script>alert')
    expect((await visitor.get('/dashboard/pages')).text).toContain('<bdi>New ')
    expect((await visitor.get('/dashboard/audit')).text).toContain('Signed up')
    expect(await visitor.get('/signup')).toMatchObject({ status: 303, to: '/dashboard' })
    const again = await atOnce.visitor().post('/login', { email: 'NEW@example.org', password })
    expect(again.status).toBe(303)
  })

  test('every problem is shown at its field; the input is kept, except the password', async () => {
    const typed = { email: hostile, accountName: ' ', password: 'elevenchars' }
    const { status, raw, text } = await atOnce.visitor().post('/signup', typed)
    expect(status).toBe(422)
    for (const name of ['email', 'accountName', 'password']) {
      expect(text).toContain(`id="field-${name}-problem"`)
    }
    expect(text).toContain('must not be blank')
    expect(raw).toContain('value="&quot;&gt;&lt;script&gt;')
    expect(raw).not.toContain('elevenchars')
  })

  test.each([
    ['password1234', 'is a very common password, or similar to one. Use four unrelated words.'],
    ['aaaaaaaaaaaa', 'repeats the same characters. Use four unrelated words.'],
    ['123456789012', 'is a very common password, or similar to one. Use four unrelated words.'],
    ['weak@example.org', 'contains your e-mail address or your account name.'],
  ])('a weak password is refused with the reason: %s', async (weak, reason) => {
    const typed = { email: 'weak@example.org', accountName: 'x', password: weak }
    const { status, text } = await atOnce.visitor().post('/signup', typed)
    expect(status).toBe(422)
    expect(text).toContain('id="field-password-problem"')
    expect(text).toContain(reason)
    expect(await atOnce.at.sql`select from users where email = ${typed.email}`).toHaveLength(0)
  })

  test('an address with an account opens no second one', async () => {
    const { email } = await atOnce.member()
    const form = { email: email.toUpperCase(), accountName: 'x', password }
    const shown = await atOnce.visitor().post('/signup', form)
    expect(shown.status).toBe(409)
    expect(shown.text).toContain('id="field-email-problem"')
    expect(shown.headers['set-cookie']).toBeUndefined()
    const rows = await atOnce.at.sql`select from users where lower(email) = ${email}`
    expect(rows).toHaveLength(1)
  })

  test('sign-up starts a new session and ends the one before', async () => {
    const member = await atOnce.member()
    const cookie = String(
      (await member.post('/login', { email: member.email, password })).headers['set-cookie'],
    )
    const form = { email: 'second@example.org', accountName: 'x', password }
    const opened = await member.post('/signup', form)
    const token = (text: unknown): string => /__Host-session=([\w-]+)/.exec(String(text))?.[1] ?? ''
    const made = String(opened.headers['set-cookie'])
    expect(made).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/)
    expect(token(made)).not.toBe(token(cookie))
    const before = await atOnce.visitor().get('/dashboard/keys', {
      cookie: `__Host-session=${token(cookie)}`,
    })
    expect(before.status).toBe(303)
  })

  test('sign-ups from one network are limited', async () => {
    const visitor = atOnce.visitor()
    let status = 0
    for (let n = 0; n < 12 && status !== 429; n++) {
      const form = { email: `many-${n}@example.org`, accountName: 'x', password }
      status = (await visitor.post('/signup', form)).status
    }
    expect(status).toBe(429)
  })
})

describe('with a mail server', () => {
  const mailTo = async (email: string) => {
    const [row] = await byMail.at.sql<
      { account_id: string | null; message: { subject: string; text: string } }[]
    >`select account_id, message from deliveries where recipient = ${email} order by sequence desc`
    return { accountId: row?.account_id, ...row?.message }
  }
  const linkIn = (text: string | undefined): string =>
    /\/signup\/confirm\?token=[\w-]{43}/.exec(text ?? '')?.[0] ?? ''

  test('only the reader of the mail opens an account, once, and chooses its password', async () => {
    const email = 'mailed@example.org'
    const asked = await byMail.visitor().post('/signup', { email })
    expect([asked.status, asked.to]).toEqual([303, '/signup/sent'])
    expect(asked.headers['set-cookie']).toBeUndefined()
    const mail = await mailTo(email)
    expect(mail.accountId).toBeNull()
    const link = linkIn(mail.text)
    const token = link.split('token=')[1] ?? ''
    const visitor = byMail.visitor()
    expect((await visitor.get(link)).text).toContain(`name="token" value="${token}"`)
    const short = await visitor.post('/signup/confirm', { token, accountName: 'x', password: 'x' })
    expect(short.status).toBe(422)
    expect(short.text).toContain('value="x"')
    const weak = { token, accountName: 'x', password: 'password1234' }
    expect((await visitor.post('/signup/confirm', weak)).text).toContain('is a very common password')
    const form = { token, accountName: 'Mailed', password }
    expect(await visitor.post('/signup/confirm', form)).toMatchObject({ to: '/dashboard' })
    expect((await visitor.get('/dashboard/account')).text).toContain('<bdi>Mailed</bdi>')
    const again = await byMail.visitor().post('/signup/confirm', form)
    expect(again.status).toBe(401)
    expect(again.text).toContain('is used or expired')
  })

  test('the answer is the same for an address with an account, and the mail says so', async () => {
    const { email, accountId } = await byMail.member()
    const known = await byMail.visitor().post('/signup', { email })
    const unknown = await byMail.visitor().post('/signup', { email: 'nobody@example.org' })
    expect([known.status, known.to]).toEqual([303, '/signup/sent'])
    expect([unknown.status, unknown.to, unknown.raw]).toEqual([known.status, known.to, known.raw])
    const mail = await mailTo(email)
    expect(mail).toMatchObject({ accountId, subject: 'You have a Probe Mesh account' })
    expect(linkIn(mail.text)).toBe('')
  })

  test('a link expires after a day, and one for another address opens nothing', async () => {
    byMail.at.hold()
    await byMail.visitor().post('/signup', { email: 'late@example.org' })
    const token = linkIn((await mailTo('late@example.org')).text).split('token=')[1] ?? ''
    byMail.at.pass(24 * 3_600_000)
    for (const each of [token, 'a'.repeat(43)]) {
      const form = { token: each, accountName: 'x', password }
      expect((await byMail.visitor().post('/signup/confirm', form)).status).toBe(401)
    }
    expect(await byMail.at.sql`select from users where email = 'late@example.org'`).toHaveLength(0)
  })

  test('no account is opened without the mail', async () => {
    const body = { email: 'quick@example.org', accountName: 'x', password }
    const answer = await byMail.at.call('POST', '/dashboard-api/sign-ups/by-password', { body })
    expect(answer).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
  })
})

test('while sign-up is closed, the page says so and accepts no one', async () => {
  expect((await closed.visitor().get('/signup')).text).toContain('Ask the operator for an account')
  const form = { email: 'x@example.org', accountName: 'x', password }
  expect((await closed.visitor().post('/signup', form)).status).toBe(403)
  for (const [path, body] of [
    ['/sign-ups', { email: form.email }],
    ['/sign-ups/by-password', form],
    ['/sign-ups/confirm', { token: 'a'.repeat(43), accountName: 'x', password }],
  ] as const) {
    const answer = await closed.at.call('POST', `/dashboard-api${path}`, { body })
    expect(answer).toMatchObject({ status: 403, json: { code: 'SV-1011' } })
  }
  expect(await closed.at.sql`select from users`).toHaveLength(0)
})
