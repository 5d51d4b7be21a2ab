import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import type { Assertions } from '../check/assertions.ts'
import { documentedAssertions, type CatalogProbe } from './catalog.ts'

/**
 * What a good response of a probe proves, lowest first. `edge`: a CDN serves a file, which it may also do during an
 * outage. `answers`: the service or its front door answers. `works`: the service does what its vendor documents.
 * Computed, never configured.
 */
export const probeGrades = ['edge', 'answers', 'works'] as const
export const ProbeGrade = z.enum(probeGrades)
export type ProbeGrade = z.infer<typeof ProbeGrade>

/** A probe in an answer. */
export const GradedProbe = z.object({
  url: field(z.string(), 'Requested URL.', 'https://api.github.com/rate_limit'),
  grade: field(ProbeGrade, 'What a good response proves.', 'answers'),
})
export type GradedProbe = z.infer<typeof GradedProbe>
components.add(GradedProbe, { id: 'GradedProbe' })

type Probe = Pick<CatalogProbe, 'url' | 'expect' | 'documented'>

export const gradeOf = (probe: Probe): ProbeGrade =>
  (probe.documented?.verified ?? null) === null && !isEdgeUrl(probe.url)
    ? 'answers'
    : gradeOnceVerified(probe)

/** The grade after the live service was verified against its documentation (S-1211). */
export const gradeOnceVerified = (probe: Probe): ProbeGrade => {
  if (isEdgeUrl(probe.url)) return 'edge'
  const isShown =
    probe.documented !== undefined && isSuccessAlone(documentedAssertions(probe)) && !isConstant(probe.url)
  return isShown ? 'works' : 'answers'
}

/** Whether only 2xx is up. A front door that refuses unknown clients only proves that it answers. */
const isSuccessAlone = ({ assertionStatusMin: min, assertionStatusMax: max }: Assertions) =>
  (min === null && max === null) || ((min ?? 100) >= 200 && (max ?? 599) <= 299)

const edgeNames =
  /\/(?:robots|humans|ads|llms|security)\.txt$|\/(?:favicon|apple-touch-icon)[^/]*$|\/sitemap[^/]*\.xml$|\/cdn-cgi\/trace$|\/generate_204$/
const edgeExtensions = /\.(?:js|mjs|css|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|txt|pdf|zip|gz|mp4)$/

/** Whether a CDN serves the path from its edge, such as robots files and icons. */
export const isEdgeUrl = (url: string): boolean => {
  const path = pathOf(url)
  return edgeNames.test(path) || edgeExtensions.test(path)
}

/** A metadata document (RFC 8615) is the same during an outage of the service. */
const isConstant = (url: string): boolean => pathOf(url).includes('/.well-known/')

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname.toLowerCase() : url)
