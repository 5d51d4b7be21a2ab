import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { documentedAssertions } from '@probe-mesh/contracts/outage/catalog'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import { catalogAccountId } from '@probe-mesh/control-plane/catalog/catalog-checks'
import { findingOf } from './finding.ts'
import type { Finding, Probed } from './finding.ts'

/** Probes that are looked at at once. */
export const looksMax = 8
/** As the catalog is measured: it decides how long an attempt may take. */
const intervalSeconds = 60

/**
 * Looks once at every probe, as an agent does, by all that it expects and documents.
 * @param onFinding told of each as it is found
 * @returns the findings, in the order of the probes
 */
export const verifyProbes = async (
  probes: readonly Probed[],
  { run, now, onFinding }: { run: Run; now: () => number; onFinding(finding: Finding): void },
): Promise<Finding[]> => {
  const findings: Finding[] = []
  const left = [...probes.entries()]
  const look = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, probed] = next
      const today = new Date(now()).toISOString().slice(0, 10)
      const context = { slot: now(), kind: 'manual', number: 0, lateMs: 0 } as const
      const signal = new AbortController().signal
      const reading = await run(assignmentOf(probed, now()), { ...context, signal })
      const finding = findingOf(probed, reading, today)
      findings[index] = finding
      onFinding(finding)
    }
  }
  await Promise.all(Array.from({ length: looksMax }, look))
  return findings
}

const assignmentOf = ({ probe }: Probed, nowMs: number): HttpAssignment => ({
  type: 'http',
  checkId: uuidv7(nowMs),
  accountId: catalogAccountId,
  region: 'verify',
  revision: 1,
  validFrom: nowMs,
  intervalSeconds,
  owner: 'catalog',
  url: probe.url,
  assertions: documentedAssertions(probe),
})
