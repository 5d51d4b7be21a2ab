import { randomBytes } from 'node:crypto'
import { createAccount } from '@probe-mesh/control-plane/login/create-account'
import { createKey } from '@probe-mesh/control-plane/accounts/keys'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'

/** The owner of an account, with a password and a key with all scopes. */
export type TestOwner = { email: string; password: string; apiKey: string }

/** Creates an account with the Scale plan and a key with all scopes. @returns the key */
export const createTestAccount = async (databaseUrl: string): Promise<string> =>
  (await createTestOwner(databaseUrl)).apiKey

/** Creates an account with the Scale plan and a user. */
export const createTestOwner = async (databaseUrl: string): Promise<TestOwner> => {
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  const context = { sql, now: Date.now }
  const login = {
    email: `${randomBytes(6).toString('hex')}@test.example`,
    password: randomBytes(12).toString('base64url'),
  }
  try {
    const account = granted(await createAccount(context, { name: 'Test', ...login, tier: 'scale' }))
    const key = { accountId: account.id, name: 'test', scope: 'read_write' } as const
    return { ...login, apiKey: granted(await createKey(context, key)).apiKey }
  } finally {
    await sql.end()
  }
}

const granted = <T>(result: T | Refusal): T => {
  if (isRefusal(result)) throw new Error(`${result.refused}: ${result.message}`)
  return result
}
