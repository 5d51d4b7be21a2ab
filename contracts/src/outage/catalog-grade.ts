import { z } from 'zod'
import type { Assertions } from '../check/assertions.ts'
import { documentedAssertions } from './catalog.ts'
import type { CatalogProbe } from './catalog.ts'

/**
 * What a good answer of a probe shows, the least first. `edge`: a file is served, which a service
 * that is out goes on doing. `answers`: the service or its front door answers. `works`: it does what
 * its vendor documents. Computed, never claimed.
 */
export const probeGrades = ['edge', 'answers', 'works'] as const
export const ProbeGrade = z.enum(probeGrades)
export type ProbeGrade = z.infer<typeof ProbeGrade>

/** A probe as answers name it. */
export const GradedProbe = z.object({
  /** What was asked. */
  url: z.string(),
  grade: ProbeGrade,
})
export type GradedProbe = z.infer<typeof GradedProbe>

type Probe = Pick<CatalogProbe, 'url' | 'expect' | 'documented'>

export const gradeOf = (probe: Probe): ProbeGrade =>
  (probe.documented?.verified ?? null) === null && !isEdgeUrl(probe.url)
    ? 'answers'
    : gradeOnceVerified(probe)

/** What its grade is once the live service was seen to answer as is documented (S-1211). */
export const gradeOnceVerified = (probe: Probe): ProbeGrade => {
  if (isEdgeUrl(probe.url)) return 'edge'
  const isShown =
    probe.documented !== undefined &&
    isSuccessAlone(documentedAssertions(probe)) &&
    !isConstant(probe.url)
  return isShown ? 'works' : 'answers'
}

/** Only 2xx is up: a front door that refuses strangers shows no more than that it stands. */
const isSuccessAlone = ({ assertionStatusMin: min, assertionStatusMax: max }: Assertions) =>
  (min === null && max === null) || ((min ?? 100) >= 200 && (max ?? 599) <= 299)

const edgeNames =
  /\/(?:robots|humans|ads|llms|security)\.txt$|\/(?:favicon|apple-touch-icon)[^/]*$|\/sitemap[^/]*\.xml$|\/cdn-cgi\/trace$|\/generate_204$/
const edgeExtensions =
  /\.(?:js|mjs|css|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|txt|pdf|zip|gz|mp4)$/

/** Robots files, icons and what else a CDN serves from its edge, by the path alone. */
export const isEdgeUrl = (url: string): boolean => {
  const path = pathOf(url)
  return edgeNames.test(path) || edgeExtensions.test(path)
}

/** A metadata document (RFC 8615) is the same whether the service behind it works or not. */
const isConstant = (url: string): boolean => pathOf(url).includes('/.well-known/')

const pathOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).pathname.toLowerCase() : url
