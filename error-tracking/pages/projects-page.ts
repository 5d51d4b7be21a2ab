import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { OwnErrorProject, OwnErrorProjects } from '../contracts/error-project.ts'
import { shareBar } from '@probe-mesh/web/src/charts/count-bars'
import { card, emptyState } from '@probe-mesh/web/src/html/components/card'
import {
  problemSummary,
  selectField,
  textField,
  type FormState,
} from '@probe-mesh/web/src/html/components/form'
import { icon } from '@probe-mesh/web/src/html/components/icon'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { named, time } from '@probe-mesh/web/src/html/measures'
import { counted, droppedOf, receivedOf } from './counted.ts'
import { choicesOf, platformNames } from './error-words.ts'
import { areaTabs, errorsPath, projectPath } from './project-tabs.ts'
import { usageBanner, usageBar } from '@probe-mesh/web/src/pages/account/error-usage'

export const newProjectButton: Html = html`<a class="button primary" href="${errorsPath}/new"
  >${icon('plus')}New project</a
>`

/** The error projects of the account, with their part of the quota, open issues and last event. */
export const projectsPage = (answer: OwnErrorProjects): Html => html`
  ${areaTabs('projects')} ${usageBanner(answer)}
  ${
    answer.projects.length === 0
      ? emptyState({
          icon: 'error',
          title: 'No projects yet',
          text: 'A project receives errors from a Sentry SDK.',
          action: { path: `${errorsPath}/new`, text: 'New project' },
        })
      : projectRows(answer)
  }
  ${(answer.projects.length > 0 || answer.spent > 0) && quotaCard(answer)}
`

const quotaCard = (answer: OwnErrorProjects): Html => {
  const ofDeleted = answer.spent - answer.projects.reduce((sum, each) => sum + each.eventsThisMonth, 0)
  return card(
    { id: 'quota', title: 'Monthly quota' },
    html`${usageBar(answer)}
    ${ofDeleted > 0 && html`<p class="muted small-print">${counted(ofDeleted, 'event')} came from deleted projects.</p>`}`,
  )
}

const projectRows = (answer: OwnErrorProjects): Html =>
  html`<table class="rows project-rows">
    <caption class="unseen">
      Projects
    </caption>
    <thead>
      <tr>
        <th scope="col">Project</th>
        <th scope="col" class="number">Open issues</th>
        <th scope="col">Events this month</th>
        <th scope="col" class="number">Dropped</th>
        <th scope="col">Last event</th>
      </tr>
    </thead>
    <tbody>
      ${answer.projects.map((project) => projectRow(project, answer))}
    </tbody>
  </table>`

const projectRow = (project: OwnErrorProject, { quota }: OwnErrorProjects): Html => {
  const { id, name, platform, openIssues, eventsThisMonth, lastEventAt } = project
  const dropped = droppedOf(project)
  return html`<tr>
    <th scope="row">
      <a href="${projectPath(id)}">${named(name)}</a>
      <span class="target">${platformNames[platform]}</span>
    </th>
    <td class="number" data-label="Open issues">${inFigures(openIssues)}</td>
    <td class="share" data-label="Events">
      ${inFigures(eventsThisMonth)} ${shareBar(quota === 0 ? 0 : eventsThisMonth / quota)}
    </td>
    <td class="number" data-label="Dropped">
      ${dropped === 0 ? '0' : html`<a href="${projectPath(id)}/usage">${inFigures(dropped)}</a>`}
    </td>
    <td class="age" data-label="Last event">${lastEventOf(project, lastEventAt)}</td>
  </tr>`
}

/** A project that never reported is not a project without errors. */
const lastEventOf = (project: OwnErrorProject, lastEventAt: string | null): Piece => {
  if (project.receivedEver === 0) {
    return html`<a href="${projectPath(project.id)}">No event yet: set up the SDK</a>`
  }
  if (lastEventAt === null) return receivedOf(project) === 0 ? 'None this month' : 'None stored'
  return time(lastEventAt)
}

/** The form of a new project. */
export const newProjectPage = (form: FormState): Html => html`
  ${problemSummary(form, projectFieldNames)}
  <form class="check-form" method="post" action="${errorsPath}">
    <div class="form-main"><div class="card fields">${projectFields(form)}</div></div>
    <div class="form-bar">
      <button class="primary" type="submit">Create project</button>
      <a class="button" href="${errorsPath}">Cancel</a>
    </div>
  </form>
`

export const projectFieldNames = ['name', 'platform']

/** @param stored the project, for a change */
export const projectFields = (
  form: FormState,
  stored?: Pick<OwnErrorProject, 'name' | 'platform'>,
): Html => html`
  ${textField(form, { name: 'name', label: 'Name', isRequired: true, ...(stored && { fallback: stored.name }) })}
  ${selectField(form, {
    name: 'platform',
    label: 'Platform',
    hint: 'Decides which set-up is shown first.',
    choices: choicesOf(platformNames),
    fallback: stored?.platform ?? 'node',
  })}
`
