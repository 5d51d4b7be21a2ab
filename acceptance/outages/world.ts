import { z } from 'zod'

/** What a file of `worlds/` may hold: one documented outage, and what a network plays of it. */

/** Where the four vantage points are. */
export const vantages = ['iad', 'sjc', 'fra', 'nrt'] as const
export const Vantage = z.enum(vantages)
export type Vantage = z.infer<typeof Vantage>

const sentenceCharactersMax = 600
const Sentence = z.string().min(1).max(sentenceCharactersMax)
const Id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case words joined by -')
/** UTC in the file, Unix ms once read. */
const At = z.iso.datetime().transform((text) => Date.parse(text))
const Cited = z.array(Id).min(1).max(20)

const Source = z.strictObject({ publisher: Sentence, title: Sentence, url: z.url() })

const Fact = z.strictObject({
  id: Id,
  at: At,
  /** In our own words. */
  what: Sentence,
  /** The vantage points that see it; `out_of_sight` where none of the four does. */
  where: z.union([z.enum(['everywhere', 'out_of_sight']), z.array(Vantage).min(1).max(4)]),
  source: Id,
})

/** A service as it was then: its factors may differ from those of the shipped catalog. */
const WorldService = z.strictObject({
  slug: Id,
  host: z.string().max(253),
  /** Whose name servers answer for the host. */
  zone: z.string().max(253),
  /** Who runs it, where that runs several of the world's services. */
  vendor: Id.nullable().default(null),
  cdn: Id.nullable().default(null),
  cloud: Id.nullable().default(null),
  cloudRegion: Id.nullable().default(null),
  dns: Id.nullable().default(null),
  facts: Cited,
})
export type WorldService = z.infer<typeof WorldService>

/** How a request fails, in the order in which it gets there: its name, its connection, its answer. */
export const failures = {
  names: ['names_silent', 'names_servfail', 'names_bogus', 'names_no_address'],
  connection: ['refused', 'connect_timeout', 'unroutable'],
  answer: ['no_answer', 'http'],
} as const
export type Layer = keyof typeof failures
const Failure = z.enum([...failures.names, ...failures.connection, ...failures.answer])
export type Failure = z.infer<typeof Failure>

const Condition = z
  .strictObject({
    from: At,
    until: At,
    services: z.array(Id).min(1),
    regions: z
      .array(Vantage)
      .min(1)
      .max(4)
      .default([...vantages]),
    fails: Failure,
    /** Of `http` only. */
    status: z.int().min(500).max(599).optional(),
    /** Of all requests; a resolver retries and keeps, so names fail as a whole. */
    share: z.number().gt(0).max(1).default(1),
    /** Begins with failing. */
    flaps: z
      .strictObject({ failsSeconds: z.number().positive(), worksSeconds: z.number().positive() })
      .optional(),
    facts: Cited,
    /** What the sources leave open, and what is played instead. */
    assumed: Sentence.optional(),
  })
  .superRefine(({ fails, status, share }, context) => {
    const problem = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message })
    if ((fails === 'http') !== (status !== undefined)) problem('status', 'goes with http alone')
    if (fails.startsWith('names_') && share !== 1) problem('share', 'names fail as a whole')
  })
export type Condition = z.infer<typeof Condition>

/**
 * Words of the answers, and two of the world: `intermittent` where requests of one region fail and
 * succeed, so that neither a steady `up` nor a steady `down` is right; `out_of_sight` where people
 * suffer and four vantage points cannot see it, so that only `up` is right, and accuses nobody.
 */
export const Truth = z.enum(['up', 'down', 'down_in_some_regions', 'intermittent', 'out_of_sight'])
export type Truth = z.infer<typeof Truth>

const TruthInterval = z.strictObject({
  /** It begins where the one before ends. */
  until: At,
  answer: Truth,
  why: Sentence.optional(),
  facts: z.array(Id).max(20).default([]),
})

const Truths = z.strictObject({
  services: z.array(Id).min(1),
  intervals: z.array(TruthInterval).min(1).max(20),
})

/** What services of the world share and may be blamed for their failing; `none` where nothing is. */
const AtFault = z.strictObject({
  kind: z.enum(['none', 'vendor', 'dns', 'cdn', 'cloud_region']),
  name: Id.nullable(),
  why: Sentence,
})

const Noticed = z.strictObject({ at: At, what: Sentence, source: Id })

/** What people reported elsewhere: many, while the service itself may be well. */
const Reported = z.strictObject({
  at: At,
  service: Id,
  count: z.int().positive(),
  source: Id,
})

export const World = z.strictObject({
  title: Sentence,
  from: At,
  until: At,
  sources: z.record(Id, Source),
  facts: z.array(Fact).min(1).max(60),
  services: z.array(WorldService).min(1).max(40),
  conditions: z.array(Condition).max(60),
  truth: z.array(Truths).min(1),
  atFault: AtFault,
  noticed: z.array(Noticed).max(40),
  reports: z.array(Reported).max(40).default([]),
  /** What was looked for and is not published, or could not be read. */
  notFound: z.array(Sentence).max(20),
})
export type World = z.infer<typeof World>

/** The truth of a service as intervals with both ends. */
export const truthOf = (
  { from, truth }: World,
  slug: string,
): { from: number; until: number; answer: Truth; why: string | null }[] => {
  const intervals = truth.find(({ services }) => services.includes(slug))?.intervals ?? []
  return intervals.map(({ until, answer, why = null }, index) => ({
    from: intervals[index - 1]?.until ?? from,
    until,
    answer,
    why,
  }))
}
