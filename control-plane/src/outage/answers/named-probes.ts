import { probesNamedMax } from '@probe-mesh/contracts/outage/answers'
import { probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'

/**
 * The probes that an answer stands on, as it names them: where there are too many, the weakest first.
 * @param first those of services that the answer names, which come before all others then
 */
export const namedProbes = (
  probes: readonly GradedProbe[],
  first: readonly GradedProbe[] = [],
): { probes: GradedProbe[]; probeCount: number } => {
  if (probes.length <= probesNamedMax) return { probes: [...probes], probeCount: probes.length }
  const isFirst = new Set(first.map(({ url }) => url))
  const others = probes.filter(({ url }) => !isFirst.has(url))
  const ordered = [first, others].flatMap((part) =>
    probeGrades.flatMap((grade) => part.filter((probe) => probe.grade === grade)),
  )
  return { probes: ordered.slice(0, probesNamedMax), probeCount: probes.length }
}
