import { channelOwner } from '../../notifications/channels/sealed-config.ts'
import type { Connection } from '../../stores/postgres/connect.ts'
import { readSecretsProof, saveSecretsProof, someCredentials } from './stored-identity.ts'
import { SecretUnreadable, createVault, type Vault } from '../../secrets/vault.ts'

const constant = 'probe-mesh'
const owner = ['system', 'secrets-key']
/** Credentials tried in a system without a proof: one that opens proves the key. */
const credentialsMax = 100

export type SecretsKeyState = 'proved' | 'other key' | 'no proof yet'

/** Whether SECRETS_KEY is the key of this system. Changes nothing. */
export const testSecretsKey = async (sql: Connection, secretsKey: string): Promise<SecretsKeyState> => {
  const vault = createVault(secretsKey)
  const sealed = await readSecretsProof(sql)
  if (sealed !== null) return opens(vault, sealed, owner) ? 'proved' : 'other key'
  const credentials = await someCredentials(sql, credentialsMax)
  const isOther =
    credentials.length > 0 &&
    !credentials.some((channel) => opens(vault, channel.credential, channelOwner(channel)))
  return isOther ? 'other key' : 'no proof yet'
}

/** Stores a proof of the key if there is none (S-3212). @throws Error if the proof is of another key */
export const proveSecretsKey = async (sql: Connection, secretsKey: string): Promise<void> => {
  const state = await testSecretsKey(sql, secretsKey)
  if (state === 'no proof yet') {
    await saveSecretsProof(sql, createVault(secretsKey).seal(constant, owner))
    // another control plane may have stored a proof of another key first
    if ((await testSecretsKey(sql, secretsKey)) === 'proved') return
  } else if (state === 'proved') return
  throw new Error(otherSecretsKey)
}

/** Makes this key the key of the system. Secrets sealed with another key can no longer be read. */
export const acceptSecretsKey = (sql: Connection, secretsKey: string): Promise<unknown> =>
  saveSecretsProof(sql, createVault(secretsKey).seal(constant, owner), { replace: true })

export const otherSecretsKey =
  'SECRETS_KEY is not the key of this system: it cannot read the stored secrets. Set the key that the other control planes use. If it is lost, set a new key, run "npm run -s admin -- identity accept" with it, and set the config of every channel again.'

const opens = (vault: Vault, sealed: Uint8Array, of: readonly string[]): boolean => {
  try {
    vault.open(sealed, of)
    return true
  } catch (error) {
    if (error instanceof SecretUnreadable) return false
    throw error
  }
}
