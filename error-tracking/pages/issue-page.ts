import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { ErrorIssueBreakdown } from '../contracts/error-breakdown.ts'
import type { ErrorSurroundings } from '../contracts/error-issue-acts.ts'
import type { ErrorIssueDays, ReleaseMark } from '../contracts/error-marks.ts'
import type { ErrorUsage } from '../contracts/error-project.ts'
import type { ErrorIssue, ErrorOccurrence } from '../contracts/error-tracking.ts'
import type { Asked } from '@probe-mesh/web/src/api/ask'
import { card, emptyState, stats } from '@probe-mesh/web/src/html/components/card'
import { menu, type MenuEntry } from '@probe-mesh/web/src/html/components/menu'
import type { PageHead } from '@probe-mesh/web/src/html/components/page-head'
import { tag } from '@probe-mesh/web/src/html/components/tag'
import { attribute, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '@probe-mesh/web/src/html/measures'
import { releasesCard, tagsCard } from './breakdown-card.ts'
import { daysCard } from './counts-over-time.ts'
import { issueWords, levelMark, regressedWords } from './error-words.ts'
import { breadcrumbsCard, contextCard } from './event-cards.ts'
import { outageCard } from './outage-card.ts'
import { projectPath } from './project-tabs.ts'
import { listIn, scrubbed, textIn } from './scrubbed.ts'
import { stackCard } from './stack-card.ts'
import { usageBanner } from '@probe-mesh/web/src/pages/account/error-usage'

type Issue = Pick<ErrorIssue, 'id' | 'projectId'>
const pathOf = ({ id, projectId }: Issue): string => `${projectPath(projectId)}/issues/${id}`

/** The heading: the type of the exception, its message and place, and what a member does with the issue. */
export const issueHead = (
  issue: ErrorIssue,
  surroundings: ErrorSurroundings,
): { heading: Piece } & Pick<PageHead, 'state' | 'actions' | 'about'> => {
  const { status, culprit, recent } = issue
  const newest = recent[0]
  const type = textIn(newest?.context, 'type')
  const hasType = type !== '' && issue.title.startsWith(type)
  const isRegressed = status === 'unresolved' && surroundings.regression !== null
  return {
    heading: named(hasType ? type : issue.title),
    state: html`${tag(issueWords[status])}${isRegressed && html` ${tag(regressedWords)}`}`,
    actions: actionsOf(issue),
    about: html`${hasType && html`<span class="exception-value">${scrubbed(newest?.message ?? '')}</span>`}
      <span
        >${culprit !== null && html`<bdi class="code">${culprit}</bdi>`}
        ${statusNote(issue, surroundings)}</span
      >`,
  }
}

const actionsOf = (issue: ErrorIssue): Html => {
  const path = pathOf(issue)
  const { status } = issue
  const entry = (act: string, text: string, icon: MenuEntry['icon']): MenuEntry => ({
    text,
    icon,
    posts: path,
    fields: { act },
  })
  const button = (act: string, text: string, style: string | null): Html =>
    html`<form method="post" action="${path}">
      <button type="submit" name="act" value="${act}" ${attribute('class', style)}>${text}</button>
    </form>`
  const more: MenuEntry[] = [
    ...(status === 'resolved' ? [] : [entry('resolveInNext', 'Resolve in the next release', 'ok')]),
    ...(status === 'ignored' ? [entry('resolve', 'Resolve', 'ok')] : []),
    ...(status === 'resolved' ? [entry('ignore', 'Ignore', 'pause')] : []),
  ]
  return html`${
    status === 'unresolved'
      ? html`${button('ignore', 'Ignore', null)} ${button('resolve', 'Resolve', 'primary')}`
      : button('reopen', 'Reopen', null)
  }
  ${menu({ icon: 'more', label: 'More actions for this issue' }, more)}`
}

/** What will happen with new events, and whether the issue came back. */
const statusNote = ({ status }: ErrorIssue, { resolution, regression }: ErrorSurroundings): Piece => {
  const parts: Piece[] = [
    regression !== null &&
      html`Regressed ${time(regression.at)}
      ${regression.release === null ? 'without a release' : html`in ${named(regression.release)}`}.`,
    status === 'ignored' && 'Ignored: new events are counted and do not reopen it.',
    status === 'resolved' &&
      resolution !== null &&
      html`Resolved ${time(resolution.at)}.
      ${resolution.inNextRelease ? 'An event of a newer release reopens it.' : 'A new event reopens it.'}`,
  ]
  return parts.map((part) => part !== false && html` ${part}`)
}

/** What the page shows of an issue apart from the issue itself. */
export type IssueView = {
  usage: ErrorUsage
  surroundings: ErrorSurroundings
  days: Asked<ErrorIssueDays>
  breakdown: Asked<ErrorIssueBreakdown>
  /** Of the project, first seen in the time of the chart. */
  releases: readonly ReleaseMark[]
  view: { eventId: string | null; areAllFrames: boolean }
}

/** One issue: what failed with it first, then one event with its stack, and how often, where and for whom. */
export const issuePage = (issue: ErrorIssue, page: IssueView): Html => {
  const { breakdown, view } = page
  const event = issue.recent.find(({ id }) => id === view.eventId) ?? issue.recent[0]
  const query = (given: { event?: string | null; frames?: 'all' | null }): string => {
    const eventId = given.event === undefined ? view.eventId : given.event
    const frames = given.frames === undefined ? (view.areAllFrames ? 'all' : null) : given.frames
    const text = new URLSearchParams({
      ...(eventId !== null && { event: eventId }),
      ...(frames !== null && { frames }),
    }).toString()
    return `${pathOf(issue)}${text === '' ? '' : `?${text}`}`
  }
  return html`${usageBanner(page.usage)}
    ${stats([
      { label: 'Events', value: inFigures(issue.occurrences) },
      {
        label: 'Users affected',
        value: breakdown.ok ? inFigures(breakdown.value.users) : none,
        note: breakdown.ok
          ? breakdown.value.events < issue.occurrences
            ? `in the newest ${inFigures(breakdown.value.events)} events`
            : 'in all events'
          : 'could not be read',
      },
      { label: 'First seen', value: time(issue.firstSeen) },
      { label: 'Last seen', value: time(issue.lastSeen) },
    ])}
    <div class="issue-page">
      <div>
        ${outageCard(page.surroundings)}
        ${
          event === undefined
            ? noEvent
            : html`${eventCard(issue, event, (id) => query({ event: id }))}
              ${stackCard(event, {
                areAllFrames: view.areAllFrames,
                path: (frames) => `${query({ frames })}#stack`,
              })}
              ${breadcrumbsCard(event)} ${contextCard(event)}`
        }
      </div>
      <div>
        ${daysCard(page.days, page.releases)} ${tagsCard(breakdown)} ${releasesCard(issue, page.releases)}
        ${issue.recent.length > 0 && recentCard(issue, event, (id) => `${query({ event: id })}#event`)}
      </div>
    </div>`
}

const noEvent: Html = emptyState({
  icon: 'error',
  title: 'No stored event',
  text: 'The counts of an issue are kept longer than its events.',
})

/** The event that is shown: what was thrown, and where. */
const eventCard = (issue: ErrorIssue, event: ErrorOccurrence, path: (id: string) => string): Html => {
  const { at, context, message, release } = event
  const index = issue.recent.indexOf(event)
  const [newer, older] = [issue.recent[index - 1], issue.recent[index + 1]]
  const { handled } = context
  const step = (text: string, to: ErrorOccurrence | undefined): Piece =>
    to !== undefined && html`<a href="${path(to.id)}#event" data-swap="event">${text}</a>`
  const causes = listIn(context, 'causes')
  return card(
    {
      id: 'event',
      title: index === 0 ? 'Latest event' : 'Event',
      about: exactTime(at),
      actions: html`${step('Newer', newer)} ${step('Older', older)}`,
    },
    html`<p class="exception">
        <strong>${scrubbed(textIn(context, 'type') || 'Message')}</strong>
        <span class="message">${scrubbed(message)}</span>
      </p>
      ${causes.map(
        (cause) =>
          html`<p class="exception muted">
            Caused by <strong>${scrubbed(textIn(cause, 'type'))}</strong> ${scrubbed(textIn(cause, 'value'))}
          </p>`,
      )}
      <ul class="tag-list" aria-label="Event">
        ${textIn(context, 'level') !== '' && html`<li>${levelMark(textIn(context, 'level'))}</li>`}
        ${typeof handled === 'boolean' && html`<li>${handled ? 'Handled' : 'Unhandled'}</li>`}
        ${pair('Release', release ?? 'none')} ${pair('Environment', textIn(context, 'environment'))}
        ${pair('Transaction', textIn(context, 'transaction'))}
      </ul>`,
  )
}

const pair = (name: string, value: string): Piece =>
  value !== '' && html`<li><span class="muted">${name}</span> ${scrubbed(value)}</li>`

/** The newest events; one of them is shown. */
const recentCard = (
  { recent, occurrences }: ErrorIssue,
  shown: ErrorOccurrence | undefined,
  path: (id: string) => string,
): Html =>
  card(
    {
      id: 'recent',
      title: 'Recent events',
      about: recent.length < occurrences ? `newest ${recent.length} of ${inFigures(occurrences)}` : null,
    },
    html`<ol class="plain-list recent">
      ${recent.map(
        ({ id, at, release, context }) =>
          html`<li>
            <a
              href="${path(id)}"
              data-swap="event"
              ${attribute('aria-current', id === shown?.id ? 'true' : null)}
              >${time(at)}</a
            >
            <span class="muted"
              >${release !== null && named(release)} ${scrubbed(textIn(context, 'environment'))}</span
            >
          </li>`,
      )}
    </ol>`,
  )
