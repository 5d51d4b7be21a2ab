import { html, type Html } from '@probe-mesh/runtime/html'

/**
 * A read-only page within the page: scripts, forms and links out of it do not work. The outer page sets
 * `frames`; islands/preview.js finds the frame by its name.
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
