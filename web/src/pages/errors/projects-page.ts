import type { OwnErrorProject, OwnErrorProjects } from '@probe-mesh/contracts/error-tracking/error-project'
import { problemSummary, selectField, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { droppedOf, dropsText, number, receivedOf, silenceText } from './counted.ts'
import { choicesOf, platformNames } from './error-words.ts'
import { setUp } from './set-up.ts'
import { usageBanner, usageBar } from './usage.ts'

const usage = (answer: OwnErrorProjects): Html => {
  const { projects, spent } = answer
  const rest = spent - projects.reduce((sum, each) => sum + each.eventsThisMonth, 0)
  return html`
    ${usageBanner(answer)} ${usageBar(answer)}
    ${rest > 0 && html`<p>Of these ${number(rest)} are of projects that were deleted.</p>`}
  `
}

const projectsTable = ({ projects, since }: OwnErrorProjects): Html =>
  table<OwnErrorProject>(
    'Projects, and what became of their events this month',
    [
      {
        heading: 'Project',
        cell: ({ id, name }) => html`<a href="/dashboard/errors/${id}">${named(name)}</a>`,
      },
      { heading: 'Platform', cell: ({ platform }) => platformNames[platform] },
      {
        heading: 'Received',
        isNumber: true,
        cell: (project) => number(receivedOf(project)),
      },
      {
        heading: 'Stored',
        isNumber: true,
        cell: ({ eventsThisMonth }) => number(eventsThisMonth),
      },
      { heading: 'Dropped', isNumber: true, cell: (project) => number(droppedOf(project)) },
      { heading: 'Why dropped', cell: dropsText },
      {
        heading: 'Heard of',
        cell: (project) => silenceText(project, since) ?? 'this month',
      },
    ],
    projects,
  )

/** The error projects of the account, and the form that makes another. */
export const projectsPage = (answer: OwnErrorProjects, form: FormState): Html => html`
  <p>
    A project is what a Sentry SDK reports to. Every event that arrives is stored or counted as dropped:
    received is the sum of both.
  </p>
  <p class="actions"><a href="/dashboard/errors/rules">Who is told of errors</a></p>
  ${usage(answer)}
  ${answer.projects.length === 0 ? html`<p>There is no project yet: nothing is reported.</p>` : projectsTable(answer)}
  ${
    answer.projects.length > 0 &&
    html`<h2>Set up</h2>
      ${answer.projects.map(
        ({ id, name, platform, dsn }) =>
          html`<details>
            <summary>${named(name)}, ${platformNames[platform]}</summary>
            ${setUp(platform, dsn)}
            <p>
              <a href="/dashboard/errors/${id}/settings"
                >Keys and settings<span class="unseen"> of ${name}</span></a
              >
            </p>
          </details> `,
      )}`
  }
  <h2>Make a project</h2>
  ${problemSummary(form, ['name', 'platform'])}
  <form method="post" action="/dashboard/errors">
    <div class="fields">${projectFields(form)}</div>
    <p class="actions"><button class="primary" type="submit">Make the project</button></p>
  </form>
`

/** @param now what the project is, where there is one */
export const projectFields = (
  form: FormState,
  now?: Pick<OwnErrorProject, 'name' | 'platform'>,
): Html => html`
  ${textField(form, { name: 'name', label: 'Name', isRequired: true, ...(now && { fallback: now.name }) })}
  ${selectField(form, {
    name: 'platform',
    label: 'Platform',
    hint: 'It decides which set-up is shown, and nothing else.',
    choices: choicesOf(platformNames),
    fallback: now?.platform ?? 'node',
  })}
`
