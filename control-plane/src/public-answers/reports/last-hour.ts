import type { ReportRegion } from '@probe-mesh/contracts/outage/answers'
import type { ReportMinute } from '../unusual-reports.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Reports of the last hour by service, minute and region: at most 61 minutes per region. */
export type LastHour = {
  add(report: { slug: string; region: ReportRegion; atMs: number; count: number }): void
  of(slug: string, nowMs: number): readonly ReportMinute[]
}

type ServiceHour = {
  /** In order of arrival. */
  minutes: ReportMinute[]
  newest: Map<ReportRegion, ReportMinute>
}

export const createLastHour = (): LastHour => {
  const services = new Map<string, ServiceHour>()

  /** Filters a service's minutes at most once a minute. */
  const forget = (hour: ServiceHour, nowMs: number): void => {
    const [oldest] = hour.minutes
    if (oldest === undefined || isWithin(oldest, nowMs)) return
    hour.minutes = hour.minutes.filter((minute) => isWithin(minute, nowMs))
    hour.newest = new Map(hour.minutes.map((minute) => [minute.region, minute]))
  }

  return {
    add: ({ slug, region, atMs, count }) => {
      const hour: ServiceHour = services.get(slug) ?? { minutes: [], newest: new Map() }
      services.set(slug, hour)
      forget(hour, atMs)
      const beginMs = atMs - (atMs % minuteMs)
      let minute = hour.newest.get(region)
      if (minute?.atMs !== beginMs) {
        minute = { region, atMs: beginMs, count: 0 }
        hour.minutes.push(minute)
        hour.newest.set(region, minute)
      }
      minute.count += count
    },
    of: (slug, nowMs) => services.get(slug)?.minutes.filter((minute) => isWithin(minute, nowMs)) ?? [],
  }
}

const isWithin = ({ atMs }: ReportMinute, nowMs: number): boolean => nowMs - atMs < hourMs
