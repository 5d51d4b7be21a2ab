import { html } from './html.ts'
import type { Html } from './html.ts'

/** What a form names as its target, so that islands/preview.js shows in the frame what is typed. */
export const previewFrameName = 'preview'

/**
 * A page within the page, which only looks: no script, no form and no link out of it works. The page
 * that has it says `frames` of itself.
 */
export const previewFrame = (path: string): Html => html`
  <section aria-labelledby="preview-heading">
    <h2 id="preview-heading">As visitors see it</h2>
    <iframe
      class="preview"
      name="${previewFrameName}"
      src="${path}"
      title="The status page as visitors see it"
      sandbox="allow-same-origin"
    ></iframe>
  </section>
`
