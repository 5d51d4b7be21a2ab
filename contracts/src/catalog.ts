import { z } from 'zod'
import { whenObject } from './assertions.ts'
import type { Assertions } from './assertions.ts'
import { Uuid } from './ids.ts'
import { limits } from './limits.ts'
import { Slug } from './status-page.ts'
import {
  asCheckAssertions,
  StepAssertionFields,
  stepAssertionProblems,
  toStepAssertions,
} from './step-assertions.ts'
import type { StepAssertions } from './step-assertions.ts'
import { Line, LinkUrl, Prose } from './text.ts'

/** What a catalog service is for. A closed set: pages group by it. */
export const serviceCategories = [
  'ai',
  'auth',
  'banking',
  'cdn',
  'ci',
  'cloud',
  'code_hosting',
  'commerce',
  'content',
  'crypto',
  'data',
  'design',
  'dns',
  'education',
  'games',
  'hosting',
  'mail',
  'messaging',
  'monitoring',
  'payments',
  'registry',
  'search',
  'security',
  'social',
  'storage',
  'streaming',
  'transport',
  'work',
] as const
export const ServiceCategory = z.enum(serviceCategories)
export type ServiceCategory = z.infer<typeof ServiceCategory>

/** Answers that refuse the stranger: a challenge or a firewall gives them for a service that is down. */
const refusalStatuses = [403, 407, 429, 451]
const brokenStatusMin = 500
const probesMax = 2

const ExpectationFields = StepAssertionFields.omit({
  headerName: true,
  headerOp: true,
  headerValue: true,
})

/**
 * What is up for a probe, in the words of a step's assertions; left out, any 2xx after at most
 * three redirects is. An API that answers every stranger with 401 or 404 is up when it does so.
 * Neither a refusal nor a 5xx can be expected, since then an outage would pass for up.
 */
export const ProbeExpectation = ExpectationFields.superRefine((fields, context) => {
  const wrong = new Set(context.issues.map((issue) => issue.path?.[0]))
  const sound = Object.entries(fields).filter(([name]) => name in shape && !wrong.has(name))
  const expected = toStepAssertions(Object.fromEntries(sound))
  const problems = [...stepAssertionProblems(expected), ...rangeProblems(expected)]
  for (const { path, message } of problems) {
    if (!wrong.has(path)) context.addIssue({ code: 'custom', path: [path], message })
  }
}, whenObject)
export type ProbeExpectation = z.infer<typeof ProbeExpectation>

/** Where one probe of a catalog service goes; whether the URL is safe is `parseCatalog`'s to say. */
export const CatalogProbe = z.strictObject({
  url: z.string().max(limits.urlCharactersMax),
  /** What this probe shows, where a service has two: `api`, `web`. */
  name: Line.max(40).nullable().default(null),
  expect: ProbeExpectation.default({}),
})
export type CatalogProbe = z.infer<typeof CatalogProbe>

/** The expectation of a probe as an assignment carries it. */
export const expectedAssertions = ({ expect }: Pick<CatalogProbe, 'expect'>): Assertions =>
  asCheckAssertions(toStepAssertions(expect))

const { shape } = ExpectationFields

const rangeProblems = ({ statusMin, statusMax }: StepAssertions) => {
  if (statusMin === null && statusMax === null) return []
  const [from, to] = [statusMin ?? 100, statusMax ?? 599]
  const wrong = refusalStatuses.filter((status) => from <= status && status <= to)
  if (to >= brokenStatusMin) wrong.push(Math.max(from, brokenStatusMin))
  if (wrong.length === 0) return []
  const message = `the range must not contain ${wrong.join(', ')}: a refusal or an outage answers so`
  return [{ path: statusMax === null ? 'statusMin' : 'statusMax', message }]
}

const CatalogDomain = z
  .string()
  .max(253)
  .regex(
    /^(?!www\.)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
    'must be a domain in lower-case A-labels, without www',
  )

/** Something that services share and that can fail them together, by its slug; null when not known. */
const SharedFactor = Slug.nullable().default(null)

/**
 * A third party that is measured. What is not known for sure is null or left out: inference joins
 * services by `cdn`, `cloud` with `cloudRegion`, and `dns`, so a guess would accuse the innocent.
 * They are also null where several providers share the work.
 */
export const CatalogService = z
  .strictObject({
    slug: Slug,
    name: Line.max(60),
    aliases: z.array(Line.max(60)).max(20).default([]),
    /** Its own, with all below them that is not another service's; never its customers' sites. */
    domains: z.array(CatalogDomain).max(20).default([]),
    category: ServiceCategory,
    probes: z.array(CatalogProbe).min(1).max(probesMax),
    cdn: SharedFactor,
    cloud: SharedFactor,
    cloudRegion: SharedFactor,
    dns: SharedFactor,
    /** The vendor's own status page, for people to compare with. */
    statusPage: LinkUrl.nullable().default(null),
  })
  .superRefine(({ cloud, cloudRegion }, context) => {
    if ((cloudRegion ?? null) === null || (cloud ?? null) !== null) return
    const message = 'needs the cloud that the region is of'
    context.addIssue({ code: 'custom', path: ['cloudRegion'], message })
  }, whenObject)
export type CatalogService = z.infer<typeof CatalogService>

/** Services that are commonly used together, by their slugs. */
export const CatalogStack = z.strictObject({
  id: Uuid,
  slug: Slug,
  name: Line.max(60),
  description: Prose.max(300),
  members: z.array(Slug).min(1).max(50),
})
export type CatalogStack = z.infer<typeof CatalogStack>

/** The catalog file by itself; `parseCatalog` adds what holds between its parts. */
export const Catalog = z.strictObject({
  stacks: z.array(CatalogStack).max(500),
  services: z.array(CatalogService).max(10_000),
})
export type Catalog = z.infer<typeof Catalog>
