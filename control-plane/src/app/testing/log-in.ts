import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { networkOf, widerNetworksOf } from '@probe-mesh/contracts/target/network-of'
import { browserCookie, sessionCookie } from '../../login/cookies.ts'
import { openConfirmed } from '../../login/create-account.ts'
import { createDeviceMarks } from '../../login/device-marks.ts'
import { openSession } from '../../login/open-session.ts'
import { hashPassword } from '../../login/passwords/password.ts'
import { findUserByEmail } from '../../login/users-store.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { testKey, type Answer, type TestApp } from './test-app.ts'

export const password = 'correct horse battery'

export type TestUser = { accountId: string; email: string; cookie: string }

let users = 0

// a hash costs 20 ms, and most tests have a user
let passwordHash: Promise<string> | undefined

/** An account whose user has not logged in yet. */
export const newUser = async (at: TestApp, tier: Tier = 'scale'): Promise<Omit<TestUser, 'cookie'>> => {
  users += 1
  const email = `user-${users}@example.org`
  passwordHash ??= hashPassword(password)
  const draft = { name: `account ${users}`, email, tier, passwordHash: await passwordHash }
  const made = await openConfirmed({ sql: at.sql, now: at.now }, draft)
  if (isRefusal(made)) throw new Error(made.message)
  return { accountId: made.id, email }
}

/** Logs in by password. */
export const logInAs = (
  at: TestApp,
  email: string,
  options: { password?: string; headers?: Record<string, string> } = {},
): Promise<Answer> =>
  at.call('POST', '/dashboard-api/session', {
    body: { email, password: options.password ?? password },
    headers: options.headers ?? {},
  })

/** What a browser sends after a login, without its work: the cookie of the session, and of the browser. */
export const cookiesOfLogin = async (at: TestApp, email: string): Promise<[string, string]> => {
  const user = await findUserByEmail(at.systemSql, email)
  if (user === null) throw new Error(`there is no user ${email}`)
  const address = '127.0.0.1'
  const network = { address, network: networkOf(address), widerNetworks: widerNetworksOf(address) }
  const visitor = { ...network, userAgent: 'lightMyRequest', token: null, browserCookie: null, browser: null }
  const context = { marks: createDeviceMarks(testKey), now: at.now }
  const how = { action: 'logIn', openedBy: 'password' } as const
  const opened = await transact(at.systemSql, (tx) => openSession(tx, context, user, visitor, how))
  const expiresAtMs = opened.owner.session.expiresAtMs
  const session = sessionCookie(opened.token, expiresAtMs, at.now())
  return [pairOf(session), pairOf(browserCookie(opened.browserCookie))]
}

/** Creates a logged-in user. */
export const loggedIn = async (at: TestApp, tier: Tier = 'scale'): Promise<TestUser> => {
  const user = await newUser(at, tier)
  const [cookie] = await cookiesOfLogin(at, user.email)
  return { ...user, cookie }
}

/** The cookie that a browser sends back after `Set-Cookie`. */
export const cookieOf = (answer: Answer): string => pairOf(String(answer.headers['set-cookie']))

const pairOf = (setCookie: string): string => setCookie.split(';')[0] ?? ''

/** Calls the dashboard's API with a user's cookie. */
export const asUser = (
  at: TestApp,
  { cookie }: Pick<TestUser, 'cookie'>,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> =>
  at.call(method, `/dashboard-api${path}`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    ...(body === undefined ? {} : { body }),
  })
