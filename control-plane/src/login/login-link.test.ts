import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, cookieOf, loggedIn, newUser, password } from '../app/testing/log-in.ts'

const at = useTestApp({ config: { trustProxy: ['127.0.0.1'] } })

let networks = 0
let from: Record<string, string>
beforeEach(() => {
  networks += 1
  from = { 'x-forwarded-for': `203.0.113.${networks}` }
})
const minuteMs = 60_000

const ask = (email: string) =>
  at.call('POST', '/dashboard-api/login-links', { body: { email }, headers: from })
const mailsTo = (email: string) =>
  at.sql<{ message: { subject: string; text: string; html: string }; account_id: string }[]>`
    select message, account_id from deliveries where recipient = ${email} order by sequence`
const linkTo = async (email: string): Promise<string> => {
  expect(await ask(email)).toMatchObject({ status: 202 })
  const mail = (await mailsTo(email)).at(-1)
  const [link = ''] = /http:\S+/.exec(mail?.message.text ?? '') ?? []
  return link.replace('http://127.0.0.1:8080', '')
}
const tokenOf = (link: string): string => link.split('token=')[1] ?? ''
const confirm = (token: string, headers: Record<string, string> = {}) =>
  at.call('POST', '/dashboard-api/login-links/confirm', { body: { token }, headers })

describe('a login link', () => {
  test('is mailed to the user of the address, in any case, and only its hash is stored', async () => {
    const { email, accountId } = await newUser(at)
    expect(await ask(email.toUpperCase())).toMatchObject({ status: 202 })
    const [mail] = await mailsTo(email)
    expect(mail).toMatchObject({
      account_id: accountId,
      message: { subject: 'Log in to Probe Mesh' },
    })
    expect(mail?.message.html).toMatch(/href="http:\/\/127.0.0.1:8080\/login\/link\?token=[\w-]{43}"/)
    const [row] = await at.sql<{ token_hash: Buffer }[]>`
      select token_hash from login_links where account_id = ${accountId}`
    expect(row?.token_hash).toHaveLength(32)
  })

  test('gets the same answer for an unknown address, and then writes nothing', async () => {
    const { email } = await newUser(at)
    const somebody = await ask(email)
    const nobody = await ask('nobody@example.org')
    expect(nobody).toMatchObject({ status: 202, text: somebody.text })
    const varying = (headers: Record<string, unknown>) => ({ ...headers, date: '', 'x-request-id': '' })
    expect(varying(nobody.headers)).toEqual(varying(somebody.headers))
    expect(await mailsTo('nobody@example.org')).toHaveLength(0)
  })

  test('is limited for one address, with the same answer', async () => {
    const { email } = await newUser(at)
    for (const address of [email, 'no-user@example.org']) {
      for (let n = 0; n < 5; n++) expect(await ask(address)).toMatchObject({ status: 202 })
    }
    expect(await mailsTo(email)).toHaveLength(3)
    expect(await mailsTo('no-user@example.org')).toHaveLength(0)
  })

  test('works once', async () => {
    const { email } = await newUser(at)
    const token = tokenOf(await linkTo(email))
    const first = await confirm(token)
    expect(first).toMatchObject({
      status: 200,
      json: { user: { email }, session: { openedBy: 'link' } },
    })
    expect(await asUser(at, { cookie: cookieOf(first) }, 'GET', '/session')).toMatchObject({
      status: 200,
    })
    const again = await confirm(token)
    expect(again).toMatchObject({ status: 401, json: { code: 'SV-1008' } })
    expect(again.headers['set-cookie']).toBeUndefined()
  })

  test('works once under concurrent use', async () => {
    const { email } = await newUser(at)
    const token = tokenOf(await linkTo(email))
    const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('works for 15 minutes', async () => {
    const { email } = await newUser(at)
    const late = tokenOf(await linkTo(email))
    at.pass(15 * minuteMs)
    expect(await confirm(late)).toMatchObject({ status: 401 })
    const inTime = tokenOf(await linkTo(email))
    at.pass(14 * minuteMs)
    expect(await confirm(inTime)).toMatchObject({ status: 200 })
  })

  test.each([
    ['another token', 'a'.repeat(43), 401],
    ['a malformed one', 'nonsense', 422],
  ])('is not %s', async (_what, token, status) => {
    expect(await confirm(token)).toMatchObject({ status })
  })

  test('is refused from another site, against login CSRF', async () => {
    const { email } = await newUser(at)
    const token = tokenOf(await linkTo(email))
    const refused = await confirm(token, { 'sec-fetch-site': 'cross-site' })
    expect(refused).toMatchObject({ status: 403, json: { code: 'SV-1009' } })
    expect(await confirm(token)).toMatchObject({ status: 200 })
  })

  test('no longer works after the password was changed', async () => {
    const user = await loggedIn(at)
    const token = tokenOf(await linkTo(user.email))
    const body = { currentPassword: password, newPassword: 'another long password' }
    expect(await asUser(at, user, 'POST', '/password', body)).toMatchObject({ status: 200 })
    expect(await confirm(token)).toMatchObject({ status: 401 })
  })

  test('allows its user to set a new password for 15 minutes', async () => {
    const { email } = await newUser(at)
    const body = { newPassword: 'another long password' }
    const late = { cookie: cookieOf(await confirm(tokenOf(await linkTo(email)))) }
    at.pass(15 * minuteMs)
    expect(await asUser(at, late, 'POST', '/password', body)).toMatchObject({ status: 422 })
    const inTime = { cookie: cookieOf(await confirm(tokenOf(await linkTo(email)))) }
    expect(await asUser(at, inTime, 'POST', '/password', body)).toMatchObject({ status: 200 })
  })
})
