import { z } from 'zod'
import { field } from '../schema/field.ts'
import {
  CatalogAnswer,
  RecentIncidentsAnswer,
  RegionalReadingsAnswer,
  ReportInput,
  ReportReceipt,
  ReportVolumeAnswer,
  ServiceStatusAnswer,
  StackAnswer,
  StacksAnswer,
} from './answers.ts'
import { InternetAnswer, WeatherAnswer } from './internet.ts'
import type { RefusalCode } from '../schema/refusal.ts'
import { Region } from '../reading/regions.ts'
import type { InputOf } from '../schema/route.ts'
import { ServicePageAnswer } from './service-page.ts'

/** The path of the keyless answers, below `{api_url}`. */
export const answersPath = '/public'

/**
 * A route without a key, below `{api_url}/public`. It needs no account and stores nothing about the client. Each
 * request counts against the keyless budget of its address (SV-6004).
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
  /** Error codes in addition to SV-2001 and SV-6004. */
  codes?: readonly RefusalCode[]
}

/** A slug, name, alias or domain. Any text gets an answer. */
const params = z.object({
  slug: field(z.string().min(1).max(300), 'Slug, name, alias or domain of a service.', 'github'),
})

/** The keyless outage answers (S-1201). The gateway's seven tools use them. */
export const answerRoutes = {
  listServices: {
    method: 'GET',
    path: '/services',
    summary: 'The catalog: all measured services with their status',
    success: 200,
    output: CatalogAnswer,
  },
  isServiceDown: {
    method: 'GET',
    path: '/services/:slug/status',
    summary: 'Whether a catalog service is down, and where',
    success: 200,
    params,
    query: z.strictObject({ region: field(Region.optional(), 'Only this region.') }),
    output: ServiceStatusAnswer,
  },
  getRegionalReadings: {
    method: 'GET',
    path: '/services/:slug/readings',
    summary: 'The current readings of a catalog service, by region',
    success: 200,
    params,
    output: RegionalReadingsAnswer,
  },
  getReportVolume: {
    method: 'GET',
    path: '/services/:slug/reports',
    summary: 'The number of user reports about a service, with the readings of the probes',
    success: 200,
    params,
    output: ReportVolumeAnswer,
  },
  reportProblem: {
    method: 'POST',
    path: '/services/:slug/reports',
    summary: 'Report a problem with a service; one report counts per address, service and 15 min',
    success: 200,
    params,
    body: ReportInput,
    output: ReportReceipt,
  },
  listRecentIncidents: {
    method: 'GET',
    path: '/services/:slug/incidents',
    summary: 'Past outages of a service that the probes detected, with the current reading',
    success: 200,
    params,
    output: RecentIncidentsAnswer,
    codes: ['SV-9002'],
  },
  getServicePage: {
    method: 'GET',
    path: '/services/:slug/page',
    summary:
      'The content of a service page: status, reports, past outages, the last 24 hours and the last 90 days',
    success: 200,
    params,
    output: ServicePageAnswer,
  },
  listStacks: {
    method: 'GET',
    path: '/stacks',
    summary: 'The stacks: services that are used together, with their members',
    success: 200,
    output: StacksAnswer,
  },
  getStack: {
    method: 'GET',
    path: '/stacks/:idOrSlug',
    summary: 'A stack of services: the status of each, and how many are down or degraded',
    success: 200,
    params: z.object({ idOrSlug: field(z.string().min(1).max(300), 'Id or slug of a stack.', 'web-shop') }),
    output: StackAnswer,
    codes: ['SV-3001'],
  },
  internetWeather: {
    method: 'GET',
    path: '/weather',
    summary: 'The current speed of the internet, by region, against the usual speed at this hour',
    success: 200,
    output: WeatherAnswer,
  },
  isTheInternetDown: {
    method: 'GET',
    path: '/internet',
    summary: 'Whether a provider that many services share is down',
    success: 200,
    output: InternetAnswer,
  },
} as const satisfies Record<string, AnswerRoute>

export type AnswerRoutes = typeof answerRoutes
export type AnswerRouteName = keyof AnswerRoutes

/** The parsed input of an operation, and its output. */
export type AnswerInput<N extends AnswerRouteName> = InputOf<AnswerRoutes[N]>
export type AnswerOutput<N extends AnswerRouteName> = z.output<AnswerRoutes[N]['output']>
