import { createSecretSealer } from '@probe-mesh/contracts/agent/agent-seal'
import { receiversOf, secretsOfRequest, type HttpRequest } from '@probe-mesh/contracts/check/request-options'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { privateAgentOf } from '@probe-mesh/contracts/reading/private-region'
import { bindTo, type SealedSecrets } from '@probe-mesh/contracts/secret/secret'
import type { Logger } from 'pino'
import { requestOfStep } from '@probe-mesh/contracts/check/step'
import type { Sql } from '../stores/postgres/connect.ts'
import { agentKeyOwner, findAgentKeys } from './agent-keys-store.ts'
import { regionKeyOf } from './region-key.ts'
import { findSealedSecrets, secretOwner, type SealedSecret } from './secrets-store.ts'
import type { Vault } from './vault.ts'

export type AssignmentSealer = {
  /**
   * Adds to each assignment the secrets that it uses, sealed for the agents of its region. Read the checks first:
   * secrets are then at least as new. What cannot be sealed is left out, and its agents report the check as unmeasured:
   * a private agent gets only secrets that name it, and each secret goes only to origins of the check that it allows.
   * @param unsaved secrets that a draft brings along and that are stored only when it is saved
   */
  seal(assignments: readonly Assignment[], unsaved?: UnsavedSecrets): Promise<Assignment[]>
}

/** By name. Their value came with the draft, and so goes to its regions. */
export type UnsavedSecrets = Readonly<Record<string, { value: string; hosts: readonly string[] }>>

/** Secrets are read for this many assignments at a time. */
const assignmentsPerRead = 500

/** @param capabilities.sql sees every account */
export const createAssignmentSealer = (capabilities: {
  sql: Sql
  vault: Vault
  secretsKey: string
  log: Pick<Logger, 'warn'>
}): AssignmentSealer => {
  const { sql, vault, secretsKey, log } = capabilities
  const open = (what: string, sealed: Uint8Array, owner: readonly string[]): string | null => {
    try {
      return vault.open(sealed, owner)
    } catch (error) {
      log.warn({ err: error }, `${what} cannot be read; the checks that use it are not measured`)
      return null
    }
  }
  const keysOf = async (assignments: readonly Assignment[]): Promise<(region: string) => string | null> => {
    const agentIds = assignments.flatMap(({ region }) => privateAgentOf(region) ?? [])
    const stored = await findAgentKeys(sql, [...new Set(agentIds)])
    return (region) => {
      const agentId = privateAgentOf(region)
      if (agentId === null) return regionKeyOf(secretsKey, region)
      const key = stored.get(agentId)
      return key === undefined ? null : open('the key of a private agent', key, agentKeyOwner(agentId))
    }
  }
  const sealSome = async (
    assignments: readonly Assignment[],
    unsaved: UnsavedSecrets,
  ): Promise<Assignment[]> => {
    const using = assignments.filter((each) => secretNamesIn(each).length > 0)
    if (using.length === 0) return [...assignments]
    const wanted = using.flatMap((each) =>
      secretNamesIn(each).map((name) => ({ accountId: each.accountId, name })),
    )
    const [rows, keyOf] = await Promise.all([findSealedSecrets(sql, wanted), keysOf(using)])
    const byName = new Map(rows.map((row) => [idOf(row), row]))
    const values = new Map<SealedSecret, string | null>()
    const valueOf = (row: SealedSecret): string | null => {
      const known = values.get(row)
      const value = known === undefined ? open('a secret', row.value, secretOwner(row)) : known
      values.set(row, value)
      return value
    }
    const sealers = new Map<string, ReturnType<typeof createSecretSealer> | null>()
    const sealerOf = (region: string) => {
      const known = sealers.get(region)
      if (known !== undefined) return known
      const key = keyOf(region)
      const sealer = key === null ? null : createSecretSealer(key)
      sealers.set(region, sealer)
      return sealer
    }
    return assignments.map((assignment) => {
      const names = secretNamesIn(assignment)
      const sealer = names.length === 0 ? null : sealerOf(assignment.region)
      if (sealer === null) return assignment
      const agentId = privateAgentOf(assignment.region)
      const secrets = names.flatMap((name): [string, SealedSecrets[string]][] => {
        const urls = requestsOf(assignment).flatMap(({ url, request }) =>
          secretsOfRequest(request).includes(name) ? receiversOf(url, request) : [],
        )
        const draft = unsaved[name]
        if (draft !== undefined) return [[name, { value: draft.value, ...bindTo(draft.hosts, urls) }]]
        const row = byName.get(idOf({ accountId: assignment.accountId, name }))
        if (row === undefined || (agentId !== null && !row.agents.includes(agentId))) return []
        const value = valueOf(row)
        return value === null ? [] : [[name, { value, ...bindTo(row.hosts, urls) }]]
      })
      return { ...assignment, sealed: sealer.seal(Object.fromEntries(secrets), assignment) }
    })
  }
  return {
    seal: async (assignments, unsaved = {}) => {
      const sealed: Assignment[] = []
      for (let from = 0; from < assignments.length; from += assignmentsPerRead) {
        sealed.push(...(await sealSome(assignments.slice(from, from + assignmentsPerRead), unsaved)))
      }
      return sealed
    },
  }
}

/** The names of the secrets that an assignment uses, sorted. */
export const secretNamesIn = (assignment: Assignment): string[] => {
  const names = requestsOf(assignment).flatMap(({ request }) => secretsOfRequest(request))
  return [...new Set(names)].toSorted()
}

const requestsOf = (assignment: Assignment): { url: string; request: HttpRequest }[] => {
  if (assignment.type === 'http_request') return [assignment]
  if (assignment.type !== 'multistep_request') return []
  return assignment.steps.map((step) => ({ url: step.url, request: requestOfStep(step) }))
}

const idOf = ({ accountId, name }: { accountId: string; name: string }): string => `${accountId} ${name}`
