import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { AnswersContext } from './context.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listServices } from './list-services.ts'
import { nameService, statusOf } from './named-service.ts'
import type { CoveredService, NamedService } from './named-service.ts'
import { readAt } from './context.ts'
import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { HeldRegion, ReadAt } from '../region-reading.ts'

/** What looks at the whole catalog and takes no input. */
const ofCatalog = { listServices, internetWeather, isTheInternetDown } as const

/** Answers as JSON, made once for as long as nothing but the second can change them. */
export type AnswerMemory = {
  /** The answer of `isServiceDown`, the hot one; every service that is covered is remembered. */
  status(asked: string, region: Region | null): string
  /**
   * The same from all regions where a slug is asked for as it stands in the catalog, or by a text
   * that `status` was asked before and that named a service: undefined for all else.
   */
  statusOfKnown(asked: string): string | undefined
  /** An answer about the whole catalog, made once a second however many ask. */
  ofCatalog(name: keyof typeof ofCatalog): string
}

/** Texts that are remembered with the service they name: several for each of a large catalog. */
const namesMax = 20_000

/** A service of the catalog and its status from all regions (null) and from each. */
type KnownService = CoveredService & { statuses: Map<Region | null, RememberedStatus> }

type Remembered = { second: number; json: string }

/**
 * A status is remembered until anything of its service changes or one of its readings turns stale;
 * its `ageSeconds` is said anew each time. So what is asked for seldom is as cheap as the rest.
 * Bounded by the catalog and its live regions: what is asked of another region is not remembered.
 */
export const createAnswerMemory = (context: AnswersContext): AnswerMemory => {
  const { catalog, observed, now } = context
  const known = new Map<string, KnownService>(
    [...catalog.bySlug].map(([slug, service]) => [slug, { service, statuses: new Map() }]),
  )
  // to parse and resolve a name costs more than its answer does
  const byName = new Map<string, KnownService>()
  const catalogs = new Map<string, Remembered>()

  const make = (named: NamedService, region: Region | null): string =>
    JSON.stringify(statusOf(context, named, region, readAt(context)))

  const ofWhole = (name: keyof typeof ofCatalog): string => {
    const second = Math.floor(now() / 1000)
    const known = catalogs.get(name)
    if (known?.second === second) return known.json
    const json = JSON.stringify(ofCatalog[name](context))
    catalogs.set(name, { second, json })
    return json
  }

  const ofService = (one: KnownService, region: Region | null): string => {
    const nowMs = now()
    const version = observed.versionOf(one.service.slug)
    const remembered = one.statuses.get(region)
    if (remembered !== undefined && isCurrent(remembered, version, nowMs)) {
      return renderStatus(remembered, nowMs)
    }
    const how = { ...readAt(context), nowMs }
    const answer = statusOf(context, one, region, how)
    const made = rememberStatus(answer, version, observed.regionsOf(one.service.slug), how)
    one.statuses.set(region, made)
    return renderStatus(made, nowMs)
  }

  const isLive = (region: Region | null): boolean => region === null || context.regions.includes(region)

  const rememberName = (asked: string, one: KnownService): void => {
    if (byName.size >= namesMax) byName.clear()
    byName.set(asked, one)
  }

  return {
    status: (asked, region) => {
      const named = nameService(context, asked)
      const one = named.service === null ? undefined : known.get(named.service.slug)
      if (one === undefined || !isLive(region)) return make(named, region)
      if (asked !== one.service.slug) rememberName(asked, one)
      return ofService(one, region)
    },
    statusOfKnown: (asked) => {
      const one = byName.get(asked) ?? known.get(asked)
      return one === undefined ? undefined : ofService(one, null)
    },
    ofCatalog: ofWhole,
  }
}

/** A status but for its age, which is all that passing time changes until a reading turns stale. */
type RememberedStatus = {
  version: number
  /** Unix milliseconds: when it was made, and until when its readings stay as fresh as they were. */
  fromMs: number
  untilMs: number
  before: string
  /** Of the newest measurement; null: there is no age to say. */
  measuredAtMs: number | null
  after: string
}

/** @param version of what is held of the service */
const rememberStatus = (
  answer: ServiceStatusAnswer,
  version: number,
  regions: readonly HeldRegion[],
  how: ReadAt,
): RememberedStatus => ({
  version,
  fromMs: how.nowMs,
  untilMs: freshUntilMs(regions, how),
  ...splitAtAge(JSON.stringify(answer)),
  measuredAtMs: answer.measuredAt === null ? null : Date.parse(answer.measuredAt),
})

/** Whether nothing has changed since but the age of what was measured. */
const isCurrent = (known: RememberedStatus, version: number, nowMs: number): boolean =>
  known.version === version && known.fromMs <= nowMs && nowMs <= known.untilMs

/** When the first of the readings that are fresh now stops being so, or has been weighed; never where none is. */
const freshUntilMs = (
  regions: readonly HeldRegion[],
  { nowMs, staleAfterMs }: Pick<ReadAt, 'nowMs' | 'staleAfterMs'>,
): number => {
  let untilMs = Infinity
  for (const { readings, weighedUntilMs = Infinity } of regions) {
    if (weighedUntilMs > nowMs) untilMs = Math.min(untilMs, weighedUntilMs - 1)
    for (const { measuredAt } of readings) {
      const endsMs = measuredAt + staleAfterMs
      if (endsMs >= nowMs && endsMs < untilMs) untilMs = endsMs
    }
  }
  return untilMs
}

/** Within a JSON text a quote is escaped: these keys stand where the answer has them, or nowhere. */
const ageKey = '"ageSeconds":'

const splitAtAge = (json: string): { before: string; after: string } => {
  const from = json.lastIndexOf(ageKey) + ageKey.length
  return { before: json.slice(0, from), after: json.slice(json.indexOf(',', from)) }
}

/** The answer at an instant for which it stands. */
const renderStatus = ({ before, measuredAtMs, after }: RememberedStatus, nowMs: number): string =>
  `${before}${measuredAtMs === null ? 'null' : Math.max(0, Math.round((nowMs - measuredAtMs) / 1000))}${after}`
