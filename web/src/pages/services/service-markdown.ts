import type { NamedService, PastOutage, RegionalReading } from '@probe-mesh/contracts/outage/answers'
import type {
  ServiceHistory,
  ServicePageAnswer,
  ServiceStep,
} from '@probe-mesh/contracts/outage/service-page'
import { serviceWords, standing } from '../../html/answer-words.ts'
import { duration, milliseconds } from '../../html/measures.ts'
import { evidenceMarkdown, instantText, linkTo } from '../evidence-markdown.ts'
import { datesOf, runsOf } from '../status/day-words.ts'
import { markdownLine } from '../../html/markdown.ts'
import { categoryName } from './category-names.ts'
import { noneSeen } from './outage-section.ts'
import { freshnessOf } from './region-cards.ts'
import { usualText } from './report-section.ts'
import { shareText, stripDay, unreadable } from './service-history.ts'
import { asMarkdown } from '../as-markdown.ts'

/** One service as Markdown, for assistants and terminals, in the same words as its page. */
export const serviceMarkdown = (service: NamedService, answer: ServicePageAnswer): string => {
  const { status, summary, url, regions, incidents, history, reports, reportSummary } = answer
  const parts = [
    `# Is ${markdownLine(service.name)} down?`,
    `**${standing(status, answer.shows).text}**: ${markdownLine(summary)}`,
    evidenceMarkdown(answer),
    `Source: <${url}>`,
    '## Regions',
    regions.map(regionLine).join('\n') || 'No region measures it.',
    '## Last 24 hours',
    history === null ? unreadable : lastDay(history),
    '## Last 90 days',
    history === null ? unreadable : lastDays(history),
    '## Past outages',
    outagesOf(incidents, history),
    '## Reports of people',
    `${markdownLine(reportSummary)} ${usualText(reports)} Reports never change what we say of the service.`,
    '## About this service',
    answer.category !== null && `Category: ${markdownLine(categoryName(answer.category))}.`,
    answer.vendorStatusUrl !== null && `The vendor's own status page: ${linkTo(answer.vendorStatusUrl)}`,
  ]
  return `${parts.filter((part) => part !== false).join('\n\n')}\n`
}

const regionLine = (one: RegionalReading): string => {
  const facts = [
    serviceWords[one.status].text,
    one.latencyMs !== null && milliseconds(one.latencyMs),
    one.measuredAt === null ? 'never measured' : `measured ${instantText(one.measuredAt)}`,
    one.measuredAt !== null && freshnessOf(one),
    one.reason !== null && markdownLine(one.reason),
  ]
  return `- ${one.region}: ${facts.filter((fact) => fact !== false).join(', ')}`
}

const lastDay = ({ from, to, stepSeconds, steps }: ServiceHistory): string => {
  const sum = (of: (step: ServiceStep) => number): number =>
    steps.reduce((total, step) => total + of(step), 0)
  const [up, down] = [sum((step) => step.up), sum((step) => step.down)]
  const [blocked, unmeasured] = [sum((step) => step.blocked), sum((step) => step.unmeasured)]
  const silent = steps.filter((step) => step.up + step.down + step.blocked + step.unmeasured === 0)
  const medians = steps.flatMap(({ p50Ms }) => p50Ms ?? [])
  const latency =
    medians.length === 0
      ? 'No latency was measured.'
      : `Median latency of a step: from ${milliseconds(Math.min(...medians))} to ${milliseconds(Math.max(...medians))}.`
  return `Readings of all regions from ${instantText(from)} to ${instantText(to)}: ${up} up, ${down} down, ${blocked} blocked, ${unmeasured} unmeasured. ${silent.length} of ${steps.length} steps of ${duration(stepSeconds)} have no data. ${latency}`
}

const lastDays = (history: ServiceHistory): string =>
  [
    `${shareText(history)}. Shares are of the readings that were up or down; blocked and unmeasured ones count neither way. Days are in UTC.`,
    runsOf(history.days.map(stripDay))
      .toReversed()
      .map((run) => `- ${datesOf(run)}: ${run.text}`)
      .join('\n'),
  ].join('\n\n')

const outagesOf = (outages: readonly PastOutage[] | null, history: ServiceHistory | null): string => {
  if (outages === null) return unreadable
  if (outages.length === 0) return noneSeen(history)
  return outages
    .map(({ startedAt, endedAt, ongoing, durationSeconds, regions }) => {
      const end = ongoing || endedAt === null ? 'not over yet' : `to ${instantText(endedAt)}`
      return `- ${instantText(startedAt)}, ${end}, ${duration(durationSeconds)}, seen from ${regions.join(', ')}`
    })
    .join('\n')
}

/** A service outside the catalog, as Markdown. */
export const uncoveredMarkdown = ({
  summary,
  didYouMean,
}: {
  summary: string
  didYouMean: readonly string[]
}): string => {
  const near = didYouMean.map((slug) => `- [${markdownLine(slug)}](/services/${encodeURIComponent(slug)}.md)`)
  const parts = [
    '# This service is not covered',
    `**not covered**: ${markdownLine(summary)}`,
    near.length > 0 && `Did you mean:\n\n${near.join('\n')}`,
    `Every service that we measure: <${asMarkdown('/services')}>`,
  ]
  return `${parts.filter((part) => part !== false).join('\n\n')}\n`
}
