import type { MeshWatch } from './mesh-watch.ts'
import { hasNoAgent } from './sightings.ts'

/** Agents have this long to connect after a control plane starts, ms. */
const agentsComeMs = 30_000

/** Without agents pages and pings work, and nothing is measured. */
export const agentsPart = (watch: () => MeshWatch | null, now: () => number) => ({
  effect: 'A region has no agent: nothing is measured from there.',
  works: () => {
    const seen = watch()
    if (seen === null || now() - seen.sinceMs < agentsComeMs) return true
    return !seen.regions().some((region) => hasNoAgent(region, now()))
  },
})
