import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { privateAgentOf } from '@probe-mesh/contracts/reading/private-region'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import {
  secretCharactersMax,
  secretCharactersMin,
  secretsPerAccountMax,
} from '@probe-mesh/contracts/secret/secret'
import { lockAccount } from '../../accounts/accounts-store.ts'
import { findPrivateAgent } from '../../agents/private-agents-store.ts'
import { hasRequest, type CheckRecord } from '../../check-record/check-record.ts'
import { secretNamesOf } from '../../check-record/secret-uses.ts'
import { findAgentKeys } from '../../secrets/agent-keys-store.ts'
import { insertNewSecrets } from '../../secrets/new-secrets.ts'
import { findSecrets, holdSecrets } from '../../secrets/secrets-store.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { hoistCredentials, type FoundSecret } from './hoist-credentials.ts'
import { placedRequests, withRequests } from './placed-requests.ts'
import { requestProblems } from './request-problems.ts'

type Settled = { config: CheckConfig; found: FoundSecret[] }

type CheckToSettle = Pick<CheckRecord, 'accountId' | 'url' | 'regions'> & { config: CheckConfig }

/**
 * The config of a check as it is stored: credentials in clear are replaced by the names of new secrets. The secrets that
 * it names stay as they are until the transaction ends. SV-2001 with every problem of its requests.
 */
export const settleRequests = async (tx: Transaction, check: CheckToSettle): Promise<Settled | Refusal> => {
  const { accountId } = check
  const placed = placedRequests(check)
  if (placed.length === 0) return { config: check.config, found: [] }
  // most checks are a plain GET
  const isPlain = !hasRequest(check.config) && placed.every(({ request }) => !namesSecret(request.body))
  if (isPlain) return { config: check.config, found: [] }
  const stored = await findSecrets(tx, accountId)
  const { requests, found } = hoistCredentials(
    placed,
    stored.map(({ name }) => name),
  )
  const config = withRequests(check.config, requests)
  const names = secretNamesOf({ url: check.url, config })
  const held = await holdSecrets(tx, accountId, names)
  const hosts = new Map([...held, ...found].map((secret) => [secret.name, secret.hosts]))
  const errors = [
    ...requestProblems(placedRequests({ url: check.url, config }), (name) => hosts.get(name)),
    ...foundProblems(found, stored.length),
    ...(names.length === 0 ? [] : await agentProblems(tx, check)),
  ]
  return errors.length > 0 ? refuse('SV-2001', { errors }) : { config, found }
}

const namesSecret = (text: string | undefined): boolean =>
  text !== undefined && /\{\{\s*secrets?\b/.test(text)

const foundProblems = (found: readonly FoundSecret[], stored: number): FieldProblem[] => {
  const [first] = found
  if (first === undefined) return []
  const wrong = found.flatMap(({ path, value }) => {
    if (value.length < secretCharactersMin) {
      return [
        { path, message: `is kept as a secret, which needs at least ${secretCharactersMin} characters` },
      ]
    }
    return value.length > secretCharactersMax ? [{ path, message: 'is too long for a secret' }] : []
  })
  if (stored + found.length <= secretsPerAccountMax) return wrong
  const message = `is kept as a secret, and the limit of ${secretsPerAccountMax} secrets is reached; delete one that no check uses first`
  return [...wrong, { path: first.path, message }]
}

/** A private agent that was enrolled by an older version has no key for secrets. */
const agentProblems = async (
  tx: Transaction,
  { accountId, regions }: Pick<CheckToSettle, 'accountId' | 'regions'>,
): Promise<FieldProblem[]> => {
  const agentId = privateAgentOf(regions[0] ?? '')
  if (agentId === null || (await findAgentKeys(tx, [agentId])).size > 0) return []
  const agent = await findPrivateAgent(tx, accountId, agentId)
  const message = `cannot open secrets yet: rotate the token of the agent ${agent?.name ?? agentId}, and install it`
  return [{ path: 'regions[0]', message }]
}

/**
 * Settles a check and stores the secrets that were found in it.
 * @param context.vault absent: credentials in clear are refused
 */
export const settleAndStore = async (
  context: { readonly vault?: Vault; readonly now: () => number },
  tx: Transaction,
  check: CheckToSettle,
): Promise<CheckConfig | Refusal> => {
  const settled = await settleRequests(tx, check)
  if (isRefusal(settled)) return settled
  if (settled.found.length === 0) return settled.config
  const { vault } = context
  if (vault === undefined) {
    const errors = settled.found.map(({ path }) => ({
      path,
      message: 'must name a secret, as {{ secret.name }}',
    }))
    return refuse('SV-2001', { errors })
  }
  if ((await lockAccount(tx, check.accountId)) === null) return refuse('SV-1002')
  // again under the lock, which keeps names and count valid: another save may have taken them
  const locked = await settleRequests(tx, check)
  if (isRefusal(locked)) return locked
  const { accountId } = check
  const createdAtMs = context.now()
  const secrets = locked.found.map(({ name, hosts, value }) => ({
    id: uuidv7(createdAtMs),
    accountId,
    name,
    hosts,
    value,
    createdAtMs,
  }))
  await insertNewSecrets(tx, vault, secrets)
  return locked.config
}
