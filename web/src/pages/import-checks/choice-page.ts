import type { HarDraft, ImportedOperation, OpenApiDraft } from '@probe-mesh/contracts/check/check-import'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { card } from '../../html/components/card.ts'
import { checkField, problemSummary, textField, type FormState } from '../../html/components/form.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { attribute, flag, html, type Html } from '@probe-mesh/runtime/html'
import { importNotes, importPath } from '../check-form/import-notes.ts'

/** What the form of a document carries: nothing is stored before the checks are. */
export type Choice = Pick<OpenApiDraft, 'title' | 'operations' | 'leftOut' | 'neededSecrets' | 'warnings'> & {
  /** Names of secrets that an earlier try of this form stored. */
  stored: readonly string[]
}

export const secretField = (name: string): string => `secret-${name}`

/** The operations of a document, to choose from. */
export const choicePage = (choice: Choice, form: FormState, chosen: ReadonlySet<number>): Html => {
  const { operations, leftOut, neededSecrets, warnings, stored } = choice
  const open = neededSecrets.filter(({ name }) => !stored.includes(name))
  return html`${problemSummary(form, ['operations', ...open.map(({ name }) => secretField(name))])}
  ${importNotes({ secrets: [], warnings })}
  ${
    operations.length > 0 &&
    html`<form method="post" action="${importPath}" enctype="multipart/form-data" novalidate>
      <input type="hidden" name="choice" value="${JSON.stringify(choice)}" />
      <div id="field-operations">${operationRows(operations, chosen)}</div>
      <div class="card fields">
        ${
          operations.some(({ jsonPath }) => jsonPath !== null) &&
          checkField(form, {
            name: 'requireProperty',
            label: 'Also expect a property that the document requires of the answer',
            fallback: true,
          })
        }
        ${open.map(({ name, hosts, about }) =>
          textField(form, {
            name: secretField(name),
            type: 'password',
            autocomplete: 'off',
            label: `Secret “${name}”`,
            hint: `${about}. Sent to ${hosts.join(', ')} only.`,
          }),
        )}
        <p class="actions">
          <button class="primary" type="submit" name="act" value="create">Create checks</button>
          <a class="button" href="${importPath}">Cancel</a>
        </p>
      </div>
    </form>`
  }
  ${
    leftOut.length > 0 &&
    card(
      { id: 'left-out', title: 'Left out' },
      rowsTable(
        'Operations that are left out',
        [
          { heading: 'Operation', cell: ({ operation }) => html`<bdi class="code">${operation}</bdi>` },
          { heading: 'Reason', cell: ({ why }) => html`<bdi>${why}</bdi>` },
        ],
        leftOut,
      ),
    )
  }
  ${operations.length === 0 && html`<p><a class="button" href="${importPath}">Back</a></p>`}`
}

const operationRows = (operations: readonly ImportedOperation[], chosen: ReadonlySet<number>): Html =>
  rowsTable(
    'Operations',
    [
      {
        heading: 'Create',
        cell: ({ at, operation }) =>
          html`<label
            ><input type="checkbox" name="operation" value="${at}" ${flag('checked', chosen.has(at))} />
            <bdi class="code">${operation}</bdi></label
          >`,
      },
      { heading: 'Name', cell: ({ check }) => html`<bdi>${check.name}</bdi>` },
      { heading: 'URL', cell: ({ check }) => html`<bdi class="code">${check.url}</bdi>` },
      { heading: 'Expects', cell: expected },
    ],
    operations.map((operation, at) => ({ ...operation, at })),
  )

const expected = ({ check, jsonPath, isSafe }: ImportedOperation): Html => {
  const { assertionStatusMin: min = null, assertionStatusMax: max = null } = check.assertions ?? {}
  const status = min === null ? '2xx' : min === max ? String(min) : `${min} to ${max}`
  return html`${status}${jsonPath !== null && html`, <bdi class="code">${jsonPath}</bdi> exists`}${!isSafe && html`<br /><strong>changes data at each run</strong>`}`
}

/** The requests of a recording with more than a journey has, to choose from. */
export const stepChoicePage = (
  draft: Pick<HarDraft, 'name' | 'steps' | 'secrets' | 'warnings'>,
  form: FormState,
): Html =>
  html`${problemSummary(form, ['steps'])} ${importNotes(draft)}
    <p>
      The recording has ${draft.steps.length} requests. A journey has ${limits.stepsMax} steps at most: choose
      those that matter. They run in this order, with the cookies of those before.
    </p>
    <form method="post" action="${importPath}" enctype="multipart/form-data" novalidate>
      <input type="hidden" name="draft" value="${JSON.stringify(draft)}" />
      <div id="field-steps">
        ${rowsTable(
          'Requests',
          [
            {
              heading: 'Step',
              cell: ({ problems, at }) =>
                html`<label
                  ><input
                    type="checkbox"
                    name="step"
                    value="${at}"
                    ${flag('disabled', problems.length > 0)}
                    ${attribute('aria-describedby', problems.length > 0 ? `step-${at}-problem` : null)}
                  />
                  ${at + 1}.</label
                >`,
            },
            {
              heading: 'Request',
              cell: ({ step }) =>
                html`<span class="method">${step.method}</span> <bdi class="code">${step.url}</bdi>`,
            },
            {
              heading: 'Expects',
              cell: ({ step, problems, at }) =>
                problems.length > 0
                  ? html`<span class="problem" id="step-${at}-problem">${problems.join(' ')}</span>`
                  : String(step.assertions?.statusMin ?? '2xx'),
            },
          ],
          draft.steps.map((each, at) => ({ ...each, at })),
        )}
      </div>
      <p class="actions">
        <button class="primary" type="submit" name="act" value="steps">Use these steps</button>
        <a class="button" href="${importPath}">Cancel</a>
      </p>
    </form>`
