import type { IncidentImpact, IncidentStatus } from '../../incident/incident.ts'
import type { MaintenanceState } from '../../maintenance/maintenance.ts'
import type { HeadlineLevel } from '../headline.ts'
import type { ComponentState } from '../status-page.ts'

/** The languages of public status pages, their feeds, calendars and mails. */
export const publicLanguages = ['en', 'de', 'fr', 'es', 'ja'] as const
export type PublicLanguage = (typeof publicLanguages)[number]

/**
 * All words of a public status page in one language. Texts of the owner stay as they were written. Numbers and
 * times come formatted (`formats.ts`).
 */
export type PublicWords = {
  language: PublicLanguage
  states: Readonly<Record<ComponentState, string>>
  statuses: Readonly<Record<IncidentStatus, string>>
  impacts: Readonly<Record<IncidentImpact, string>>
  windowStates: Readonly<Record<MaintenanceState | 'cancelled', string>>

  headline: {
    levels: Readonly<Record<HeadlineLevel, string>>
    /** Instead of `levels.operational` while some components have no data. */
    allMeasured: string
    nothingPublished: string
    components(count: number): string
    /** A level with what it is about: names, a count or the title of an incident. */
    about(level: string, subject: string): string
    list(names: readonly string[]): string
    /** A sentence of its own, with its full stop. */
    noDataFor(count: number): string
    /** Ends a sentence, and joins it with the next. */
    sentences(first: string, second: string): string
  }

  page: {
    skip: string
    status: string
    history: string
    components: string
    nothingPublished: string
    legend: string
    daysAgo(count: number): string
    today: string
    uptime(share: string): string
    uptimeIn(share: string, days: number): string
    noDataIn(days: number): string
    day: {
      up(share: string): string
      noData: string
      notMeasured(duration: string): string
      maintenance(duration: string): string
      incidents(count: number): string
      soFar(text: string): string
    }
    dayBefore: string
    dayAfter: string
    close: string
    measuredFrom(regions: string): string
    lastMeasured: string
    tooOld: string
    neverMeasured: string
    byPings: string
    fresh: string
    updated: string
    timesIn(zone: string): string
    localVantage: string
    openIncidents: string
    pastIncidents(days: number): string
    incidentsOf(month: string): string
    noIncidents: string
    moreIncidents: string
    olderIncidents: string
    older: string
    newer: string
    incident: string
    affects: string
    began: string
    resolved: string
    duration: string
    stillOpen: string
    byMeasurement: string
    byTeam: string
    backToPage: string
    maintenance: string
    from: string
    to: string
    wholePage: string
    noLongerPublished: string
    links: string
    otherForms: string
    calendar: string
    measuredBy: string
    notFound: string
  }

  subscribe: {
    action: string
    heading: string
    explanation: string
    email: string
    about: string
    wholePage: string
    feeds: string
  }

  feed: {
    incident(title: string): string
    maintenance(title: string): string
    about(page: string): string
    status: string
    impact: string
    affected: string
    from: string
    to: string
  }

  badge: {
    /** A state as a badge writes it, in the middle of a line. */
    state(text: string): string
    unmeasured(state: string, count: number): string
  }

  /** What an automatic incident says, each a sentence. Names and regions are lists already. */
  event: {
    down(name: string): string
    manyDown(first: string, more: number): string
    alsoDown(names: string): string
    downAgain(names: string): string
    downNow(names: string): string
    recovered(names: string): string
    degraded(names: string): string
    silent(names: string): string
    unwatched(names: string): string
    allUnwatched: string
    recoveredAfter(duration: string): string
    allRecoveredAfter(duration: string, checks: number): string
    noneDown(duration: string): string
    notOperational(names: string): string
    held: string
    unpublished: string
    failingIn(regions: string): string
    upIn(regions: string): string
    blockedIn(regions: string): string
    notMeasuredIn(regions: string): string
  }

  calendar: { name(page: string): string }

  mail: {
    maintenance: string
    maintenanceChanged: string
    maintenanceCancelled: string
    page: string
    status: string
    at: string
    starts: string
    ends: string
    wasToStart: string
    affected: string
    wholePage: string
    nothingShown: string
    more(names: string, count: number): string
    read: string
    because(page: string): string
    unsubscribe: string
    unnamedPage: string
    confirm: {
      subject: string
      /** @param what the page, or a component on it; names are in quotation marks already */
      body(what: string, host: string): string
      page(name: string): string
      component(name: string, page: string): string
      unnamed: string
      unnamedComponent: string
      action: string
      footer: string
    }
  }
}
