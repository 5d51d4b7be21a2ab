import { createAccount } from '@probe-mesh/control-plane/login/create-account'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { randomBytes } from 'node:crypto'
import { send, type Sent } from './send.ts'

/** A person with an account and a browser, in their own network. */
export type Person = {
  readonly accountId: string
  readonly email: string
  readonly password: string
  /** The source address of requests. */
  readonly from: string
  /** Sends a request to the dashboard's API. Returns any answer. */
  request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Sent>
  /** Sends a request that must succeed. @throws Error with the answer */
  requestOk<T>(method: string, path: string, body?: unknown): Promise<T>
}

/** Opens an account and logs in. @param from an address of the loopback network */
export const createPerson = async (
  { origin, sql }: { origin: string; sql: Sql },
  { tier, from }: { tier: Tier; from: string },
): Promise<Person> => {
  const email = `${randomBytes(6).toString('hex')}@people.example`
  const password = randomBytes(12).toString('base64url')
  const draft = { name: `Account at ${from}`, email, password, tier }
  const account = await createAccount({ sql, now: Date.now }, draft)
  if (isRefusal(account)) throw new Error(account.message)
  return { accountId: account.id, ...(await logIn(origin, { email, password, from })) }
}

/** Logs in from an address. */
export const logIn = async (
  origin: string,
  { email, password, from }: Pick<Person, 'email' | 'password' | 'from'>,
): Promise<Omit<Person, 'accountId'>> => {
  const sameSite = { 'sec-fetch-site': 'same-origin', origin, 'content-type': 'application/json' }
  const call = (
    method: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<Sent> =>
    send(`${origin}/dashboard-api${path}`, {
      method,
      headers: { ...sameSite, ...headers },
      from,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  const session = await call('POST', '/session', {}, { email, password })
  if (session.status >= 300) throw new Error(`no login: ${session.text}`)
  const cookie = (session.headers['set-cookie'] ?? '')
    .split(/,(?=\S+=)/)
    .map((each) => each.split(';')[0])
    .join('; ')
  const request: Person['request'] = (method, path, body, signal) =>
    call(method, path, { cookie }, body, signal)
  return {
    email,
    password,
    from,
    request,
    requestOk: async <T>(method: string, path: string, body?: unknown) => {
      const answer = await request(method, path, body)
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
      return JSON.parse(answer.text) as T
    },
  }
}
