import { filterPatternsMax, scrubNamesMax } from '@probe-mesh/contracts/error-tracking/error-settings'
import type { ErrorProjectDetails } from '@probe-mesh/contracts/error-tracking/error-project'
import { checkField, longTextField, problemSummary } from '../../html/components/form.ts'
import type { FormState, Typed } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** The forms of a project's page, each with its own state. */
export type SettingsPart = 'project' | 'scrubbing' | 'filters'

const linesIn = (typed: Typed, name: string): string[] =>
  (typed[name] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What is asked of the API by each form. */
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

export const scrubbingForm = (
  { id, settings }: Pick<ErrorProjectDetails, 'id' | 'settings'>,
  form: FormState,
): Html => html`
  <h2>What is scrubbed</h2>
  <p>
    Passwords, tokens, keys, cookies, card and account numbers are always removed from an event before
    anything of it is stored, and so are e-mail and IP addresses unless you keep them. What was stored before
    a change stays as it was.
  </p>
  ${problemSummary(form, ['scrubNames', 'keepAddresses'])}
  <form method="post" action="/dashboard/errors/${id}/scrubbing">
    <div class="fields">
      ${longTextField(form, {
        name: 'scrubNames',
        label: 'Further names',
        hint: `One a line, ${scrubNamesMax} at most. The value of each is removed wherever the name stands, in any case and however its words are separated: "customer id" is also customerId and CUSTOMER_ID.`,
        fallback: settings.scrubNames.join('\n'),
      })}
      ${checkField(form, {
        name: 'keepAddresses',
        label: 'Keep e-mail and IP addresses',
        fallback: settings.keepAddresses,
      })}
    </div>
    <p class="actions"><button class="primary" type="submit">Save what is scrubbed</button></p>
  </form>
`

export const filtersForm = (
  { id, settings: { filters } }: Pick<ErrorProjectDetails, 'id' | 'settings'>,
  form: FormState,
): Html => html`
  <h2>Filters</h2>
  <p>
    An event that one of these is true of is answered as if it were taken, counted as filtered, and kept
    nowhere. It spends nothing of the quota. A change holds for events that come some moments later.
  </p>
  ${problemSummary(form, filterNames)}
  <form method="post" action="/dashboard/errors/${id}/filters">
    <div class="fields">
      ${longTextField(form, {
        name: 'filters.messages',
        label: 'Messages',
        hint: html`One pattern a line, ${filterPatternsMax} at most. A star stands for anything, every other
          character for itself, in any case; a pattern covers the whole message, alone or as
          <code>Type: message</code>, of which the first 8,192 characters are looked at. Such as
          <code>*ResizeObserver loop*</code>.`,
        fallback: filters.messages.join('\n'),
      })}
      ${longTextField(form, {
        name: 'filters.releases',
        label: 'Releases',
        hint: html`Patterns like those, such as <code>shop@1.*</code>.`,
        fallback: filters.releases.join('\n'),
      })}
      ${longTextField(form, {
        name: 'filters.environments',
        label: 'Environments',
        hint: html`Patterns like those, such as <code>development</code>.`,
        fallback: filters.environments.join('\n'),
      })}
      ${checkField(form, {
        name: 'filters.browserExtensions',
        label: "Thrown by a browser's extension",
        hint: 'The first place of its stack is in one. An extension further down does not count.',
        fallback: filters.browserExtensions,
      })}
      ${checkField(form, {
        name: 'filters.localhost',
        label: 'Of a page on localhost',
        hint: 'By the URL that the event says: localhost and what ends with it, 127.0.0.0/8, ::1.',
        fallback: filters.localhost,
      })}
      ${checkField(form, {
        name: 'filters.webCrawlers',
        label: 'Met by a web crawler',
        hint: 'Or by another program that is no browser, by the user agent that the event says.',
        fallback: filters.webCrawlers,
      })}
    </div>
    <p class="actions"><button class="primary" type="submit">Save the filters</button></p>
  </form>
`

const filterNames = [
  'filters.messages',
  'filters.releases',
  'filters.environments',
  'filters.browserExtensions',
  'filters.localhost',
  'filters.webCrawlers',
]
