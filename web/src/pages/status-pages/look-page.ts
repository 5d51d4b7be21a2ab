import { logoLimits, type PageLogo } from '@probe-mesh/contracts/status-page/logo'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { card } from '../../html/components/card.ts'
import {
  longTextField,
  problemSummary,
  problemsOf,
  selectField,
  textField,
  type FormState,
} from '../../html/components/form.ts'
import { previewFrame } from '../../html/preview-frame.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { fontChoices, linkRows, linksMax, localeChoices, lookFields, themeChoices } from './look-form.ts'
import { slugHint } from './status-page-list-page.ts'

/** The design and the texts of a page, with a preview. */
export const lookPage = (
  { id, path }: StatusPage,
  { form, logo, logoForm }: { form: FormState; logo: PageLogo | null; logoForm: FormState },
): Html => html`
  ${problemSummary(form, lookFields)}
  <div class="split">
    <div class="form-main">
      ${logoCard(id, logo, logoForm)}
      <form
        method="post"
        action="/dashboard/pages/${id}/edit"
        class="form-main"
        data-module="/module#page-editor"
      >
        ${card(
          { id: 'identity', title: 'Identity' },
          html`<div class="fields">
            ${textField(form, { name: 'title', label: 'Title', hint: 'By default the name.' })}
            ${selectField(form, { name: 'locale', label: 'Language', hint: 'Of words, dates, feeds and mails.', choices: localeChoices(form.typed['locale']) })}
            ${longTextField(form, { name: 'description', label: 'Description', hint: 'Below the title; up to 1,000 characters.' })}
            ${textField(form, { name: 'name', label: 'Name', isRequired: true })}
            ${textField(form, { name: 'slug', label: 'Slug', hint: html`${slugHint} A new slug ends <bdi>${path}</bdi> with its feeds and badges.`, isRequired: true, autocomplete: 'off' })}
          </div>`,
        )}
        ${card(
          { id: 'look', title: 'Look' },
          html`<div class="fields">
            ${textField(form, { name: 'accentColor', label: 'Accent colour', hint: 'Such as #0a7d4f; empty for the colour of the theme.', autocomplete: 'off' })}
            ${selectField(form, { name: 'themePreset', label: 'Theme', choices: themeChoices })}
            ${selectField(form, { name: 'font', label: 'Font', choices: fontChoices })}
            ${textField(form, { name: 'logo', label: 'Logo address', hint: 'An https address instead of an uploaded file.', inputMode: 'url' })}
          </div>`,
        )}
        ${card(
          { id: 'links', title: 'Links', about: `Up to ${linksMax}, shown in the header` },
          html`${linkRows(form.typed).map(
            ({ label, url }, at) =>
              html`<fieldset class="pair plain-set">
                <legend class="unseen">Link ${at + 1}</legend>
                ${textField(form, { name: label, label: 'Label' })}
                ${textField(form, { name: url, label: 'Address', inputMode: 'url' })}
              </fieldset> `,
          )}`,
        )}
        <p class="form-bar">
          <button class="primary" type="submit">Save design</button>
          <button
            type="submit"
            formaction="/dashboard/pages/${id}/preview"
            formtarget="_blank"
            formnovalidate
            data-preview
          >
            Preview in a new tab
          </button>
          <a class="button" href="/dashboard/pages/${id}">Cancel</a>
        </p>
      </form>
    </div>
    ${previewFrame(`/dashboard/pages/${id}/preview`)}
  </div>
`

const logoCard = (id: string, logo: PageLogo | null, form: FormState): Html => {
  const problems = [
    ...problemsOf(form, 'image').map(({ message }) => message),
    ...(form.message === null ? [] : [form.message]),
  ]
  return card(
    { id: 'logo', title: 'Logo' },
    html`${
        logo !== null &&
        html`<p class="logo-now">
          <img src="${logo.path}" alt="The logo now" width="${logo.width}" height="${logo.height}" />
        </p>`
      }
      <form method="post" action="/dashboard/pages/${id}/logo" enctype="multipart/form-data">
        <label for="field-image">Image file</label>
        <p class="hint" id="field-image-hint">
          PNG, JPEG, WebP or GIF, up to ${logoLimits.bytesMax / 1024} KB.
        </p>
        <p class="actions">
          <input
            type="file"
            id="field-image"
            name="image"
            accept="image/png,image/jpeg,image/webp,image/gif"
            required
            aria-describedby="field-image-hint"
          />
          <button type="submit">Upload logo</button>
          ${
            logo !== null &&
            html`<button
              type="submit"
              class="danger"
              formaction="/dashboard/pages/${id}/logo/delete"
              formnovalidate
            >
              Delete logo
            </button>`
          }
        </p>
        ${problems.length > 0 && html`<p class="problem" role="alert">The logo ${problems.join('; ')}</p>`}
      </form>`,
  )
}
