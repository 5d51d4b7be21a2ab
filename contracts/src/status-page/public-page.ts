import { z } from 'zod'
import { Incident } from '../incident/incident.ts'
import { Instant } from '../schema/text.ts'
import { MaintenanceWindow } from '../maintenance/maintenance.ts'
import { probesRoute } from '../agent/probes.ts'
import { Region } from '../reading/regions.ts'
import { ComponentState, StatusPage } from './status-page.ts'

/** Days of a component's history, today among them. */
export const historyDays = 90
/** Days whose incidents a page shows with their timelines; what is older is in its history. */
export const recentDays = 15
/** Incidents in one document: the newest, after those that are open. */
export const publicIncidentsMax = 50

/**
 * A day in UTC, as one component was measured on it. Time in which nothing was measured or every probe was
 * refused, and time under maintenance from its announcement on, is in no share: neither up nor down.
 */
export const PublicDay = z.object({
  date: z.iso.date(),
  /** Share of the measured time that was not down, 0 to 1; null where less than a second was measured. */
  upShare: z.number().min(0).max(1).nullable(),
  measuredSeconds: z.int(),
  /** Of the day, as far as it is over; every probe refused counts as not measured. */
  unmeasuredSeconds: z.int(),
  maintenanceSeconds: z.int(),
  /** Incidents that were open on this day. */
  incidents: z.int(),
})
export type PublicDay = z.infer<typeof PublicDay>

/** A component as the public sees it, with its evidence. */
export const PublicComponentHistory = z.object({
  id: z.string(),
  displayName: z.string(),
  description: z.string().nullable(),
  state: ComponentState,
  /** A heartbeat is measured in no region: its job reports. */
  measuredBy: z.enum(['probes', 'pings']),
  /** The newest reading; null before the first one, and of a heartbeat. */
  measuredAt: Instant.nullable(),
  staleAfterSeconds: z.number(),
  /** Where readings come from that are still fresh. */
  regionsRead: z.array(Region),
  /** Of the whole history, by the rule of its days. */
  upShare: z.number().min(0).max(1).nullable(),
  /** Oldest first, `historyDays` of them; null where a page has more components than have a history. */
  days: z.array(PublicDay).nullable(),
})
export type PublicComponentHistory = z.infer<typeof PublicComponentHistory>

/** An incident without what is the account's own business. */
export const PublicIncident = Incident.omit({
  checkId: true,
  statusPageId: true,
  members: true,
  memberCount: true,
}).extend({
  /** What it affects; null where that is not published any more. */
  componentId: z.string().nullable(),
  /** Everything published that it affects or has affected, what is down first; an automatic one may have several. */
  componentIds: z.array(z.string()).optional(),
})
export type PublicIncident = z.infer<typeof PublicIncident>

export const PublicWindow = MaintenanceWindow.omit({ statusPageId: true, createdAt: true })
export type PublicWindow = z.infer<typeof PublicWindow>

/** A page as its readers know it: `name` is its title where it has one, and nothing else is said of that. */
export const PublicPageHead = StatusPage.omit({ id: true, title: true, componentCount: true })
export type PublicPageHead = z.infer<typeof PublicPageHead>

const common = {
  /** When this was read. */
  asOf: Instant,
  page: PublicPageHead,
}

/** `GET /status/:slug/page.json`: all that the page for people shows. */
export const PublicPageDocument = z.object({
  ...common,
  /** `local` when every region is measured from one machine (all-in-one). */
  vantage: z.enum(['local', 'regional']),
  components: z.array(PublicComponentHistory),
  /** Newest first: those that are open, and those of the last `recentDays` days. */
  incidents: z.array(PublicIncident),
  /** True where those days had more incidents than one document has. */
  hasMoreIncidents: z.boolean(),
  /** Active and coming, the next to begin first. */
  windows: z.array(PublicWindow),
})
export type PublicPageDocument = z.infer<typeof PublicPageDocument>

/** A month of UTC, such as `2026-11`. */
export const Month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')

export const PublicHistoryQuery = z.object({ month: Month.optional() })

/** `GET /status/:slug/history.json?month=`: the incidents that began in one month. */
export const PublicHistoryDocument = z.object({
  ...common,
  month: Month,
  components: z.array(z.object({ id: z.string(), displayName: z.string() })),
  incidents: z.array(PublicIncident),
  hasMoreIncidents: z.boolean(),
  /** The nearest months with incidents; null where there is none. */
  olderMonth: Month.nullable(),
  newerMonth: Month.nullable(),
})
export type PublicHistoryDocument = z.infer<typeof PublicHistoryDocument>

/** What anybody may read of a page as JSON: no key, no cookie. Below the public URL. */
export const publicPageRoutes = {
  probes: probesRoute,
  publicPage: {
    method: 'GET',
    path: '/status/:slug/page.json',
    params: z.object({ slug: z.string() }),
    output: PublicPageDocument,
  },
  publicHistory: {
    method: 'GET',
    path: '/status/:slug/history.json',
    params: z.object({ slug: z.string() }),
    query: PublicHistoryQuery,
    output: PublicHistoryDocument,
  },
} as const
