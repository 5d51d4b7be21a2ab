import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { longTextField, problemSummary, selectField, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { previewFrame } from '../../html/preview-frame.ts'
import { fontChoices, linkRows, linksMax, lookFields, themeChoices } from './look-form.ts'
import { slugHint } from './status-page-list-page.ts'

/** What a page shows of itself, to be changed. */
export const lookPage = ({ id, path }: StatusPage, form: FormState): Html => html`
  ${problemSummary(form, lookFields)}
  <form method="post" action="/dashboard/pages/${id}/edit">
    <div class="fields">
      ${textField(form, { name: 'name', label: 'Name', isRequired: true })}
      ${textField(form, { name: 'slug', label: 'Slug', hint: `${slugHint} With another one ${path} is not found any more, nor are its feeds and badges.`, isRequired: true, autocomplete: 'off' })}
      ${textField(form, { name: 'title', label: 'Title', hint: 'Above the page; left empty, its name.' })}
      ${longTextField(form, { name: 'description', label: 'Description', hint: 'Below the title, up to 1,000 characters.' })}
      ${textField(form, { name: 'logo', label: 'Logo', hint: 'The address of a picture, beginning with https://.', inputMode: 'url' })}
      ${textField(form, { name: 'accentColor', label: 'Accent colour', hint: 'Such as #0a7d4f; left empty, the colour of the theme.', autocomplete: 'off' })}
      ${selectField(form, { name: 'themePreset', label: 'Theme', hint: "system is light or dark as the visitor's device is.", choices: themeChoices })}
      ${selectField(form, { name: 'font', label: 'Font', choices: fontChoices })}
      ${textField(form, { name: 'locale', label: 'Language', hint: 'Such as en or de-AT.', isRequired: true, autocomplete: 'off' })}
    </div>
    <h2>Links</h2>
    <p>Shown on the page, up to ${linksMax}. A row left empty is no link; saving makes room for more.</p>
    ${linkRows(form.typed).map(
      ({ label, url }, at) =>
        html`<fieldset class="pair">
          <legend>Link ${at + 1}</legend>
          ${textField(form, { name: label, label: 'Label' })}
          ${textField(form, { name: url, label: 'Address', inputMode: 'url' })}
        </fieldset> `,
    )}
    <p class="actions">
      <button class="primary" type="submit">Save</button>
      <button
        type="submit"
        formaction="/dashboard/pages/${id}/preview"
        formtarget="_blank"
        formnovalidate
        data-preview
      >
        Preview in a new tab, without saving
      </button>
      <a href="/dashboard/pages/${id}">Leave it as it is</a>
    </p>
  </form>
  ${previewFrame(`/dashboard/pages/${id}/preview`)}
`
