import { z } from 'zod'

/** The schema of a file in `worlds/`: one documented outage, and the conditions of its replay. */

/** The four vantage points. */
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
  /** The vantage points that see it; `out_of_sight`: none of the four. */
  where: z.union([z.enum(['everywhere', 'out_of_sight']), z.array(Vantage).min(1).max(4)]),
  source: Id,
})

/** A service at that time: its factors may differ from those of the shipped catalog. */
const WorldService = z.strictObject({
  slug: Id,
  host: z.string().max(253),
  /** The zone of the host. */
  zone: z.string().max(253),
  /** Its operator, if that runs several services of the world. */
  vendor: Id.nullable().default(null),
  cdn: Id.nullable().default(null),
  cloud: Id.nullable().default(null),
  cloudRegion: Id.nullable().default(null),
  dns: Id.nullable().default(null),
  facts: Cited,
})
export type WorldService = z.infer<typeof WorldService>

/** The failures of a request, in the order of its steps: name, connection, answer. */
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
    /** Only for `http`. */
    status: z.int().min(500).max(599).optional(),
    /** The share of all requests. Names fail as a whole, because resolvers retry and cache. */
    share: z.number().gt(0).max(1).default(1),
    /** It starts with the failing phase. */
    flaps: z
      .strictObject({ failsSeconds: z.number().positive(), worksSeconds: z.number().positive() })
      .optional(),
    facts: Cited,
    /** The gap in the sources, and the assumption for the replay. */
    assumed: Sentence.optional(),
  })
  .superRefine(({ fails, status, share }, context) => {
    const problem = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message })
    if ((fails === 'http') !== (status !== undefined)) problem('status', 'is only for http')
    if (fails.startsWith('names_') && share !== 1) problem('share', 'names fail as a whole')
  })
export type Condition = z.infer<typeof Condition>

/**
 * The statuses of answers and two more: `intermittent` if requests of one region both fail and succeed, so
 * that neither a steady `up` nor a steady `down` is right; `out_of_sight` if users are affected but four
 * vantage points cannot see it, so that only `up` is right.
 */
export const Truth = z.enum(['up', 'down', 'down_in_some_regions', 'intermittent', 'out_of_sight'])
export type Truth = z.infer<typeof Truth>

const TruthInterval = z.strictObject({
  /** The end; it starts at the end of the one before. */
  until: At,
  answer: Truth,
  why: Sentence.optional(),
  facts: z.array(Id).max(20).default([]),
})

const Truths = z.strictObject({
  services: z.array(Id).min(1),
  intervals: z.array(TruthInterval).min(1).max(20),
})

/** The shared factor of the world's services that caused their failure; `none`: no shared factor. */
const AtFault = z.strictObject({
  kind: z.enum(['none', 'vendor', 'dns', 'cdn', 'cloud_region']),
  name: Id.nullable(),
  why: Sentence,
})

const Noticed = z.strictObject({ at: At, what: Sentence, source: Id })

/** Reports of people elsewhere, possibly many about a working service. */
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
  /** Facts that were searched for and are unpublished or unreadable. */
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
