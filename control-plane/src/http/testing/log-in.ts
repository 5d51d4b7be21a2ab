import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { createAccount } from '../../login/create-account.ts'
import type { Answer, TestApp } from '../testing.ts'

export const password = 'correct horse battery'

export type TestUser = { accountId: string; email: string; cookie: string }

let users = 0

/** An account whose user has not logged in yet. */
export const newUser = async (at: TestApp, tier: Tier = 'scale'): Promise<Omit<TestUser, 'cookie'>> => {
  users += 1
  const email = `user-${users}@example.org`
  const made = await createAccount(
    { sql: at.sql, now: at.now },
    { name: `account ${users}`, email, password, tier },
  )
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

/** Creates a logged-in user. */
export const loggedIn = async (at: TestApp, tier: Tier = 'scale'): Promise<TestUser> => {
  const user = await newUser(at, tier)
  const answer = await logInAs(at, user.email)
  if (answer.status !== 200) throw new Error(answer.text)
  return { ...user, cookie: cookieOf(answer) }
}

/** The cookie that a browser sends back after `Set-Cookie`. */
export const cookieOf = (answer: Answer): string => {
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';')
  return cookie
}

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
