import { z } from 'zod'
import {
  CatalogAnswer,
  InternetAnswer,
  RecentIncidentsAnswer,
  RegionalReadingsAnswer,
  ReportInput,
  ReportReceipt,
  ReportVolumeAnswer,
  ServiceStatusAnswer,
  StackAnswer,
  WeatherAnswer,
} from './answers.ts'
import type { RefusalCode } from '../schema/refusal.ts'
import { Region } from '../reading/regions.ts'
import type { InputOf } from '../schema/route.ts'
import { ServicePageAnswer } from './service-page.ts'

/** Where the keyless answers are, below `{api_url}`. */
export const answersPath = '/public'

/**
 * A route without a key, below `{api_url}/public`: no account, no tier, and nothing is stored of who
 * asks. Every one spends the keyless budget of its address (SV-6004).
 */
export type AnswerRoute = {
  method: 'GET' | 'POST'
  path: string
  summary: string
  success: 200
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  output: z.ZodType
  /** Refusals besides SV-2001 and SV-6004. */
  codes?: readonly RefusalCode[]
}

/** A slug, a name, an alias or a domain: whatever it is, it has an answer. */
const params = z.object({ slug: z.string().min(1).max(300) })

/** The keyless outage answers (S-1201), which the gateway's seven tools are bound to. */
export const answerRoutes = {
  listServices: {
    method: 'GET',
    path: '/services',
    summary: 'The catalog: every service that is measured, and how it stands',
    success: 200,
    output: CatalogAnswer,
  },
  isServiceDown: {
    method: 'GET',
    path: '/services/:slug/status',
    summary: 'Whether a catalog service is down, and where',
    success: 200,
    params,
    query: z.object({ region: Region.optional() }),
    output: ServiceStatusAnswer,
  },
  getRegionalReadings: {
    method: 'GET',
    path: '/services/:slug/readings',
    summary: 'Every current reading of a catalog service, by region',
    success: 200,
    params,
    output: RegionalReadingsAnswer,
  },
  getReportVolume: {
    method: 'GET',
    path: '/services/:slug/reports',
    summary: 'How many people report problems with a service, beside what our probes read',
    success: 200,
    params,
    output: ReportVolumeAnswer,
  },
  reportProblem: {
    method: 'POST',
    path: '/services/:slug/reports',
    summary:
      'Report a problem with a service; one per address, service and quarter of an hour counts',
    success: 200,
    params,
    body: ReportInput,
    output: ReportReceipt,
  },
  listRecentIncidents: {
    method: 'GET',
    path: '/services/:slug/incidents',
    summary: 'Past outages of a service that our probes saw, with the current reading',
    success: 200,
    params,
    output: RecentIncidentsAnswer,
    codes: ['SV-9002'],
  },
  getServicePage: {
    method: 'GET',
    path: '/services/:slug/page',
    summary:
      'All that the page of a service shows: status, reports, past outages, its last 24 hours and its last 90 days',
    success: 200,
    params,
    output: ServicePageAnswer,
  },
  getStack: {
    method: 'GET',
    path: '/stacks/:idOrSlug',
    summary: 'A stack of services: how each stands, and how many are down or degraded',
    success: 200,
    params: z.object({ idOrSlug: z.string().min(1).max(300) }),
    output: StackAnswer,
    codes: ['SV-3001'],
  },
  internetWeather: {
    method: 'GET',
    path: '/weather',
    summary: 'How fast the internet is now, by region, beside what is usual at this hour',
    success: 200,
    output: WeatherAnswer,
  },
  isTheInternetDown: {
    method: 'GET',
    path: '/internet',
    summary: 'Whether something that many services share is down',
    success: 200,
    output: InternetAnswer,
  },
} as const satisfies Record<string, AnswerRoute>

export type AnswerRoutes = typeof answerRoutes
export type AnswerRouteName = keyof AnswerRoutes

/** What a verb receives, each part parsed, and what it answers with. */
export type AnswerInput<N extends AnswerRouteName> = InputOf<AnswerRoutes[N]>
export type AnswerOutput<N extends AnswerRouteName> = z.output<AnswerRoutes[N]['output']>
