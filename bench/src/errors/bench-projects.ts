import { errorPartitionOf, errorPartitions } from '@probe-mesh/contracts/mesh/partition'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createKey } from '@probe-mesh/control-plane/accounts/create-key'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { insertTestErrorProject } from '@probe-mesh/control-plane/stores/postgres/testing'
import { createBenchAccount } from '../path/bench-checks.ts'

export type BenchProject = {
  id: string
  /** Path and query of its envelopes. */
  path: string
}

export type BenchAccount = { id: string; apiKey: string; projects: BenchProject[] }

/** An account with a project in each partition of the stream, and a key that may read it. */
export const createErrorAccount = async (sql: Sql, name: string): Promise<BenchAccount> => {
  const id = await createBenchAccount(sql, name)
  const made = await createKey({ sql, now: Date.now }, { accountId: id, name, scope: 'read' })
  if (isRefusal(made)) throw new Error(made.message)
  const byPartition = new Map<number, BenchProject>()
  while (byPartition.size < errorPartitions.length) {
    const projectId = await insertTestErrorProject(sql, id)
    byPartition.set(errorPartitionOf(projectId), {
      id: projectId,
      path: await pathOf(sql, projectId),
    })
  }
  return { id, apiKey: made.apiKey, projects: [...byPartition.values()] }
}

const pathOf = async (sql: Sql, projectId: string): Promise<string> => {
  const [row] = await sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p
    join error_keys k on k.project_id = p.id where p.id = ${projectId}`
  return `/api/${row?.number}/envelope/?sentry_key=${row?.key}`
}

/** What became of the events of these projects. */
export const countedOf = async (
  sql: Sql,
  projects: readonly BenchProject[],
): Promise<Record<string, number>> => {
  const rows = await sql<{ outcome: string; events: number }[]>`
    select outcome, sum(events)::integer as events from error_counts
    where project_id = any(${projects.map(({ id }) => id)}::uuid[]) group by outcome`
  return Object.fromEntries(rows.map(({ outcome, events }) => [outcome, events]))
}
