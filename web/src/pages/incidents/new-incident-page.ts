import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { longTextField, problemSummary, selectField, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { checkSearch } from '../check-choice.ts'
import type { CheckChoices } from '../check-choice.ts'

const path = '/dashboard/incidents/new'

/** @param regions the live ones and those of the checks that can be chosen: any other is refused */
export const newIncidentPage = (
  things: { pages: readonly StatusPage[]; checks: CheckChoices; regions: readonly string[] },
  { form, text }: { form: FormState; text: string },
): Html => {
  const { pages, checks, regions } = things
  if (checks.all === 0) {
    return html`<p>
      An incident is about a check of the account, and there is none yet.
      <a href="/dashboard/checks">Make a check</a> first.
    </p>`
  }
  return html`
    <p>
      It begins as investigating, now. It is shown on the page at once, and mailed to the confirmed
      subscribers of the page and of the component that publishes the check. The same again within a minute is
      one incident.
    </p>
    ${problemSummary(form, ['statusPageId', 'checkId', 'region', 'title', 'body'])}
    ${checkSearch(checks, { path, text, query: { page: form.typed['statusPageId'] ?? '' } })}
    <form method="post" action="${path}">
      <input type="hidden" name="q" value="${text}" />
      <div class="fields">
        ${selectField(form, {
          name: 'statusPageId',
          label: 'Status page',
          choices: pages.map(({ id, name, path }) => ({ value: id, label: `${name} (${path})` })),
        })}
        ${selectField(form, { name: 'checkId', label: 'Check', hint: 'Any check of the account. Only where the page publishes it do visitors see which component is meant.', choices: checks.choices })}
        ${selectField(form, { name: 'region', label: 'Region', hint: 'Where it was seen: a live region, or one of the check.', choices: regions.map((value) => ({ value, label: value })) })}
        ${textField(form, { name: 'title', label: 'Title', isRequired: true })}
        ${longTextField(form, { name: 'body', label: 'What you know', hint: 'The first update of the timeline. Shown as text, never as markup.', isRequired: true, rows: 6 })}
      </div>
      <p class="actions">
        <button class="primary" type="submit">Open the incident</button>
        <a href="/dashboard/incidents">Do not</a>
      </p>
    </form>
  `
}
