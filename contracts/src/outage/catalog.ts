import { z } from 'zod'
import { whenObject, type Assertions } from '../check/assertions.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { Slug, Line, LinkUrl, Prose } from '../schema/text.ts'
import {
  asCheckAssertions,
  StepAssertionFields,
  stepAssertionProblems,
  toStepAssertions,
  type StepAssertions,
} from '../check/step-assertions.ts'

/** The purpose of a catalog service. A closed set, by which pages group. */
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

/** Statuses of refusals. A challenge or firewall may send them for a service that is down. */
const refusalStatuses = [403, 406, 407, 418, 420, 429, 451]
const brokenStatusMin = 500
const probesMax = 2

const ExpectationFields = StepAssertionFields.omit({
  headerName: true,
  headerOp: true,
  headerValue: true,
})

/**
 * The expected response of a probe, with the fields of step assertions. The default is any 2xx after at most 3
 * redirects. An API may be up with 401 or 404 for unknown clients. A refusal or a 5xx cannot be expected, since an
 * outage would then count as up.
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
 * The documented content of a response. It is asserted, and the probe is graded `works`, only after verification
 * against the live service.
 */
const Documented = ContentFields.extend({
  /** The page that documents it. */
  source: LinkUrl,
  /** The example response of that page, shortened. Tests check the assertion against it. */
  example: z.string().min(1).max(2_000),
  /** The date of a successful `npm run catalog -- verify`; null without one. */
  verified: z.iso.date().nullish(),
})

/** One probe of a catalog service. `parseCatalog` checks that the URL is safe. */
export const CatalogProbe = z
  .strictObject({
    url: z.string().max(limits.urlCharactersMax),
    /** The name of the probe when a service has two: `api`, `web`. */
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

/** The assertions of a probe in an assignment. Unverified content is not asserted. */
export const expectedAssertions = ({ expect, documented }: Asserting): Assertions =>
  (documented?.verified ?? null) === null
    ? asCheckAssertions(toStepAssertions(expect))
    : documentedAssertions({ expect, documented })

/** The assertions including documented content, verified or not. */
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
    return [{ path: 'source', message: 'needs documented content: add a bodyOp or a jsonOp' }]
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
  const message = `the range must not contain ${wrong.join(', ')}: these are refusals or outages`
  return [{ path: statusMax === null ? 'statusMin' : 'statusMax', message }]
}

const CatalogDomain = z
  .string()
  .max(253)
  .regex(
    /^(?!www\.)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
    'must be a domain in lower-case A-labels, without www',
  )

/** A shared provider whose failure affects several services, by slug; null when unknown. */
const SharedFactor = Slug.nullable().default(null)

/**
 * A measured third-party service. Leave uncertain fields null: inference groups services by `cdn`, `cloud` with
 * `cloudRegion`, and `dns`, so a guess would blame the wrong provider. Also leave them null with several providers.
 */
export const CatalogService = z
  .strictObject({
    slug: Slug,
    name: Line.max(60),
    aliases: z.array(Line.max(60)).max(20).default([]),
    /** Its own domains, including subdomains without another service; never sites of its customers. */
    domains: z.array(CatalogDomain).max(20).default([]),
    category: ServiceCategory,
    /**
     * The vendor, if it runs several services of the catalog. A fault of the vendor is not an outage of a shared
     * provider.
     */
    vendor: Line.max(60).nullable().default(null),
    probes: z.array(CatalogProbe).min(1).max(probesMax),
    cdn: SharedFactor,
    cloud: SharedFactor,
    cloudRegion: SharedFactor,
    dns: SharedFactor,
    /** The vendor's own status page, for comparison. */
    statusPage: LinkUrl.nullable().default(null),
  })
  .superRefine(({ cloud, cloudRegion }, context) => {
    if ((cloudRegion ?? null) === null || (cloud ?? null) !== null) return
    const message = 'needs the field "cloud"'
    context.addIssue({ code: 'custom', path: ['cloudRegion'], message })
  }, whenObject)
export type CatalogService = z.infer<typeof CatalogService>

/** Services that are often used together, by slug. */
export const CatalogStack = z.strictObject({
  id: Uuid,
  slug: Slug,
  name: Line.max(60),
  description: Prose.max(300),
  members: z.array(Slug).min(1).max(50),
})
export type CatalogStack = z.infer<typeof CatalogStack>

/** The schema of the catalog file. `parseCatalog` adds the rules between its parts. */
export const Catalog = z.strictObject({
  stacks: z.array(CatalogStack).max(500),
  services: z.array(CatalogService).max(10_000),
})
export type Catalog = z.infer<typeof Catalog>
