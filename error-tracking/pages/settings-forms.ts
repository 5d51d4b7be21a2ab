import { filterPatternsMax, scrubNamesMax } from '../contracts/error-settings.ts'
import type { ErrorProjectDetails } from '../contracts/error-project.ts'
import { card } from '@probe-mesh/web/src/html/components/card'
import {
  checkField,
  longTextField,
  problemSummary,
  type FormState,
  type Typed,
} from '@probe-mesh/web/src/html/components/form'
import { html, type Html } from '@probe-mesh/runtime/html'
import { projectPath } from './project-tabs.ts'

/** The forms of a project's settings, each with its own state. */
export type SettingsPart = 'project' | 'scrubbing' | 'filters'

const linesIn = (typed: Typed, name: string): string[] =>
  (typed[name] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What each form sends to the API. */
export const settingsTyped: Readonly<Record<SettingsPart, (typed: Typed) => object>> = {
  project: (typed) => ({ name: typed['name'] ?? '', platform: typed['platform'] ?? '' }),
  scrubbing: (typed) => ({
    scrubNames: linesIn(typed, 'scrubNames'),
    keepAddresses: typed['keepAddresses'] !== undefined,
  }),
  filters: (typed) => ({
    filters: {
      messages: linesIn(typed, 'filters.messages'),
      releases: linesIn(typed, 'filters.releases'),
      environments: linesIn(typed, 'filters.environments'),
      browserExtensions: typed['filters.browserExtensions'] !== undefined,
      localhost: typed['filters.localhost'] !== undefined,
      webCrawlers: typed['filters.webCrawlers'] !== undefined,
    },
  }),
}

type Project = Pick<ErrorProjectDetails, 'id' | 'settings'>

export const scrubbingForm = ({ id, settings }: Project, form: FormState): Html =>
  card(
    { id: 'scrubbing', title: 'Scrubbing', about: 'what is removed from events before they are stored' },
    html`<p>
        Passwords, tokens, keys, cookies, card and account numbers are always removed. Stored events do not
        change.
      </p>
      ${problemSummary(form, ['scrubNames', 'keepAddresses'])}
      <form method="post" action="${projectPath(id)}/scrubbing">
        <div class="fields">
          ${longTextField(form, {
            name: 'scrubNames',
            label: 'Further names',
            hint: `One per line, up to ${scrubNamesMax}. Case and word separators are ignored: "customer id" also removes customerId and CUSTOMER_ID.`,
            fallback: settings.scrubNames.join('\n'),
          })}
          ${checkField(form, {
            name: 'keepAddresses',
            label: 'Keep e-mail and IP addresses',
            fallback: settings.keepAddresses,
          })}
        </div>
        <p class="actions"><button class="primary" type="submit">Save scrubbing</button></p>
      </form>`,
  )

export const filtersForm = ({ id, settings: { filters } }: Project, form: FormState): Html =>
  card(
    { id: 'filters', title: 'Filters', about: 'matching events are dropped and do not use the quota' },
    html`${problemSummary(form, filterNames)}
      <form method="post" action="${projectPath(id)}/filters">
        <div class="fields">
          ${longTextField(form, {
            name: 'filters.messages',
            label: 'Messages',
            hint: html`One pattern per line, up to ${filterPatternsMax}. <code>*</code> matches any text; case
              is ignored. A pattern matches the whole message, alone or as <code>Type: message</code>.
              Example: <code>*ResizeObserver loop*</code>`,
            fallback: filters.messages.join('\n'),
          })}
          ${longTextField(form, {
            name: 'filters.releases',
            label: 'Releases',
            hint: html`Patterns, such as <code>shop@1.*</code>`,
            fallback: filters.releases.join('\n'),
          })}
          ${longTextField(form, {
            name: 'filters.environments',
            label: 'Environments',
            hint: html`Patterns, such as <code>development</code>`,
            fallback: filters.environments.join('\n'),
          })}
          ${checkField(form, {
            name: 'filters.browserExtensions',
            label: 'Browser extensions',
            hint: 'The throwing frame is in an extension.',
            fallback: filters.browserExtensions,
          })}
          ${checkField(form, {
            name: 'filters.localhost',
            label: 'Localhost',
            hint: 'The URL of the event is on localhost, 127.0.0.0/8 or ::1.',
            fallback: filters.localhost,
          })}
          ${checkField(form, {
            name: 'filters.webCrawlers',
            label: 'Web crawlers',
            hint: 'The user agent of the event is not a browser.',
            fallback: filters.webCrawlers,
          })}
        </div>
        <p class="actions"><button class="primary" type="submit">Save filters</button></p>
      </form>`,
  )

const filterNames = [
  'filters.messages',
  'filters.releases',
  'filters.environments',
  'filters.browserExtensions',
  'filters.localhost',
  'filters.webCrawlers',
]
