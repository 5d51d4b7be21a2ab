import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { splitPrivateKeys } from '@probe-mesh/contracts/schema/private-key'
import { secretsIn } from '@probe-mesh/contracts/secret/secret-template'
import type { Logger } from '@probe-mesh/bus/logger'
import { lockAccount } from '../../accounts/accounts-store.ts'
import { insertRevision } from '../../records/check/check-revisions-store.ts'
import { lockCheck, notifyCheckChanged, updateCheck } from '../../records/check/checks-store.ts'
import { insertAudits } from '../../accounts/operations/audit-store.ts'
import { insertNewSecrets, newSecretsOf } from '../../secrets/new-secrets.ts'
import { findSealedSecrets, findSecrets, secretOwner } from '../../secrets/secrets-store.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Sql, Transaction } from '../../stores/postgres/connect.ts'
import { hoistCredentials, keyField } from './hoist-credentials.ts'
import { placedRequests, withRequests, type PlacedRequest } from './placed-requests.ts'
import { privateAgentOf } from '@probe-mesh/contracts/reading/private-region'
import { system } from '../../accounts/operations/context.ts'

type Moving = { sql: Sql; vault: Vault; log: Logger; now: () => number }

/**
 * Moves the private keys that earlier versions stored with the client certificates of checks into secrets of their
 * accounts, and logs each. Run before a loop reads the checks; what was moved is not found again. Keys in other fields
 * stay, since their text would change, and are logged.
 * @returns the number of changed checks
 */
export const movePrivateKeys = async (moving: Moving): Promise<number> => {
  const { sql, log } = moving
  const checks = await sql<{ id: string; accountId: string }[]>`
    select id, account_id as "accountId" from checks
    where config::text ~ 'BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY' order by account_id, id`
  let changed = 0
  for (const { id: checkId, accountId } of checks) {
    const names = await sql.begin((tx) => moveOfCheck(moving, tx, accountId, checkId))
    const about = { accountId, checkId }
    if (names === null) {
      log.warn(about, 'a check has a private key in a field that is not a secret; store it as a secret')
      continue
    }
    changed += 1
    const text = 'the private key beside the client certificate of a check was moved into a secret'
    log.warn({ ...about, secrets: names }, text)
  }
  return changed
}

/** @returns the names of the secrets that have the keys; null: there is no key beside a certificate */
const moveOfCheck = async (
  { vault, now }: Moving,
  tx: Transaction,
  accountId: string,
  checkId: string,
): Promise<string[] | null> => {
  if ((await lockAccount(tx, accountId)) === null) return null
  const check = await lockCheck(tx, accountId, checkId)
  if (check === null || check.config.type === 'unknown') return null
  const placed = placedRequests({ url: check.url, config: check.config })
  const keys = placed.flatMap((each) => keysBeside(each).map((key) => ({ each, key })))
  if (keys.length === 0) return null

  const nowMs = Math.max(now(), check.validFromMs)
  const stored = await findSecrets(tx, accountId)
  const values = await valuesOf(tx, vault, accountId, placed)
  const lost = keys.filter(({ each, key }) => !namedOf(each).some((name) => isSame(values.get(name), key)))
  // the name and the hosts are those that a new check would get
  const { requests: hoisted, found } = hoistCredentials(
    // as it is, also one that cannot be used
    lost.map(({ each, key }) => ({ ...each, request: { headers: [{ name: keyField, value: key }] } })),
    stored.map(({ name }) => name),
  )
  // they measure the check, so they have the key already
  const agents = check.regions.flatMap((region) => privateAgentOf(region) ?? [])
  const secrets = newSecretsOf(found, { accountId, agents, createdAtMs: nowMs })
  await insertNewSecrets(tx, vault, secrets)

  const requests = placed.map((each): HttpRequest => {
    const { clientCertificate } = each.request
    if (clientCertificate === undefined) return each.request
    const own = lost.findIndex((one) => one.each === each)
    // the secret that the check names goes on being its key
    const isKnown = namedOf(each).some((name) => values.has(name))
    const key = isKnown ? clientCertificate.key : (hoisted[own]?.headers?.[0]?.value ?? clientCertificate.key)
    return {
      ...each.request,
      clientCertificate: { certificate: splitPrivateKeys(clientCertificate.certificate).rest, key },
    }
  })
  const config = withRequests(check.config, requests)
  const written = { ...check, config, revision: check.revision + 1, validFromMs: nowMs, updatedAtMs: nowMs }
  await updateCheck(tx, written)
  await insertRevision(tx, written)
  await notifyCheckChanged(tx, checkId)
  const ids = secrets.map(({ id }) => id)
  const [ofSecret, ofCheck] = [
    { accountId, action: 'createSecret', resourceType: 'secret' },
    { accountId, action: 'updateCheck', resourceType: 'check' },
  ]
  await insertAudits(tx, system.actor, ofSecret, ids, nowMs)
  await insertAudits(tx, system.actor, ofCheck, [checkId], nowMs)
  return found.length > 0 ? found.map(({ name }) => name) : placed.flatMap(namedOf)
}

const keysBeside = ({ request }: PlacedRequest): string[] =>
  splitPrivateKeys(request.clientCertificate?.certificate ?? '').keys

/** The secret that a request names as its key. */
const namedOf = ({ request }: PlacedRequest): string[] => secretsIn([request.clientCertificate?.key ?? ''])

/** What the secrets hold that checks name as their keys; without those that do not open. */
const valuesOf = async (
  tx: Transaction,
  vault: Vault,
  accountId: string,
  placed: readonly PlacedRequest[],
): Promise<Map<string, string>> => {
  const wanted = placed.flatMap(namedOf).map((name) => ({ accountId, name }))
  const sealed = await findSealedSecrets(tx, wanted)
  return new Map(sealed.map((each) => [each.name, vault.open(each.value, secretOwner(each))]))
}

const isSame = (one: string | undefined, other: string): boolean =>
  one?.replaceAll(/\s/g, '') === other.replaceAll(/\s/g, '')
