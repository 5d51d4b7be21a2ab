import { openBatches } from '@probe-mesh/control-plane/src/mesh/ingest/ingest-batches-store'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { expect, vi } from 'vitest'
import { pauseEverything } from './audit.ts'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'

/** An agent republishes readings that are unconfirmed for a minute. */
const restTimeout = { timeout: 300_000, interval: 250 }

const ofAgents = [
  'probe_mesh_agent_assignments',
  'probe_mesh_agent_runs_in_progress',
  'probe_mesh_agent_runs_waiting',
  'probe_mesh_agent_spool_readings',
] as const

/**
 * Pauses every check and waits until the mesh is at rest: no run, no unstored reading, no unfinished batch,
 * no pending flip. @returns when it was paused
 */
export const comeToRest = async (mesh: Processes, sql: Sql): Promise<number> => {
  await pauseEverything(sql)
  const pausedAt = Date.now()
  await vi.waitFor(async () => {
    for (const agent of mesh.agents) {
      const values = await Promise.all(ofAgents.map((name) => agent.metric(name)))
      expect({ agent: agent.name, values }).toEqual({
        agent: agent.name,
        values: ofAgents.map(() => 0),
      })
    }
    expect(await openBatches(sql)).toEqual([])
    const [pending] = await sql<{ count: number }[]>`
      select count(*)::integer as count from outbox where done_at is null`
    expect(pending?.count).toBe(0)
  }, restTimeout)
  return pausedAt
}
