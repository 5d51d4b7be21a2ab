import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/**
 * A page within the page, which only looks: no script, no form and no link out of it works. The page
 * that has it says `frames` of itself; islands/preview.js finds the frame by its name.
 */
export const previewFrame = (path: string): Html => html`
  <section class="preview-side" aria-labelledby="preview-heading">
    <h2 id="preview-heading" class="unseen">Preview</h2>
    <iframe
      class="preview"
      name="preview"
      src="${path}"
      title="Preview of the status page"
      sandbox="allow-same-origin"
    ></iframe>
  </section>
`
