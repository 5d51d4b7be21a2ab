import type { Region } from '@probe-mesh/contracts/regions'
import type { AnswersContext } from '../answers/context.ts'
import { internetWeather } from '../answers/internet-weather.ts'
import { isTheInternetDown } from '../answers/is-the-internet-down.ts'
import { listServices } from '../answers/list-services.ts'
import { nameService, statusOf } from '../answers/named-service.ts'
import type { NamedService } from '../answers/named-service.ts'
import { readAt } from '../answers/read-at.ts'
import { rememberStatus, sayStatus, stands } from './remembered-status.ts'
import type { RememberedStatus } from './remembered-status.ts'

/** What looks at the whole catalog and takes no input. */
const ofCatalog = { listServices, internetWeather, isTheInternetDown } as const

/** Answers as JSON, made once for as long as nothing but the second can change them. */
export type AnswerMemory = {
  /** The answer of `isServiceDown`, the hot one; every service that is covered is remembered. */
  status(asked: string, region: Region | null): string
  /** The same where a slug is asked for as it stands in the catalog; undefined for all else. */
  statusOfSlug(slug: string, region: Region | null): string | undefined
  /** An answer about the whole catalog, made once a second however many ask. */
  ofCatalog(name: keyof typeof ofCatalog): string
}

type Remembered = { second: number; version: number; json: string }

/**
 * A status is remembered until anything of its service changes or one of its readings turns stale;
 * its `ageSeconds` is said anew each time. So what is asked for seldom is as cheap as the rest.
 * Bounded by the catalog and its live regions: what is asked of another region is not remembered.
 */
export const createAnswerMemory = (context: AnswersContext): AnswerMemory => {
  const { catalog, observed, now } = context
  const statuses = new Map<string | null, Map<string, RememberedStatus>>(
    [null, ...context.regions].map((region) => [region, new Map()]),
  )
  const catalogs = new Map<string, Remembered>()

  const make = (named: NamedService, region: Region | null): string =>
    JSON.stringify(statusOf(context, named, region, readAt(context)))

  const recall = (
    memory: Map<string, Remembered>,
    key: string,
    version: number,
    make: () => string,
  ): string => {
    const second = Math.floor(now() / 1000)
    const known = memory.get(key)
    if (known !== undefined && known.second === second && known.version === version) {
      return known.json
    }
    const json = make()
    memory.set(key, { second, version, json })
    return json
  }

  const ofService = (named: NamedService, slug: string, region: Region | null): string => {
    const memory = statuses.get(region)
    if (memory === undefined) return make(named, region)
    const nowMs = now()
    const version = observed.versionOf(slug)
    const known = memory.get(slug)
    if (known !== undefined && stands(known, version, nowMs)) return sayStatus(known, nowMs)
    const how = { ...readAt(context), nowMs }
    const answer = statusOf(context, named, region, how)
    const made = rememberStatus(answer, version, observed.regionsOf(slug), how)
    memory.set(slug, made)
    return sayStatus(made, nowMs)
  }

  return {
    status: (asked, region) => {
      const named = nameService(context, asked)
      return named.service === null
        ? make(named, region)
        : ofService(named, named.service.slug, region)
    },
    statusOfSlug: (slug, region) => {
      const service = catalog.bySlug.get(slug)
      return service === undefined ? undefined : ofService({ service }, slug, region)
    },
    ofCatalog: (name) => recall(catalogs, name, 0, () => JSON.stringify(ofCatalog[name](context))),
  }
}
