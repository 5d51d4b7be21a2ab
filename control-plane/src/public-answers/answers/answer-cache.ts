import { answerText, etagOf, type AnswerText } from '@probe-mesh/runtime/answer-text'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { readOptions, type AnswersContext } from './context.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listServices } from './list-services.ts'
import { resolveService, statusOf, type CoveredService, type NamedService } from './named-service.ts'
import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { RegionReadings, ReadOptions } from '../region-reading.ts'

/** Operations on the whole catalog, without input. */
const catalogOperations = { listServices, internetWeather, isTheInternetDown } as const

/** Answers as JSON, computed once until they can change. */
export type AnswerCache = {
  /** The answer of `isServiceDown`, the most frequent one. Answers for all catalog services are cached. */
  status(query: string, region: Region | null): AnswerText
  /**
   * The status over all regions, if the query is an exact slug or `status` has resolved it before; else
   * undefined.
   */
  cachedStatus(query: string): AnswerText | undefined
  /** An answer about the whole catalog, computed at most once a second. */
  ofCatalog(name: keyof typeof catalogOperations): AnswerText
}

/** Limit of cached queries: several for each service of a large catalog. */
const queriesMax = 20_000

/** A catalog service with its cached statuses, by region; null is all regions. */
type KnownService = CoveredService & { statuses: Map<Region | null, CachedStatus> }

type CachedAnswer = { second: number; text: AnswerText }

/**
 * Caches a status until the data of its service changes or one of its readings becomes stale; only
 * `ageSeconds` is computed each time. So rare queries are as cheap as frequent ones. The catalog and the live
 * regions bound the cache: answers for other regions are not cached.
 */
export const createAnswerCache = (context: AnswersContext): AnswerCache => {
  const { catalog, observed, now } = context
  const known = new Map<string, KnownService>(
    [...catalog.bySlug].map(([slug, service]) => [slug, { service, statuses: new Map() }]),
  )
  // resolving a query costs more than its answer
  const byQuery = new Map<string, KnownService>()
  const catalogAnswers = new Map<string, CachedAnswer>()

  const compute = (named: NamedService, region: Region | null): AnswerText =>
    answerText(JSON.stringify(statusOf(context, named, region, readOptions(context))))

  const ofCatalog = (name: keyof typeof catalogOperations): AnswerText => {
    const second = Math.floor(now() / 1000)
    const cached = catalogAnswers.get(name)
    if (cached?.second === second) return cached.text
    const text = answerText(JSON.stringify(catalogOperations[name](context)))
    catalogAnswers.set(name, { second, text })
    return text
  }

  const ofService = (one: KnownService, region: Region | null): AnswerText => {
    const nowMs = now()
    const version = observed.versionOf(one.service.slug)
    const cached = one.statuses.get(region)
    if (cached !== undefined && isCurrent(cached, version, nowMs)) {
      return renderStatus(cached, nowMs)
    }
    const options = { ...readOptions(context), nowMs }
    const answer = statusOf(context, one, region, options)
    const fresh = cacheStatus(answer, version, observed.regionsOf(one.service.slug), options)
    one.statuses.set(region, fresh)
    return renderStatus(fresh, nowMs)
  }

  const isLive = (region: Region | null): boolean => region === null || context.regions.includes(region)

  const cacheQuery = (query: string, one: KnownService): void => {
    if (byQuery.size >= queriesMax) byQuery.clear()
    byQuery.set(query, one)
  }

  return {
    status: (query, region) => {
      const named = resolveService(context, query)
      const one = named.service === null ? undefined : known.get(named.service.slug)
      if (one === undefined || !isLive(region)) return compute(named, region)
      if (query !== one.service.slug) cacheQuery(query, one)
      return ofService(one, region)
    },
    cachedStatus: (query) => {
      const one = byQuery.get(query) ?? known.get(query)
      return one === undefined ? undefined : ofService(one, null)
    },
    ofCatalog,
  }
}

/** A status without its age. Until a reading becomes stale, time changes only the age. */
type CachedStatus = {
  version: number
  /** When it was computed and until when it is valid, Unix milliseconds. */
  fromMs: number
  untilMs: number
  before: string
  /** The length of the text without its age. */
  bytes: number
  /** The hash of the text without its age. */
  tag: string
  /** The latest age, and its text from the second request on. */
  latest: { age: string; text: AnswerText | null } | null
  /** The time of the newest measurement; null: the answer has no age. */
  measuredAtMs: number | null
  after: string
}

/** @param version the version of the service's data */
const cacheStatus = (
  answer: ServiceStatusAnswer,
  version: number,
  regions: readonly RegionReadings[],
  options: ReadOptions,
): CachedStatus => {
  const { before, after } = splitAtAge(JSON.stringify(answer))
  return {
    version,
    fromMs: options.nowMs,
    untilMs: freshUntilMs(regions, options),
    before,
    bytes: Buffer.byteLength(before) + Buffer.byteLength(after),
    tag: etagOf(`${before}\n${after}`).slice(1, -1),
    latest: null,
    measuredAtMs: answer.measuredAt === null ? null : Date.parse(answer.measuredAt),
    after,
  }
}

/** Whether only the age has changed. */
const isCurrent = (cached: CachedStatus, version: number, nowMs: number): boolean =>
  cached.version === version && cached.fromMs <= nowMs && nowMs <= cached.untilMs

/** When the first fresh reading becomes stale or the first network check ends; Infinity without either. */
const freshUntilMs = (
  regions: readonly RegionReadings[],
  { nowMs, staleAfterMs }: Pick<ReadOptions, 'nowMs' | 'staleAfterMs'>,
): number => {
  let untilMs = Infinity
  for (const { readings, checkingNetworkUntilMs = Infinity } of regions) {
    if (checkingNetworkUntilMs > nowMs) untilMs = Math.min(untilMs, checkingNetworkUntilMs - 1)
    for (const { measuredAt } of readings) {
      const endsMs = measuredAt + staleAfterMs
      if (endsMs >= nowMs && endsMs < untilMs) untilMs = endsMs
    }
  }
  return untilMs
}

/** Strings inside JSON escape their quotes, so this text only matches the key itself. */
const ageKey = '"ageSeconds":'

const splitAtAge = (json: string): { before: string; after: string } => {
  const from = json.lastIndexOf(ageKey) + ageKey.length
  return { before: json.slice(0, from), after: json.slice(json.indexOf(',', from)) }
}

/**
 * The answer with its age at an instant. A text that a second request asks for is kept until its age changes: most
 * services of a large catalog are asked for less often, and kept texts would only age in memory.
 */
const renderStatus = (cached: CachedStatus, nowMs: number): AnswerText => {
  const { before, bytes, tag, latest, measuredAtMs, after } = cached
  const age = measuredAtMs === null ? 'null' : String(Math.max(0, Math.round((nowMs - measuredAtMs) / 1000)))
  if (latest?.age === age && latest.text !== null) return latest.text
  const text = answerText(before + age + after, `"${tag}-${age}"`, bytes + age.length)
  cached.latest = { age, text: latest?.age === age ? text : null }
  return text
}
