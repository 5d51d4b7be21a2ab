import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { privateAgentOf } from '@probe-mesh/contracts/reading/private-region'
import {
  secretCharactersMax,
  secretCharactersMin,
  secretsPerAccountMax,
} from '@probe-mesh/contracts/secret/secret'
import { lockAccount } from '../../accounts/accounts-store.ts'
import { hasRequest, type CheckRecord } from '../../records/check/check-record.ts'
import { secretNamesOf } from '../../records/check/secret-uses.ts'
import type { Writer } from '../../accounts/operations/context.ts'
import { auditReaders, checkReaders, readerProblems } from '../../secrets/readers.ts'
import type { Reader } from '../../secrets/agent-keys-store.ts'
import { insertNewSecrets, newSecretsOf } from '../../secrets/new-secrets.ts'
import { findSealedSecrets, findSecrets, holdSecrets, secretOwner } from '../../secrets/secrets-store.ts'
import { secretsIn } from '@probe-mesh/contracts/secret/secret-template'
import type { Vault } from '../../secrets/vault.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { hoistCredentials, type FoundSecret } from './hoist-credentials.ts'
import { refuseImpossible, type Judged } from './impossible-assertions.ts'
import { placedRequests, withRequests } from './placed-requests.ts'
import { requestProblems } from './request-problems.ts'

/** @param reader the private agent that measures the check; null: regions of the operator do */
type Settled = { config: CheckConfig; found: FoundSecret[]; reader: Reader | null }

type CheckToSettle = Pick<CheckRecord, 'accountId' | 'url' | 'regions' | 'assertions'> & {
  config: CheckConfig
  /** As it is stored; absent: it is new. */
  before?: Judged
}

/**
 * The config of a check as it is stored: credentials in clear are replaced by the names of new secrets. The secrets that
 * it names stay as they are until the transaction ends. SV-2001 with every problem of its requests and assertions; SV-1013 with them if
 * an API key gives a secret to a private agent that it does not name. Every write of a check, trial and plan comes here.
 * @param vault opens the keys of client certificates, to refuse those that cannot be used; absent: they are not read
 */
export const settleRequests = async (
  tx: Transaction,
  { actor }: Pick<Writer, 'actor'>,
  check: CheckToSettle,
  vault?: Vault,
): Promise<Settled | Refusal> => {
  const { accountId } = check
  const placed = placedRequests(check)
  if (placed.length === 0) return { config: check.config, found: [], reader: null }
  const impossible = refuseImpossible(check, check.before)
  // most checks are a plain GET
  const isPlain = !hasRequest(check.config) && placed.every(({ request }) => !namesSecret(request.body))
  if (isPlain) return impossible ?? { config: check.config, found: [], reader: null }
  const stored = await findSecrets(tx, accountId)
  const { requests, found } = hoistCredentials(
    placed,
    stored.map(({ name }) => name),
  )
  const config = withRequests(check.config, requests)
  const names = secretNamesOf({ url: check.url, config })
  const held = await holdSecrets(tx, accountId, names)
  const hosts = new Map([...held, ...found].map((secret) => [secret.name, secret.hosts]))
  const values = new Map(found.map(({ name, value }) => [name, value]))
  if (vault !== undefined) {
    const keys = requests.flatMap(({ clientCertificate }) => secretsIn([clientCertificate?.key ?? '']))
    const wanted = keys.filter((name) => !values.has(name)).map((name) => ({ accountId, name }))
    for (const sealed of await findSealedSecrets(tx, wanted)) {
      values.set(sealed.name, vault.open(sealed.value, secretOwner(sealed)))
    }
  }
  const { reader, keyProblems } =
    names.length === 0 ? { reader: null, keyProblems: [] } : await findReader(tx, check)
  const unnamed = readerProblems(reader, held)
  const errors = [
    ...(impossible?.errors ?? []),
    ...requestProblems(
      placedRequests({ url: check.url, config }),
      (name) => hosts.get(name),
      (name) => values.get(name),
    ),
    ...foundProblems(found, stored.length),
    ...keyProblems,
    ...unnamed,
  ]
  if (errors.length === 0) return { config, found, reader }
  return refuse(unnamed.length > 0 && actor.kind === 'key' ? 'SV-1013' : 'SV-2001', { errors })
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

/** The private agent of a check. One that was enrolled by an older version has no key for secrets. */
const findReader = async (
  tx: Transaction,
  { accountId, regions }: Pick<CheckToSettle, 'accountId' | 'regions'>,
): Promise<{ reader: Reader | null; keyProblems: FieldProblem[] }> => {
  const agentId = privateAgentOf(regions[0] ?? '')
  if (agentId === null) return { reader: null, keyProblems: [] }
  const { agents, problems } = await checkReaders(tx, accountId, { ids: [agentId], path: 'regions' })
  const [reader = { id: agentId, name: agentId, hasKey: false }] = agents
  return { reader, keyProblems: problems }
}

/**
 * Settles a check and stores the secrets that were found in it.
 * @param context.vault absent: credentials in clear are refused
 */
export const settleAndStore = async (
  context: { readonly vault?: Vault; readonly now: () => number },
  writer: Pick<Writer, 'actor'>,
  tx: Transaction,
  check: CheckToSettle,
): Promise<CheckConfig | Refusal> => {
  const settled = await settleRequests(tx, writer, check, context.vault)
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
  const locked = await settleRequests(tx, writer, check, vault)
  if (isRefusal(locked)) return locked
  const { accountId } = check
  const createdAtMs = context.now()
  // a value that is typed into a check of an agent was given to this agent
  const agents = locked.reader === null ? [] : [locked.reader]
  const secrets = newSecretsOf(locked.found, { accountId, agents: agents.map(({ id }) => id), createdAtMs })
  await insertNewSecrets(tx, vault, secrets)
  for (const { name: secret } of secrets) {
    const added = { secret, agents, action: 'addSecretAgent' } as const
    await auditReaders(tx, { ...writer, accountId }, added, createdAtMs)
  }
  return locked.config
}
