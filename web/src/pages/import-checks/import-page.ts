import { importBytesMax, type ImportKind } from '@probe-mesh/contracts/check/check-import'
import { importPath } from '../check-form/import-notes.ts'
import { card } from '../../html/components/card.ts'
import {
  emptyForm,
  idOf,
  longTextField,
  problemsOf,
  problemSummary,
  textField,
  type FormState,
} from '../../html/components/form.ts'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'

/** The field of each kind that has its text. */
export const textFieldOf = { curl: 'curl', openapi: 'document', har: 'recording' } as const satisfies Record<
  ImportKind,
  string
>

const megabytes = (kind: ImportKind): string => `${importBytesMax[kind] / 1_048_576} MB`

/** One form a kind. @param form of the kind that was refused */
export const importPage = (refused: { kind: ImportKind; form: FormState } | null): Html => {
  const formOf = (kind: ImportKind): FormState => (refused?.kind === kind ? refused.form : emptyForm)
  return html`${refused !== null && problemSummary(refused.form, [textFieldOf[refused.kind], 'baseUrl'])}
    <p class="muted">
      No check is created before you confirm. Passwords, keys, tokens and cookies become, when the text is
      read,
      <a href="/dashboard/secrets">secrets</a> of their host.
    </p>
    ${card(
      { id: 'curl', title: 'curl command', about: 'One request becomes an HTTP check.' },
      html`<form method="post" action="${importPath}" novalidate>
        ${longTextField(formOf('curl'), {
          name: textFieldOf.curl,
          label: 'Command',
          rows: 5,
          hint: 'From documentation, or a browser’s “Copy as cURL”, for bash or cmd. It is not run.',
        })}
        ${importButton('curl', 'Read the command')}
      </form>`,
    )}
    ${card(
      {
        id: 'openapi',
        title: 'OpenAPI document',
        about: 'Each operation that you choose becomes an HTTP check.',
      },
      html`<form method="post" action="${importPath}" enctype="multipart/form-data" novalidate>
        <div class="fields">
          ${fileField(formOf('openapi'), 'openapi', 'Document', `JSON or YAML, OpenAPI 3.0 or 3.1 or Swagger 2.0, up to ${megabytes('openapi')}.`)}
          ${textField(formOf('openapi'), {
            name: 'baseUrl',
            label: 'Address of the API',
            hint: 'Only if the document names a server without a host, such as /v1.',
            inputMode: 'url',
          })}
        </div>
        ${importButton('openapi', 'Read the document')}
      </form>`,
    )}
    ${card(
      { id: 'har', title: 'HAR file', about: 'A recording of a browser becomes a journey.' },
      html`<form method="post" action="${importPath}" enctype="multipart/form-data" novalidate>
        ${fileField(
          formOf('har'),
          'har',
          'Recording',
          `“Save all as HAR” in a browser’s network panel, with sensitive data, up to ${megabytes('har')}.`,
        )}
        ${importButton('har', 'Read the recording')}
      </form>`,
    )}`
}

const importButton = (kind: ImportKind, text: string): Html =>
  html`<p class="actions"><button type="submit" name="act" value="${kind}">${text}</button></p>`

const fileField = (form: FormState, kind: ImportKind, label: string, hint: string): Html => {
  const id = idOf(textFieldOf[kind])
  const own = problemsOf(form, textFieldOf[kind])
  const described = [`${id}-hint`, ...(own.length > 0 ? [`${id}-problem`] : [])].join(' ')
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <p class="hint" id="${id}-hint">${hint}</p>
    <input
      type="file"
      id="${id}"
      name="${textFieldOf[kind]}"
      aria-describedby="${described}"
      ${attribute('aria-invalid', own.length > 0 ? 'true' : null)}
    />
    ${own.length > 0 && html`<p class="problem" id="${id}-problem">${own.map(({ message }) => message).join('; ')}</p>`}
  </div> `
}
