import {
  recentDays,
  type PublicComponentHistory,
  type PublicIncident,
  type PublicIncidentDocument,
  type PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { percent } from '../../html/measures.ts'
import { affectedOf } from './incident-list.ts'
import { datesOf, runsOf } from './day-words.ts'
import { markdownLine, markdownQuote } from '../../html/markdown.ts'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { coveredBy } from './window-list.ts'

const { states, statuses, page: own, mail } = wordsOf('en')

/** A status page as Markdown, for assistants and terminals, in the same words as the page. */
export const statusMarkdown = (document: PublicPageDocument): string => {
  const { page, asOf, vantage, headline, components, incidents, windows, hasMoreIncidents } = document
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null)
  const over = incidents.filter(({ resolvedAt }) => resolvedAt !== null)
  const parts = [
    `# ${markdownLine(page.name)}`,
    page.description !== null && markdownQuote(page.description),
    `**${markdownLine(headline.text)}**`,
    `As of ${instant(asOf)}. ${vantage === 'local' ? `${own.localVantage} ` : ''}Source: <${page.url}>`,
    open.length > 0 && '## Open incidents',
    ...open.map((incident) => incidentOf(incident, affectedOf(incident, components, mail.more))),
    windows.length > 0 && '## Maintenance',
    ...windows.map((window) => {
      const covered = coveredBy(window, components)?.map(markdownLine).join(', ') ?? 'the whole page'
      return [
        `### ${markdownLine(window.title)} (${window.state === 'active' ? 'in progress' : 'scheduled'})`,
        `${instant(window.startsAt)} to ${instant(window.endsAt)}, ${covered || 'nothing that is still published'}.`,
        markdownQuote(window.body),
      ].join('\n\n')
    }),
    '## Components',
    ...(components.length === 0 ? ['Nothing is published here yet.'] : groupsOf(document)),
    'Shares are of the time that was measured: time without a measurement or in which every probe was refused, and time under maintenance, counts neither as up nor as down. Days are in UTC.',
    `## Resolved incidents of the last ${recentDays} days`,
    over.length === 0 && 'None.',
    ...over.map((incident) => incidentOf(incident, affectedOf(incident, components, mail.more))),
    hasMoreIncidents && 'There were more incidents than are shown here.',
    `Older incidents: <${page.url}/history>`,
  ]
  return `${parts.filter((part) => part !== false).join('\n\n')}\n`
}

/** One incident as Markdown. */
export const incidentMarkdown = ({ page, asOf, incident, components }: PublicIncidentDocument): string =>
  `${[
    `# ${markdownLine(page.name)}`,
    `As of ${instant(asOf)}. Source: <${page.url}/incidents/${incident.id}>`,
    incidentOf(incident, affectedOf(incident, components, mail.more)),
  ].join('\n\n')}\n`

/** The components in order, with the names of their groups. */
const groupsOf = ({ groups, components }: PublicPageDocument): string[] =>
  groups.flatMap(({ name, componentIds }) => {
    const list = components
      .filter(({ id }) => componentIds.includes(id))
      .map(componentOf)
      .join('\n')
    return name === null ? [list] : [`### ${markdownLine(name)}`, list]
  })

const componentOf = (component: PublicComponentHistory): string => {
  const { displayName, description, state, measuredAt, regionsRead, upShare, days } = component
  const facts = [
    states[state],
    component.measuredBy === 'pings' && 'its job reports by itself',
    component.measuredBy === 'probes' && measuredAt === null && 'not measured yet',
    measuredAt !== null &&
      `last measured ${instant(measuredAt)}, ${regionsRead.length === 0 ? 'too long ago to count' : `from ${regionsRead.join(', ')}`}`,
    days !== null &&
      (upShare === null ? `no data in ${days.length} days` : `${percent(upShare)} up in ${days.length} days`),
  ].filter((fact) => fact !== false)
  const lines = [
    `- **${markdownLine(displayName)}**: ${facts.join('; ')}`,
    description !== null && `  ${markdownLine(description)}`,
    ...runsOf(days ?? [])
      .toReversed()
      .map((run) => `  - ${datesOf(run)}: ${run.text}`),
  ]
  return lines.filter((line) => line !== false).join('\n')
}

const incidentOf = (incident: PublicIncident, affected: string | null): string => {
  const { title, status, startedAt, resolvedAt, source, region, updates } = incident
  const facts = [
    affected !== null && `Affects ${markdownLine(affected)}.`,
    `Began ${instant(startedAt)}${resolvedAt === null ? '' : `, resolved ${instant(resolvedAt)}`}.`,
    `${source === 'automatic' ? 'Detected automatically' : 'Posted by the team'}${region === null ? '' : `, first seen from ${region}`}.`,
  ].filter((fact) => fact !== false)
  return [
    `### ${markdownLine(title)} (${statuses[status]})`,
    facts.join(' '),
    ...updates.map(
      ({ status, createdAt, body }) =>
        `${statuses[status]}, ${instant(createdAt)}:\n\n${markdownQuote(body)}`,
    ),
  ].join('\n\n')
}

const instant = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
