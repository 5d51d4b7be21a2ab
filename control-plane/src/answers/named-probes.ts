import { probesNamedMax } from '@probe-mesh/contracts/answers'
import { probeGrades } from '@probe-mesh/contracts/catalog-grade'
import type { GradedProbe } from '@probe-mesh/contracts/catalog-grade'

/** The probes that an answer stands on, as it names them: where there are too many, the weakest first. */
export const namedProbes = (
  probes: readonly GradedProbe[],
): { probes: GradedProbe[]; probeCount: number } => ({
  probes:
    probes.length <= probesNamedMax
      ? [...probes]
      : probeGrades
          .flatMap((grade) => probes.filter((probe) => probe.grade === grade))
          .slice(0, probesNamedMax),
  probeCount: probes.length,
})
