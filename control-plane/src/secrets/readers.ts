import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { insertAudits } from '../accounts/operations/audit-store.ts'
import type { Caller, Writer } from '../accounts/operations/context.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { findReaders, type Reader } from './agent-keys-store.ts'
import type { SecretRecord } from './secrets-store.ts'

// A private agent that may open a secret hands its value to the holder of its token. So a secret names its agents, and a
// new one needs the value, or a member who has just logged in.

/** A login counts as fresh for this long. */
const freshLoginMs = 10 * 60_000

/** Whether a member logged in so recently that the request proves the member, and not only the session. */
export const isFreshLogin = ({ loggedInAtMs }: Pick<Caller, 'loggedInAtMs'>, nowMs: number): boolean =>
  loggedInAtMs !== undefined && nowMs - loggedInAtMs < freshLoginMs

/** Notifies the members of an account of new readers, in the transaction that adds them. */
export type TellReaders = (
  tx: Transaction,
  news: {
    accountId: string
    /** The member who added them. */
    by: string
    /** Names of secrets and of agents: each agent may open each secret. */
    secrets: readonly string[]
    agents: readonly string[]
    nowMs: number
  },
) => Promise<void>

/** The open agents among these ids, and what is wrong with the others. @param path the field of the ids */
export const checkReaders = async (
  tx: Transaction,
  accountId: string,
  { ids, path }: { ids: readonly string[]; path: string },
): Promise<{ agents: Reader[]; problems: FieldProblem[] }> => {
  const agents = await findReaders(tx, accountId, ids)
  const problems = ids.flatMap((id, index) => {
    const agent = agents.find((each) => each.id === id)
    if (agent?.hasKey === true) return []
    const message =
      agent === undefined
        ? 'there is no such agent, or it is revoked'
        : `cannot open secrets yet: rotate the token of the agent ${agent.name}, and install it`
    return [{ path: `${path}[${index}]`, message }]
  })
  return { agents, problems }
}

/** One audit entry for each new reader of a secret, with the names of both. */
export const auditReaders = (
  tx: Transaction,
  { accountId, actor }: Pick<Writer, 'accountId' | 'actor'>,
  {
    secret,
    agents,
    action,
  }: {
    secret: string
    agents: readonly Pick<Reader, 'id' | 'name'>[]
    action: 'addSecretAgent' | 'removeSecretAgent'
  },
  nowMs: number,
): Promise<void> =>
  insertAudits(
    tx,
    actor,
    { accountId, action, resourceType: 'secret' },
    agents.map(({ id, name }) => `${secret} for ${name} (${id})`),
    nowMs,
  )

/**
 * Why an agent may not open the secrets of a check: each that does not name it.
 * @param agent null: a region of the operator, whose agents open the secrets of their checks
 */
export const readerProblems = (
  agent: Pick<Reader, 'id' | 'name'> | null,
  secrets: readonly Pick<SecretRecord, 'name' | 'agents'>[],
): FieldProblem[] =>
  agent === null
    ? []
    : secrets.flatMap(({ name, agents }) =>
        agents.includes(agent.id)
          ? []
          : [
              {
                path: 'regions[0]',
                message: `the secret ${name} does not name the agent ${agent.name}; a member names it in the dashboard, on the page of the secret`,
              },
            ],
      )
