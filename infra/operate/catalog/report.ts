import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { gradeOf, gradeOnceVerified, probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { Finding } from './finding.ts'

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')

/** What is to change for one probe, on one line; null where nothing is. */
export const findingLine = ({
  slug,
  probe,
  outcome,
  reason,
  grade,
  verified,
}: Finding): string | null => {
  const why = reason === null ? '' : `: ${oneLine(reason)}`
  const at = `${slug} ${probe.url}`
  switch (outcome) {
    case 'good':
      return null
    case 'seen':
      return `verified  ${at}: add "verified: ${verified}"; it is then graded ${grade}`
    case 'changed':
      return `changed   ${at}${why}; correct what is documented${verified === null ? ' and take "verified" out' : ''}`
    case 'refused':
      return `refused   ${at}${why}; look for an endpoint that answers strangers`
    case 'failing':
      return `failing   ${at}${why}; unless the service is down, correct the address or what is expected`
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

/** How many probes have which grade, now and once all that is documented was seen. */
export const gradeLines = (services: readonly CatalogService[]): string[] => {
  const probes = services.flatMap((service) => service.probes)
  const counted = (of: typeof gradeOf): string =>
    probeGrades
      .map((grade) => `${probes.filter((probe) => of(probe) === grade).length} ${grade}`)
      .join(', ')
  const documented = probes.filter((probe) => probe.documented !== undefined)
  const unverified = documented.filter((probe) => (probe.documented?.verified ?? null) === null)
  return [
    `${services.length} services, ${probes.length} probes: ${counted(gradeOf)}.`,
    `Once verified: ${counted(gradeOnceVerified)}.`,
    `${documented.length} are documented by their vendors, ${unverified.length} of them not verified yet.`,
  ]
}
