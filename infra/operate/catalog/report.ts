import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { gradeOf, gradeOnceVerified, probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { Finding } from './finding.ts'

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')

/** One line with the change that a probe needs; null for no change. */
export const findingLine = ({ slug, probe, outcome, reason, grade, verified }: Finding): string | null => {
  const why = reason === null ? '' : `: ${oneLine(reason)}`
  const at = `${slug} ${probe.url}`
  switch (outcome) {
    case 'good':
      return null
    case 'seen':
      return `verified  ${at}: add "verified: ${verified}"; the grade becomes ${grade}`
    case 'changed':
      return `changed   ${at}${why}; correct "documented"${verified === null ? ' and remove "verified"' : ''}`
    case 'refused':
      return `refused   ${at}${why}; find an endpoint that answers without credentials`
    case 'failing':
      return `failing   ${at}${why}; if the service is up, correct the address or the expectation`
    case 'unmeasured':
      return `unknown   ${at}${why}`
    default:
      return outcome satisfies never
  }
}

const outcomes = ['good', 'seen', 'changed', 'refused', 'failing', 'unmeasured'] as const

/** `12 good, 3 seen, 0 changed, ...` */
export const countsLine = (findings: readonly Finding[]): string =>
  outcomes
    .map((outcome) => `${findings.filter((one) => one.outcome === outcome).length} ${outcome}`)
    .join(', ')

/** Counts of probes by grade, now and after all documented probes are verified. */
export const gradeLines = (services: readonly CatalogService[]): string[] => {
  const probes = services.flatMap((service) => service.probes)
  const counted = (of: typeof gradeOf): string =>
    probeGrades.map((grade) => `${probes.filter((probe) => of(probe) === grade).length} ${grade}`).join(', ')
  const documented = probes.filter((probe) => probe.documented !== undefined)
  const unverified = documented.filter((probe) => (probe.documented?.verified ?? null) === null)
  return [
    `${services.length} services, ${probes.length} probes: ${counted(gradeOf)}.`,
    `Once verified: ${counted(gradeOnceVerified)}.`,
    `Vendors document ${documented.length} of them; ${unverified.length} are not verified yet.`,
  ]
}
