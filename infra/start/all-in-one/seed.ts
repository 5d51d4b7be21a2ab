import { randomBytes } from 'node:crypto'
import { createAccount } from '@probe-mesh/control-plane/login/create-account'
import { createKey } from '@probe-mesh/control-plane/accounts/keys'
import type { OperatorContext } from '@probe-mesh/control-plane/accounts/operations/context'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { Scope } from '@probe-mesh/contracts/account/api-key'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { readCredentials, writeCredentials, type Credentials } from './credentials.ts'

/** Well-known sites, so that a new account has data in its first minute. */
const exampleChecks = [
  { name: 'GitHub', url: 'https://github.com/' },
  { name: 'Wikipedia', url: 'https://www.wikipedia.org/' },
  { name: 'Cloudflare', url: 'https://www.cloudflare.com/' },
  { name: 'npm', url: 'https://www.npmjs.com/' },
] as const
const exampleIntervalSeconds = 60
const mailDomain = 'probe-mesh.example'

/** The credentials that every start updates. */
export type StartUrls = Pick<Credentials, 'apiUrl' | 'mcpUrl' | 'dashboardUrl' | 'metricsToken'>

/**
 * Creates two accounts on the first start: one with keys of each scope, and one with the Free plan. @returns
 * the credentials, and whether they are new
 */
export const ensureAccounts = async (
  context: OperatorContext,
  dataDir: string,
  ofThisStart: StartUrls,
): Promise<{ credentials: Credentials; isNew: boolean }> => {
  const known = await readCredentials(dataDir)
  if (known !== null) {
    const credentials = { ...known, ...ofThisStart }
    await writeCredentials(dataDir, credentials)
    return { credentials, isNew: false }
  }
  const account = await createExample(context, 'Example', 'you', 'scale')
  const free = await createExample(context, 'Example, free tier', 'you-free', 'free')
  const keyOf = async (accountId: string, name: string, scope: Scope): Promise<string> =>
    granted(await createKey(context, { accountId, name, scope })).apiKey
  const credentials: Credentials = {
    ...ofThisStart,
    email: account.email,
    password: account.password,
    apiKey: await keyOf(account.id, 'first key', 'read_write'),
    readKey: await keyOf(account.id, 'read only', 'read'),
    freeKey: await keyOf(free.id, 'free tier', 'read'),
  }
  await writeCredentials(dataDir, credentials)
  return { credentials, isNew: true }
}

/**
 * If an account with that address exists (lost credentials, an interrupted first start), it stays unchanged,
 * and the new account gets another address.
 */
const createExample = async (
  context: OperatorContext,
  name: string,
  mailbox: string,
  tier: Tier,
): Promise<{ id: string; email: string; password: string }> => {
  const password = randomBytes(12).toString('base64url')
  const create = (email: string) => createAccount(context, { name, email, password, tier })
  const email = `${mailbox}@${mailDomain}`
  const first = await create(email)
  if (!isRefusal(first)) return { id: first.id, email, password }
  const other = `${mailbox}-${randomBytes(3).toString('hex')}@${mailDomain}`
  return { id: granted(await create(other)).id, email: other, password }
}

/** Creates the example checks over the REST API. */
export const seedChecks = async (credentials: Credentials): Promise<void> => {
  const client = createApiClient({ apiUrl: credentials.apiUrl, apiKey: credentials.apiKey })
  for (const check of exampleChecks) {
    const answer = await client.call('createCheck', {
      body: { ...check, intervalSeconds: exampleIntervalSeconds },
    })
    if (!answer.ok) throw new Error(`${check.name} was refused: ${answer.problem.message}`)
  }
}

/** A refusal at the first start is a bug. */
const granted = <T>(result: T | Refusal): T => {
  if (isRefusal(result)) throw new Error(`${result.refused}: ${result.message}`)
  return result
}
