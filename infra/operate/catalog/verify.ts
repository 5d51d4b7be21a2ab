import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { documentedAssertions } from '@probe-mesh/contracts/outage/catalog'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import { catalogAccountId } from '@probe-mesh/control-plane/accounts/accounts-store'
import { findingOf, type Finding, type Probed } from './finding.ts'

/** Probes that run at once. */
const concurrentProbesMax = 8
/** The interval of catalog probes, which bounds the time of an attempt. */
const intervalSeconds = 60

/**
 * Runs every probe once, with all its expected and documented assertions.
 * @param onFinding receives each finding at once
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
  await Promise.all(Array.from({ length: concurrentProbesMax }, look))
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
