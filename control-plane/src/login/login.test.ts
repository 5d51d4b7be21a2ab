import { createHash } from 'node:crypto'
import { hash as argon2 } from '@node-rs/argon2'
import { beforeEach, describe, expect, test } from 'vitest'
import { pruneLogins } from './prune-logins-store.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, cookieOf, loggedIn, logInAs, newUser, password } from '../app/testing/log-in.ts'

const at = useTestApp({ config: { trustProxy: ['127.0.0.1'] } })

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const longestWaitMs = 15 * minuteMs
let networks = 0
/** A new network address. */
let from: Record<string, string>
beforeEach(() => {
  networks += 1
  from = { 'x-forwarded-for': `203.0.113.${networks}` }
})

describe('login by password', () => {
  test('opens a session, whose token is only in the cookie', async () => {
    const { email, accountId } = await newUser(at)
    const answer = await logInAs(at, email.toUpperCase(), { headers: from })
    expect(answer).toMatchObject({
      status: 200,
      json: {
        user: { email },
        account: { id: accountId, tier: 'scale' },
        session: { current: true, openedBy: 'password', address: from['x-forwarded-for'] },
      },
    })
    expect(answer.headers['cache-control']).toBe('no-store')
    const [cookie] = [answer.headers['set-cookie']].flat()
    expect(cookie).toMatch(
      /^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=25(92000|919\d\d)$/,
    )
    const token = cookieOf(answer).split('=')[1] ?? ''
    expect(answer.text).not.toContain(token)
    const [row] = await at.sql<{ token_hash: Buffer }[]>`
      select token_hash from sessions where account_id = ${accountId}`
    expect(row?.token_hash).toEqual(createHash('sha256').update(token).digest())
    expect(await asUser(at, { cookie: cookieOf(answer) }, 'GET', '/session')).toMatchObject({
      status: 200,
      json: { user: { email } },
    })
  })

  test('answers a wrong password and an unknown address alike', async () => {
    const { email } = await newUser(at)
    const wrong = await logInAs(at, email, { password: `${password}!`, headers: from })
    const nobody = await logInAs(at, 'nobody@example.org', { headers: from })
    expect(wrong).toMatchObject({ status: 401, json: { code: 'SV-1008' } })
    expect(nobody).toMatchObject({ status: 401, text: wrong.text })
    expect(wrong.headers['set-cookie']).toBeUndefined()
  })

  test('lists all problems of the input', async () => {
    const answer = await at.call('POST', '/dashboard-api/session', { body: { email: '', x: 1 } })
    expect(answer).toMatchObject({
      status: 422,
      json: { errors: [{ path: 'email' }, { path: 'password' }, { path: 'x' }] },
    })
  })

  test('replaces an earlier session', async () => {
    const attacker = await loggedIn(at)
    const victim = await newUser(at)
    const answer = await logInAs(at, victim.email, { headers: { cookie: attacker.cookie } })
    expect(cookieOf(answer)).not.toBe(attacker.cookie)
    expect(await asUser(at, attacker, 'GET', '/session')).toMatchObject({ status: 401 })
    const made = await logInAs(at, victim.email, {
      headers: { cookie: `__Host-session=${'a'.repeat(43)}` },
    })
    expect(cookieOf(made)).not.toContain('aaaa')
  })

  test('renews an old password hash', async () => {
    const { email } = await newUser(at)
    const hash = await argon2(password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    await at.sql`update users set password_hash = ${hash} where email = ${email}`
    expect(await logInAs(at, email, { headers: from })).toMatchObject({ status: 200 })
    const [user] = await at.sql<{ password_hash: string }[]>`
      select password_hash from users where email = ${email}`
    expect(user?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,/)
    expect(await logInAs(at, email, { headers: from })).toMatchObject({ status: 200 })
  })
})

describe('too many attempts', () => {
  test('for one address from one network wait longer each time, with Retry-After', async () => {
    const { email } = await newUser(at)
    const attempt = (text: string) => logInAs(at, email, { password: text, headers: from })
    for (let n = 0; n < 10; n++) {
      at.pass(longestWaitMs)
      expect(await attempt('wrong')).toMatchObject({ status: 401 })
    }
    const refused = await attempt(password)
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6005' } })
    const retryAfter = Number(refused.headers['retry-after'])
    expect(retryAfter).toBeGreaterThan(0)
    expect(retryAfter).toBeLessThanOrEqual(64)
    at.pass(retryAfter * 1_000)
    expect(await attempt(password)).toMatchObject({ status: 200 })
    expect(await attempt('wrong')).toMatchObject({ status: 401 })
    expect(await attempt(password)).toMatchObject({ status: 200 })
  })

  test('at the same time are limited like consecutive ones', async () => {
    const { email } = await newUser(at)
    const attempt = () => logInAs(at, email, { password: 'wrong', headers: from })
    for (let n = 0; n < 9; n++) {
      at.pass(longestWaitMs)
      await attempt()
    }
    at.pass(longestWaitMs)
    const answers = await Promise.all(Array.from({ length: 20 }, attempt))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(1)
    expect(statuses.filter((status) => status === 429)).toHaveLength(19)
  })

  test('from one network are refused for all addresses; other networks can log in', async () => {
    const attempt = (n: number) =>
      logInAs(at, `nobody-${n}@example.org`, {
        headers: { 'x-forwarded-for': `2001:db8:0:${networks}::${n}` },
      })
    for (let n = 1; n <= 35; n++) {
      if (n >= 30) at.pass(longestWaitMs)
      expect(await attempt(n)).toMatchObject({ status: 401 })
    }
    expect(await attempt(36)).toMatchObject({ status: 429, json: { code: 'SV-6005' } })
    const { email } = await newUser(at)
    const other = { 'x-forwarded-for': `2001:db8:1:${networks}::1` }
    expect(await logInAs(at, email, { headers: other })).toMatchObject({ status: 200 })
  })
})

describe('a session', () => {
  test.each([
    ['no cookie', undefined],
    ['a made-up token', `__Host-session=${'a'.repeat(43)}`],
    ['a malformed one', '__Host-session=nonsense'],
  ])('is required: %s is SV-1007', async (_what, cookie) => {
    const answer = await at.call('GET', '/dashboard-api/checks', {
      headers: cookie === undefined ? {} : { cookie },
    })
    expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1007' } })
  })

  test('is not a key, and a key is not a session', async () => {
    const user = await loggedIn(at)
    const { writeKey } = await at.account('scale')
    const headers = { cookie: user.cookie }
    expect(await at.call('GET', '/v1/checks', { headers })).toMatchObject({
      status: 401,
      json: { code: 'SV-1001' },
    })
    expect(await at.call('GET', '/dashboard-api/checks', { key: writeKey })).toMatchObject({
      status: 401,
      json: { code: 'SV-1007' },
    })
    const both = await at.call('GET', '/v1/me', { key: writeKey, headers })
    expect(both.json.account.id).not.toBe(user.accountId)
  })

  test('ends 30 days after its last use', async () => {
    const user = await loggedIn(at)
    at.pass(29 * dayMs)
    const used = await asUser(at, user, 'GET', '/session')
    expect(used.headers['set-cookie']).toContain(`${user.cookie}; `)
    expect(used.headers['set-cookie']).toMatch(/Max-Age=25(92000|919\d\d)$/)
    expect((await asUser(at, user, 'GET', '/session')).headers['set-cookie']).toBeUndefined()
    at.pass(30 * dayMs - 5 * minuteMs)
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 200 })
    at.pass(30 * dayMs)
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 401 })
  })

  test('ends 180 days after its login', async () => {
    const user = await loggedIn(at)
    for (let day = 0; day < 175; day += 25) {
      at.pass(25 * dayMs)
      expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 200 })
    }
    at.pass(5 * dayMs)
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 401 })
  })

  test('ends at logout, which deletes its cookie', async () => {
    const user = await loggedIn(at)
    const out = await asUser(at, user, 'DELETE', '/session')
    expect(out).toMatchObject({ status: 200, json: { ended: true } })
    expect(out.headers['set-cookie']).toMatch(/^__Host-session=; .*Max-Age=0$/)
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 401 })
  })

  test('is listed, and only its user can end it from another session', async () => {
    const user = await loggedIn(at)
    const other = { cookie: cookieOf(await logInAs(at, user.email)) }
    const stranger = await loggedIn(at)
    const { sessions } = (await asUser(at, user, 'GET', '/sessions')).json
    expect(sessions).toHaveLength(2)
    const { id } = sessions.find(({ current }: { current: boolean }) => !current)
    expect(await asUser(at, stranger, 'DELETE', `/sessions/${id}`)).toMatchObject({ status: 404 })
    expect(await asUser(at, other, 'GET', '/session')).toMatchObject({ status: 200 })
    expect(await asUser(at, user, 'DELETE', `/sessions/${id}`)).toMatchObject({ status: 200 })
    expect(await asUser(at, other, 'GET', '/session')).toMatchObject({ status: 401 })

    const third = { cookie: cookieOf(await logInAs(at, user.email)) }
    expect(await asUser(at, user, 'DELETE', '/sessions')).toMatchObject({ json: { ended: 1 } })
    expect(await asUser(at, third, 'GET', '/session')).toMatchObject({ status: 401 })
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 200 })
  })

  test('beyond the twentieth ends the least recently used one', async () => {
    const user = await loggedIn(at)
    for (let n = 0; n < 20; n++) {
      at.pass(1)
      await logInAs(at, user.email, { headers: { 'x-forwarded-for': `192.0.2.${n}` } })
    }
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 401 })
    const [row] = await at.sql<{ count: number }[]>`
      select count(*)::integer as count from sessions where account_id = ${user.accountId}`
    expect(row?.count).toBe(20)
  })
})

describe('changing the password', () => {
  const newPassword = 'another long password'
  const change = (cookie: string, body: unknown) => asUser(at, { cookie }, 'POST', '/password', body)

  test('ends every session, gives the current one a new token, and has an audit entry', async () => {
    const user = await loggedIn(at)
    const other = { cookie: cookieOf(await logInAs(at, user.email, { headers: from })) }
    const answer = await change(user.cookie, { currentPassword: password, newPassword })
    expect(answer).toMatchObject({ status: 200 })
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 401 })
    expect(await asUser(at, other, 'GET', '/session')).toMatchObject({ status: 401 })
    const renewed = { cookie: cookieOf(answer) }
    expect(await asUser(at, renewed, 'GET', '/session')).toMatchObject({ status: 200 })
    const audit = await asUser(at, renewed, 'GET', '/audit-log')
    expect(audit.json.entries[0]).toMatchObject({
      action: 'changePassword',
      actor: { kind: 'user', name: user.email },
    })
    expect(await logInAs(at, user.email, { headers: from })).toMatchObject({ status: 401 })
    const again = await logInAs(at, user.email, { password: newPassword, headers: from })
    expect(again).toMatchObject({ status: 200 })
  })

  test.each([
    [{ currentPassword: 'wrong', newPassword }, 'currentPassword'],
    [{ newPassword }, 'currentPassword'],
    [{ currentPassword: password, newPassword: 'too short' }, 'newPassword'],
    [{ currentPassword: password, newPassword: 'password1234' }, 'newPassword'],
  ])('%j is refused', async (body, path) => {
    const user = await loggedIn(at)
    expect(await change(user.cookie, body)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path }] },
    })
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 200 })
  })

  test('limits wrong current passwords', async () => {
    const { cookie } = await loggedIn(at)
    const wrong = { currentPassword: 'wrong', newPassword }
    for (let n = 0; n < 10; n++) {
      at.pass(longestWaitMs)
      expect(await change(cookie, wrong)).toMatchObject({ status: 422 })
    }
    expect(await change(cookie, { currentPassword: password, newPassword })).toMatchObject({
      status: 429,
      json: { code: 'SV-6005' },
    })
  })
})

test('only expired rows are deleted', async () => {
  const user = await loggedIn(at)
  await logInAs(at, 'nobody-here@example.org', { headers: from })
  const count = async () => (await at.sql`select from sessions where account_id = ${user.accountId}`).length
  await pruneLogins(at.sql, at.now(), 10_000)
  expect(await count()).toBe(1)
  expect((await at.sql`select from login_attempts`).length).toBeGreaterThan(0)
  await pruneLogins(at.sql, at.now() + 31 * dayMs, 10_000)
  expect(await count()).toBe(0)
  expect(await at.sql`select from login_attempts`).toHaveLength(0)
})

test('counted attempts are limited: those that expire first are deleted', async () => {
  for (const n of [1, 2, 3]) {
    await logInAs(at, `kept-${n}@example.org`, { headers: from })
    at.pass(minuteMs)
  }
  const expiring = async () => {
    const rows = await at.sql<{ at: Date }[]>`
      select expires_at as at from login_attempts order by expires_at desc`
    return rows.map((row) => row.at.getTime())
  }
  const before = await expiring()
  expect(before.length).toBeGreaterThan(4)
  await pruneLogins(at.sql, 0, 10_000, 4)
  expect(await expiring()).toEqual(before.slice(0, 4))
})
