import { IncidentImpact, IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { headlineText } from '@probe-mesh/contracts/status-page/words/headline-text'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import {
  longTextField,
  radioField,
  selectField,
  textField,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { named } from '../../html/measures.ts'
import { incidentWords } from '../../html/publish-words.ts'
import { tag } from '../../html/components/tag.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { impactHints, impactLevels, statusNames, templates } from './incident-words.ts'

export const incidentFields = ['title', 'impact', 'componentIds', 'status', 'body'] as const

/** The first facts for readers of a page: title, impact and components. */
export const subjectFields = (
  form: FormState,
  asked: {
    components: readonly Component[]
    ticked: ReadonlySet<string>
    fallback?: { title: string; impact: IncidentImpact }
  },
): Html => html`
  ${textField(form, { name: 'title', label: 'Title', isRequired: true, ...(asked.fallback && { fallback: asked.fallback.title }) })}
  ${radioField(form, {
    name: 'impact',
    label: 'Impact',
    fallback: asked.fallback?.impact ?? 'minor',
    choices: IncidentImpact.options.map((value) => ({ value, label: impactHints[value] })),
  })}
  ${choicesField(form, {
    name: 'componentIds',
    label: 'Affected components',
    choices: asked.components.map(({ id, displayName, groupName = null }) => ({
      value: id,
      label: displayName,
      group: groupName,
    })),
    ticked: asked.ticked,
  })}
`

/**
 * Status and message of one update, with an initial text. @param path of the form, for its template buttons
 */
export const updateFields = (
  form: FormState,
  asked: { path: string; fallback: IncidentStatus; statuses: readonly IncidentStatus[] },
): Html => html`
  ${selectField(form, {
    name: 'status',
    label: 'Status',
    fallback: asked.fallback,
    choices: asked.statuses.map((value) => ({ value, label: statusNames[value] })),
  })}
  ${longTextField(form, { name: 'body', label: 'Message', isRequired: true, rows: 5 })}
  <div class="template-buttons" role="group" aria-label="Templates">
    <span class="muted">Start from:</span>
    ${asked.statuses.map(
      (status) =>
        html`<button
          class="small"
          type="submit"
          name="act"
          value="template-${status}"
          formaction="${asked.path}#field-body"
          formnovalidate
          data-inplace
        >
          ${statusNames[status]}
        </button> `,
    )}
  </div>
`

/** The action of a button other than the last one; null: the form is posted. */
export const actOf = (act: string | null): { template: IncidentStatus } | 'preview' | null => {
  if (act === 'preview') return 'preview'
  const status = IncidentStatus.safeParse(act?.startsWith('template-') === true ? act.slice(9) : null)
  return status.success ? { template: status.data } : null
}

/** The form with a template as its message; text of the author is never replaced. */
export const withTemplate = (typed: Typed, status: IncidentStatus): Typed => {
  const body = typed['body']?.trim() ?? ''
  const isOwn = body !== '' && !Object.values(templates).includes(body)
  return { ...typed, status, body: isOwn ? body : templates[status] }
}

const tones = { none: 'notice', minor: 'warned', major: 'problems', critical: 'problems' } as const

/** The page as its visitors will see it: the banner, and the post below it. */
export const previewCard = (
  page: StatusPage,
  components: readonly Component[],
  shown: { path: string; typed: Typed; ticked: ReadonlySet<string> },
): Html => {
  const { path, typed, ticked } = shown
  const impact = IncidentImpact.catch('minor').parse(typed['impact'])
  const status = IncidentStatus.catch('investigating').parse(typed['status'])
  const title = typed['title']?.trim() ?? ''
  const names = components.filter(({ id }) => ticked.has(id)).map(({ displayName }) => displayName)
  const banner = headlineText(wordsOf(page.locale), {
    level: impactLevels[impact],
    incidentTitle: title === '' ? 'Title' : title,
    names,
    total: components.length,
    unmeasured: 0,
  })
  return card(
    {
      id: 'preview',
      title: 'Preview',
      actions: html`<button
        type="submit"
        name="act"
        value="preview"
        formaction="${path}#preview"
        formnovalidate
        data-inplace
      >
        Update preview
      </button>`,
    },
    html`<p class="banner-preview ${tones[impact]}"><bdi>${banner}</bdi></p>
      <p>
        ${tag(incidentWords[status])} ${names.map((name, index) => html`${index > 0 && ', '}${named(name)}`)}
      </p>
      <p class="prose"><bdi>${typed['body'] ?? ''}</bdi></p>
      <p class="muted small-print">
        <bdi>${page.name}</bdi> shows this banner unless its checks measure something worse.
      </p>`,
  )
}
