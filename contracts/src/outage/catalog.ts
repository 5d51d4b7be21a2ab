import { z } from 'zod'
import { whenObject } from '../check/assertions.ts'
import type { Assertions } from '../check/assertions.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { Slug } from '../schema/text.ts'
import {
  asCheckAssertions,
  StepAssertionFields,
  stepAssertionProblems,
  toStepAssertions,
} from '../check/step-assertions.ts'
import type { StepAssertions } from '../check/step-assertions.ts'
import { Line, LinkUrl, Prose } from '../schema/text.ts'

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
const refusalStatuses = [403, 406, 407, 418, 420, 429, 451]
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

const ContentFields = ExpectationFields.omit({ statusMin: true, statusMax: true })

/**
 * What the vendor documents that an answer holds. It is asserted, and the probe graded `works`, only
 * from the day on which the live service was seen to answer so: until then it may be wrong.
 */
const Documented = ContentFields.extend({
  /** The page that documents it. */
  source: LinkUrl,
  /** An answer as that page shows it, shortened: tests hold the assertion against it. */
  example: z.string().min(1).max(2_000),
  /** When `npm run catalog -- verify` saw it; null: never. */
  verified: z.iso.date().nullish(),
})

/** Where one probe of a catalog service goes; whether the URL is safe is `parseCatalog`'s to say. */
export const CatalogProbe = z
  .strictObject({
    url: z.string().max(limits.urlCharactersMax),
    /** What this probe shows, where a service has two: `api`, `web`. */
    name: Line.max(40).nullable().default(null),
    expect: ProbeExpectation.default({}),
    documented: Documented.optional(),
  })
  .superRefine((probe, context) => {
    if (probe.documented === undefined) return
    for (const { path, message } of documentedProblems(probe)) {
      context.addIssue({ code: 'custom', path: ['documented', path], message })
    }
  }, whenObject)
export type CatalogProbe = z.infer<typeof CatalogProbe>

type Asserting = Pick<CatalogProbe, 'expect' | 'documented'>

/** The expectation of a probe as an assignment carries it: what is not verified asserts nothing. */
export const expectedAssertions = ({ expect, documented }: Asserting): Assertions =>
  (documented?.verified ?? null) === null
    ? asCheckAssertions(toStepAssertions(expect))
    : documentedAssertions({ expect, documented })

/** The same with what is documented, verified or not. */
export const documentedAssertions = ({ expect, documented }: Asserting): Assertions =>
  asCheckAssertions(toStepAssertions({ ...expect, ...contentOf(documented) }))

const contentOf = (documented: Asserting['documented']) => {
  if (documented === undefined) return {}
  const { source: _source, example: _example, verified: _verified, ...content } = documented
  return content
}

const documentedProblems = ({ expect, documented }: Asserting) => {
  const content = contentOf(documented)
  if ((content.bodyOp ?? content.jsonOp ?? null) === null) {
    return [{ path: 'source', message: 'needs the content that it documents' }]
  }
  return stepAssertionProblems(toStepAssertions({ ...expect, ...content }))
}

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
    /**
     * Who runs it, where that runs several services of the catalog: a fault of its own fails them
     * together, and is no outage of what they share with others.
     */
    vendor: Line.max(60).nullable().default(null),
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
