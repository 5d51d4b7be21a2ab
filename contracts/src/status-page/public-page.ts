import { z } from 'zod'
import { Incident, IncidentImpact } from '../incident/incident.ts'
import { Instant } from '../schema/text.ts'
import { MaintenanceWindow } from '../maintenance/maintenance.ts'
import { PublicHeadline } from './headline.ts'
import { probesRoute } from '../agent/probes.ts'
import { Region } from '../reading/regions.ts'
import { ComponentState, StatusPage } from './status-page.ts'

/** Days of a component's history, including today. */
export const historyDays = 90
/** Days whose incidents a page shows with their timelines. The history page has older ones. */
export const recentDays = 15
/** Incidents in one document: open ones first, then the newest. */
export const publicIncidentsMax = 50

/**
 * The measurements of one component on a UTC day. Time without measurements, time in which every probe was refused,
 * and announced maintenance count neither as up nor as down.
 */
export const PublicDay = z.object({
  date: z.iso.date(),
  /** Share of the measured time that was not down, 0 to 1; null with less than 1 s of measurements. */
  upShare: z.number().min(0).max(1).nullable(),
  measuredSeconds: z.int(),
  /** Unmeasured time of the elapsed day, including time in which every probe was refused. */
  unmeasuredSeconds: z.int(),
  maintenanceSeconds: z.int(),
  /** Incidents that were open on this day. */
  incidents: z.int(),
})
export type PublicDay = z.infer<typeof PublicDay>

/** A component on the public page, with its evidence. */
export const PublicComponentHistory = z.object({
  id: z.string(),
  displayName: z.string(),
  description: z.string().nullable(),
  groupName: z.string().nullable(),
  state: ComponentState,
  /** `pings` for heartbeats, which no region measures. */
  measuredBy: z.enum(['probes', 'pings']),
  /** The time of the newest reading; null before the first one, and for heartbeats. */
  measuredAt: Instant.nullable(),
  staleAfterSeconds: z.number(),
  /** Regions with fresh readings. */
  regionsRead: z.array(Region),
  /** The share over the whole history, by the rule of its days. */
  upShare: z.number().min(0).max(1).nullable(),
  /** `historyDays` days, oldest first; null for components above the limit of histories on a page. */
  days: z.array(PublicDay).nullable(),
})
export type PublicComponentHistory = z.infer<typeof PublicComponentHistory>

/** An incident without private data of the account. */
export const PublicIncident = Incident.omit({
  checkId: true,
  statusPageId: true,
  members: true,
  memberCount: true,
}).extend({
  impact: IncidentImpact,
  /** The component of its check; null when it is no longer published. */
  componentId: z.string().nullable(),
  /** All published components that it affects or affected, those that are down first. */
  componentIds: z.array(z.string()).optional(),
})
export type PublicIncident = z.infer<typeof PublicIncident>

export const PublicWindow = MaintenanceWindow.omit({ statusPageId: true, createdAt: true })
export type PublicWindow = z.infer<typeof PublicWindow>

/** A page for its readers. `name` is the title if there is one. */
export const PublicPageHead = StatusPage.omit({ id: true, title: true, componentCount: true }).extend({
  /** The logo that its owner uploaded, on this server; `logo` is its address then. */
  uploadedLogo: z.object({ path: z.string(), width: z.int(), height: z.int() }).nullable(),
})
export type PublicPageHead = z.infer<typeof PublicPageHead>

/** Components that follow each other in one group, or in none. */
export const PublicGroup = z.object({
  name: z.string().nullable(),
  /** The worst of its components. */
  state: ComponentState,
  componentIds: z.array(z.string()),
})
export type PublicGroup = z.infer<typeof PublicGroup>

const common = {
  /** The time of the data. */
  asOf: Instant,
  page: PublicPageHead,
}

/** `GET /status/:slug/page.json`: the content of the page for people. */
export const PublicPageDocument = z.object({
  ...common,
  /** `local` when every region is measured from one machine (all-in-one). */
  vantage: z.enum(['local', 'regional']),
  headline: PublicHeadline,
  /** All components, in the order of the page. */
  groups: z.array(PublicGroup),
  components: z.array(PublicComponentHistory),
  /** Open incidents and those of the last `recentDays` days, newest first. */
  incidents: z.array(PublicIncident),
  /** True when those days had more incidents than fit in the document. */
  hasMoreIncidents: z.boolean(),
  /** Active and scheduled windows, by start. */
  windows: z.array(PublicWindow),
})
export type PublicPageDocument = z.infer<typeof PublicPageDocument>

/** A UTC month, such as `2026-11`. */
const Month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')

export const PublicHistoryQuery = z.object({ month: Month.optional() })

/** `GET /status/:slug/history.json?month=`: the incidents that started in one month. */
export const PublicHistoryDocument = z.object({
  ...common,
  month: Month,
  components: z.array(z.object({ id: z.string(), displayName: z.string() })),
  incidents: z.array(PublicIncident),
  hasMoreIncidents: z.boolean(),
  /** The nearest months with incidents; null without one. */
  olderMonth: Month.nullable(),
  newerMonth: Month.nullable(),
})
export type PublicHistoryDocument = z.infer<typeof PublicHistoryDocument>

/** `GET /status/:slug/incidents/:id.json`: one incident of a page, open or resolved, with its whole timeline. */
export const PublicIncidentDocument = z.object({
  ...common,
  /** The components that the incident affects, in the order of the page. */
  components: z.array(z.object({ id: z.string(), displayName: z.string(), state: ComponentState })),
  incident: PublicIncident,
})
export type PublicIncidentDocument = z.infer<typeof PublicIncidentDocument>

/** Public pages as JSON, without key or cookie, below the public URL. */
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
  publicIncident: {
    method: 'GET',
    path: '/status/:slug/incidents/:id.json',
    params: z.object({ slug: z.string(), id: z.string() }),
    output: PublicIncidentDocument,
  },
} as const
