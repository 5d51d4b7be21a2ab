import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertSecret, secretOwner, type SecretRecord } from './secrets-store.ts'
import type { Vault } from './vault.ts'

/** Whether the value of a request header is a credential, so that no check holds it in clear. */
export const isCredentialHeader = (name: string): boolean =>
  /^(?:authorization|cookie)$|(?:^|[-_.])(?:api)?key$|apikey$|token|secret|password|session|signature|credential/i.test(
    name,
  )

/** The name itself, or with the lowest number from 2 that is free. @param taken in lower case, like the name */
export const firstFreeName = (name: string, taken: ReadonlySet<string>): string => {
  for (let number = 1; ; number += 1) {
    const each = number === 1 ? name : `${name}_${number}`
    if (!taken.has(each)) return each
  }
}

/** A secret that is not stored yet, with its value in clear. */
export type NewSecret = Omit<SecretRecord, 'updatedAtMs'> & { value: string }

/** Secrets of values that were found in a check or a text, with ids of their own. */
export const newSecretsOf = (
  found: readonly Pick<NewSecret, 'name' | 'hosts' | 'value'>[],
  of: Pick<NewSecret, 'accountId' | 'agents' | 'createdAtMs'>,
): NewSecret[] =>
  found.map(({ name, hosts, value }) => ({ id: uuidv7(of.createdAtMs), name, hosts, value, ...of }))

/** Seals and stores secrets. The caller has locked the account, and knows that their names and number are allowed. */
export const insertNewSecrets = async (
  tx: Transaction,
  vault: Vault,
  secrets: readonly NewSecret[],
): Promise<void> => {
  for (const { value, ...secret } of secrets) {
    const sealed = vault.seal(value, secretOwner(secret))
    await insertSecret(tx, { ...secret, value: sealed, updatedAtMs: secret.createdAtMs })
  }
}
