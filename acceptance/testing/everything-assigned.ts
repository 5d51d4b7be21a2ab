import { expect, vi } from 'vitest'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'

/**
 * Waits until the agents run all assignments of their regions, because the delay of new checks is not part of
 * fault tests.
 * @returns the time since which they do, Unix ms
 */
export const everythingAssigned = async (mesh: Processes, count: number): Promise<number> =>
  await vi.waitFor(
    async () => {
      const held = await Promise.all(mesh.agents.map((agent) => agent.metric('probe_mesh_agent_assignments')))
      expect(held.reduce((sum, one) => sum + one, 0)).toBe(count)
      return Date.now()
    },
    { timeout: 180_000, interval: 100 },
  )
