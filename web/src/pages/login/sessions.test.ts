import { password } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { describe, expect, test } from 'vitest'
import { useTestWeb, type Shown } from '../../testing/test-web.ts'

const web = useTestWeb()

const tokenIn = ({ headers }: Pick<Shown, 'headers'>): string =>
  /__Host-session=([\w-]*)/.exec(String(headers['set-cookie']))?.[1] ?? ''

/** Whether a token opens the dashboard, whoever's browser sends it. */
const opens = async (token: string): Promise<boolean> => {
  const cookie = `__Host-session=${token}`
  return (await web.visitor().get('/dashboard/keys', { cookie })).status === 200
}

/** Logs in as somebody, with the token that the browser brings along. */
const logIn = async (email: string, brought?: string): Promise<Shown> =>
  web
    .visitor()
    .post('/login', { email, password }, brought === undefined ? {} : { cookie: `__Host-session=${brought}` })

describe('logging in', () => {
  test('never gives the session that a browser brought along, and ends it', async () => {
    const { email } = await web.member()
    const { email: victim } = await web.member()
    const planted = tokenIn(await logIn(email))
    const given = tokenIn(await logIn(victim, planted))
    expect(given).not.toBe(planted)
    expect(await opens(planted)).toBe(false)
    expect(await opens(given)).toBe(true)
  })

  test('takes over no token that somebody made up', async () => {
    const { email } = await web.member()
    const madeUp = 'a'.repeat(43)
    expect(tokenIn(await logIn(email, madeUp))).not.toBe(madeUp)
    expect(await opens(madeUp)).toBe(false)
  })

  test('again gives another session, and ends the one before in the same browser', async () => {
    const { email } = await web.member()
    const first = tokenIn(await logIn(email))
    const second = tokenIn(await logIn(email, first))
    expect(second).not.toBe(first)
    expect(await opens(first)).toBe(false)
  })

  test('gives a cookie that scripts, other sites and unencrypted pages do not have', async () => {
    const { email } = await web.member()
    const [session, device] = [(await logIn(email)).headers['set-cookie']].flat()
    expect(session).toMatch(
      /^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/,
    )
    expect(device).toMatch(/^__Host-device=[\w-]{67}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/)
  })
})

describe('a session', () => {
  test('that is logged out is over in the store too, not only in the browser', async () => {
    const { email, accountId } = await web.member()
    const token = tokenIn(await logIn(email))
    const rows = async () => (await web.at.sql`select from sessions where account_id = ${accountId}`).length
    const before = await rows()
    const cookie = `__Host-session=${token}`
    const out = await web.visitor().post('/logout', {}, { cookie })
    expect(String(out.headers['set-cookie'])).toMatch(/^__Host-session=; .*Max-Age=0$/)
    expect(await rows()).toBe(before - 1)
    expect(await opens(token)).toBe(false)
  })

  test('is over where its user ends all others, and where the password is changed', async () => {
    const member = await web.member()
    const elsewhere = tokenIn(await logIn(member.email))
    await member.post('/dashboard/account/sessions/end-others')
    expect(await opens(elsewhere)).toBe(false)
    const another = tokenIn(await logIn(member.email))
    const mine = tokenIn(await logIn(member.email))
    const changed = await web
      .visitor()
      .post(
        '/dashboard/account/password',
        { currentPassword: password, newPassword: 'another long password' },
        { cookie: `__Host-session=${mine}` },
      )
    expect(changed.status).toBe(303)
    expect(await opens(another)).toBe(false)
    expect(await opens(mine)).toBe(false)
    expect(await opens(tokenIn(changed))).toBe(true)
  })
})
