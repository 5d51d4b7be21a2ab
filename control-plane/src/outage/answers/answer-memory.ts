import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { AnswersContext } from './context.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listServices } from './list-services.ts'
import { nameService, statusOf } from './named-service.ts'
import type { CoveredService, NamedService } from './named-service.ts'
import { readAt } from './read-at.ts'
import { rememberStatus, sayStatus, stands } from './remembered-status.ts'
import type { RememberedStatus } from './remembered-status.ts'

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
    if (remembered !== undefined && stands(remembered, version, nowMs)) {
      return sayStatus(remembered, nowMs)
    }
    const how = { ...readAt(context), nowMs }
    const answer = statusOf(context, one, region, how)
    const made = rememberStatus(answer, version, observed.regionsOf(one.service.slug), how)
    one.statuses.set(region, made)
    return sayStatus(made, nowMs)
  }

  const isLive = (region: Region | null): boolean =>
    region === null || context.regions.includes(region)

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
