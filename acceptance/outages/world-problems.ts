import { instantsOf } from './altered.ts'
import { layerOf, metEverywhere, type Met } from './condition-at.ts'
import { truthOf, vantages, type Condition, type Truth, type World } from './world.ts'

/** Lists the inconsistencies between the parts of a world; empty: none. */
export const worldProblems = (world: World): string[] => [
  ...citationProblems(world),
  ...timeProblems(world),
  ...serviceProblems(world),
  ...placeProblems(world),
  ...overlapProblems(world),
  ...truthProblems(world),
]

const iso = (ms: number): string => new Date(ms).toISOString()
const repeated = (all: readonly string[]): string[] => all.filter((one, index) => all.indexOf(one) !== index)

const citationProblems = (world: World): string[] => {
  const { sources, facts, services, conditions, truth, noticed, reports } = world
  const ids = facts.map(({ id }) => id)
  const fromSources = [
    ...facts.map(({ id, source }) => ({ by: `fact ${id}`, source })),
    ...noticed.map(({ at, source }) => ({ by: `noticed ${iso(at)}`, source })),
    ...reports.map(({ at, source }) => ({ by: `reports ${iso(at)}`, source })),
  ]
  const citing = [
    ...services.map(({ slug, facts }) => ({ by: `service ${slug}`, facts })),
    ...conditions.map((condition) => ({ by: nameOf(condition), facts: condition.facts })),
    ...truth.flatMap(({ services, intervals }) =>
      intervals.map(({ until, facts }) => ({
        by: `truth of ${services[0]} until ${iso(until)}`,
        facts,
      })),
    ),
  ]
  const cited = new Set(fromSources.map(({ source }) => source))
  return [
    ...repeated(ids).map((id) => `two facts have the id ${id}`),
    ...fromSources
      .filter(({ source }) => !(source in sources))
      .map(({ by, source }) => `${by}: there is no source ${source}`),
    ...Object.keys(sources)
      .filter((source) => !cited.has(source))
      .map((source) => `no fact cites the source ${source}`),
    ...citing.flatMap(({ by, facts }) =>
      facts.filter((fact) => !ids.includes(fact)).map((fact) => `${by}: there is no fact ${fact}`),
    ),
    ...truth.flatMap(({ services, intervals }) =>
      intervals
        .filter(({ answer, facts }) => answer !== 'up' && facts.length === 0)
        .map(({ until }) => `truth of ${services[0]} until ${iso(until)}: cites no fact`),
    ),
  ]
}

const timeProblems = ({ from, until, facts, conditions, truth, noticed, reports }: World) => [
  ...(from < until ? [] : ['ends before it begins']),
  ...unordered('facts', facts),
  ...unordered('noticed', noticed),
  ...unordered('reports', reports),
  ...unordered(
    'conditions',
    conditions.map((condition) => ({ at: condition.from })),
  ),
  ...conditions
    .filter((condition) => condition.from >= condition.until)
    .map((condition) => `${nameOf(condition)}: ends before it begins`),
  ...conditions
    .filter((condition) => condition.from < from || condition.until > until)
    .map((condition) => `${nameOf(condition)}: is not within the world`),
  ...truth.flatMap(({ services, intervals }) => {
    const of = `truth of ${services[0]}`
    const ends = [from, ...intervals.map((interval) => interval.until)]
    return [
      ...(ends.every((end, index) => index === 0 || end > (ends[index - 1] ?? end))
        ? []
        : [`${of}: an interval ends before it begins`]),
      ...(ends.at(-1) === until ? [] : [`${of}: does not cover the whole world`]),
    ]
  }),
]

const unordered = (what: string, all: readonly { at: number }[]): string[] =>
  all
    .filter(({ at }, index) => at < (all[index - 1]?.at ?? at))
    .map(({ at }) => `${what}: ${iso(at)} is earlier than the one before`)

const serviceProblems = ({ services, conditions, truth, reports }: World): string[] => {
  const slugs = services.map(({ slug }) => slug)
  const covered = truth.flatMap((truths) => truths.services)
  const named = [
    ...covered,
    ...conditions.flatMap((condition) => condition.services),
    ...reports.map(({ service }) => service),
  ]
  return [
    ...repeated(slugs).map((slug) => `two services have the slug ${slug}`),
    ...repeated(covered).map((slug) => `two truths name ${slug}`),
    ...slugs.filter((slug) => !covered.includes(slug)).map((slug) => `no truth names ${slug}`),
    ...named.filter((slug) => !slugs.includes(slug)).map((slug) => `there is no service ${slug}`),
  ]
}

/** A condition is played in the regions of its facts, or has an assumption for its regions. */
const placeProblems = ({ facts, conditions }: World): string[] =>
  conditions
    .filter((condition) => {
      const seen = facts
        .filter(({ id }) => condition.facts.includes(id))
        .flatMap(({ where }) => (where === 'everywhere' ? vantages : where === 'out_of_sight' ? [] : where))
      const places = new Set(seen)
      const isCited = vantages.every((region) => places.has(region) === condition.regions.includes(region))
      return !isCited && condition.assumed === undefined
    })
    .map((condition) => `${nameOf(condition)}: no fact says that it was seen there`)

/** Two simultaneous conditions of one layer would be ambiguous. */
const overlapProblems = ({ conditions }: World): string[] =>
  conditions.flatMap((one, index) =>
    conditions
      .slice(index + 1)
      .filter(
        (other) =>
          layerOf(one.fails) === layerOf(other.fails) &&
          one.from < other.until &&
          other.from < one.until &&
          one.services.some((service) => other.services.includes(service)) &&
          one.regions.some((region) => other.regions.includes(region)),
      )
      .map((other) => `${nameOf(one)} and ${nameOf(other)} both affect one layer`),
  )

/** The truth must match the conditions in the four regions. */
const truthProblems = (world: World): string[] => {
  const instants = instantsOf(world).filter((ms) => world.from <= ms && ms < world.until)
  return world.services.flatMap(({ slug }) =>
    truthOf(world, slug).flatMap(({ from, until, answer, why }) => [
      ...(answer === 'out_of_sight' && why === null
        ? [`truth of ${slug} until ${iso(until)}: gives no reason why it is out of sight`]
        : []),
      ...instants
        .filter((ms) => from <= ms && ms < until)
        .filter((ms) => !agrees(answer, metEverywhere(world, slug, ms)))
        .map((ms) => `truth of ${slug} at ${iso(ms)}: is ${answer}, but the conditions play another one`),
    ]),
  )
}

const agrees = (answer: Truth, met: readonly Met[]): boolean => {
  if (answer === 'up' || answer === 'out_of_sight') return met.every((one) => one === 'works')
  if (answer === 'down') return met.every((one) => one === 'fails')
  if (answer === 'intermittent') return met.includes('partly') && !met.includes('fails')
  return met.includes('fails') && met.some((one) => one !== 'fails')
}

const nameOf = ({ from, services, fails }: Condition): string =>
  `condition ${fails} of ${services[0]} from ${iso(from)}`
