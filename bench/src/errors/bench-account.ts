import { errorPartitionOf, errorPartitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { createBenchAccount, createBenchKey } from '../harness/bench-checks.ts'

type BenchProject = {
  id: string
  /** Path and query of its envelopes. */
  path: string
}

type BenchAccount = { id: string; apiKey: string; projects: BenchProject[] }

/** Creates an account with a project in each partition of the stream, and a key that may read it. */
export const createErrorAccount = async (sql: Sql, name: string): Promise<BenchAccount> => {
  const id = await createBenchAccount(sql, name)
  const byPartition = new Map<number, BenchProject>()
  while (byPartition.size < errorPartitions.length) {
    const projectId = await insertTestErrorProject(sql, id)
    byPartition.set(errorPartitionOf(projectId), {
      id: projectId,
      path: await pathOf(sql, projectId),
    })
  }
  return { id, apiKey: await createBenchKey(sql, id), projects: [...byPartition.values()] }
}

const pathOf = async (sql: Sql, projectId: string): Promise<string> => {
  const [row] = await sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p
    join error_keys k on k.project_id = p.id where p.id = ${projectId}`
  return `/api/${row?.number}/envelope/?sentry_key=${row?.key}`
}
